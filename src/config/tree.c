/* tree.c -- from libyaml's events to a tree. Its document loader is not used: it needs minutes for
 * a deep nesting, and lets duplicate keys, aliases and tags through. */
#include "config/tree.h"

#include "base/memory.h"
#include <string.h>
#include <yaml.h>

#define STANDARD_TAG "tag:yaml.org,2002:" /* what "!!" stands for */

enum { DEPTH_MAX = 32, NODES_MAX = 4000 };

typedef struct {
  bp_source *source;
  bp_tree *tree;
  int open[DEPTH_MAX + 1],
      last[DEPTH_MAX + 1]; /* the collections around, their last child so far */
  int depth, documents;
  bool is_refused; /* too much of it: what was read is not worth a look */
} builder;

static int line_of(yaml_mark_t mark)
{
  return (int)mark.line + 1;
}

static int column_of(yaml_mark_t mark)
{
  return (int)mark.column + 1;
}

static bp_node *add_node(builder *b, bp_node_kind kind, yaml_mark_t mark)
{
  bp_tree *tree = b->tree;
  int n = tree->count ? tree->count : 1;
  if ((n & (n - 1)) == 0)
    tree->nodes = bp_realloc(tree->nodes, (size_t)n * 2, sizeof *tree->nodes);
  tree->count = n + 1;
  tree->nodes[n] = (bp_node){.kind = kind, .line = line_of(mark), .column = column_of(mark)};
  if (b->depth > 0) {
    int parent = b->open[b->depth], last = b->last[b->depth];
    *(last ? &tree->nodes[last].next : &tree->nodes[parent].first) = n;
    b->last[b->depth] = n;
  }
  return &tree->nodes[n];
}

/* Where the event begins. */
#define COMPLAIN(b, event, ...)                                                                    \
  bp_source_complain((b)->source, line_of((event)->start_mark), column_of((event)->start_mark),    \
                     __VA_ARGS__)

static void refuse_properties(builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
                              const yaml_char_t *tag)
{
  if (anchor)
    COMPLAIN(b, event, "expected a plain value, found the anchor '&%.40s'", (const char *)anchor);
  if (tag) {
    const char *name = (const char *)tag;
    bool is_standard = strncmp(name, STANDARD_TAG, strlen(STANDARD_TAG)) == 0;
    COMPLAIN(b, event, "expected a plain value, found the tag '%s%.40s'", is_standard ? "!!" : "",
             is_standard ? name + strlen(STANDARD_TAG) : name);
  }
}

static bool add_scalar(builder *b, const yaml_event_t *event)
{
  const char *text = (const char *)event->data.scalar.value;
  refuse_properties(b, event, event->data.scalar.anchor, event->data.scalar.tag);
  if (strlen(text) != event->data.scalar.length) {
    COMPLAIN(b, event, "expected text, found a NUL byte");
    add_node(b, BP_NODE_REFUSED, event->start_mark);
  } else {
    add_node(b, BP_NODE_SCALAR, event->start_mark)->text = bp_strdup(text);
  }
  return true;
}

