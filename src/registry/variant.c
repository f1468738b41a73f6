/* variant.c -- reads the headers of the kernel files into the registry. */
#include "registry/variant.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/gradient.h"
#include "registry/kernel_dir.h"
#include "registry/operand.h"
#include "registry/renamed.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef bool line_reader(bp_variant *variant, char *value);

static char *trimmed(char *text)
{
  text += strspn(text, " \t");
  for (size_t n = strlen(text); n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'); --n)
    text[n - 1] = '\0';
  return text;
}

/* What follows `word` in `text`, or NULL when it starts otherwise. */
static char *after(char *text, const char *word)
{
  size_t length = strlen(word);
  text = trimmed(text);
  return strncmp(text, word, length) == 0 ? trimmed(text + length) : NULL;
}

static bool read_degrees(bp_variant *variant, char *value)
{
  int used = 0;
  int found = sscanf(value, "%d..%d %n", &variant->lowest, &variant->highest, &used);
  variant->compiled_once = strcmp(value + used, "compiled once") == 0;
  return found == 2 && (value[used] == '\0' || variant->compiled_once) && variant->lowest >= 1 &&
         variant->lowest <= variant->highest && variant->highest <= BP_DEGREE_MAX;
}

static const char *const shape_names[] = {[BP_HEXAHEDRON] = "hex",
                                          [BP_TRIANGLE] = "tri",
                                          [BP_QUADRILATERAL] = "quad",
                                          [BP_TETRAHEDRON] = "tet"};
enum { SHAPES = sizeof shape_names / sizeof *shape_names };

static bool read_shapes(bp_variant *variant, char *value)
{
  char *rest = NULL;
  for (char *word = strtok_r(value, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    int n = 0;
    while (n < SHAPES && strcmp(word, shape_names[n]) != 0)
      ++n;
    if (n == SHAPES)
      return false;
    variant->shapes |= 1u << n;
  }
  return variant->shapes != 0;
}

static bool read_points(bp_variant *variant, char *value)
{
  int used = 0;
  return sscanf(value, "%d..%d%n", &variant->fewest, &variant->most, &used) == 2 &&
         value[used] == '\0' && variant->fewest >= 1 && variant->fewest <= variant->most &&
         variant->most <= BP_POINTS_BEYOND_MAX;
}

/* An option of that name, declared by an included header, or a new one. */
static bp_variant_option *option_named(bp_variant *variant, const char *name)
{
  int n = 0;
  while (n < variant->options_count && strcmp(variant->options[n].name, name) != 0)
    ++n;
  if (n == BP_OPTIONS_MAX)
    return NULL;
  variant->options_count += n == variant->options_count;
  return &variant->options[n];
}

static bool read_option(bp_variant *variant, char *value)
{
  char name[32];
  long long low, high, standard;
  int used = 0;
  if (sscanf(value, "%31[a-z_0-9] %lld..%lld = %lld -- %n", name, &low, &high, &standard, &used) <
          4 ||
      used == 0 || low > standard || standard > high)
    return false;
  bp_variant_option *option = option_named(variant, name);
  if (!option)
    return false;
  bp_free(option->name);
  bp_free(option->help);
  *option = (bp_variant_option){
      .name = bp_strdup(name),
      .help = bp_strdup(value + used),
      .low = low,
      .high = high,
      .standard = standard,
  };
  return true;
}

/* NAME = EXPRESSION -- HELP */
static bool read_size(bp_variant *variant, char *value)
{
  char *equals = strchr(value, '='), *help = strstr(value, " -- ");
  if (variant->sizes_count == BP_SIZES_MAX || !equals || !help || equals > help)
    return false;
  *equals = *help = '\0';
  char *name = trimmed(value);
  if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")])
    return false;
  variant->sizes[variant->sizes_count++] =
      (bp_variant_size){bp_strdup(name), bp_strdup(trimmed(equals + 1))};
  return true;
}

static bool read_factors(bp_variant *variant, char *value)
{
  bp_free(variant->factors);
  variant->factors = bp_strdup(value);
  return true;
}

static bool read_then(char *words, unsigned *then)
{
  static const char *const names[] = {"exchange", "pap", "rr", "post", NULL};
  char *rest = NULL;
  for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    int n = 0;
    while (names[n] && strcmp(names[n], word) != 0)
      ++n;
    if (!names[n])
      return false;
    *then |= 1u << n;
  }
  return true;
}

/* KERNEL; threads X, Y, Z; blocks B; shared BYTES; then WHAT -- the last three may be missing. */
static bool read_launch_of(bp_variant *variant, bp_phase phase, char *value)
{
  if (variant->launches_count == BP_LAUNCHES_MAX)
    return false;
  bp_launch *launch = &variant->launches[variant->launches_count++];
  launch->phase = phase;
  char *rest = NULL, *field = strtok_r(value, ";", &rest);
  if (!field)
    return false;
  launch->kernel = bp_strdup(trimmed(field));
  launch->shared = bp_strdup("0");
  while ((field = strtok_r(NULL, ";", &rest))) {
    char *text, *end = NULL;
    if ((text = after(field, "threads"))) {
      for (int d = 0; d < 3; ++d) {
        char *part = d == 0 ? strtok_r(text, ",", &end) : strtok_r(NULL, ",", &end);
        launch->threads[d] = bp_strdup(part ? trimmed(part) : "1");
      }
    } else if ((text = after(field, "blocks"))) {
      launch->blocks = bp_strdup(text);
    } else if ((text = after(field, "shared"))) {
      bp_free(launch->shared);
      launch->shared = bp_strdup(text);
    } else if (strcmp(trimmed(field), "together") == 0) {
      launch->together = true;
    } else if ((text = after(field, "then"))) {
      if (!read_then(text, &launch->then))
        return false;
    } else {
      return false;
    }
  }
  return launch->threads[0] || variant->language == BP_LANGUAGE_C;
}

static bool read_start(bp_variant *variant, char *value)
{
  return read_launch_of(variant, BP_AT_START, value);
}

static bool read_launch(bp_variant *variant, char *value)
{
  return read_launch_of(variant, BP_REPEATED, value);
}

static bool read_finish(bp_variant *variant, char *value)
{
  return read_launch_of(variant, BP_AT_END, value);
}

static bool read_operands(bp_variant *variant, char *value)
{
  variant->operands_count = bp_operands_parse(value, variant->operands, BP_VARIANT_OPERANDS_MAX);
  return variant->operands_count > 0;
}

static bool read_scratch(bp_variant *variant, char *value)
{
  variant->scratch = bp_strdup(value);
  return true;
}

static bool read_shared_traffic(bp_variant *variant, char *value)
{
  variant->shared_traffic = bp_strdup(value);
  return true;
}

static bool read_bytes(bp_variant *variant, char *value)
{
  variant->bytes = bp_strdup(value);
  return true;
}

static bool read_flops(bp_variant *variant, char *value)
{
  variant->flops = bp_strdup(value);
  return true;
}

static bool read_requires(bp_variant *variant, char *value)
{
  return sscanf(value, "sm_%d", &variant->requires_sm) == 1;
}

static const struct {
  const char *key;
  line_reader *read;
} lines[] = {
    {"degrees", read_degrees},   {"size", read_size},
    {"option", read_option},     {"factors", read_factors},
    {"operands", read_operands}, {"start", read_start},
    {"launch", read_launch},     {"finish", read_finish},
    {"scratch", read_scratch},   {"shared traffic", read_shared_traffic},
    {"requires", read_requires}, {"flops", read_flops},
    {"bytes", read_bytes},       {"points", read_points},
    {"shapes", read_shapes},
};

static bp_status refuse(const char *file, const char *line)
{
  return bp_fail(BP_BAD_INPUT,
                 "%s: its header cannot be understood: '%s' (see docs/new-variant.md)", file, line);
}

/* Lines that start with a known key and a colon are declarations; all others are prose. */
static bp_status read_line(bp_variant *variant, const char *file, char *line, bool is_header)
{
  bp_status status = BP_OK;
  for (size_t n = 0; n < sizeof lines / sizeof *lines && !status; ++n) {
    char *value = after(line, lines[n].key);
    if (!value || *value != ':' ||
        (is_header && lines[n].read != read_size && lines[n].read != read_option))
      continue;
    char *copy = bp_strdup(trimmed(value + 1));
    if (!lines[n].read(variant, copy))
      status = refuse(file, line);
    bp_free(copy);
  }
  return status;
}

/* The lines of the first comment after its first, without the " * " before them. `is_header`: of those
 * `size:` and `option:` alone. */
static bp_status read_comment(bp_variant *variant, const char *file, const char *source,
                              bool is_header)
{
  const char *end = strstr(source, "*/"), *at = strchr(source, '\n');
  bp_status status = BP_OK;
  while (at && at < end && !status) {
    at += 1 + strspn(at + 1, " ");
    at += *at == '*' && at < end;
    size_t length = strcspn(at, "\n");
    char *line = bp_strndup(at, at + length < end ? length : at < end ? (size_t)(end - at) : 0);
    status = read_line(variant, file, trimmed(line), is_header);
    bp_free(line);
    at = strchr(at, '\n');
  }
  return status;
}

static bp_status read_headers(bp_variant *variant)
{
  int count;
  const bp_kernel_header **headers = bp_kernel_dir_included(variant->text->source, "abi/", &count);
  bp_status status = BP_OK;
  for (int n = 0; n < count && !status; ++n)
    status = read_comment(variant, headers[n]->name, headers[n]->source, true);
  bp_free(headers);
  return status;
}

/* "/" "* ID -- SUMMARY" */
static char *summary_of(const bp_variant_text *text)
{
  char *line = bp_strndup(text->source, strcspn(text->source, "\n")), *end = strstr(line, "*/");
  if (end)
    *end = '\0';
  char *summary = bp_strdup(trimmed(line + strlen("/* ") + strlen(text->id) + strlen(" -- ")));
  bp_free(line);
  return summary;
}

static bp_status read_variant(bp_variant *variant, const bp_variant_text *text)
{
  const char *slash = strchr(text->id, '/');
  *variant =
      (bp_variant){.text = text, .id = text->id, .name = slash + 1, .summary = summary_of(text)};
  BP_ASSERT((size_t)(slash - text->id) < sizeof variant->problem);
  memcpy(variant->problem, text->id, (size_t)(slash - text->id));
  bool is_cuda = strcmp(strrchr(text->file, '.'), ".cu") == 0;
  variant->language = is_cuda ? BP_LANGUAGE_CUDA : BP_LANGUAGE_C;
  variant->factors = bp_strdup("eckji");
  variant->operands_count =
      bp_operands_parse(BP_OPERANDS_STANDARD, variant->operands, BP_VARIANT_OPERANDS_MAX);
  bp_status status = is_cuda ? read_headers(variant) : BP_OK;
  if (!status)
    status = read_comment(variant, text->file, text->source, false);
  if (!status && variant->lowest == 0)
    status = refuse(text->file, "no line 'degrees: A..B'");
  if (!status && is_cuda && variant->launches_count == 0)
    status = refuse(text->file, "no line 'launch: KERNEL; threads X, Y, Z'");
  return status;
}

static bp_variant *variants;
static int variants_count;

bp_status bp_registry_read(const char *folder)
{
  bp_status status = bp_kernel_dir_read(folder);
  if (status)
    return status;
  const bp_variant_text *texts = bp_kernel_dir_texts(&variants_count);
  variants = bp_alloc((size_t)variants_count, sizeof *variants);
  for (int n = 0; n < variants_count && !status; ++n)
    status = read_variant(&variants[n], &texts[n]);
  return status;
}

const bp_variant *bp_variants(int *count)
{
  bp_status status = variants ? BP_OK : bp_registry_read(NULL);
  BP_ASSERT(status == BP_OK);
  *count = variants_count;
  return variants;
}

static const bp_variant *find_variant(const char *id, bp_language language)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count; ++n)
    if (strcmp(all[n].id, id) == 0 && all[n].language == language)
      return &all[n];
  return NULL;
}

