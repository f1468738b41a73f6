/* record_csv.c -- every row as a line of comma-separated values, and such lines as the tree that
 * JSON would give; what CSV has no room for is missing. */
#include "report/record_fields.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/group.h"
#include "report/report.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

/* Of a timing, in the order of `values_of`; the last is a count. */
enum { TIMES = 6 };
static const char *const times[TIMES] = {"min", "median", "max", "low", "high", "count"};

/* Returns `out`, which holds 64 bytes. */
static char *name_of(char *out, const bp_field *f, const char *time)
{
  snprintf(out, 64, "%s%s%s%s%s", f->object ? f->object : "", f->object ? "_" : "", f->key,
           *time ? "_" : "", time);
  return out;
}

static int columns_of(const bp_field *f)
{
  return f->kind == BP_FIELD_TIMING ? TIMES : f->kind != BP_FIELD_LIST;
}

static void append_heads(bp_text *text)
{
  char name[64];
  for (const bp_field *f = bp_row_fields; f->key; ++f)
    for (int t = 0; t < columns_of(f); ++t) {
      bp_text_append(text, f == bp_row_fields ? "" : ",");
      bp_text_append(text, name_of(name, f, f->kind == BP_FIELD_TIMING ? times[t] : ""));
    }
  bp_text_append(text, "\n");
}

static void append_double(bp_text *text, double value)
{
  char number[32];
  bp_text_append(text, isfinite(value) ? bp_print_double(number, value) : "");
}

static void append_timing(bp_text *text, const bp_statistics *s)
{
  const double values[] = {s->minimum, s->median, s->maximum, s->low, s->high};
  for (int n = 0; n < TIMES - 1; ++n) {
    append_double(text, s->count ? values[n] : NAN);
    bp_text_append(text, ",");
  }
  append_double(text, (double)s->count);
}

static void append_field(bp_text *text, const bp_field *f, const bp_row *row)
{
  char made[32];
  const bp_json_value value = bp_field_value(f, row, made);
  if (f->kind == BP_FIELD_TIMING)
    append_timing(text, &((const bp_timing *)((const char *)row + f->offset))->statistics);
  else if (value.kind == BP_JSON_STRING)
    bp_safe_csv(text, value.string);
  else if (value.kind == BP_JSON_NUMBER)
    append_double(text, value.number);
}

void bp_report_csv(const bp_record *record, bp_text *text)
{
  append_heads(text);
  for (int64_t n = 0; n < record->rows_count; ++n)
    for (const bp_field *f = bp_row_fields; f->key; ++f)
      if (columns_of(f)) {
        append_field(text, f, &record->rows[n]);
        bp_text_append(text, f[1].key ? "," : "\n");
      }
}

/* ---- reading ---- */

static const char first_column[] = "problem,";

bool bp_record_is_csv(const char *data, size_t size)
{
  return size >= sizeof first_column - 1 &&
         memcmp(data, first_column, sizeof first_column - 1) == 0;
}

/* The columns of schema 1, which alone has unique_dofs, by the names of today. */
static void rename_heads(bp_csv_lines *c)
{
  bool is_old = false;
  for (int n = 0; n < c->count; ++n)
    is_old |= strcmp(c->heads[n], "unique_dofs") == 0;
  for (const bp_renamed *r = bp_row_renamed; is_old && r->old; ++r)
    for (int n = 0; n < c->count; ++n)
      if (strcmp(c->heads[n], r->old) == 0)
        c->heads[n] = r->new;
}

/* ---- the tree ---- */

static void put(bp_json_value *parent, const char *key, bp_json_value value)
{
  value.key = key ? bp_strdup(key) : NULL;
  parent->items = bp_realloc(parent->items, parent->count + 1, sizeof value);
  parent->items[parent->count++] = value;
}

static bp_json_value text_of(const bp_csv_lines *c, const char *text)
{
  return (bp_json_value){.kind = BP_JSON_STRING, .line = c->line, .string = bp_strdup(text)};
}

/* What is no number is a text, which the reader will refuse. */
static bp_json_value number_of(const bp_csv_lines *c, const char *cell)
{
  bp_json_value value = {.kind = *cell ? BP_JSON_NUMBER : BP_JSON_NULL, .line = c->line};
  return !*cell || bp_parse_double(cell, &value.number) ? value : text_of(c, cell);
}

