/* print.c -- a config as YAML that reads back to the same config. */
#include "config/value.h"

#include <math.h>
#include <string.h>

/* Plain where no YAML parser can take it for anything else, else in double quotes. */
static void print_string(const char *string, bp_text *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
  size_t length = strlen(string);
  if (strspn(string, plain) == length) {
    bp_text_append(text, string);
    return;
  }
  bp_text_append(text, "\"");
  for (const char *s = string; *s; ++s) {
    if (*s == '"' || *s == '\\')
      bp_text_append(text, "\\");
    bp_text_append_bytes(text, s, 1);
  }
  bp_text_append(text, "\"");
}

static void print_text(const void *field, bp_text *text)
{
  print_string(*(char *const *)field, text);
}

static void print_bool(const void *field, bp_text *text)
{
  bp_text_append(text, *(const bool *)field ? "true" : "false");
}

static void print_int(const void *field, bp_text *text)
{
  bp_text_appendf(text, "%lld", (long long)*(const int64_t *)field);
}

static void print_real(const void *field, bp_text *text)
{
  char number[32];
  bp_text_append(text, bp_print_double(number, *(const double *)field));
}

static void print_box(const void *field, bp_text *text)
{
  const int64_t *box = field;
  bp_text_appendf(text, "%lldx%lldx%lld", (long long)box[0], (long long)box[1], (long long)box[2]);
}

static void print_strings(const void *field, bp_text *text)
{
  const bp_config_strings *strings = field;
  bool is_list = strings->count > 1;
  bp_text_append(text, is_list ? "[" : "");
  for (int n = 0; n < strings->count; ++n) {
    bp_text_append(text, n ? ", " : "");
    print_string(strings->items[n], text);
  }
  bp_text_append(text, is_list ? "]" : "");
}

/* Each behind `prefix`; `zero` stands for 0 unless that is NULL. */
static void print_list(const bp_config_numbers *numbers, const char *prefix, const char *zero,
                       bp_text *text)
{
  bool is_list = numbers->count > 1;
  bp_text_append(text, is_list ? "[" : "");
  for (int n = 0; n < numbers->count; ++n) {
    bp_text_appendf(text, "%s%s", n ? ", " : "", prefix);
    if (zero && numbers->items[n] == 0)
      bp_text_append(text, zero);
    else
      print_int(&numbers->items[n], text);
  }
  bp_text_append(text, is_list ? "]" : "");
}

static void print_numbers(const void *field, bp_text *text)
{
  print_list(field, "", NULL, text);
}

static void print_points(const void *field, bp_text *text)
{
  print_list(field, "N+", NULL, text);
}

static void print_counts(const void *field, bp_text *text)
{
  print_list(field, "", "auto", text);
}

static void print_value(const bp_config_key *key, const void *field, bp_text *text)
{
  static void (*const kinds[])(const void *, bp_text *) = {
      [BP_KEY_TEXT] = print_text,     [BP_KEY_PATH] = print_text,
      [BP_KEY_CHOICE] = print_text,   [BP_KEY_BOOL] = print_bool,
      [BP_KEY_INT] = print_int,       [BP_KEY_REAL] = print_real,
      [BP_KEY_BOX] = print_box,       [BP_KEY_NAMES] = print_strings,
      [BP_KEY_GLOBS] = print_strings, [BP_KEY_NUMBERS] = print_numbers,
      [BP_KEY_COUNTS] = print_counts, [BP_KEY_POINTS] = print_points,
  };
  kinds[key->kind](field, text);
}

static bool is_given(const bp_config_key *key, const void *field)
{
  if (key->kind == BP_KEY_TEXT || key->kind == BP_KEY_PATH)
    return *(char *const *)field != NULL;
  if (key->kind == BP_KEY_REAL)
    return !isnan(*(const double *)field);
  if (key->kind == BP_KEY_BOX)
    return *(const int64_t *)field > 0;
  if (key->kind == BP_KEY_NAMES || key->kind == BP_KEY_GLOBS)
    return ((const bp_config_strings *)field)->count > 0;
  if (key->kind == BP_KEY_NUMBERS || key->kind == BP_KEY_COUNTS || key->kind == BP_KEY_POINTS)
    return ((const bp_config_numbers *)field)->count > 0;
  return true;
}

static void print_options(const bp_config_options *options, bp_text *text)
{
  bp_text_append(text, options->count ? "options:\n" : "");
  for (int n = 0; n < options->count; ++n) {
    bp_text_appendf(text, "  %s: ", options->items[n].name);
    print_numbers(&options->items[n].values, text);
    bp_text_append(text, "\n");
  }
}

void bp_config_print(const bp_config *config, bp_text *text)
{
  const char *section = "";
  size_t length = 0;
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    const bp_config_key *key = &bp_config_keys[n];
    const void *field = (const char *)config + key->offset;
    if (key->kind == BP_KEY_OPTIONS) {
      print_options(field, text);
      continue;
    }
    if (!is_given(key, field))
      continue;
    const char *dot = strchr(key->name, '.');
    size_t prefix = dot ? (size_t)(dot - key->name) : 0;
    if (prefix && (prefix != length || strncmp(section, key->name, prefix) != 0))
      bp_text_appendf(text, "%.*s:\n", (int)prefix, key->name);
    section = key->name;
    length = prefix;
    bp_text_appendf(text, "%s%s: ", dot ? "  " : "", dot ? dot + 1 : key->name);
    print_value(key, field, text);
    bp_text_append(text, "\n");
  }
}