bool bp_variant_is_atomic(const bp_variant *variant)
{
  bool is = false;
  for (int n = 0; n < variant->sizes_count; ++n)
    is = is || (strcmp(variant->sizes[n].name, "surface_atomic") == 0 &&
                strcmp(variant->sizes[n].expression, "1") == 0);
  return is;
}

bool bp_variant_takes(const bp_variant *variant, int operand)
{
  bool is = false;
  for (int n = 0; n < variant->operands_count; ++n)
    is = is || variant->operands[n] == operand;
  return is;
}

const bp_variant *bp_variant_find(const char *id, bp_language language)
{
  const bp_variant *variant = find_variant(id, language);
  const char *today = variant ? NULL : bp_renamed_variant(id);
  return today ? find_variant(today, language) : variant;
}

bp_choice bp_choice_standard(const bp_variant *variant)
{
  bp_choice choice = {.variant = variant, .rung = "", .from = ""};
  for (int n = 0; n < variant->options_count; ++n)
    choice.option[n] = variant->options[n].standard;
  return choice;
}

static int find_option(const bp_variant *variant, const char *option)
{
  for (const char *name = option; name; name = name == option ? bp_renamed_option(option) : NULL)
    for (int n = 0; n < variant->options_count; ++n)
      if (strcmp(variant->options[n].name, name) == 0)
        return n;
  return -1;
}

