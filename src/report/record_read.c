/* record_read.c -- a record from JSON or CSV, or what is wrong with it. */
#include "report/record.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/safe.h"
#include "report/record_fields.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    [BP_JSON_NULL] = "null",     [BP_JSON_BOOL] = "true or false", [BP_JSON_NUMBER] = "a number",
    [BP_JSON_STRING] = "a text", [BP_JSON_ARRAY] = "an array",     [BP_JSON_OBJECT] = "an object"};

/* Fails with what was wanted. `value` is what was found under `key`, or NULL; `object` where it should be. */
static bp_status wants(const char *name, const bp_json_value *object, const char *key,
                       const bp_json_value *value, const char *what)
{
  if (!value)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected the key '%s', found none", name, object->line,
                   key);
  bp_text safe = {0};
  bp_safe_line(&safe, value->kind == BP_JSON_STRING ? value->string : "");
  char *found = value->kind == BP_JSON_STRING   ? bp_format("'%.40s'", bp_text_string(&safe))
                : value->kind == BP_JSON_NUMBER ? bp_format("%g", value->number)
                                                : bp_strdup(kinds[value->kind]);
  bp_status status = bp_fail(BP_BAD_INPUT, "%s:%d: expected %s as '%s', found %s", name,
                             value->line, what, key, found);
  bp_free(found);
  bp_text_destroy(&safe);
  return status;
}

/* ---- values ---- */

static bool is_whole(const bp_json_value *value, double least, double most)
{
  return value->kind == BP_JSON_NUMBER && value->number >= least && value->number <= most &&
         value->number == floor(value->number);
}

static bool read_options(const bp_json_value *value, char **options)
{
  bp_text text = {0};
  if (value->kind != BP_JSON_OBJECT)
    return false;
  bp_text_append(&text, "");
  for (size_t n = 0; n < value->count; ++n) {
    const bp_json_value *item = &value->items[n];
    if (!is_whole(item, -0x1p53, 0x1p53) && item->kind != BP_JSON_STRING) {
      bp_text_destroy(&text);
      return false;
    }
    bp_text_appendf(&text, "%s%s", n ? " " : "", item->key);
    if (item->kind == BP_JSON_NUMBER)
      bp_text_appendf(&text, "=%.0f", item->number);
    else if (*item->string)
      bp_text_appendf(&text, "=%s", item->string);
  }
  bp_free(*options);
  *options = text.data;
  return true;
}

static bool read_seed(const char *string, uint64_t *seed)
{
  size_t digits = strlen(string);
  if (strncmp(string, "0x", 2) != 0 || digits < 3 || digits > 18 ||
      string[2 + strspn(string + 2, "0123456789abcdef")])
    return false;
  *seed = strtoull(string, NULL, 16);
  return true;
}

static bool read_row_status(const char *string, bp_row_status *status)
{
  for (int n = 0; n < 3; ++n)
    if (strcmp(string, bp_row_status_names[n]) == 0) {
      *status = (bp_row_status)n;
      return true;
    }
  return false;
}

static const char *const field_wants[] = {[BP_FIELD_STRING] = "a text",
                                          [BP_FIELD_MAYBE_TEXT] = "a text or null",
                                          [BP_FIELD_OPTIONS] =
                                              "an object of texts and whole numbers",
                                          [BP_FIELD_INT] = "a whole number from 0 on",
                                          [BP_FIELD_COUNT] = "a whole number from 0 on",
                                          [BP_FIELD_MAYBE] = "a whole number from 0 on or null",
                                          [BP_FIELD_DOUBLE] = "a number from 0 to 1e30 or null",
                                          [BP_FIELD_TIME] = "seconds from 1e-15 to 1e12",
                                          [BP_FIELD_SEED] = "a text like 0x1f",
                                          [BP_FIELD_BOOL] = "true or false",
                                          [BP_FIELD_STATUS] = "'ok', 'wrong' or 'skipped'",
                                          [BP_FIELD_TIMING] = "an object",
                                          [BP_FIELD_FACTS] = "an object",
                                          [BP_FIELD_LIST] = "an array"};

