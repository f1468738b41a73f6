/* variant.c -- reads the headers of the kernel files into the registry. */
#include "registry/variant.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/gradient.h"
#include "registry/architecture.h"
#include "registry/kernel_dir.h"
#include "registry/operand.h"
#include <stddef.h>
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
  variant->shapes = 0;
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

static bool read_geometry(bp_variant *variant, char *value)
{
  char *rest = NULL;
  variant->geometries = 0;
  for (char *word = strtok_r(value, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    const bp_element_geometry geometry = bp_geometry_find(word);
    if (geometry == BP_GEOMETRIES)
      return false;
    variant->geometries |= 1u << geometry;
  }
  return variant->geometries & 1u << BP_STORED;
}

static bool read_precision(bp_variant *variant, char *value)
{
  char *rest = NULL;
  variant->precisions = 0;
  for (char *word = strtok_r(value, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    const bp_precision precision = bp_precision_find(word);
    if (precision == BP_PRECISIONS)
      return false;
    variant->precisions |= 1u << precision;
  }
  return variant->precisions != 0;
}

static bool read_points(bp_variant *variant, char *value)
{
  int used = 0;
  return sscanf(value, "%d..%d%n", &variant->fewest, &variant->most, &used) == 2 &&
         value[used] == '\0' && variant->fewest >= 1 && variant->fewest <= variant->most &&
         variant->most <= BP_POINTS_BEYOND_MAX;
}

/* An included header's option of that name is a size from now on. */
static void drop_option(bp_variant *variant, const char *name)
{
  int n = 0;
  while (n < variant->options_count && strcmp(variant->options[n].name, name) != 0)
    ++n;
  if (n == variant->options_count)
    return;
  bp_free(variant->options[n].name);
  bp_free(variant->options[n].help);
  for (--variant->options_count; n < variant->options_count; ++n)
    variant->options[n] = variant->options[n + 1];
  variant->options[n] = (bp_variant_option){0};
}

/* Likewise a size that is an option. */
static void drop_size(bp_variant *variant, const char *name)
{
  int n = 0;
  while (n < variant->sizes_count && strcmp(variant->sizes[n].name, name) != 0)
    ++n;
  if (n == variant->sizes_count)
    return;
  bp_free(variant->sizes[n].name);
  bp_free(variant->sizes[n].expression);
  for (--variant->sizes_count; n < variant->sizes_count; ++n)
    variant->sizes[n] = variant->sizes[n + 1];
  variant->sizes[n] = (bp_variant_size){0};
}

/* An option of that name, declared by an included header, or a new one. */
static bp_variant_option *option_named(bp_variant *variant, const char *name)
{
  int n = 0;
  drop_size(variant, name);
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

/* A size of that name, declared by an included header, or a new one. */
static bp_variant_size *size_named(bp_variant *variant, const char *name)
{
  int n = 0;
  drop_option(variant, name);
  while (n < variant->sizes_count && strcmp(variant->sizes[n].name, name) != 0)
    ++n;
  if (n == BP_SIZES_MAX)
    return NULL;
  variant->sizes_count += n == variant->sizes_count;
  return &variant->sizes[n];
}

/* NAME = EXPRESSION -- HELP */
static bool read_size(bp_variant *variant, char *value)
{
  char *equals = strchr(value, '='), *help = strstr(value, " -- ");
  if (!equals || !help || equals > help)
    return false;
  *equals = *help = '\0';
  char *name = trimmed(value);
  if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")])
    return false;
  bp_variant_size *size = size_named(variant, name);
  if (!size)
    return false;
  bp_free(size->name);
  bp_free(size->expression);
  *size = (bp_variant_size){bp_strdup(name), bp_strdup(trimmed(equals + 1))};
  return true;
}

static bool read_then(char *words, unsigned *then)
{
  static const char *const names[] = {"exchange", "pap", "rr", "sums", NULL};
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

static void free_launch(const bp_launch *launch)
{
  bp_free(launch->kernel);
  bp_free(launch->blocks);
  bp_free(launch->shared);
  for (int d = 0; d < 3; ++d)
    bp_free(launch->threads[d]);
}

/* A comment's first of a phase takes the place of those that included headers have. */
static void drop_inherited(bp_variant *variant, bp_phase phase)
{
  int kept = 0;
  for (int n = 0; n < variant->launches_count; ++n)
    if (variant->launches[n].phase == phase && !(variant->own_phases & 1u << phase))
      free_launch(&variant->launches[n]);
    else
      variant->launches[kept++] = variant->launches[n];
  variant->launches_count = kept;
  variant->own_phases |= 1u << phase;
}

/* Behind those of its phase and of the phases before it. */
static bp_launch *add_launch(bp_variant *variant, bp_phase phase)
{
  static const int order[] = {[BP_AT_START] = 0, [BP_REPEATED] = 1, [BP_AT_END] = 2};
  drop_inherited(variant, phase);
  int n = variant->launches_count;
  if (n == BP_LAUNCHES_MAX)
    return NULL;
  for (; n > 0 && order[variant->launches[n - 1].phase] > order[phase]; --n)
    variant->launches[n] = variant->launches[n - 1];
  ++variant->launches_count;
  return &variant->launches[n];
}

/* KERNEL; threads X, Y, Z; blocks B; shared BYTES; then WHAT -- the last three may be missing. */
static bool read_launch(bp_variant *variant, bp_phase phase, char *value)
{
  char *rest = NULL, *field = strtok_r(value, ";", &rest);
  bp_launch *launch = field ? add_launch(variant, phase) : NULL;
  if (!launch)
    return false;
  *launch =
      (bp_launch){.phase = phase, .kernel = bp_strdup(trimmed(field)), .shared = bp_strdup("0")};
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

static bool read_operands(bp_variant *variant, char *value)
{
  variant->operands_count = bp_operands_parse(value, variant->operands, BP_VARIANT_OPERANDS_MAX);
  return variant->operands_count > 0;
}

static bool read_requires(bp_variant *variant, char *value)
{
  char *rest = NULL;
  bool good = true;
  int feature, sm;
  for (char *word = strtok_r(value, " ", &rest); word && good; word = strtok_r(NULL, " ", &rest)) {
    if (sscanf(word, "sm_%d", &sm) == 1) /* as it once was */
      feature = bp_architecture_of(sm)->features;
    else
      good = bp_feature_find(word, &feature);
    variant->requires |= feature;
  }
  return good;
}

/* A line is read by a function, is kept as a text of the variant, or launches a kernel. */
static const struct {
  const char *key;
  line_reader *read;
  size_t text; /* where it is kept */
  bp_phase phase;
} lines[] = {
    {"degrees", .read = read_degrees},
    {"size", .read = read_size},
    {"option", .read = read_option},
    {"operands", .read = read_operands},
    {"requires", .read = read_requires},
    {"points", .read = read_points},
    {"precision", .read = read_precision},
    {"shapes", .read = read_shapes},
    {"geometry", .read = read_geometry},
    {"factors", .text = offsetof(bp_variant, factors)},
    {"scratch", .text = offsetof(bp_variant, scratch)},
    {"shared traffic", .text = offsetof(bp_variant, shared_traffic)},
    {"flops", .text = offsetof(bp_variant, flops)},
    {"bytes", .text = offsetof(bp_variant, bytes)},
    {"way", .text = offsetof(bp_variant, way)},
    {"start", .phase = BP_AT_START},
    {"launch", .phase = BP_REPEATED},
    {"finish", .phase = BP_AT_END},
};

static bool read_value(bp_variant *variant, size_t n, char *value)
{
  if (lines[n].read)
    return lines[n].read(variant, value);
  if (!lines[n].text)
    return read_launch(variant, lines[n].phase, value);
  char **text = (char **)(void *)((char *)variant + lines[n].text);
  bp_free(*text);
  *text = bp_strdup(value);
  return true;
}

static bp_status refuse(const char *file, const char *line)
{
  return bp_fail(BP_BAD_INPUT,
                 "%s: its header cannot be understood: '%s' (see docs/new-variant.md)", file, line);
}

/* Lines that start with a known key and a colon are declarations; all others are prose. */
static bp_status read_line(bp_variant *variant, const char *file, char *line)
{
  bp_status status = BP_OK;
  for (size_t n = 0; n < sizeof lines / sizeof *lines && !status; ++n) {
    char *value = after(line, lines[n].key);
    if (!value || *value != ':')
      continue;
    char *copy = bp_strdup(trimmed(value + 1));
    if (!read_value(variant, n, copy))
      status = refuse(file, line);
    bp_free(copy);
  }
  return status;
}

/* The lines of the first comment after its first, without the " * " before them. */
static bp_status read_comment(bp_variant *variant, const char *file, const char *source)
{
  const char *end = strstr(source, "*/"), *at = strchr(source, '\n');
  bp_status status = BP_OK;
  variant->own_phases = 0;
  while (at && at < end && !status) {
    at += 1 + strspn(at + 1, " ");
    at += *at == '*' && at < end;
    size_t length = strcspn(at, "\n");
    char *line = bp_strndup(at, at + length < end ? length : at < end ? (size_t)(end - at) : 0);
    status = read_line(variant, file, trimmed(line));
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
    status = read_comment(variant, headers[n]->name, headers[n]->source);
  bp_free(headers);
  return status;
}

/* "/" "* ID -- SUMMARY", and the operator's way where it has one. */
static char *summary_of(const bp_variant *variant)
{
  const char *source = variant->text->source;
  char *line = bp_strndup(source, strcspn(source, "\n")), *end = strstr(line, "*/");
  if (end)
    *end = '\0';
  const char *first = trimmed(strstr(line, " -- ") + strlen(" -- "));
  char *summary =
      bp_format("%s%s%s", first, variant->way ? "; " : "", variant->way ? variant->way : "");
  bp_free(line);
  return summary;
}

static bp_status read_variant(bp_variant *variant, const bp_variant_text *text)
{
  const char *slash = strchr(text->id, '/');
  *variant = (bp_variant){.text = text, .id = text->id, .name = slash + 1};
  BP_ASSERT((size_t)(slash - text->id) < sizeof variant->problem);
  memcpy(variant->problem, text->id, (size_t)(slash - text->id));
  bool is_cuda = strcmp(strrchr(text->file, '.'), ".cu") == 0;
  variant->language = is_cuda ? BP_LANGUAGE_CUDA : BP_LANGUAGE_C;
  variant->factors = bp_strdup("eckji");
  variant->operands_count =
      bp_operands_parse(BP_OPERANDS_STANDARD, variant->operands, BP_VARIANT_OPERANDS_MAX);
  bp_status status = read_headers(variant);
  if (!status)
    status = read_comment(variant, text->file, text->source);
  variant->summary = summary_of(variant);
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
  bp_status status = folder ? bp_kernel_dir_read(folder) : BP_OK;
  if (status)
    return status;
  const bp_variant_text *texts = bp_kernel_dir_texts(&variants_count);
  variants = bp_alloc((size_t)variants_count + BP_KERNEL_DIR_ADDED_MAX, sizeof *variants);
  for (int n = 0; n < variants_count && !status; ++n)
    status = read_variant(&variants[n], &texts[n]);
  return status;
}

bp_status bp_registry_add(const char *path, const bp_variant **variant)
{
  int number;
  bool is_changed;
  (void)bp_variants(&number);
  bp_status status = bp_kernel_dir_add(path, &number, &is_changed);
  if (status)
    return status;
  const bp_variant_text *texts = bp_kernel_dir_texts(&variants_count);
  bp_variant *v = &variants[number];
  *variant = v;
  if (!is_changed && v->lowest > 0)
    return BP_OK;
  status = read_variant(v, &texts[number]);
  if (status)
    v->lowest = 0; /* so it is read again */
  return status;
}

const bp_variant *bp_variants(int *count)
{
  bp_status status = variants ? BP_OK : bp_registry_read(NULL);
  BP_ASSERT(status == BP_OK);
  *count = variants_count;
  return variants;
}

const bp_variant *bp_variant_find(const char *id, bp_language language)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count; ++n)
    if (strcmp(all[n].id, id) == 0 && all[n].language == language)
      return &all[n];
  return NULL;
}

bool bp_variant_takes(const bp_variant *variant, int operand)
{
  bool is = false;
  for (int n = 0; n < variant->operands_count; ++n)
    is = is || variant->operands[n] == operand;
  return is;
}

bool bp_variant_is_for_ranks(const bp_variant *variant)
{
  bool is = false;
  for (int n = 0; n < variant->launches_count; ++n)
    is = is || variant->launches[n].then & BP_THEN_EXCHANGE;
  return is;
}

bool bp_variant_is_level(const bp_variant *variant)
{
  return bp_variant_takes(variant, BP_OPERAND_p) && !bp_variant_takes(variant, BP_OPERAND_x);
}

bool bp_variant_is_namesake(const bp_variant *variant)
{
  const char *end = strrchr(variant->name, '-');
  return end && strcmp(end, "-ranks") == 0;
}

bool bp_variant_has_precision(const bp_variant *variant, bp_space space)
{
  return space.precision == BP_DOUBLE ||
         (variant->precisions & 1u << space.precision &&
          (space.geometry == BP_STORED || space.precision == BP_SINGLE));
}

bp_status bp_variant_check(const bp_variant *variant, const bp_operator *op, bp_space space)
{
  int beyond = space.points - space.degree, own = beyond;
  if (op)
    own = bp_operator_space(op, bp_operator_degree(op, space)).points - space.degree;
  if (space.degree < variant->lowest || space.degree > variant->highest)
    return bp_fail(BP_SKIPPED, "made for N = %d..%d", variant->lowest, variant->highest);
  if (!bp_variant_has_precision(variant, space))
    return bp_fail(BP_SKIPPED, "has no %s precision%s", bp_precisions[space.precision],
                   space.geometry ? " of recomputed factors" : "");
  if (variant->shapes && !(variant->shapes & 1u << space.shape))
    return bp_fail(BP_SKIPPED, "made for other shapes than %s", shape_names[space.shape]);
  if (space.geometry && !(variant->geometries & 1u << space.geometry))
    return bp_fail(BP_SKIPPED, "made for stored factors, not for %s elements",
                   bp_space_geometry(space));
  if (bp_variant_takes(variant, BP_OPERAND_schedule) != space.multigrid)
    return bp_fail(BP_SKIPPED, space.multigrid ? "takes no p-multigrid"
                                               : "made for preconditioner: p-multigrid");
  if (bp_variant_takes(variant, BP_OPERAND_targets) != space.mapped)
    return bp_fail(BP_SKIPPED, space.mapped ? "takes no vectors of a caller" : "made for libbp");
  if (bp_variant_is_level(variant) != space.level)
    return bp_fail(BP_SKIPPED,
                   space.level ? "is no level of p-multigrid" : "made for levels of p-multigrid");
  if (op && bp_operator_is_collocated(op) && !bp_space_is_collocated(space))
    return bp_fail(BP_SKIPPED, "made for points at the nodes");
  if (beyond == own || (beyond >= variant->fewest && beyond <= variant->most))
    return BP_OK;
  if (!variant->most)
    return bp_fail(BP_SKIPPED, "made for N+%d points per direction, not for N+%d", own, beyond);
  return bp_fail(BP_SKIPPED, "made for N+%d to N+%d points per direction, not for N+%d",
                 variant->fewest, variant->most, beyond);
}
