/* read.c -- checks a tree against the table of keys and fills the config. */
#include "config/read.h"

#include "base/memory.h"
#include "base/shipped.h"
#include "config/value.h"
#include <string.h>

static const bp_node *node_at(const bp_reader *reader, int n)
{
  return n ? &reader->tree->nodes[n] : NULL;
}

static void *field_of(const bp_reader *reader, const bp_config_key *key)
{
  return (char *)reader->config + key->offset;
}

static void complain(bp_reader *reader, const bp_node *node, bp_text *problem)
{
  if (node->kind != BP_NODE_REFUSED)
    bp_source_complain(reader->source, node->line, node->column, "%s", problem->data);
  bp_text_destroy(problem);
}

static void append_found(const bp_node *node, bp_text *text)
{
  bp_text_append(text, ", found ");
  if (node->kind == BP_NODE_SCALAR)
    bp_value_quote(node->text, text);
  else if (node->kind == BP_NODE_LIST)
    bp_text_append(text, node->first ? "a list" : "an empty list");
  else
    bp_text_append(text, "a map");
}

static void refuse_node(bp_reader *reader, const bp_config_key *key, const bp_node *node)
{
  bp_text problem = {0};
  bp_text_append(&problem, "expected ");
  bp_config_describe(key, &problem);
  append_found(node, &problem);
  complain(reader, node, &problem);
}

static void read_values(bp_reader *reader, const bp_config_key *key, const bp_node *node,
                        void *field)
{
  bp_text problem = {0};
  if (node->kind == BP_NODE_SCALAR) {
    if (!bp_value_add(key, node->text, field, &problem))
      complain(reader, node, &problem);
    return;
  }
  if (node->kind == BP_NODE_MAP || !bp_config_is_list(key) || node->first == 0) {
    refuse_node(reader, key, node);
    return;
  }
  for (const bp_node *item = node_at(reader, node->first); item; item = node_at(reader, item->next))
    if (item->kind != BP_NODE_SCALAR)
      refuse_node(reader, key, item);
    else if (!bp_value_add(key, item->text, field, &problem))
      complain(reader, item, &problem);
}

void bp_read_option(bp_reader *reader, const char *name, const bp_node *value)
{
  bp_text problem = {0};
  bp_config_options *options = &reader->config->options;
  bp_config_option *option = NULL;
  for (int n = 0; n < options->count && !option; ++n)
    if (strcmp(options->items[n].name, name) == 0)
      option = &options->items[n];
  if (!option)
    option = bp_value_add_option(options, name, &problem);
  if (!option) {
    complain(reader, value, &problem);
    return;
  }
  bp_value_clear(&bp_value_of_option, &option->values);
  read_values(reader, &bp_value_of_option, value, &option->values);
}

/* The key of this map that has the same name and stands before `key`. */
static const bp_node *find_earlier(const bp_reader *reader, const bp_node *map, const bp_node *key)
{
  const bp_node *other = node_at(reader, map->first);
  while (other != key) {
    if (other->text && strcmp(other->text, key->text) == 0)
      return other;
    other = node_at(reader, node_at(reader, other->next)->next);
  }
  return NULL;
}

/* Complains about a key that is no word or was there before. */
static bool is_new_word(bp_reader *reader, const bp_node *map, const bp_node *key)
{
  if (key->kind != BP_NODE_SCALAR || *key->text == '\0') {
    bp_text problem = {0};
    bp_text_append(&problem, "expected a key");
    append_found(key, &problem);
    complain(reader, key, &problem);
    return false;
  }
  const bp_node *earlier = find_earlier(reader, map, key);
  if (earlier) {
    bp_text name = {0};
    bp_value_quote(key->text, &name);
    bp_source_complain(reader->source, key->line, key->column,
                       "expected each key once, found %s again, first in line %d", name.data,
                       earlier->line);
    bp_text_destroy(&name);
  }
  return !earlier;
}

static void read_options(bp_reader *reader, const bp_config_key *key, const bp_node *map)
{
  if (map->kind != BP_NODE_MAP) {
    refuse_node(reader, key, map);
    return;
  }
  for (const bp_node *name = node_at(reader, map->first), *value; name;
       name = node_at(reader, value->next)) {
    value = node_at(reader, name->next);
    if (is_new_word(reader, map, name))
      bp_read_option(reader, name->text, value);
  }
}

void bp_read_key(bp_reader *reader, int n, const bp_node *value)
{
  const bp_config_key *key = &bp_config_keys[n];
  bp_config_place *place = &reader->config->places[n];
  void *field = field_of(reader, key);
  bp_value_clear(key, field);
  if (key->kind == BP_KEY_OPTIONS)
    read_options(reader, key, value);
  else
    read_values(reader, key, value, field);
  if (key->kind == BP_KEY_PATH && *(char **)field) {
    char *path = *(char **)field;
    *(char **)field = bp_shipped_find("meshes", path, reader->folder, reader->config->folder);
    bp_free(path);
  }
  bp_free(place->where);
  bp_free(place->excerpt);
  place->where = bp_source_where(reader->source, value->line, value->column);
  place->excerpt = bp_source_excerpt(reader->source, value->line, value->column);
}

bool bp_read_is_section(const char *name)
{
  size_t length = strlen(name);
  for (int n = 0; n < BP_CONFIG_KEYS; ++n)
    if (strncmp(bp_config_keys[n].name, name, length) == 0 && bp_config_keys[n].name[length] == '.')
      return true;
  return false;
}

