/* config.c -- the life of a config: defaults, a file, single settings, the rules across keys. */
#include "config/config.h"

#include "base/file.h"
#include "base/memory.h"
#include "config/read.h"
#include "config/value.h"
#include <math.h>
#include <string.h>

static void forget_place(bp_config *config, int n)
{
  bp_free(config->places[n].where);
  bp_free(config->places[n].excerpt);
  config->places[n] = (bp_config_place){0};
}

/* Back to the default. */
static void reset(bp_config *config, int n)
{
  const bp_config_key *key = &bp_config_keys[n];
  void *field = (char *)config + key->offset;
  bp_text problem = {0};
  bp_value_clear(key, field);
  if (key->standard)
    BP_ASSERT(bp_value_add(key, key->standard, field, &problem));
  else if (key->kind == BP_KEY_REAL)
    *(double *)field = NAN;
  forget_place(config, n);
}

bp_config *bp_config_default(void)
{
  bp_config *config = bp_alloc(1, sizeof *config);
  for (int n = 0; n < BP_CONFIG_KEYS; ++n)
    reset(config, n);
  return config;
}

void bp_config_destroy(bp_config *config)
{
  if (!config)
    return;
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    bp_value_clear(&bp_config_keys[n], (char *)config + bp_config_keys[n].offset);
    forget_place(config, n);
  }
  bp_free(config->folder);
  bp_free(config);
}

double bp_config_lambda(const bp_config *config, bool is_solve)
{
  return isnan(config->lambda) ? (is_solve ? 0 : 1) : config->lambda;
}

const char *bp_config_where(const bp_config *config, const char *key)
{
  int n = bp_config_find(key);
  BP_ASSERT(n >= 0);
  return config->places[n].where;
}

static bool is_solver(const char *problem)
{
  return strncmp(problem, "bps", 3) == 0;
}

/* bps5 is bp5, and what follows from it unless told otherwise; of a list, all of it is. */
static void expand_solvers(bp_config *config)
{
  bp_config_strings *problems = &config->problems;
  bool are_solvers = problems->count > 0;
  for (int n = 0; n < problems->count; ++n)
    are_solvers = are_solvers && is_solver(problems->items[n]);
  for (int n = 0; n < problems->count && are_solvers; ++n)
    memmove(problems->items[n] + 2, problems->items[n] + 3, strlen(problems->items[n] + 2));
  config->are_solvers |= are_solvers;
  if (are_solvers && !bp_config_where(config, "preconditioner"))
    config->preconditioner = "p-multigrid";
  const bool has_cycles =
      config->preconditioner && strcmp(config->preconditioner, "p-multigrid") == 0;
  if (!bp_config_where(config, "tolerance"))
    config->tolerance = config->are_solvers || has_cycles ? 1e-8 : 0;
}

/* Where only one end of a span was set, the other's default must not stand in its way. */
static void widen(bp_config *config)
{
  expand_solvers(config);
  bool has_min_time = bp_config_where(config, "measure.min_time");
  bool has_min_samples = bp_config_where(config, "measure.min_samples");
  bool has_max_time = bp_config_where(config, "measure.max_time");
  bool has_max_samples = bp_config_where(config, "measure.max_samples");
  if (config->measure.min_time > config->measure.max_time && has_min_time != has_max_time)
    *(has_min_time ? &config->measure.max_time : &config->measure.min_time) =
        has_min_time ? config->measure.min_time : config->measure.max_time;
  if (config->measure.min_samples > config->measure.max_samples &&
      has_min_samples != has_max_samples)
    *(has_min_samples ? &config->measure.max_samples : &config->measure.min_samples) =
        has_min_samples ? config->measure.min_samples : config->measure.max_samples;
}

