/* arguments.c -- what was typed, checked against the table of options. */
#include "cli/command.h"

#include "base/file.h"
#include "base/memory.h"
#include "config/value.h"
#include <string.h>

typedef struct {
  const bp_option *option;
  char *value; /* of a list option that was repeated: all of them, joined by commas */
} given;

struct bp_arguments {
  const bp_command *command;
  int argc;
  char **argv;
  const char **positional;
  int positional_count;
  given *given; /* in the order first typed */
  int given_count;
};

/* ---- types ---- */

static bp_config_key type_of(const bp_option *option)
{
  if (option->key)
    return bp_config_keys[bp_config_find(option->key)];
  return (bp_config_key){.name = option->name,
                         .kind = option->kind,
                         .standard = option->standard,
                         .low = option->low,
                         .high = option->high,
                         .allowed = option->allowed};
}

/* --set may be repeated as well, but is not joined. */
static bool is_set(const bp_option *option)
{
  return strcmp(option->name, "set") == 0;
}

static bp_status fail(const bp_option *option, const char *problem)
{
  return bp_fail(BP_BAD_INPUT, "--%s: %s", option->name, problem);
}

/* What an option holds that no config key checks. */
static bp_status check_value(const bp_option *option, const char *value)
{
  bp_config_key type = type_of(option);
  bp_config scratch = {0}; /* large enough for a field of any type */
  bp_text problem = {0};
  bp_status status = BP_OK;
  if (!bp_value_add(&type, value, &scratch, &problem))
    status = fail(option, problem.data);
  bp_value_clear(&type, &scratch);
  bp_text_destroy(&problem);
  return status;
}

/* ---- parsing ---- */

/* An option that had another name goes by that one, too. */
static const bp_option *find_option(const bp_command *command, const char *name, size_t length)
{
  if (length == strlen("variant") && strncmp(name, "variant", length) == 0)
    return find_option(command, "variants", strlen("variants"));
  for (int n = 0; n < bp_options_count; ++n)
    if (bp_option_is_of(&bp_options[n], command) &&
        strncmp(bp_options[n].name, name, length) == 0 && bp_options[n].name[length] == '\0')
      return &bp_options[n];
  return NULL;
}

static bp_status unknown_option(const bp_command *command, const char *typed, size_t length)
{
  const char *names[64];
  size_t count = 0;
  char *name = bp_strndup(typed, length);
  bp_text text = {0};
  for (int n = 0; n < bp_options_count && count < 63; ++n)
    if (bp_option_is_of(&bp_options[n], command))
      names[count++] = bp_options[n].name;
  names[count++] = "help";
  bp_text_appendf(&text, "bp %s: unknown option ", command->name);
  bp_value_quote(name, &text);
  const char *bare = name + strspn(name, "-"), *nearest = bp_nearest(bare, names, count);
  if (bp_config_find(bare) >= 0 && find_option(command, "set", strlen("set")))
    bp_text_appendf(&text, "; did you mean '--set %s=...'?", bare);
  else if (nearest)
    bp_text_appendf(&text, "; did you mean '--%s'?", nearest);
  else
    bp_text_appendf(&text, "; see 'bp %s --help'", command->name);
  bp_status status = bp_fail(BP_BAD_INPUT, "%s", text.data);
  bp_text_destroy(&text);
  bp_free(name);
  return status;
}

/* The same option typed before, or NULL; each --set stands for itself. */
static given *find_earlier(bp_arguments *a, const bp_option *option)
{
  for (int n = 0; n < a->given_count && !is_set(option); ++n)
    if (a->given[n].option == option)
      return &a->given[n];
  return NULL;
}

static bp_status add_given(bp_arguments *a, const bp_option *option, const char *value)
{
  bp_config_key type = type_of(option);
  given *earlier = find_earlier(a, option);
  bool is_list = option->metavar && bp_config_is_list(&type);
  if (earlier && option->metavar && !is_list)
    return fail(option, "expected once, found twice");
  if (!earlier) {
    a->given = bp_realloc(a->given, (size_t)a->given_count + 1, sizeof *a->given);
    earlier = &a->given[a->given_count++];
    *earlier = (given){option, bp_strdup(value)};
  } else if (is_list) {
    char *joined = bp_format("%s,%s", earlier->value, value);
    bp_free(earlier->value);
    earlier->value = joined;
  }
  bool is_checked_here = !option->key && option->metavar;
  return is_checked_here ? check_value(option, earlier->value) : BP_OK;
}