const char *bp_choice_option_name(const bp_variant *variant, const char *option)
{
  int n = find_option(variant, option);
  return n < 0 ? NULL : variant->options[n].name;
}

bool bp_choice_has(const bp_variant *variant, const char *option)
{
  return find_option(variant, option) >= 0;
}

bp_status bp_choice_set(bp_choice *choice, const char *option, int64_t value)
{
  int n = find_option(choice->variant, option);
  BP_ASSERT(n >= 0);
  const bp_variant_option *o = &choice->variant->options[n];
  if (value < o->low || value > o->high)
    return bp_fail(BP_BAD_INPUT, "option %s of %s: expected %lld..%lld, found %lld", option,
                   choice->variant->id, (long long)o->low, (long long)o->high, (long long)value);
  choice->option[n] = value;
  return BP_OK;
}

bp_status bp_choice_set_all(bp_choice *choice, const char *options)
{
  char *copy = bp_strdup(options), *rest = NULL;
  bp_status status = BP_OK;
  for (char *word = strtok_r(copy, " ", &rest); word && !status;
       word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    int64_t value;
    if (equals)
      *equals = '\0';
    if (!equals || !bp_parse_int(equals + 1, &value) || !bp_choice_has(choice->variant, word))
      status = bp_fail(BP_BAD_INPUT, "options '%s' of %s: expected NAME=INTEGER of its options",
                       options, choice->variant->id);
    else
      status = bp_choice_set(choice, word, value);
  }
  bp_free(copy);
  return status;
}

