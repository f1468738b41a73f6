/* text.c -- growing strings, numbers, near names, patterns. */
#include "base/text.h"

#include "base/memory.h"
#include "base/status.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void reserve(bp_text *text, size_t more)
{
  size_t need = text->length + more + 1;
  if (need <= text->capacity)
    return;
  text->capacity = need < 2 * text->capacity ? 2 * text->capacity : need + 32;
  text->data = bp_realloc(text->data, text->capacity, 1);
}

void bp_text_append_bytes(bp_text *text, const char *more, size_t length)
{
  reserve(text, length);
  memcpy(text->data + text->length, more, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void bp_text_append(bp_text *text, const char *more)
{
  bp_text_append_bytes(text, more, strlen(more));
}

static void append_list(bp_text *text, const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  BP_ASSERT(length >= 0);
  reserve(text, (size_t)length);
  vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
  text->length += (size_t)length;
}

void bp_text_appendf(bp_text *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  append_list(text, format, arguments);
  va_end(arguments);
}

void bp_text_append_word(bp_text *text, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_@%+=:,./-";
  if (*word && word[strspn(word, plain)] == '\0') {
    bp_text_append(text, word);
    return;
  }
  bp_text_append(text, "'");
  for (; *word; ++word)
    bp_text_append_bytes(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
  bp_text_append(text, "'");
}

void bp_text_destroy(bp_text *text)
{
  bp_free(text->data);
  *text = (bp_text){0};
}

const char *bp_text_string(const bp_text *text)
{
  return text->data ? text->data : "";
}

char *bp_format(const char *format, ...)
{
  bp_text text = {0};
  va_list arguments;
  va_start(arguments, format);
  append_list(&text, format, arguments);
  va_end(arguments);
  return text.data;
}

bool bp_parse_int(const char *text, int64_t *value)
{
  const char *digits = text + (*text == '-' || *text == '+');
  size_t count = strspn(digits, "0123456789");
  if (count == 0 || digits[count] != '\0')
    return false;
  errno = 0;
  long long parsed = strtoll(text, NULL, 10);
  if (errno)
    return false;
  *value = parsed;
  return true;
}

/* [+-]digits[.digits][e[+-]digits], at least one digit before the exponent. */
static bool is_decimal(const char *s)
{
  s += *s == '-' || *s == '+';
  size_t before = strspn(s, "0123456789"), after = 0;
  s += before;
  if (*s == '.')
    s += 1 + (after = strspn(s + 1, "0123456789"));
  if (before + after == 0)
    return false;
  if (*s == 'e' || *s == 'E') {
    s += 1 + (s[1] == '-' || s[1] == '+');
    size_t exponent = strspn(s, "0123456789");
    if (exponent == 0)
      return false;
    s += exponent;
  }
  return *s == '\0';
}

/* strtod and printf follow the locale of the program that embeds them; numbers here do not. */
static locale_t c_locale(void)
{
  static _Thread_local locale_t locale;
  if (!locale)
    locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return locale;
}

bool bp_parse_double(const char *text, double *value)
{
  if (!is_decimal(text))
    return false;
  locale_t old = uselocale(c_locale());
  double parsed = strtod(text, NULL);
  uselocale(old);
  if (!isfinite(parsed))
    return false;
  *value = parsed;
  return true;
}

char *bp_print_double(char out[32], double value)
{
  if (!isfinite(value))
    return strcpy(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  locale_t old = uselocale(c_locale());
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(out, 32, "%.*g", digits, value);
    if (strtod(out, NULL) == value)
      break;
  }
  uselocale(old);
  return out;
}

char *bp_print_bytes(char out[32], double bytes)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    bytes /= 1000;
    ++unit;
  }
  int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  snprintf(out, 32, "%.*f %s", decimals, bytes, units[unit]);
  return out;
}

static int lower(int c)
{
  return c >= 'A' && c <= 'Z' ? c + 32 : c == '-' ? '_' : c;
}

enum { LONGEST = 64 };

/* Edits (insert, delete, replace, swap neighbours) that turn a into b; case and '-' for '_' are
 * free. */
static int edits(const char *a, const char *b)
{
  int rows[3][LONGEST + 1];
  size_t la = strlen(a), lb = strlen(b);
  if (la > LONGEST || lb > LONGEST)
    return LONGEST;
  int *two = rows[0], *one = rows[1], *row = rows[2];
  for (size_t j = 0; j <= lb; ++j)
    one[j] = (int)j;
  for (size_t i = 1; i <= la; ++i) {
    row[0] = (int)i;
    for (size_t j = 1; j <= lb; ++j) {
      int same = lower(a[i - 1]) == lower(b[j - 1]);
      int best = one[j - 1] + !same;
      best = one[j] + 1 < best ? one[j] + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]) && two[j - 2] + 1 < best)
        best = two[j - 2] + 1;
      row[j] = best;
    }
    int *old = two;
    two = one;
    one = row;
    row = old;
  }
  return one[lb];
}

/* The operator that the field calls so: its letters are those of a solve. */
static const char *operator_called(const char *text)
{
  static const char *const names[] = {"bk1", "bp1.0", "bk3", "bp3.0", "bk5", "bp3.5"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n += 2)
    if (strcasecmp(text, names[n]) == 0)
      return names[n + 1];
  return text;
}

const char *bp_nearest(const char *text, const char *const *names, size_t count)
{
  const char *nearest = NULL;
  text = operator_called(text);
  size_t length = strlen(text);
  int fewest = length > LONGEST ? 0 : (int)length / 3 + 2;
  for (size_t n = 0; n < count; ++n) {
    int needed = edits(text, names[n]);
    if (needed < fewest) {
      fewest = needed;
      nearest = names[n];
    }
  }
  return nearest;
}

const char *bp_suggestion(const char *text, const char *const *names, size_t count)
{
  static _Thread_local char said[LONGEST + 40];
  const char *nearest = bp_nearest(text, names, count);
  said[0] = '\0';
  if (nearest)
    snprintf(said, sizeof said, "; did you mean '%s'?", nearest);
  return said;
}

static bool in_set(const char *set, const char *end, char c)
{
  for (const char *s = set; s < end; ++s) {
    if (s + 2 < end && s[1] == '-') {
      if (s[0] <= c && c <= s[2])
        return true;
      s += 2;
    } else if (*s == c) {
      return true;
    }
  }
  return false;
}

static bool matches_one_of(const char *open, const char *end, const char *text)
{
  for (const char *start = open + 1; start <= end;) {
    const char *comma = start + strcspn(start, ",}");
    char *pattern = bp_format("%.*s%s", (int)(comma - start), start, end + 1);
    bool found = bp_matches(pattern, text);
    bp_free(pattern);
    if (found)
      return true;
    start = comma + 1;
  }
  return false;
}

bool bp_matches(const char *pattern, const char *text)
{
  for (; *pattern; ++pattern, ++text) {
    const char *end;
    if (*pattern == '*') {
      while (pattern[1] == '*')
        ++pattern;
      for (; *text; ++text)
        if (bp_matches(pattern + 1, text))
          return true;
      return bp_matches(pattern + 1, text);
    }
    if (*pattern == '{' && (end = strchr(pattern + 1, '}')))
      return matches_one_of(pattern, end, text);
    if (*text == '\0')
      return false;
    if (*pattern == '[' && (end = strchr(pattern + 1, ']'))) {
      if (!in_set(pattern + 1, end, *text))
        return false;
      pattern = end;
    } else if (*pattern != '?' && *pattern != *text) {
      return false;
    }
  }
  return *text == '\0';
}
