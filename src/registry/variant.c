/* variant.c -- reads the headers of the kernel files into the registry. */
#include "registry/variant.h"

#include "base/memory.h"
#include "base/text.h"
#include "registry/kernel_dir.h"
#include "registry/operand.h"
#include <stdio.h>
#include <stdlib.h>
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

static bool read_option(bp_variant *variant, char *value)
{
  char name[32];
  long long low, high, standard;
  int used = 0;
  if (variant->options_count == BP_OPTIONS_MAX)
    return false;
  if (sscanf(value, "%31[a-z_0-9] %lld..%lld = %lld -- %n", name, &low, &high, &standard, &used) <
          4 ||
      used == 0 || low > standard || standard > high)
    return false;
  variant->options[variant->options_count++] = (bp_variant_option){
      .name = bp_strdup(name),
      .help = bp_strdup(value + used),
      .low = low,
      .high = high,
      .standard = standard,
  };
  return true;
}

static bool read_factors(bp_variant *variant, char *value)
{
  bp_free(variant->factors);
  variant->factors = bp_strdup(value);
  return true;
}

/* KERNEL; threads X, Y, Z; blocks B; shared BYTES -- the last two may be missing. */
static bool read_launch(bp_variant *variant, char *value)
{
  if (variant->launches_count == BP_LAUNCHES_MAX)
    return false;
  bp_launch *launch = &variant->launches[variant->launches_count++];
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
    } else {
      return false;
    }
  }
  return launch->threads[0] != NULL;
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
    {"degrees", read_degrees},   {"option", read_option},   {"factors", read_factors},
    {"launch", read_launch},     {"scratch", read_scratch}, {"shared traffic", read_shared_traffic},
    {"requires", read_requires}, {"flops", read_flops},     {"operands", read_operands},
};

static _Noreturn void refuse(const bp_variant_text *text, const char *line)
{
  fprintf(stderr, "bp: %s: its header cannot be understood: '%s' (see docs/new-variant.md)\n",
          text->file, line);
  exit(BP_ENVIRONMENT);
}

/* Lines that start with a known key and a colon are declarations; all others are prose. */
static void read_line(bp_variant *variant, const char *start, size_t length)
{
  char *line = bp_strndup(start, length);
  for (size_t n = 0; n < sizeof lines / sizeof *lines; ++n) {
    char *value = after(line, lines[n].key);
    if (value && *value == ':') {
      char *copy = bp_strdup(trimmed(value + 1));
      if (!lines[n].read(variant, copy))
        refuse(variant->text, line);
      bp_free(copy);
    }
  }
  bp_free(line);
}

static void read_variant(bp_variant *variant, const bp_variant_text *text)
{
  const char *slash = strchr(text->id, '/');
  *variant =
      (bp_variant){.text = text, .id = text->id, .name = slash + 1, .summary = text->summary};
  BP_ASSERT((size_t)(slash - text->id) < sizeof variant->problem);
  memcpy(variant->problem, text->id, (size_t)(slash - text->id));
  variant->language = text->source ? BP_LANGUAGE_CUDA : BP_LANGUAGE_C;
  variant->factors = bp_strdup("eckji");
  variant->operands_count =
      bp_operands_parse(BP_OPERANDS_STANDARD, variant->operands, BP_VARIANT_OPERANDS_MAX);
  for (const char *line = text->header; *line;) {
    size_t length = strcspn(line, "\n");
    read_line(variant, line, length);
    line += length + (line[length] == '\n');
  }
  if (variant->lowest == 0)
    refuse(text, "no line 'degrees: A..B'");
  if (variant->language == BP_LANGUAGE_CUDA && variant->launches_count == 0)
    refuse(text, "no line 'launch: KERNEL; threads X, Y, Z'");
}

static bp_variant *variants;
static int variants_count;

/* Called before any thread starts; the tables live as long as the program. */
const bp_variant *bp_variants(int *count)
{
  if (!variants) {
    const bp_variant_text *texts = bp_kernel_dir_texts(&variants_count);
    variants = bp_alloc((size_t)variants_count, sizeof *variants);
    for (int n = 0; n < variants_count; ++n)
      read_variant(&variants[n], &texts[n]);
  }
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

static int name_space(const bp_operator *op, bp_space space, int64_t elements, int lanes, int sms,
                      bp_name *names)
{
  const bp_name all[] = {{"degree", space.degree},
                         {"nq", space.degree + 1},
                         {"nc", space.points},
                         {"components", op ? op->components : 0},
                         {"elements", elements},
                         {"lanes", lanes},
                         {"sms", sms}};
  memcpy(names, all, sizeof all);
  return sizeof all / sizeof *all;
}

void bp_space_names(const bp_operator *op, bp_space space, int64_t elements, int lanes, int sms,
                    bp_name names[BP_NAMES_MAX])
{
  int count = name_space(op, space, elements, lanes, sms, names);
  names[count] = (bp_name){NULL, 0};
}

void bp_choice_names(const bp_choice *choice, const bp_operator *op, bp_space space,
                     int64_t elements, int lanes, int sms, bp_name names[BP_NAMES_MAX])
{
  int count = name_space(op, space, elements, lanes, sms, names);
  for (int n = 0; n < choice->variant->options_count; ++n)
    names[count++] = (bp_name){choice->variant->options[n].name, choice->option[n]};
  names[count] = (bp_name){NULL, 0};
}