/* Takes the option at argv[*n] and, when its value is an argument of its own, that one too. */
static bp_status take_option(bp_arguments *a, int *n)
{
  const char *typed = a->argv[*n], *name = typed + 2;
  size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  const bp_option *option =
      strncmp(typed, "--", 2) == 0 ? find_option(a->command, name, length) : NULL;
  if (!option)
    return unknown_option(a->command, typed, strcspn(typed, "="));
  if (!option->metavar)
    return value ? fail(option, "expected no value, found one")
                 : add_given(a, option, option->sets ? option->sets : "true");
  if (!value && *n + 1 < a->argc && strncmp(a->argv[*n + 1], "--", 2) != 0)
    value = a->argv[++*n];
  if (!value) {
    bp_text problem = {0};
    bp_text_appendf(&problem, "expected %s, found ", option->metavar);
    bp_value_quote(*n + 1 < a->argc ? a->argv[*n + 1] : "", &problem);
    fail(option, problem.data);
    bp_text_destroy(&problem);
    return BP_BAD_INPUT;
  }
  return add_given(a, option, value);
}

static bp_status check_positional(const bp_arguments *a)
{
  const bp_command *command = a->command;
  if (a->positional_count < command->least)
    return bp_fail(BP_BAD_INPUT, "bp %s: expected %s, found %s; see 'bp %s --help'", command->name,
                   command->positional,
                   a->positional_count ? a->positional[a->positional_count - 1] : "nothing",
                   command->name);
  if (command->most >= 0 && a->positional_count > command->most) {
    bp_text found = {0};
    bp_value_quote(a->positional[command->most], &found);
    bp_fail(BP_BAD_INPUT, "bp %s: expected %s%s, found %s; see 'bp %s --help'", command->name,
            command->most ? "no more than " : "options only",
            command->most ? command->positional : "", found.data, command->name);
    bp_text_destroy(&found);
    return BP_BAD_INPUT;
  }
  return BP_OK;
}

/* A prefix's files are written together: two of them, of which every problem has one, stand for all. */
static bp_status check_new(const given *g)
{
  static const char *const of_prefix[] = {"-x.npy", "-u.npy"};
  const bool is_prefix = strcmp(g->option->metavar, "PREFIX") == 0;
  bp_status status = BP_OK;
  for (int n = 0; n < (is_prefix ? 2 : 1) && !status; ++n) {
    char *path = bp_format("%s%s", g->value, is_prefix ? of_prefix[n] : ""),
         *place = bp_format("--%s", g->option->name);
    status = bp_file_check_new(path, place);
    bp_free(place);
    bp_free(path);
  }
  return status;
}

/* Nobody's file is replaced unasked. */
static bp_status check_outputs(const bp_arguments *a)
{
  bp_status status = BP_OK;
  for (int n = 0; n < a->given_count; ++n)
    if (strcmp(a->given[n].option->name, "force") == 0)
      return BP_OK;
  for (int n = 0; n < a->given_count && !status; ++n)
    if (a->given[n].option->is_output)
      status = check_new(&a->given[n]);
  return status;
}

bp_status bp_arguments_parse(const bp_command *command, int first, int argc, char **argv,
                             bp_arguments **arguments)
{
  bp_arguments *a = bp_alloc(1, sizeof *a);
  bp_status status = BP_OK;
  bool has_ended = false;
  *a = (bp_arguments){.command = command, .argc = argc, .argv = argv};
  a->positional = bp_alloc((size_t)argc + 1, sizeof *a->positional);
  for (int n = first; n < argc && !status; ++n) {
    if (!has_ended && strcmp(argv[n], "--") == 0)
      has_ended = true;
    else if (!has_ended && argv[n][0] == '-' && argv[n][1] != '\0')
      status = take_option(a, &n);
    else
      a->positional[a->positional_count++] = argv[n];
  }
  if (!status)
    status = check_positional(a);
  if (!status)
    status = check_outputs(a);
  if (status) {
    bp_arguments_destroy(a);
    a = NULL;
  }
  *arguments = a;
  return status;
}

void bp_arguments_destroy(bp_arguments *arguments)
{
  if (!arguments)
    return;
  for (int n = 0; n < arguments->given_count; ++n)
    bp_free(arguments->given[n].value);
  bp_free(arguments->given);
  bp_free(arguments->positional);
  bp_free(arguments);
}

/* ---- asking ---- */

int bp_arguments_argc(const bp_arguments *arguments)
{
  return arguments->argc;
}

char **bp_arguments_argv(const bp_arguments *arguments)
{
  return arguments->argv;
}

int bp_argument_count(const bp_arguments *arguments)
{
  return arguments->positional_count;
}

const char *const *bp_argument_words(const bp_arguments *arguments)
{
  return arguments->positional;
}

