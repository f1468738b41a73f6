/* record_json.c -- values of JSON as fields, or what is wrong with them. */
#include "report/record_json.h"

#include "base/memory.h"
#include "base/safe.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bp_record_json_kinds[] = {
    [BP_JSON_NULL] = "null",     [BP_JSON_BOOL] = "true or false", [BP_JSON_NUMBER] = "a number",
    [BP_JSON_STRING] = "a text", [BP_JSON_ARRAY] = "an array",     [BP_JSON_OBJECT] = "an object"};

bp_status bp_record_json_wants(const char *name, const bp_json_value *object, const char *key,
                               const bp_json_value *value, const char *what)
{
  if (!value)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected the key '%s', found none", name, object->line,
                   key);
  if (value->kind == BP_JSON_STRING) {
    bp_text found = {0};
    bp_safe_line(&found, value->string);
    bp_status status = bp_fail(BP_BAD_INPUT, "%s:%d: expected %s as '%s', found '%.40s'", name,
                               value->line, what, key, bp_text_string(&found));
    bp_text_destroy(&found);
    return status;
  }
  if (value->kind == BP_JSON_NUMBER)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected %s as '%s', found %g", name, value->line, what,
                   key, value->number);
  return bp_fail(BP_BAD_INPUT, "%s:%d: expected %s as '%s', found %s", name, value->line, what, key,
                 bp_record_json_kinds[value->kind]);
}

const bp_json_value *bp_record_json_find(const char *name, const bp_json_value *object,
                                         const char *key, bp_json_kind kind)
{
  const bp_json_value *value = bp_json_find(object, key);
  if (value && value->kind == kind)
    return value;
  bp_record_json_wants(name, object, key, value, bp_record_json_kinds[kind]);
  return NULL;
}

bool bp_record_json_is_whole(const bp_json_value *value, double least, double most)
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
    if (!bp_record_json_is_whole(item, -0x1p53, 0x1p53) && item->kind != BP_JSON_STRING) {
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
                                          [BP_FIELD_SEED] = "a text like 0x1f",
                                          [BP_FIELD_BOOL] = "true or false",
                                          [BP_FIELD_STATUS] = "'ok', 'wrong' or 'skipped'"};

/* Sums and products of two such numbers stay finite. */
static const double DOUBLE_MOST = 1e30;

/* False, and *at untouched, where the value is not of the field's kind. */
static bool read_field(bp_field_kind kind, const bp_json_value *value, void *at)
{
  bool null = value->kind == BP_JSON_NULL, text = value->kind == BP_JSON_STRING;
  switch (kind) {
  case BP_FIELD_STRING:
  case BP_FIELD_MAYBE_TEXT:
    if (text)
      bp_record_set(at, value->string);
    return text || (null && kind == BP_FIELD_MAYBE_TEXT);
  case BP_FIELD_OPTIONS:
    return read_options(value, at);
  case BP_FIELD_INT:
    if (!bp_record_json_is_whole(value, 0, 0x1p30))
      return false;
    *(int *)at = (int)value->number;
    return true;
  case BP_FIELD_COUNT:
  case BP_FIELD_MAYBE:
    if (null && kind == BP_FIELD_MAYBE)
      return true;
    if (!bp_record_json_is_whole(value, 0, 0x1p53))
      return false;
    *(int64_t *)at = (int64_t)value->number;
    return true;
  case BP_FIELD_DOUBLE:
    if (value->kind == BP_JSON_NUMBER)
      *(double *)at = value->number;
    return (value->kind == BP_JSON_NUMBER && value->number >= 0 && value->number <= DOUBLE_MOST) ||
           null;
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

/* What no clock tells is no time: rates by it would leave the range of numbers. */
static const double TIME_LEAST = 1e-15, TIME_MOST = 1e12;
static const double ROUNDING = 1e-5; /* of those who write fewer digits */

static bool is_time(const bp_json_value *value)
{
  return value && value->kind == BP_JSON_NUMBER && value->number >= TIME_LEAST &&
         value->number <= TIME_MOST;
}

static bp_status read_time(const char *name, const bp_json_value *object, const char *key,
                           const bp_json_value *value, double *seconds)
{
  *seconds = value ? value->number : 0;
  return is_time(value)
             ? BP_OK
             : bp_record_json_wants(name, object, key, value, "seconds from 1e-15 to 1e12");
}

static bp_status read_samples(const char *name, const bp_json_value *object, bp_timing *timing)
{
  const bp_json_value *samples = bp_json_find(object, "samples");
  const bp_statistics *s = &timing->statistics;
  if (!samples || (samples->kind == BP_JSON_ARRAY && samples->count == 0))
    return BP_OK;
  if (samples->kind != BP_JSON_ARRAY || (int64_t)samples->count != timing->statistics.count)
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected as many samples as 'count' says (%" PRId64 "), found %zu", name,
                   samples->line, timing->statistics.count, samples->count);
  timing->samples = bp_alloc(samples->count, sizeof *timing->samples);
  for (size_t n = 0; n < samples->count; ++n) {
    const bp_json_value *sample = &samples->items[n];
    if (read_time(name, samples, "samples", sample, &timing->samples[n]))
      return BP_BAD_INPUT;
    if (sample->number < s->minimum * (1 - ROUNDING) ||
        sample->number > s->maximum * (1 + ROUNDING))
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected samples from 'min' %g to 'max' %g, found %g",
                     name, sample->line, s->minimum, s->maximum, sample->number);
  }
  return BP_OK;
}

