/* choice.c -- values of a variant's options, and what expressions know of them. */
#include "registry/choice.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/gradient.h"
#include "fem/map.h"
#include "kernels/abi/ranks.h"
#include <ctype.h>
#include <string.h>

bp_choice bp_choice_standard(const bp_variant *variant)
{
  bp_choice choice = {.variant = variant, .rung = "", .from = ""};
  for (int n = 0; n < variant->options_count; ++n)
    choice.option[n] = variant->options[n].standard;
  return choice;
}

static int find_option(const bp_variant *variant, const char *option)
{
  for (int n = 0; n < variant->options_count; ++n)
    if (strcmp(variant->options[n].name, option) == 0)
      return n;
  return -1;
}

bool bp_choice_has(const bp_variant *variant, const char *option)
{
  return find_option(variant, option) >= 0;
}

int64_t bp_choice_option(const bp_choice *choice, const char *option, int64_t otherwise)
{
  int n = find_option(choice->variant, option);
  return n < 0 ? otherwise : choice->option[n];
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

bool bp_choice_is_atomic(const bp_choice *choice, const bp_operator *op, bp_space space)
{
  bp_name names[BP_NAMES_MAX];
  bp_choice_names(choice, op, space, 1, 1, 1, names);
  const bp_name *n = names;
  while (n->name && strcmp(n->name, "surface_atomic") != 0)
    ++n;
  return n->name && n->value;
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
  const bp_name all[] = {
      {"degree", space.degree},
      {"nq", space.degree + 1},
      {"nc", space.points},
      {"components", op ? op->components : 0},
      {"element_factors", op ? bp_operator_factors(op, space) : 0},
      {"geometry_flops", space.geometry ? bp_map_flops(space.geometry, space.points) : 0},
      {"fields", space.fields},
      {"inputs", bp_operator_inputs(op, space)},
      {"outputs", bp_operator_outputs(op, space)},
      {"jacobi", space.jacobi},
      {"real", bp_real_bytes(space)},
      {"stored", bp_stored_bytes(space)},
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

/* Those first whose expressions name no others. A size whose expression has no value (it divides by zero)
 * stays unknown: what uses it tells so. */
static int add_sizes(const bp_variant *variant, bp_name names[BP_NAMES_MAX], int count)
{
  bool is_known[BP_SIZES_MAX] = {false};
  for (int before = -1; before < count;) {
    before = count;
    for (int n = 0; n < variant->sizes_count; ++n) {
      bp_name size = {variant->sizes[n].name, 0};
      if (is_known[n] ||
          bp_expression_evaluate(variant->sizes[n].expression, names, &size.value) != BP_OK)
        continue;
      count = append(names, count, &size, 1);
      is_known[n] = true;
    }
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
      {"state_length", BP_SOLVE_STATE},
      {"stride", bp_unknowns_stride(unknowns)}};
  append(names, count, all, sizeof all / sizeof *all);
}

/* "-DHISTORY=8" and the like. */
static int define_all(const bp_name *names, char *defines[BP_DEFINES_MAX], int count)
{
  for (const bp_name *n = names; n->name; ++n) {
    char *define = bp_format("-D%s=%lld", n->name, (long long)n->value);
    for (char *c = define + 2; *c != '='; ++c)
      *c = (char)toupper((unsigned char)*c);
    defines[count++] = define;
  }
  return count;
}

int bp_choice_defines(const bp_choice *choice, const bp_operator *op, bp_space space,
                      char *defines[BP_DEFINES_MAX])
{
  const bp_variant *variant = choice->variant;
  bp_name names[BP_NAMES_MAX];
  int first = compile_names(choice, op, space, names), count = 0;
  defines[count++] = bp_format("-DBP_COLLOCATED=%d", bp_space_is_collocated(space));
  defines[count++] = bp_format("-DBP_FIELDS=%d", space.fields);
  defines[count++] = bp_format("-DBP_JACOBI=%d", space.jacobi);
  defines[count++] = bp_format("-DBP_PRECISION=%d", (int)space.precision);
  if (space.double_cycle)
    defines[count++] = bp_strdup("-DBP_CYCLE=1");
  defines[count++] = bp_format("-DBP_COMPONENTS=%d", op ? op->components : 0);
  defines[count++] = bp_format("-DBP_GEOMETRY=%d", (int)space.geometry);
  defines[count++] =
      bp_format("-DBP_ELEMENT_FACTORS=%lld", op ? (long long)bp_operator_factors(op, space) : 0);
  if (!variant->compiled_once) {
    defines[count++] = bp_format("-DBP_N=%d", space.degree);
    defines[count++] = bp_format("-DBP_NC=%d", space.points);
    defines[count++] = bp_format("-DBP_SHAPE=%d", (int)space.shape);
    add_sizes(variant, names, first);
  }
  return define_all(names + first - variant->options_count, defines, count);
}

int bp_choice_host_defines(const bp_variant *variant, const bp_operator *op, bp_space space,
                           char *defines[BP_DEFINES_MAX])
{
  bp_name names[BP_NAMES_MAX];
  if (variant->compiled_once)
    return 0;
  const int first = space_names(op, space, names);
  defines[0] = bp_format("-DBP_N=%d", space.degree);
  defines[1] = bp_format("-DBP_NC=%d", space.points);
  int count = 2;
  if (space.geometry)
    defines[count++] = bp_format("-DBP_GEOMETRY=%d", (int)space.geometry);
  add_sizes(variant, names, first);
  return define_all(names + first, defines, count);
}

void bp_problem_names(const bp_problem *problem, bp_name names[BP_NAMES_MAX])
{
  bp_unknowns_names(problem->unknowns, names);
  int count = 0;
  while (names[count].name)
    ++count;
  append(names, count, &(bp_name){"iterations", problem->iterations}, 1);
  for (bp_name *n = names; n->name && problem->mesh_nodes; ++n)
    if (strcmp(n->name, "mesh_nodes") == 0)
      n->value = problem->mesh_nodes;
}