static bool open_collection(builder *b, const yaml_event_t *event)
{
  bool is_map = event->type == YAML_MAPPING_START_EVENT;
  if (is_map)
    refuse_properties(b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
  else
    refuse_properties(b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
  if (b->depth == DEPTH_MAX) {
    COMPLAIN(b, event, "expected at most %d levels of nesting, found more", DEPTH_MAX);
    b->is_refused = true;
    return false;
  }
  bp_node *node = add_node(b, is_map ? BP_NODE_MAP : BP_NODE_LIST, event->start_mark);
  ++b->depth;
  b->open[b->depth] = (int)(node - b->tree->nodes);
  b->last[b->depth] = 0;
  return true;
}

static bool add_alias(builder *b, const yaml_event_t *event)
{
  COMPLAIN(b, event, "expected a value, found the alias '*%.40s' (quote a glob that begins so)",
           (const char *)event->data.alias.anchor);
  add_node(b, BP_NODE_REFUSED, event->start_mark);
  return true;
}

/* False ends the parsing. */
static bool take_event(builder *b, const yaml_event_t *event)
{
  if (b->tree->count > NODES_MAX) {
    COMPLAIN(b, event, "expected at most %d values, found more", NODES_MAX);
    b->is_refused = true;
    return false;
  }
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (++b->documents > 1)
      COMPLAIN(b, event, "expected one document, found a second one");
    return b->documents == 1;
  case YAML_SCALAR_EVENT:
    return add_scalar(b, event);
  case YAML_ALIAS_EVENT:
    return add_alias(b, event);
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    return open_collection(b, event);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    --b->depth;
    return true;
  default:
    return event->type != YAML_STREAM_END_EVENT;
  }
}

/* libyaml's words for the mistakes that people make, and ours. */
static const struct {
  const char *theirs, *expected;
  const char *found; /* NULL: what stands there */
  bool is_opened;    /* say where what is not closed was opened */
} problems[] = {
    {"did not find expected key", "a key, indented like the one above", NULL, false},
    {"did not find expected ',' or ']'", "',' or ']'", NULL, true},
    {"did not find expected ',' or '}'", "',' or '}'", NULL, true},
    {"did not find expected '-' indicator", "'- ' as above", NULL, false},
    {"did not find expected node content", "a value", NULL, false},
    {"could not find expected ':'", "'key: value'", "no ':'", false},
    {"mapping values are not allowed in this context",
     "one 'key: value' a line, indented like the others", "another ':'", false},
    {"mapping keys are not allowed in this context", "a key", NULL, false},
    {"block sequence entries are not allowed in this context", "a value", "'- '", false},
    {"found character that cannot start any token", "a value",
     "a character that cannot begin one (quote it)", false},
    {"did not find expected alphabetic or numeric character", "a value", "'*' or '&' (quote it)",
     false},
    {"found unexpected end of stream", "a closing quote", "the end of the text", true},
    {"found unexpected document indicator", "a closing quote", "'---' or '...'", true},
    {"did not find expected <document start>", "one value", "more after its end", false},
    {"found unknown escape character", "an escape such as \\n", "an unknown one", false},
    {"found incompatible YAML document", "YAML 1.1 or 1.2", "another version", false},
};

static void complain_of_syntax(bp_source *source, const yaml_parser_t *parser)
{
  const char *theirs = parser->problem ? parser->problem : "an error";
  int line = line_of(parser->problem_mark), column = column_of(parser->problem_mark);
  size_t n = 0, count = sizeof problems / sizeof *problems;
  bp_text text = {0};
  while (n < count && strcmp(theirs, problems[n].theirs) != 0)
    ++n;
  if (n == count) {
    bp_text_appendf(&text, "expected YAML, found what its parser calls: %s", theirs);
  } else {
    bp_text_appendf(&text, "expected %s, found ", problems[n].expected);
    if (problems[n].found)
      bp_text_append(&text, problems[n].found);
    else
      bp_source_append_found(source, line, column, &text);
    if (problems[n].is_opened && source->has_lines)
      bp_text_appendf(&text, " (opened in line %d)", line_of(parser->context_mark));
  }
  bp_source_complain(source, line, column, "%s", text.data);
  bp_text_destroy(&text);
}

bp_status bp_tree_read(bp_source *source, bp_tree *tree)
{
  yaml_parser_t parser;
  builder b = {.source = source, .tree = tree};
  bool goes_on = true, is_parsed = true;
  *tree = (bp_tree){0};
  if (!yaml_parser_initialize(&parser))
    return bp_fail(BP_ENVIRONMENT, "%s: out of memory", source->name);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)source->data, source->size);
  while (goes_on) {
    yaml_event_t event;
    is_parsed = yaml_parser_parse(&parser, &event);
    goes_on = is_parsed && take_event(&b, &event);
    if (is_parsed)
      yaml_event_delete(&event);
  }
  bp_status status = BP_OK;
  if (!is_parsed && parser.error == YAML_MEMORY_ERROR)
    status = bp_fail(BP_ENVIRONMENT, "%s: out of memory", source->name);
  else if (!is_parsed)
    complain_of_syntax(source, &parser);
  yaml_parser_delete(&parser);
  if (status || !is_parsed || b.is_refused)
    bp_tree_destroy(tree);
  return status;
}

void bp_tree_destroy(bp_tree *tree)
{
  for (int n = 1; n < tree->count; ++n)
    bp_free(tree->nodes[n].text);
  bp_free(tree->nodes);
  *tree = (bp_tree){0};
}