/* min, median, max and the interval of the median, in that order. */
static bp_status read_statistics(const char *name, const bp_json_value *object, const char *key,
                                 bp_statistics *s)
{
  static const char *const keys[] = {"min", "median", "max"};
  double *const values[] = {&s->minimum, &s->median, &s->maximum, &s->low, &s->high};
  bp_status status = BP_OK;
  for (int n = 0; n < 3 && !status; ++n)
    status = read_time(name, object, keys[n], bp_json_find(object, keys[n]), values[n]);
  const bp_json_value *interval =
      status ? NULL : bp_record_json_find(name, object, "interval", BP_JSON_ARRAY);
  if (!interval)
    return BP_BAD_INPUT;
  if (interval->count != 2)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected two times as 'interval', found %zu", name,
                   interval->line, interval->count);
  for (int n = 0; n < 2 && !status; ++n)
    status = read_time(name, interval, "interval", &interval->items[n], values[3 + n]);
  if (!status && !(s->minimum <= s->low && s->low <= s->median && s->median <= s->high &&
                   s->high <= s->maximum))
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected '%s' with 0 < min <= median <= max and the median within its "
                   "interval, found other figures",
                   name, object->line, key);
  return status;
}

static bp_status read_timing(const char *name, const bp_json_value *object, const char *key,
                             bp_timing *timing)
{
  bp_statistics *s = &timing->statistics;
  const bp_json_value *value = bp_record_json_find(name, object, key, BP_JSON_OBJECT);
  if (!value)
    return BP_BAD_INPUT;
  const bp_json_value *count = bp_json_find(value, "count");
  if (!count || !bp_record_json_is_whole(count, 0, 0x1p53))
    return bp_record_json_wants(name, value, "count", count, field_wants[BP_FIELD_COUNT]);
  if (count->number == 0)
    return BP_OK;
  s->count = (int64_t)count->number;
  bp_status status = read_statistics(name, value, key, s);
  return status ? status : read_samples(name, object, timing);
}

/* The object that the field stands in; NULL: none. */
static const bp_json_value *holder_of(const bp_json_value *object, const bp_field *f)
{
  const bp_json_value *holder = f->object ? bp_json_find(object, f->object) : object;
  return holder && holder->kind == BP_JSON_OBJECT ? holder : NULL;
}

bp_status bp_record_json_objects(const char *name, const bp_json_value *root, const char *key,
                                 const bp_json_value **array)
{
  static const bp_json_value none = {.kind = BP_JSON_ARRAY};
  const bp_json_value *found = bp_json_find(root, key);
  *array = found ? found : &none;
  if ((*array)->kind != BP_JSON_ARRAY)
    return bp_record_json_wants(name, root, key, found, "an array");
  for (size_t n = 0; n < (*array)->count; ++n)
    if ((*array)->items[n].kind != BP_JSON_OBJECT)
      return bp_record_json_wants(name, *array, key, &(*array)->items[n], "an array of objects");
  return BP_OK;
}

static bp_status read_each(const char *name, const bp_json_value *object, const char *key,
                           bp_row_ranks_list *each)
{
  const bp_json_value *ranks;
  bp_status status = bp_record_json_objects(name, object, key, &ranks);
  if (status || ranks->count == 0)
    return status;
  each->items = bp_alloc(ranks->count, sizeof *each->items);
  for (size_t r = 0; r < ranks->count && !status; ++r, ++each->count) {
    bp_fields_clear(&each->items[r], bp_rank_fields);
    status = bp_record_json_fields(name, &ranks->items[r], bp_rank_fields, &each->items[r]);
  }
  return status;
}

bp_status bp_record_json_fields(const char *name, const bp_json_value *object,
                                const bp_field *fields, void *base)
{
  for (const bp_field *f = fields; f->key; ++f) {
    const bp_json_value *holder = holder_of(object, f);
    const bp_json_value *value = bp_json_find(holder, f->key);
    if (f->kind == BP_FIELD_RATE || (!value && !f->required))
      continue;
    if (!holder)
      return bp_record_json_wants(name, object, f->object, bp_json_find(object, f->object),
                                  "an object");
    if (f->kind == BP_FIELD_TIMING || f->kind == BP_FIELD_EACH) {
      void *at = (char *)base + f->offset;
      bp_status status = f->kind == BP_FIELD_EACH ? read_each(name, holder, f->key, at)
                                                  : read_timing(name, holder, f->key, at);
      if (status)
        return status;
    } else if (!value || !read_field(f->kind, value, (char *)base + f->offset)) {
      return bp_record_json_wants(name, holder, f->key, value, field_wants[f->kind]);
    }
  }
  return BP_OK;
}
