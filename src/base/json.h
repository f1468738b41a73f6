/* json.h -- JSON out and in. The writer sees to commas, quotes and indentation; the reader gives a
 * tree of values with the line each began on. */
#ifndef BP_BASE_JSON_H
#define BP_BASE_JSON_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- writing: start from {.text = &text}; every value in an object is preceded by its key ---- */
typedef struct {
  bp_text *text;
  int depth;
  bool comma; /* a value stands before the next one on this level */
  int line;   /* all from this depth on stands on one line; 0: nothing does */
} bp_json;

void bp_json_begin_object(bp_json *json, const char *key); /* key NULL: in an array, or the root */
void bp_json_begin_line(bp_json *json, const char *key); /* an object with all in it on one line */
void bp_json_end_object(bp_json *json);
void bp_json_begin_array(bp_json *json, const char *key);
void bp_json_end_array(bp_json *json);
void bp_json_string(bp_json *json, const char *key, const char *value); /* value NULL: null */
void bp_json_int(bp_json *json, const char *key, int64_t value);
void bp_json_double(bp_json *json, const char *key, double value); /* not finite: null */
void bp_json_bool(bp_json *json, const char *key, bool value);
void bp_json_doubles(bp_json *json, const char *key, const double *values, size_t count);

/* ---- reading ---- */
typedef enum {
  BP_JSON_NULL,
  BP_JSON_BOOL,
  BP_JSON_NUMBER,
  BP_JSON_STRING,
  BP_JSON_ARRAY,
  BP_JSON_OBJECT
} bp_json_kind;

typedef struct bp_json_value bp_json_value;
struct bp_json_value {
  bp_json_kind kind;
  int line;
  char *key;            /* in an object, else NULL */
  char *string;         /* BP_JSON_STRING: UTF-8, may hold no '\0' */
  double number;        /* BP_JSON_NUMBER; BP_JSON_BOOL: 0 or 1 */
  size_t count;         /* BP_JSON_ARRAY, BP_JSON_OBJECT */
  bp_json_value *items; /* in the order of the text */
};

/* Reads one value that fills `text`; `name` stands for it in messages: `name:line: expected,
 * found`. Nesting deeper than 64, more than 4096 keys in an object, duplicate keys and numbers out of range are refused
 * (BP_BAD_INPUT). */
bp_status bp_json_read(const char *name, const char *text, size_t length, bp_json_value **value);
void bp_json_destroy(bp_json_value *value);

/* The item of an object, or NULL when there is none (or `object` is none). */
const bp_json_value *bp_json_find(const bp_json_value *object, const char *key);

#endif
