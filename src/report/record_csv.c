/* record_csv.c -- the rows of a CSV file as the tree that JSON would give; what CSV has no room for is
 * missing. */
#include "report/record_read.h"

#include "base/memory.h"
#include "report/csv_lines.h"
#include "report/record_fields.h"
#include <stdio.h>
#include <string.h>

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
  for (const char *at = cell + strspn(cell, " "); *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " "), name_length = strcspn(at, "= ");
    bool has_value = name_length < length;
    char *name = bp_strndup(at, name_length);
    char *value = bp_strndup(at + name_length + has_value, length - name_length - has_value);
    put(&options, name, *value ? number_of(c, value) : text_of(c, ""));
    bp_free(value);
    bp_free(name);
    at += length;
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

static void put_fields(const bp_csv_lines *c, bp_json_value *object, const char *prefix,
                       const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f) {
    char column[64];
    snprintf(column, sizeof column, "%s%s", prefix, f->key);
    const char *cell = bp_csv_cell(c, column);
    if (cell)
      put(object, f->key, value_of(c, f->kind, cell));
  }
}

static void put_number(const bp_csv_lines *c, bp_json_value *parent, const char *key,
                       const char *prefix, const char *name)
{
  char column[64];
  snprintf(column, sizeof column, "%s%s", prefix, name);
  const char *cell = bp_csv_cell(c, column);
  if (cell)
    put(parent, key, number_of(c, cell));
}

static void put_timing(const bp_csv_lines *c, bp_json_value *object, const char *prefix)
{
  static const char *const names[] = {"min", "median", "max", "count"};
  bp_json_value seconds = {.kind = BP_JSON_OBJECT, .line = c->line};
  bp_json_value interval = {.kind = BP_JSON_ARRAY, .line = c->line};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    put_number(c, &seconds, names[n], prefix, names[n]);
  put_number(c, &interval, NULL, prefix, "low");
  put_number(c, &interval, NULL, prefix, "high");
  put(&seconds, "interval", interval);
  put(object, "seconds", seconds);
}

static bp_json_value row_of(const bp_csv_lines *c)
{
  bp_json_value row = {.kind = BP_JSON_OBJECT, .line = c->line}, copy = row, power = row;
  put_fields(c, &row, "", bp_row_fields);
  put_timing(c, &row, "seconds_");
  put_number(c, &copy, "bytes", "", "copy_bytes");
  put_fields(c, &copy, "copy_", bp_copy_fields);
  put_timing(c, &copy, "copy_seconds_");
  put(&row, "copy", copy);
  put_fields(c, &row, "", bp_row_outcome_fields);
  put_fields(c, &power, "power_", bp_power_fields);
  put(&row, "power", power);
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
      put(&rows, NULL, row_of(c));
  }
  *tree = bp_alloc(1, sizeof **tree);
  **tree = head_of(c);
  put(*tree, "rows", rows);
  bp_csv_lines_destroy(c);
  return status;
}