bool bp_choice_is_same(const bp_choice *a, const bp_choice *b)
{
  return a->variant == b->variant && memcmp(a->option, b->option, sizeof a->option) == 0;
}

char *bp_choice_options(const bp_choice *choice)
{
  bp_text text = {0};
  bp_text_append(&text, "");
  for (int n = 0; n < choice->variant->options_count; ++n)
    bp_text_appendf(&text, "%s%s=%lld", n ? " " : "", choice->variant->options[n].name,
                    (long long)choice->option[n]);
  return text.data;
}

static int append(bp_name names[BP_NAMES_MAX], int count, const bp_name *more, int more_count)
{
  BP_ASSERT(count + more_count < BP_NAMES_MAX);
  memcpy(names + count, more, (size_t)more_count * sizeof *more);
  names[count + more_count] = (bp_name){NULL, 0};
  return count + more_count;
}

/* What is known when a kernel is compiled, but for options and sizes. */
static int space_names(const bp_operator *op, bp_space space, bp_name names[BP_NAMES_MAX])
{
  const bp_name all[] = {{"degree", space.degree},
                         {"nq", space.degree + 1},
                         {"nc", space.points},
                         {"components", op ? op->components : 0},
                         {"fields", space.fields},
                         {"inputs", bp_operator_inputs(op, space)},
                         {"outputs", bp_operator_outputs(op, space)},
                         {"jacobi", space.jacobi},
                         {"shape", space.shape},
                         {"dim", bp_cell_dim(space.shape)},
                         {"element_nodes", bp_space_nodes(space)},
                         {"element_points", bp_space_points(space)},
                         {"table_count", op ? bp_gradient_table_count(space) : 0},
                         {"mesh_nodes", 0}};
  return append(names, 0, all, sizeof all / sizeof *all);
}

static int compile_names(const bp_choice *choice, const bp_operator *op, bp_space space,
                         bp_name names[BP_NAMES_MAX])
{
  int count = space_names(op, space, names);
  for (int n = 0; n < choice->variant->options_count; ++n) {
    const bp_name option = {choice->variant->options[n].name, choice->option[n]};
    count = append(names, count, &option, 1);
  }
  return count;
}