static bp_json_value options_of(const bp_csv_lines *c, const char *cell)
{
  bp_json_value options = {.kind = BP_JSON_OBJECT, .line = c->line};
  bp_option_text option;
  while (bp_option_next(&cell, &option)) {
    char *name = bp_strndup(option.name, option.name_length);
    char *value = bp_strndup(option.value, option.value_length);
    put(&options, name, *value ? number_of(c, value) : text_of(c, ""));
    bp_free(value);
    bp_free(name);
  }
  return options;
}

static bp_json_value value_of(const bp_csv_lines *c, bp_field_kind kind, const char *cell)
{
  switch (kind) {
  case BP_FIELD_OPTIONS:
    return options_of(c, cell);
  case BP_FIELD_STRING:
  case BP_FIELD_STATUS:
    return text_of(c, cell);
  case BP_FIELD_MAYBE_TEXT:
    return *cell ? text_of(c, cell) : (bp_json_value){.kind = BP_JSON_NULL, .line = c->line};
  default:
    return number_of(c, cell);
  }
}

static void put_cell(const bp_csv_lines *c, bp_json_value *object, const bp_field *f,
                     const char *time)
{
  char column[64];
  const char *cell = bp_csv_cell(c, name_of(column, f, time));
  if (cell)
    put(object, *time ? time : f->key, *time ? number_of(c, cell) : value_of(c, f->kind, cell));
}

static bp_json_value timing_of(const bp_csv_lines *c, const bp_field *f)
{
  bp_json_value seconds = {.kind = BP_JSON_OBJECT, .line = c->line};
  bp_json_value interval = {.kind = BP_JSON_ARRAY, .line = c->line};
  for (int t = 0; t < TIMES; ++t)
    put_cell(c, t == 3 || t == 4 ? &interval : &seconds, f, times[t]);
  put(&seconds, "interval", interval);
  return seconds;
}

bp_json_value bp_fields_of_csv(const bp_csv_lines *c, const bp_field *fields)
{
  bp_json_value row = {.kind = BP_JSON_OBJECT, .line = c->line}, inner = row;
  for (const bp_field *f = fields; f->key; ++f) {
    bp_json_value *object = f->object ? &inner : &row;
    if (f->kind == BP_FIELD_TIMING)
      put(object, f->key, timing_of(c, f));
    else if (f->kind != BP_FIELD_RATE && columns_of(f))
      put_cell(c, object, f, "");
    if (f->object && (!f[1].object || strcmp(f->object, f[1].object) != 0)) {
      put(&row, f->object, inner);
      inner = (bp_json_value){.kind = BP_JSON_OBJECT, .line = c->line};
    }
  }
  return row;
}

/* What CSV does not say, as honest as can be. */
static bp_json_value head_of(const bp_csv_lines *c)
{
  bp_json_value root = {.kind = BP_JSON_OBJECT, .line = 1}, environment = root;
  put(&root, "schema",
      (bp_json_value){.kind = BP_JSON_NUMBER, .line = 1, .number = BP_RECORD_SCHEMA});
  put(&root, "version", text_of(c, "of an unknown version"));
  put(&root, "time", text_of(c, "at an unknown time"));
  put(&root, "command", text_of(c, "# not known: read from CSV, which keeps the rows alone"));
  put(&environment, "read from",
      text_of(c, "CSV, which keeps no environment, meshes, bounds and samples"));
  put(&root, "environment", environment);
  return root;
}

bp_status bp_record_csv_tree(const char *name, const char *data, size_t size, bp_json_value **tree)
{
  bp_csv_lines *c = bp_csv_lines_create(name, data, size);
  bp_json_value rows = {.kind = BP_JSON_ARRAY, .line = 1};
  bp_status status = bp_csv_take_heads(c);
  rename_heads(c);
  while (!status && !bp_csv_is_at_end(c)) {
    status = bp_csv_take_cells(c);
    if (!status)
      put(&rows, NULL, bp_fields_of_csv(c, bp_row_fields));
  }
  *tree = bp_alloc(1, sizeof **tree);
  **tree = head_of(c);
  put(*tree, "rows", rows);
  bp_csv_lines_destroy(c);
  return status;
}