bp_status bp_config_read_bytes(const char *name, const char *data, size_t size, bp_config **config)
{
  bp_source source = {.name = name, .data = data, .size = size, .has_lines = true};
  bp_tree tree = {0};
  bp_status status = BP_OK;
  const char *slash = strrchr(name, '/');
  *config = bp_config_default();
  (*config)->folder = bp_strndup(name, slash ? (size_t)(slash + 1 - name) : 0);
  bp_reader reader = {
      .source = &source, .tree = &tree, .config = *config, .folder = (*config)->folder};
  if (bp_source_is_text(&source))
    status = bp_tree_read(&source, &tree);
  if (!status && (tree.count || !source.count))
    bp_read_root(&reader);
  if (status)
    bp_source_drop(&source);
  else
    status = bp_source_finish(&source);
  widen(*config);
  bp_tree_destroy(&tree);
  if (status) {
    bp_config_destroy(*config);
    *config = NULL;
  }
  return status;
}

bp_status bp_config_read(const char *path, bp_config **config)
{
  bp_file file;
  *config = NULL;
  bp_status status = bp_file_map(path, &file);
  if (!status)
    status = bp_config_read_bytes(path, file.data, file.size, config);
  if (bp_file_check(&file, path)) {
    bp_config_destroy(*config);
    *config = NULL;
    status = BP_BAD_INPUT;
  }
  bp_file_unmap(&file);
  return status;
}

/* ---- single settings ---- */

/* What the file says gives way to the command line; two sizes on the command line do not go
 * together. */
static void replace_size(bp_config *config, int key, bp_source *source)
{
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    const bp_config_place *place = &config->places[n];
    if (n == key || !bp_config_keys[n].is_size || !place->where)
      continue;
    if (!place->excerpt)
      bp_source_complain(source, 0, 0,
                         "expected one of mesh, box, elements, dofs, nodes, found %s besides",
                         place->where);
    reset(config, n);
  }
  int other = bp_config_find(strcmp(bp_config_keys[key].name, "mesh") == 0 ? "warp" : "group");
  if (config->places[other].excerpt)
    reset(config, other);
}

/* A value in brackets is read as YAML; a glob may begin with one. */
static bool is_yaml(const bp_config_key *key, const char *value)
{
  size_t length = strlen(value);
  if (key->kind == BP_KEY_OPTIONS)
    return *value == '{' || *value == '[';
  return bp_config_is_list(key) && *value == '[' && value[length - 1] == ']' &&
         (key->kind != BP_KEY_GLOBS || strchr(value, ','));
}

static bool find_setting(bp_source *source, const char *name, int *key)
{
  const char *dot = strchr(name, '.');
  char *section = bp_strndup(name, dot ? (size_t)(dot - name) : 0);
  *key = bp_config_find(name);
  if (*key < 0 && dot && bp_read_is_section(section)) {
    char *prefix = bp_format("%s.", section);
    bp_read_refuse_key(source, 0, 0, prefix, dot + 1);
    bp_free(prefix);
  } else if (*key < 0 && bp_read_is_section(name)) {
    bp_source_complain(source, 0, 0, "expected a key of %s, written %s.KEY, found '%s' alone", name,
                       name, name);
  } else if (*key < 0) {
    bp_read_refuse_key(source, 0, 0, "", name);
  }
  bp_free(section);
  return *key >= 0;
}

static void set_one(bp_reader *reader, int key, const char *name, const bp_node *value)
{
  const char *option = strncmp(name, "options.", 8) == 0 ? name + 8 : NULL;
  if (bp_config_keys[key].is_size)
    replace_size(reader->config, key, reader->source);
  if (key == bp_config_find("problem")) {
    reader->config->are_solvers = false;
    if (!bp_config_where(reader->config, "preconditioner"))
      reset(reader->config, bp_config_find("preconditioner")); /* bps5 had set it */
  }
  if (option)
    bp_read_option(reader, option, value);
  else
    bp_read_key(reader, key, value);
  widen(reader->config);
}

