/* record_csv.c -- the rows of a CSV file as the tree that JSON would give; what CSV has no room for is
 * missing. */
#include "report/record_read.h"

#include "base/memory.h"
#include "report/record_fields.h"
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 256 };

static const char first_column[] = "problem,";

typedef struct {
  const char *name; /* of the file */
  char *at;         /* what is still to be read; changed while it is read */
  int line, count;  /* lines so far; columns */
  const char *heads[COLUMNS_MAX], *cells[COLUMNS_MAX];
} csv;

bool bp_record_is_csv(const char *data, size_t size)
{
  return size >= sizeof first_column - 1 &&
         memcmp(data, first_column, sizeof first_column - 1) == 0;
}

/* ---- cells ---- */

/* Takes the quotes off a cell in place; *c->at is then what stands behind it. NULL: no closing quote. */
static const char *take_quoted(csv *c)
{
  char *cell = ++c->at, *to = cell;
  for (; *c->at; *to++ = *c->at++) {
    c->line += *c->at == '\n';
    if (*c->at == '"' && *++c->at != '"') {
      *to = '\0';
      return cell;
    }
  }
  return NULL;
}

/* The cells of a line into cells[0..*count-1]. */
static bp_status take_line(csv *c, const char *cells[COLUMNS_MAX], int *count)
{
  int line = ++c->line;
  for (*count = 0; *count < COLUMNS_MAX;) {
    const char *cell = c->at;
    if (*cell == '"')
      cell = take_quoted(c);
    else
      c->at += strcspn(c->at, ",\r\n");
    if (!cell)
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected a closing quote, found the end of the text",
                     c->name, line);
    cells[(*count)++] = cell;
    char end = *c->at;
    if (end && !strchr(",\r\n", end))
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected a comma behind a quote, found '%c'", c->name,
                     c->line, end);
    if (end)
      *c->at++ = '\0';
    if (end == '\r' && *c->at == '\n')
      ++c->at;
    if (end != ',')
      return BP_OK;
  }
  return bp_fail(BP_BAD_INPUT, "%s:%d: expected at most %d columns, found more", c->name, line,
                 COLUMNS_MAX);
}

/* NULL where there is no such column. */
static const char *cell_of(const csv *c, const char *column)
{
  for (int n = 0; n < c->count; ++n)
    if (strcmp(c->heads[n], column) == 0)
      return c->cells[n];
  return NULL;
}

/* The columns of schema 1, which alone has unique_dofs, by the names of today. */
static void rename_heads(csv *c)
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

static bp_json_value text_of(const csv *c, const char *text)
{
  return (bp_json_value){.kind = BP_JSON_STRING, .line = c->line, .string = bp_strdup(text)};
}

/* What is no number is a text, which the reader will refuse. */
static bp_json_value number_of(const csv *c, const char *cell)
{
  bp_json_value value = {.kind = *cell ? BP_JSON_NUMBER : BP_JSON_NULL, .line = c->line};
  return !*cell || bp_parse_double(cell, &value.number) ? value : text_of(c, cell);
}

static bp_json_value options_of(const csv *c, const char *cell)
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

static bp_json_value value_of(const csv *c, bp_field_kind kind, const char *cell)
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

static void put_fields(const csv *c, bp_json_value *object, const char *prefix,
                       const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f) {
    char column[64];
    snprintf(column, sizeof column, "%s%s", prefix, f->key);
    const char *cell = cell_of(c, column);
    if (cell)
      put(object, f->key, value_of(c, f->kind, cell));
  }
}

static void put_number(const csv *c, bp_json_value *parent, const char *key, const char *prefix,
                       const char *name)
{
  char column[64];
  snprintf(column, sizeof column, "%s%s", prefix, name);
  const char *cell = cell_of(c, column);
  if (cell)
    put(parent, key, number_of(c, cell));
}

static void put_timing(const csv *c, bp_json_value *object, const char *prefix)
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

static bp_json_value row_of(const csv *c)
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
static bp_json_value head_of(const csv *c)
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
  char *text = bp_strndup(data, size);
  csv *c = bp_alloc(1, sizeof *c);
  *c = (csv){.name = name, .at = text};
  bp_json_value rows = {.kind = BP_JSON_ARRAY, .line = 1};
  bp_status status = take_line(c, c->heads, &c->count);
  rename_heads(c);
  while (!status && *c->at) {
    int count;
    status = take_line(c, c->cells, &count);
    if (!status && count != c->count)
      status = bp_fail(BP_BAD_INPUT, "%s:%d: expected %d values as in the first line, found %d",
                       name, c->line, c->count, count);
    if (!status)
      put(&rows, NULL, row_of(c));
  }
  *tree = bp_alloc(1, sizeof **tree);
  **tree = head_of(c);
  put(*tree, "rows", rows);
  bp_free(c);
  bp_free(text);
  return status;
}