const char *bp_argument_at(const bp_arguments *arguments, int n)
{
  BP_ASSERT(n >= 0 && n < arguments->positional_count);
  return arguments->positional[n];
}

static const given *find_given(const bp_arguments *arguments, const char *name,
                               const bp_option **option)
{
  *option = find_option(arguments->command, name, strlen(name));
  BP_ASSERT(*option);
  for (int n = 0; n < arguments->given_count; ++n)
    if (arguments->given[n].option == *option)
      return &arguments->given[n];
  return NULL;
}

bool bp_argument_has(const bp_arguments *arguments, const char *option)
{
  const bp_option *row;
  return find_given(arguments, option, &row) != NULL;
}

void bp_arguments_append(const bp_arguments *arguments, const bp_command *other, const char *except,
                         bp_text *text)
{
  for (int n = 0; n < arguments->given_count; ++n) {
    const given *g = &arguments->given[n];
    char *between = bp_format(" %s ", g->option->name);
    if (bp_option_is_of(g->option, other) && !strstr(except, between)) {
      bp_text_appendf(text, " --%s", g->option->name);
      bp_text_append(text, g->option->metavar ? " " : "");
      if (g->option->metavar)
        bp_text_append_word(text, g->value);
    }
    bp_free(between);
  }
}

const char *bp_argument_string(const bp_arguments *arguments, const char *option)
{
  const bp_option *row;
  const given *found = find_given(arguments, option, &row);
  return found ? found->value : row->standard;
}

/* Converts the value, which was checked when it was parsed, or the default. False without either.
 */
static bool convert(const bp_arguments *arguments, const char *option, bp_config_kind kind,
                    void *field)
{
  const bp_option *row;
  const given *found = find_given(arguments, option, &row);
  const char *value = found ? found->value : row->standard;
  bp_config_key type = type_of(row);
  bp_text problem = {0};
  bool is_points = kind == BP_KEY_NUMBERS && type.kind == BP_KEY_POINTS;
  BP_ASSERT((type.kind == kind || is_points) && !row->key);
  return value && bp_value_add(&type, value, field, &problem);
}

int64_t bp_argument_int(const bp_arguments *arguments, const char *option)
{
  int64_t value;
  BP_ASSERT(convert(arguments, option, BP_KEY_INT, &value));
  return value;
}

double bp_argument_double(const bp_arguments *arguments, const char *option)
{
  double value;
  BP_ASSERT(convert(arguments, option, BP_KEY_REAL, &value));
  return value;
}

bp_config_numbers bp_argument_numbers(const bp_arguments *arguments, const char *option)
{
  bp_config_numbers numbers = {0};
  convert(arguments, option, BP_KEY_NUMBERS, &numbers);
  return numbers;
}

bool bp_argument_box(const bp_arguments *arguments, const char *option, int64_t box[3])
{
  return convert(arguments, option, BP_KEY_BOX, box);
}

/* ---- onto the config ---- */

static bp_status set_pair(const bp_option *option, const char *pair, bp_config *config)
{
  size_t length = strcspn(pair, "=");
  if (length == 0 || pair[length] == '\0') {
    bp_text problem = {0};
    bp_text_append(&problem, "expected KEY=VALUE, found ");
    bp_value_quote(pair, &problem);
    fail(option, problem.data);
    bp_text_destroy(&problem);
    return BP_BAD_INPUT;
  }
  char *key = bp_strndup(pair, length), *place = bp_format("--set %s", key);
  bp_status status = bp_config_set(config, key, pair + length + 1, place);
  bp_free(place);
  bp_free(key);
  return status;
}

/* What a command has instead of a key's default. */
static bp_status set_defaults(const bp_arguments *arguments, bp_config *config)
{
  bp_status status = BP_OK;
  char *place = bp_format("bp %s", arguments->command->name);
  for (int n = 0; n < bp_options_count && !status; ++n) {
    const bp_option *option = &bp_options[n];
    if (option->key && option->standard && bp_option_is_of(option, arguments->command) &&
        !bp_config_where(config, option->key))
      status = bp_config_set(config, option->key, option->standard, place);
  }
  bp_free(place);
  return status;
}

bp_status bp_arguments_to_config(const bp_arguments *arguments, bp_config *config)
{
  bp_status status = BP_OK;
  for (int n = 0; n < arguments->given_count && !status; ++n) {
    const given *g = &arguments->given[n];
    if (is_set(g->option)) {
      status = set_pair(g->option, g->value, config);
    } else if (g->option->key) {
      char *place = bp_format("--%s", g->option->name);
      status = bp_config_set(config, g->option->key, g->value, place);
      bp_free(place);
    }
  }
  return status ? status : set_defaults(arguments, config);
}