bp_status bp_config_set(bp_config *config, const char *name, const char *value, const char *place)
{
  bp_source source = {.name = place, .data = value, .size = strlen(value)};
  bp_tree tree = {0};
  bp_reader reader = {.source = &source, .tree = &tree, .config = config, .folder = ""};
  bp_status status = BP_OK;
  int key;
  if (!find_setting(&source, name, &key) || !bp_source_is_text(&source))
    return bp_source_finish(&source);
  if (is_yaml(&bp_config_keys[key], value)) {
    status = bp_tree_read(&source, &tree);
    if (!status && tree.count)
      set_one(&reader, key, name, &tree.nodes[1]);
  } else {
    bp_node scalar = {.kind = BP_NODE_SCALAR, .line = 1, .column = 1, .text = (char *)value};
    set_one(&reader, key, name, &scalar);
  }
  if (status)
    bp_source_drop(&source);
  else
    status = bp_source_finish(&source);
  bp_tree_destroy(&tree);
  return status;
}

/* ---- rules across keys ---- */

bp_status bp_config_one_backend(const bp_config *config, const char **name)
{
  const char *place = bp_config_where(config, "backend");
  *name = config->backends.items[0];
  if (config->backends.count == 1)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "%s: expected one backend, found %d of them",
                 place ? place : "backend", config->backends.count);
}

bp_status bp_config_check(const bp_config *config)
{
  const bool is_quintic = strcmp(config->kershaw_profile, "quintic") == 0;
  bool has_auto = false;
  for (int n = 0; n < config->backends.count; ++n)
    has_auto = has_auto || strcmp(config->backends.items[n], "auto") == 0;
  bool has_solvers = false; /* which were not expanded */
  for (int n = 0; n < config->problems.count; ++n)
    has_solvers = has_solvers || is_solver(config->problems.items[n]);
  const bool is_odd = config->box[1] % 2 || config->box[2] % 2;
  const bool is_box =
      config->box[0] || config->elements.count || config->dofs.count || config->nodes.count;
  const struct {
    bool is_broken;
    const char *key, *line;
  } rules[] = {
      {config->problems.count == 0, "problem",
       "expected one or more of bp1.0, bp3.0, bp3.5, bp1 to bp6, pair, wave, gradient-tri .., "
       "found none"},
      {has_solvers, "problem", "expected bps1 to bps6 by themselves, found others with them"},
      {config->backends.count > 1 && has_auto, "backend",
       "expected auto alone, found it in a list"},
      {config->warp > 0 && config->mesh, "warp",
       "expected it with a box only, found a mesh from a file"},
      {config->kershaw > 0 && config->mesh, "kershaw",
       "expected it with a box only, found a mesh from a file"},
      {config->kershaw > 0 && config->warp > 0, "kershaw", "expected it or warp, found both"},
      {config->kershaw > 0 && config->box[0] % 6 && is_quintic, "box",
       "expected a multiple of 6 elements along x of a quintic kershaw box, found another number"},
      {config->kershaw > 0 && config->box[0] % 6 && is_odd, "box",
       "expected a multiple of 6 elements along x of a kershaw box, or even numbers along y and z, "
       "found neither"},
      {strcmp(config->multigrid.levels, "auto") != 0 &&
           strcmp(config->preconditioner, "p-multigrid") != 0,
       "levels", "expected them with preconditioner p-multigrid only"},
      {config->multigrid.smoothing.count > 2, "smoothing",
       "expected one degree, or two, down and up, found more"},
      {config->periodic && is_box, "periodic",
       "expected it with a mesh from a file only, found a box"},
      {config->group && is_box, "group", "expected it with a mesh from a file only, found a box"},
      {config->measure.min_time > config->measure.max_time, "measure.min_time",
       "expected at most max_time, found more"},
      {config->measure.min_samples > config->measure.max_samples, "measure.min_samples",
       "expected at most max_samples, found more"},
  };
  bp_text text = {0};
  for (size_t n = 0; n < sizeof rules / sizeof *rules; ++n) {
    const bp_config_place *place = &config->places[bp_config_find(rules[n].key)];
    if (rules[n].is_broken)
      bp_text_appendf(&text, "%s%s: %s%s%s", text.length ? "\n" : "",
                      place->where ? place->where : rules[n].key, rules[n].line,
                      place->excerpt ? "\n" : "", place->excerpt ? place->excerpt : "");
  }
  bp_status status = text.length ? bp_fail(BP_BAD_INPUT, "%s", text.data) : BP_OK;
  bp_text_destroy(&text);
  return status;
}
