/* text.h -- strings: one that grows, numbers that do not depend on the locale, names that are
 * nearly right, patterns. */
#ifndef BP_BASE_TEXT_H
#define BP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string that grows. Start from {0}; `data` is NULL or ends with '\0'. */
typedef struct {
  char *data;
  size_t length, capacity;
} bp_text;

void bp_text_append(bp_text *text, const char *more);
void bp_text_append_bytes(bp_text *text, const char *more, size_t length);
void bp_text_appendf(bp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bp_text_append_word(bp_text *text, const char *word); /* as a POSIX shell wants it */
void bp_text_destroy(bp_text *text);

/* "" instead of NULL for an empty text. */
const char *bp_text_string(const bp_text *text);

/* A new string by format; free with bp_free. */
char *bp_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The whole of `text` as a number: decimal integers with an optional sign; decimal floating point
 * with
 * '.', no hexadecimal, no inf or nan. False, and *value untouched, for anything else or out of
 * range. */
bool bp_parse_int(const char *text, int64_t *value);
bool bp_parse_double(const char *text, double *value);

/* 17 significant digits or fewer that read back exactly, '.' in every locale; `out` holds 32 bytes.
 * Returns `out`. Not finite: "nan", "inf", "-inf". */
char *bp_print_double(char out[32], double value);

/* Bytes for people: "512 B", "14.0 kB", "3.20 GB" (powers of 1000); `out` holds 32 bytes. */
char *bp_print_bytes(char out[32], double bytes);

/* Of `names` (count of them) the one nearest to `text`, or NULL when none is near enough to be
 * meant. "BK5" is near to what bp calls it, bp3.5. */
const char *bp_nearest(const char *text, const char *const *names, size_t count);

/* "; did you mean 'bp3.5'?" of the nearest, or "". Until the next call of this thread. */
const char *bp_suggestion(const char *text, const char *const *names, size_t count);

/* Whether `text` matches `pattern`: '*' any run, '?' one character, [abc] and [a-c] sets,
 * {one,two} alternatives. */
bool bp_matches(const char *pattern, const char *text);

#endif