/* Sums and products of two such numbers stay finite. What no clock tells is no time: rates by it would leave
 * the range of numbers. */
static const double DOUBLE_MOST = 1e30, TIME_LEAST = 1e-15, TIME_MOST = 1e12;

/* False, and *at untouched, where the value is not of the field's kind. */
static bool read_value(bp_field_kind kind, const bp_json_value *value, void *at)
{
  bool null = value->kind == BP_JSON_NULL, text = value->kind == BP_JSON_STRING;
  bool number = value->kind == BP_JSON_NUMBER;
  switch (kind) {
  case BP_FIELD_STRING:
  case BP_FIELD_MAYBE_TEXT:
    if (text)
      bp_record_set(at, value->string);
    return text || (null && kind == BP_FIELD_MAYBE_TEXT);
  case BP_FIELD_OPTIONS:
    return read_options(value, at);
  case BP_FIELD_INT:
    if (!is_whole(value, 0, 0x1p30))
      return false;
    *(int *)at = (int)value->number;
    return true;
  case BP_FIELD_COUNT:
  case BP_FIELD_MAYBE:
    if (null && kind == BP_FIELD_MAYBE)
      return true;
    if (!is_whole(value, 0, 0x1p53))
      return false;
    *(int64_t *)at = (int64_t)value->number;
    return true;
  case BP_FIELD_DOUBLE:
    if (number)
      *(double *)at = value->number;
    return (number && value->number >= 0 && value->number <= DOUBLE_MOST) || null;
  case BP_FIELD_TIME:
    if (number)
      *(double *)at = value->number;
    return number && value->number >= TIME_LEAST && value->number <= TIME_MOST;
  case BP_FIELD_SEED:
    return text && read_seed(value->string, at);
  case BP_FIELD_BOOL:
    *(bool *)at = value->number != 0;
    return value->kind == BP_JSON_BOOL;
  case BP_FIELD_STATUS:
    return text && read_row_status(value->string, at);
  default:
    return false;
  }
}

/* ---- timings ---- */

static bp_status read_times(const char *name, const bp_json_value *array, const char *key,
                            double *times)
{
  for (size_t n = 0; n < array->count; ++n)
    if (!read_value(BP_FIELD_TIME, &array->items[n], &times[n]))
      return wants(name, array, key, &array->items[n], field_wants[BP_FIELD_TIME]);
  return BP_OK;
}

static bp_status read_samples(const char *name, const bp_json_value *samples, bp_timing *timing)
{
  static const double rounding = 1e-5; /* of those who write fewer digits */
  const bp_statistics *s = &timing->statistics;
  if (samples->kind != BP_JSON_ARRAY || (int64_t)samples->count != s->count)
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected as many samples as 'count' says (%" PRId64 "), found %zu", name,
                   samples->line, s->count, samples->count);
  timing->samples = bp_alloc(samples->count, sizeof *timing->samples);
  bp_status status = read_times(name, samples, "samples", timing->samples);
  for (size_t n = 0; n < samples->count && !status; ++n)
    if (timing->samples[n] < s->minimum * (1 - rounding) ||
        timing->samples[n] > s->maximum * (1 + rounding))
      status = bp_fail(BP_BAD_INPUT, "%s:%d: expected samples from 'min' %g to 'max' %g, found %g",
                       name, samples->items[n].line, s->minimum, s->maximum, timing->samples[n]);
  return status;
}

/* min, median, max and the interval of the median, in that order, where there are any. */
static bp_status read_statistics(const char *name, const bp_json_value *object, const char *key,
                                 bp_statistics *s)
{
  const bp_json_value *count = bp_json_find(object, "count");
  const bp_json_value *interval = bp_json_find(object, "interval");
  double ends[2];
  if (count && count->kind == BP_JSON_NUMBER && count->number == 0)
    return BP_OK;
  bp_status status = bp_fields_read(name, object, bp_statistics_fields, s);
  if (!status && (!interval || interval->kind != BP_JSON_ARRAY))
    return wants(name, object, "interval", interval, "an array");
  if (!status && interval->count != 2)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected two times as 'interval', found %zu", name,
                   interval->line, interval->count);
  if (!status)
    status = read_times(name, interval, "interval", ends);
  if (status)
    return status;
  s->low = ends[0];
  s->high = ends[1];
  if (!(s->minimum <= s->low && s->low <= s->median && s->median <= s->high &&
        s->high <= s->maximum))
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected '%s' with 0 < min <= median <= max and the median within its "
                   "interval, found other figures",
                   name, object->line, key);
  return BP_OK;
}

