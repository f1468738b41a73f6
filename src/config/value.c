/* value.c -- typed values of keys, from text and back. */
#include "config/value.h"

#include "base/memory.h"
#include "config/source.h"
#include <math.h>
#include <string.h>

enum { ITEMS_MAX = 1000, QUOTE_MAX = 40 };

const bp_config_key bp_value_of_option = {
    .name = "options.*", .kind = BP_KEY_NUMBERS, .low = -2147483648.0, .high = 2147483647};

void bp_value_quote(const char *text, bp_text *out)
{
  size_t left = strlen(text), shown = 0;
  if (left == 0) {
    bp_text_append(out, "nothing");
    return;
  }
  bp_text_append(out, "'");
  while (left > 0 && shown < QUOTE_MAX) {
    size_t length = bp_character_length(text, left), step = length ? length : 1;
    bp_text_append_bytes(out, length ? text : "?", step);
    text += step;
    left -= step;
    shown += step;
  }
  bp_text_append(out, left ? "...'" : "'");
}

static bool is_not(const bp_config_key *key, const char *text, bp_text *problem)
{
  bp_text_append(problem, "expected ");
  bp_config_describe(key, problem);
  bp_text_append(problem, ", found ");
  bp_value_quote(text, problem);
  if (key->allowed) {
    size_t count = 0;
    while (key->allowed[count])
      ++count;
    bp_text_append(problem, bp_suggestion(text, key->allowed, count));
  }
  return false;
}

static bool is_again(const char *text, bp_text *problem)
{
  bp_text_append(problem, "expected each value once, found ");
  bp_value_quote(text, problem);
  bp_text_append(problem, " again");
  return false;
}

static bool is_full(int count, bp_text *problem)
{
  if (count >= ITEMS_MAX)
    bp_text_appendf(problem, "expected at most %d values, found more", ITEMS_MAX);
  return count >= ITEMS_MAX;
}

/* ---- single values ---- */

/* Not empty, no control characters: what prints on a line of its own, and as YAML. */
static bool is_line(const char *text)
{
  size_t left = strlen(text), length = left;
  for (; left > 0 && length > 0; text += length, left -= length)
    length = bp_character_length(text, left);
  return length > 0;
}

static bool add_text(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  char **string = field;
  if (!is_line(text))
    return is_not(key, text, problem);
  bp_free(*string);
  *string = bp_strdup(text);
  return true;
}

static const char *find_name(const bp_config_key *key, const char *text)
{
  for (const char *const *name = key->allowed; *name; ++name)
    if (strcmp(*name, text) == 0)
      return *name;
  return NULL;
}

static bool add_choice(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  const char *name = find_name(key, text);
  if (!name)
    return is_not(key, text, problem);
  *(const char **)field = name;
  return true;
}

static bool add_bool(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  bool is_true = strcmp(text, "true") == 0;
  if (!is_true && strcmp(text, "false") != 0)
    return is_not(key, text, problem);
  *(bool *)field = is_true;
  return true;
}

static bool is_within(const bp_config_key *key, double value)
{
  return value >= key->low && value <= key->high;
}

static bool add_int(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  int64_t value;
  if (!bp_parse_int(text, &value) || !is_within(key, (double)value))
    return is_not(key, text, problem);
  *(int64_t *)field = value;
  return true;
}

static bool add_real(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  double value;
  size_t length = strlen(text);
  bool is_percent = length > 0 && text[length - 1] == '%';
  char *number = bp_strndup(text, length - is_percent);
  bool is_number = bp_parse_double(number, &value);
  bp_free(number);
  if (!is_number || !is_within(key, is_percent ? value / 100 : value))
    return is_not(key, text, problem);
  *(double *)field = is_percent ? value / 100 : value;
  return true;
}

static bool add_box(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  int64_t sides[3];
  const char *at = text;
  for (int n = 0; n < 3; ++n) {
    size_t length = strcspn(at, "x");
    char *side = bp_strndup(at, length);
    bool is_side = bp_parse_int(side, &sides[n]) && sides[n] >= 1 && sides[n] <= 1000000000 &&
                   at[length] == (n < 2 ? 'x' : '\0');
    bp_free(side);
    if (!is_side)
      return is_not(key, text, problem);
    at += length + 1;
  }
  if ((double)sides[0] * (double)sides[1] * (double)sides[2] > 1e9) {
    bp_text_appendf(problem, "expected at most 1e9 elements, found '%s'", text);
    return false;
  }
  memcpy(field, sides, sizeof sides);
  return true;
}