/* The words that may stand below `prefix`, each once; returns how many. Free each with bp_free. */
static size_t list_words(const char *prefix, const char **words)
{
  size_t count = 0, length = strlen(prefix);
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    const char *rest = bp_config_keys[n].name + length;
    if (strncmp(bp_config_keys[n].name, prefix, length) != 0)
      continue;
    char *word = bp_strndup(rest, strcspn(rest, "."));
    if (count && strcmp(words[count - 1], word) == 0)
      bp_free(word);
    else
      words[count++] = word;
  }
  return count;
}

/* The full name of a key that has the name in another section. */
static const char *find_elsewhere(const char *name)
{
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    const char *dot = strchr(bp_config_keys[n].name, '.');
    if (strcmp(dot ? dot + 1 : bp_config_keys[n].name, name) == 0)
      return bp_config_keys[n].name;
  }
  return NULL;
}

/* A dotted name is compared with the whole names, another with the words of its level. */
static const char *find_meant(const char *name, const char *const *words, size_t count)
{
  const char *whole[BP_CONFIG_KEYS], *elsewhere = find_elsewhere(name);
  if (elsewhere)
    return elsewhere;
  for (int n = 0; n < BP_CONFIG_KEYS; ++n)
    whole[n] = bp_config_keys[n].name;
  return strchr(name, '.') ? bp_nearest(name, whole, BP_CONFIG_KEYS)
                           : bp_nearest(name, words, count);
}

void bp_read_refuse_key(bp_source *source, int line, int column, const char *prefix,
                        const char *name)
{
  const char *words[BP_CONFIG_KEYS];
  size_t count = list_words(prefix, words);
  bp_text found = {0};
  const char *meant = find_meant(name, words, count);
  bp_value_quote(name, &found);
  if (meant)
    bp_text_appendf(&found, "; did you mean '%s'?", meant);
  for (size_t n = 0; n < count && !meant && !source->has_listed; ++n)
    bp_text_appendf(&found, "%s%s", n ? ", " : "; the keys are ", words[n]);
  source->has_listed |= !meant;
  bp_source_complain(source, line, column, "expected a key%s%.*s, found %s", *prefix ? " of " : "",
                     *prefix ? (int)strlen(prefix) - 1 : 0, prefix, found.data);
  bp_text_destroy(&found);
  for (size_t n = 0; n < count; ++n)
    bp_free((void *)words[n]);
}

static void read_section(bp_reader *reader, const char *name, const bp_node *map);

static void read_pair(bp_reader *reader, const char *prefix, const bp_node *key,
                      const bp_node *value)
{
  char *name = bp_format("%s%s", prefix, key->text);
  int n = bp_config_find(name);
  bool is_key = n >= 0 && strcmp(bp_config_keys[n].name, name) == 0;
  if (is_key && reader->config->places[n].where) /* measure: {cache: ...} and measure.cache: ... */
    bp_source_complain(reader->source, key->line, key->column,
                       "expected each key once, found '%s' again", name);
  else if (is_key)
    bp_read_key(reader, n, value);
  else if (*prefix == '\0' && bp_read_is_section(name))
    read_section(reader, name, value);
  else
    bp_read_refuse_key(reader->source, key->line, key->column, prefix, key->text);
  bp_free(name);
}

static void read_map(bp_reader *reader, const char *prefix, const bp_node *map)
{
  for (const bp_node *key = node_at(reader, map->first), *value;
       key && !bp_source_is_full(reader->source); key = node_at(reader, value->next)) {
    value = node_at(reader, key->next);
    if (is_new_word(reader, map, key))
      read_pair(reader, prefix, key, value);
  }
}

static void read_section(bp_reader *reader, const char *name, const bp_node *map)
{
  bp_text problem = {0};
  if (map->kind == BP_NODE_MAP) {
    char *prefix = bp_format("%s.", name);
    read_map(reader, prefix, map);
    bp_free(prefix);
    return;
  }
  bp_text_appendf(&problem, "expected keys of %s", name);
  append_found(map, &problem);
  complain(reader, map, &problem);
}

/* A file may say how large in one way only. */
static void refuse_second_size(bp_reader *reader, const bp_node *root)
{
  const bp_node *first = NULL;
  for (const bp_node *key = node_at(reader, root->first), *value; key;
       key = node_at(reader, value->next)) {
    value = node_at(reader, key->next);
    int n = key->text ? bp_config_find(key->text) : -1;
    if (n < 0 || !bp_config_keys[n].is_size || find_earlier(reader, root, key))
      continue;
    if (first)
      bp_source_complain(
          reader->source, key->line, key->column,
          "expected one of mesh, box, elements, dofs, nodes, found %s besides %s in line %d",
          key->text, first->text, first->line);
    else
      first = key;
  }
}

void bp_read_root(bp_reader *reader)
{
  const bp_node *root = reader->tree->count ? node_at(reader, 1) : NULL;
  if (!root || (root->kind == BP_NODE_SCALAR && *root->text == '\0')) {
    bp_source_complain(reader->source, 1, 1,
                       "expected keys such as 'problem: bp3.5', found nothing");
  } else if (root->kind != BP_NODE_MAP) {
    bp_text problem = {0};
    bp_text_append(&problem, "expected keys such as 'problem: bp3.5'");
    append_found(root, &problem);
    complain(reader, root, &problem);
  } else {
    read_map(reader, "", root);
    refuse_second_size(reader, root);
  }
}