static bp_status read_timing(const char *name, const bp_json_value *holder, const char *key,
                             const bp_json_value *value, bp_timing *timing)
{
  const bp_json_value *samples = bp_json_find(holder, "samples");
  bp_status status = read_statistics(name, value, key, &timing->statistics);
  const bool is_empty = samples && samples->kind == BP_JSON_ARRAY && samples->count == 0;
  return status || !samples || is_empty || timing->statistics.count == 0
             ? status
             : read_samples(name, samples, timing);
}

/* ---- objects ---- */

static bp_status read_facts(const char *name, const bp_json_value *object, void *facts)
{
  for (size_t n = 0; n < object->count; ++n) {
    const bp_json_value *fact = &object->items[n];
    if (fact->kind != BP_JSON_STRING)
      return wants(name, object, fact->key, fact, "a text");
    bp_fact *added = bp_list_add(facts, bp_fact_fields, sizeof *added);
    bp_record_set(&added->key, fact->key);
    bp_record_set(&added->value, fact->string);
  }
  return BP_OK;
}

static bp_status read_list(const char *name, const bp_json_value *array, const bp_field *f,
                           void *list)
{
  bp_status status = BP_OK;
  for (size_t n = 0; n < array->count; ++n)
    if (array->items[n].kind != BP_JSON_OBJECT)
      return wants(name, array, f->key, &array->items[n], "an array of objects");
  for (size_t n = 0; n < array->count && !status; ++n)
    status = bp_fields_read(name, &array->items[n], f->items, bp_list_add(list, f->items, f->size));
  return status;
}

static bp_status read_field(const char *name, const bp_json_value *holder, const bp_field *f,
                            void *at)
{
  const bp_json_value *value = bp_json_find(holder, f->key);
  const bool is_object = value && value->kind == BP_JSON_OBJECT;
  if (f->kind == BP_FIELD_FIRST) /* behind its list */
    return is_object && bp_list_at(at).count == 0
               ? bp_fields_read(name, value, f->items, bp_list_add(at, f->items, f->size))
               : BP_OK;
  if (f->kind == BP_FIELD_TIMING && is_object)
    return read_timing(name, holder, f->key, value, at);
  if (f->kind == BP_FIELD_FACTS && is_object)
    return read_facts(name, value, at);
  if (f->kind == BP_FIELD_LIST && value && value->kind == BP_JSON_ARRAY)
    return read_list(name, value, f, at);
  return value && read_value(f->kind, value, at)
             ? BP_OK
             : wants(name, holder, f->key, value, field_wants[f->kind]);
}

bp_status bp_fields_read(const char *name, const bp_json_value *object, const bp_field *fields,
                         void *base)
{
  bp_status status = BP_OK;
  for (const bp_field *f = fields; f->key && !status; ++f) {
    const bp_json_value *holder = f->object ? bp_json_find(object, f->object) : object;
    const bool is_object = holder && holder->kind == BP_JSON_OBJECT;
    if (f->kind == BP_FIELD_RATE || (!f->required && (!is_object || !bp_json_find(holder, f->key))))
      continue;
    status = is_object ? read_field(name, holder, f, (char *)base + f->offset)
                       : wants(name, object, f->object, holder, "an object");
  }
  return status;
}

/* ---- records ---- */