/* ---- lists ---- */

static bool add_string(bp_config_strings *strings, const char *text, bp_text *problem)
{
  for (int n = 0; n < strings->count; ++n)
    if (strcmp(strings->items[n], text) == 0)
      return is_again(text, problem);
  if (is_full(strings->count, problem))
    return false;
  strings->items = bp_realloc(strings->items, (size_t)strings->count + 1, sizeof *strings->items);
  strings->items[strings->count++] = bp_strdup(text);
  return true;
}

static bool add_name(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  const char *name = find_name(key, text);
  return name ? add_string(field, name, problem) : is_not(key, text, problem);
}

static bool add_glob(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  return is_line(text) ? add_string(field, text, problem) : is_not(key, text, problem);
}

static bool add_number(bp_config_numbers *numbers, int64_t value, const char *text,
                       bp_text *problem)
{
  for (int n = 0; n < numbers->count; ++n)
    if (numbers->items[n] == value)
      return is_again(text, problem);
  if (is_full(numbers->count, problem))
    return false;
  numbers->items = bp_realloc(numbers->items, (size_t)numbers->count + 1, sizeof *numbers->items);
  numbers->items[numbers->count++] = value;
  return true;
}

/* "7", "1..4"; with a prefix "N+" before each: "N+2", "N+1..N+4". */
static bool add_span(const bp_config_key *key, const char *text, const char *prefix, void *field,
                     bp_text *problem)
{
  const size_t skip = strlen(prefix);
  const char *dots = strstr(text, "..");
  int64_t first = 0, last;
  char *low = dots ? bp_strndup(text, (size_t)(dots - text)) : bp_strdup(text);
  const char *high = dots ? dots + 2 : low;
  bool is_range = strncmp(low, prefix, skip) == 0 && strncmp(high, prefix, skip) == 0 &&
                  bp_parse_int(low + skip, &first) && bp_parse_int(high + skip, &last) &&
                  first <= last && is_within(key, (double)first) && is_within(key, (double)last);
  bp_free(low);
  if (!is_range)
    return is_not(key, text, problem);
  for (int64_t value = first; value <= last; ++value)
    if (!add_number(field, value, text, problem))
      return false;
  return true;
}

static bool add_range(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  return add_span(key, text, "", field, problem);
}

static bool add_points(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  return add_span(key, text, "N+", field, problem);
}

/* Whole numbers that people write with an exponent or a suffix. */
static bool parse_count(const bp_config_key *key, const char *text, int64_t *count)
{
  static const struct {
    char suffix;
    double factor;
  } suffixes[] = {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}};
  double value, factor = 1;
  size_t length = strlen(text);
  for (size_t n = 0; n < sizeof suffixes / sizeof *suffixes; ++n)
    if (length && text[length - 1] == suffixes[n].suffix)
      factor = suffixes[n].factor;
  char *number = bp_strndup(text, factor > 1 ? length - 1 : length);
  bool is_number = bp_parse_double(number, &value);
  bp_free(number);
  if (!is_number || !is_within(key, value * factor) || floor(value * factor) != value * factor)
    return false;
  *count = (int64_t)(value * factor);
  return true;
}

/* 1, 2, 5, 10, 20 ...: the first above `count`. */
static int64_t next_round(int64_t count)
{
  int64_t decade = 1;
  while (10 * decade <= count)
    decade *= 10;
  return count < 2 * decade ? 2 * decade : count < 5 * decade ? 5 * decade : 10 * decade;
}

/* "1e4..1e8": the ends and all round numbers between them. */
static bool add_counts(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  const char *dots = strstr(text, "..");
  char *low = dots ? bp_strndup(text, (size_t)(dots - text)) : bp_strdup(text);
  int64_t first, last;
  bool is_range = parse_count(key, low, &first) && parse_count(key, dots ? dots + 2 : low, &last) &&
                  first <= last;
  bp_free(low);
  if (key->allowed && strcmp(text, "auto") == 0)
    return add_number(field, 0, text, problem);
  if (!is_range)
    return is_not(key, text, problem);
  for (int64_t count = first; count < last; count = next_round(count))
    if (!add_number(field, count, text, problem))
      return false;
  return add_number(field, last, text, problem);
}