/* A size whose expression has no value (it divides by zero) stays unknown: what uses it tells so. */
static int add_sizes(const bp_variant *variant, bp_name names[BP_NAMES_MAX], int count)
{
  for (int n = 0; n < variant->sizes_count; ++n) {
    bp_name size = {variant->sizes[n].name, 0};
    if (bp_expression_evaluate(variant->sizes[n].expression, names, &size.value) == BP_OK)
      count = append(names, count, &size, 1);
  }
  return count;
}

static void add_machine(int64_t elements, int lanes, int sms, bp_name names[BP_NAMES_MAX],
                        int count)
{
  const bp_name all[] = {{"elements", elements}, {"lanes", lanes}, {"sms", sms}};
  append(names, count, all, sizeof all / sizeof *all);
}

void bp_space_names(const bp_operator *op, bp_space space, int64_t elements, int lanes, int sms,
                    bp_name names[BP_NAMES_MAX])
{
  add_machine(elements, lanes, sms, names, space_names(op, space, names));
}

void bp_choice_names(const bp_choice *choice, const bp_operator *op, bp_space space,
                     int64_t elements, int lanes, int sms, bp_name names[BP_NAMES_MAX])
{
  int count = compile_names(choice, op, space, names);
  add_machine(elements, lanes, sms, names, add_sizes(choice->variant, names, count));
}

void bp_unknowns_names(const bp_unknowns *unknowns, bp_name names[BP_NAMES_MAX])
{
  int count = 0;
  if (!unknowns)
    return;
  const bp_sharing *s = unknowns->sharing;
  while (names[count].name)
    ++count;
  const bp_name all[] = {
      {"surface_nodes", unknowns->surface_nodes},
      {"unknowns", unknowns->count},
      {"inner", unknowns->inner},
      {"faces_end", unknowns->faces_end},
      {"edges_end", unknowns->edges_end},
      {"surface_copies",
       unknowns->starts ? unknowns->starts[unknowns->count - unknowns->inner] : 0},
      {"sent", s ? s->sent_first[s->neighbours] : 0},
      {"received", s ? s->received : 0},
      {"matrix_entries", unknowns->pairs},
      {"stride", bp_unknowns_stride(unknowns)}};
  append(names, count, all, sizeof all / sizeof *all);
}

int bp_choice_defines(const bp_choice *choice, const bp_operator *op, bp_space space,
                      char *defines[BP_DEFINES_MAX])
{
  const bp_variant *variant = choice->variant;
  bp_name names[BP_NAMES_MAX];
  int first = compile_names(choice, op, space, names), count = 0;
  if (!variant->compiled_once)
    add_sizes(variant, names, first);
  for (const bp_name *n = names + first - variant->options_count; n->name; ++n) {
    char *define = bp_format("-D%s=%lld", n->name, (long long)n->value);
    for (char *c = define + 2; *c != '='; ++c)
      *c = (char)toupper((unsigned char)*c);
    defines[count++] = define;
  }
  return count;
}

bp_status bp_variant_check(const bp_variant *variant, const bp_operator *op, bp_space space)
{
  int beyond = space.points - space.degree, own = beyond;
  if (op)
    own = bp_operator_space(op, bp_operator_degree(op, space)).points - space.degree;
  if (space.degree < variant->lowest || space.degree > variant->highest)
    return bp_fail(BP_SKIPPED, "made for N = %d..%d", variant->lowest, variant->highest);
  if (variant->shapes && !(variant->shapes & 1u << space.shape))
    return bp_fail(BP_SKIPPED, "made for other shapes than %s", shape_names[space.shape]);
  if (beyond == own || (beyond >= variant->fewest && beyond <= variant->most))
    return BP_OK;
  if (!variant->most)
    return bp_fail(BP_SKIPPED, "made for N+%d points per direction, not for N+%d", own, beyond);
  return bp_fail(BP_SKIPPED, "made for N+%d to N+%d points per direction, not for N+%d",
                 variant->fewest, variant->most, beyond);
}

void bp_problem_names(const bp_problem *problem, bp_name names[BP_NAMES_MAX])
{
  bp_unknowns_names(problem->unknowns, names);
  for (bp_name *n = names; n->name && problem->mesh_nodes; ++n)
    if (strcmp(n->name, "mesh_nodes") == 0)
      n->value = problem->mesh_nodes;
}