/* The rows of schema 1 by the names of today. */
static void modernise(bp_json_value *root)
{
  const bp_json_value *schema = bp_json_find(root, "schema"), *rows = bp_json_find(root, "rows");
  for (size_t n = 0; schema->number < 2 && rows && n < rows->count; ++n)
    for (const bp_renamed *r = bp_row_renamed; r->old; ++r) {
      bp_json_value *row = &rows->items[n];
      for (size_t k = 0; row->kind == BP_JSON_OBJECT && k < row->count; ++k)
        if (strcmp(row->items[k].key, r->old) == 0)
          bp_record_set(&row->items[k].key, r->new);
    }
}

/* Tells of the first rate that does not follow from the figures beside it: somebody changed one of them. */
static void tell_changed(const char *name, const bp_json_value *root, const bp_record *record)
{
  static const char *const rates[] = {"gflops", "gbytes_per_second"};
  const double little = 1e-3;
  const bp_json_value *rows = bp_json_find(root, "rows");
  char text[32];
  for (int64_t n = 0; rows && n < record->rows_count; ++n)
    for (const bp_field *f = bp_row_fields; f->key; ++f) {
      const bp_json_value *found = bp_json_find(&rows->items[n], f->key);
      bool is_rate = false;
      for (size_t r = 0; r < sizeof rates / sizeof *rates; ++r)
        is_rate = is_rate || strcmp(f->key, rates[r]) == 0;
      if (f->object || !is_rate || !found || found->kind == BP_JSON_NULL)
        continue;
      const bp_json_value expected = bp_field_value(f, &record->rows[n], text);
      if (expected.kind != BP_JSON_NUMBER || /* no rate is given for such a row */
          (found->kind == BP_JSON_NUMBER &&
           fabs(found->number - expected.number) <= little * fabs(expected.number)))
        continue;
      bp_tell("%s:%d: expected '%s' to follow from the row's time, found another figure: what "
              "follows is used",
              name, found->line, f->key);
      return;
    }
}

static bp_status check_schema(const char *name, const bp_json_value *root)
{
  const bp_json_value *schema = bp_json_find(root, "schema"),
                      *version = bp_json_find(root, "version");
  if (!schema || !is_whole(schema, 1, 0x1p30))
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected a record of bp (an object with a 'schema'), found %s", name,
                   root->line, root->kind == BP_JSON_OBJECT ? "another one" : kinds[root->kind]);
  if (schema->number > BP_RECORD_SCHEMA)
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected a record of schema %d or older, found schema %.0f: it was "
                   "written by bp %.40s, read it with that",
                   name, schema->line, BP_RECORD_SCHEMA, schema->number,
                   version && version->kind == BP_JSON_STRING ? version->string : "of later date");
  return BP_OK;
}

static bp_status read_tree(const char *name, const char *data, size_t size, bp_json_value **root)
{
  if (bp_record_is_csv(data, size))
    return bp_record_csv_tree(name, data, size, root);
  if (size && isalpha((unsigned char)*data))
    return bp_fail(BP_BAD_INPUT,
                   "%s:1: expected a record of bp, JSON that begins with '{' or CSV that begins "
                   "with 'problem,', found another text",
                   name);
  return bp_json_read(name, data, size, root);
}

bp_status bp_record_read_bytes(const char *name, const char *data, size_t size, bp_record **record)
{
  bp_json_value *root = NULL;
  *record = NULL;
  bp_status status = read_tree(name, data, size, &root);
  BP_ASSERT(status || root);
  if (!status)
    status = check_schema(name, root);
  if (!status) {
    modernise(root);
    *record = bp_record_create(0, NULL);
    status = bp_fields_read(name, root, bp_record_fields, *record);
    (*record)->schema = BP_RECORD_SCHEMA;
  }
  if (!status)
    tell_changed(name, root, *record);
  bp_json_destroy(root);
  if (status) {
    bp_record_destroy(*record);
    *record = NULL;
  }
  return status;
}

bp_status bp_record_read(const char *path, bp_record **record)
{
  bp_file file;
  *record = NULL;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return status;
  status = bp_record_read_bytes(path, file.data, file.size, record);
  if (bp_file_check(&file, path)) {
    bp_record_destroy(*record);
    *record = NULL;
    status = BP_BAD_INPUT;
  }
  bp_file_unmap(&file);
  return status;
}