static bool (*const add_item[])(const bp_config_key *, const char *, void *, bp_text *) = {
    [BP_KEY_TEXT] = add_text,     [BP_KEY_PATH] = add_text,     [BP_KEY_CHOICE] = add_choice,
    [BP_KEY_BOOL] = add_bool,     [BP_KEY_INT] = add_int,       [BP_KEY_REAL] = add_real,
    [BP_KEY_BOX] = add_box,       [BP_KEY_NAMES] = add_name,    [BP_KEY_GLOBS] = add_glob,
    [BP_KEY_NUMBERS] = add_range, [BP_KEY_COUNTS] = add_counts, [BP_KEY_POINTS] = add_points,
};

/* The comma that ends an item, or the end; commas inside the braces of a glob do not. */
static const char *find_comma(const char *text)
{
  int depth = 0;
  for (; *text && (depth > 0 || *text != ','); ++text)
    depth += (*text == '{') - (*text == '}' && depth > 0);
  return text;
}

bool bp_value_add(const bp_config_key *key, const char *text, void *field, bp_text *problem)
{
  if (!bp_config_is_list(key))
    return add_item[key->kind](key, text, field, problem);
  for (;;) {
    const char *comma = find_comma(text), *end = comma;
    while (text < end && *text == ' ')
      ++text;
    while (end > text && end[-1] == ' ')
      --end;
    char *item = bp_strndup(text, (size_t)(end - text));
    bool is_good = add_item[key->kind](key, item, field, problem);
    bp_free(item);
    if (!is_good || *comma == '\0')
      return is_good;
    text = comma + 1;
  }
}

bp_config_option *bp_value_add_option(bp_config_options *options, const char *name,
                                      bp_text *problem)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  size_t length = strlen(name);
  if (length == 0 || length > 64 || strspn(name, letters) != length ||
      strchr("0123456789", *name)) {
    bp_text_append(problem, "expected the name of an option, a word such as pad, found ");
    bp_value_quote(name, problem);
    return NULL;
  }
  if (is_full(options->count, problem))
    return NULL;
  options->items = bp_realloc(options->items, (size_t)options->count + 1, sizeof *options->items);
  bp_config_option *option = &options->items[options->count++];
  *option = (bp_config_option){.name = bp_strdup(name)};
  return option;
}

/* ---- clearing ---- */

static void free_text(void *field)
{
  bp_free(*(char **)field);
}

static void free_strings(void *field)
{
  bp_config_strings *strings = field;
  for (int n = 0; n < strings->count; ++n)
    bp_free(strings->items[n]);
  bp_free(strings->items);
}

static void free_numbers(void *field)
{
  bp_free(((bp_config_numbers *)field)->items);
}

static void free_options(void *field)
{
  bp_config_options *options = field;
  for (int n = 0; n < options->count; ++n) {
    bp_free(options->items[n].name);
    bp_free(options->items[n].values.items);
  }
  bp_free(options->items);
}

void bp_value_clear(const bp_config_key *key, void *field)
{
  static const struct {
    size_t bytes;
    void (*free)(void *field);
  } kinds[] = {
      [BP_KEY_TEXT] = {sizeof(char *), free_text},
      [BP_KEY_PATH] = {sizeof(char *), free_text},
      [BP_KEY_CHOICE] = {sizeof(char *), NULL},
      [BP_KEY_BOOL] = {sizeof(bool), NULL},
      [BP_KEY_INT] = {sizeof(int64_t), NULL},
      [BP_KEY_REAL] = {sizeof(double), NULL},
      [BP_KEY_BOX] = {3 * sizeof(int64_t), NULL},
      [BP_KEY_NAMES] = {sizeof(bp_config_strings), free_strings},
      [BP_KEY_GLOBS] = {sizeof(bp_config_strings), free_strings},
      [BP_KEY_NUMBERS] = {sizeof(bp_config_numbers), free_numbers},
      [BP_KEY_COUNTS] = {sizeof(bp_config_numbers), free_numbers},
      [BP_KEY_POINTS] = {sizeof(bp_config_numbers), free_numbers},
      [BP_KEY_OPTIONS] = {sizeof(bp_config_options), free_options},
  };
  if (kinds[key->kind].free)
    kinds[key->kind].free(field);
  memset(field, 0, kinds[key->kind].bytes);
}
