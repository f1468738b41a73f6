/* record_write.c -- a record as JSON; docs/record.md says what each key means. */
#include "report/record.h"

#include "base/json.h"
#include "base/memory.h"
#include "report/group.h"
#include "report/record_fields.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "a=1 b=x" as {"a": 1, "b": "x"}. */
static void write_options(bp_json *json, const char *key, const char *options)
{
  bp_option_text option;
  bp_json_begin_object(json, key);
  for (const char *at = options; bp_option_next(&at, &option);) {
    char *name = bp_strndup(option.name, option.name_length);
    char *value = bp_strndup(option.value, option.value_length), plain[32];
    int64_t whole;
    bool is_whole = bp_parse_int(value, &whole) &&
                    (snprintf(plain, sizeof plain, "%" PRId64, whole), strcmp(plain, value) == 0);
    if (is_whole)
      bp_json_int(json, name, whole);
    else
      bp_json_string(json, name, value);
    bp_free(value);
    bp_free(name);
  }
  bp_json_end_object(json);
}

static void write_timing(bp_json *json, const char *key, const bp_timing *timing)
{
  const bp_statistics *s = &timing->statistics;
  double interval[2] = {s->low, s->high}, none = NAN;
  bool has = s->count > 0;
  bp_json_begin_object(json, key);
  bp_json_double(json, "min", has ? s->minimum : none);
  bp_json_double(json, "median", has ? s->median : none);
  bp_json_double(json, "max", has ? s->maximum : none);
  bp_json_int(json, "count", s->count);
  bp_json_doubles(json, "interval", interval, has ? 2 : 0);
  bp_json_end_object(json);
  bp_json_doubles(json, "samples", timing->samples, timing->samples ? (size_t)s->count : 0);
}

static void write_fields(bp_json *json, const char *key, const bp_field *fields, const void *base);

static void write_each(bp_json *json, const char *key, const bp_row_ranks_list *each)
{
  bp_json_begin_array(json, key);
  for (int64_t r = 0; r < each->count; ++r)
    write_fields(json, NULL, bp_rank_fields, &each->items[r]);
  bp_json_end_array(json);
}

static void write_field(bp_json *json, const bp_field *f, const void *base)
{
  const void *at = (const char *)base + f->offset;
  char text[32];
  int64_t count;
  switch (f->kind) {
  case BP_FIELD_STRING:
  case BP_FIELD_MAYBE_TEXT:
    bp_json_string(json, f->key, *(char *const *)at);
    break;
  case BP_FIELD_OPTIONS:
    write_options(json, f->key, *(char *const *)at);
    break;
  case BP_FIELD_INT:
    bp_json_int(json, f->key, *(const int *)at);
    break;
  case BP_FIELD_COUNT:
  case BP_FIELD_MAYBE:
    count = *(const int64_t *)at;
    if (count < 0)
      bp_json_double(json, f->key, NAN);
    else
      bp_json_int(json, f->key, count);
    break;
  case BP_FIELD_DOUBLE:
    bp_json_double(json, f->key, *(const double *)at);
    break;
  case BP_FIELD_SEED:
    snprintf(text, sizeof text, "0x%" PRIx64, *(const uint64_t *)at);
    bp_json_string(json, f->key, text);
    break;
  case BP_FIELD_BOOL:
    bp_json_bool(json, f->key, *(const bool *)at);
    break;
  case BP_FIELD_STATUS:
    bp_json_string(json, f->key, bp_row_status_names[*(const bp_row_status *)at]);
    break;
  case BP_FIELD_TIMING:
    write_timing(json, f->key, at);
    break;
  case BP_FIELD_RATE:
    bp_json_double(json, f->key, f->rate(base));
    break;
  case BP_FIELD_EACH:
    write_each(json, f->key, at);
    break;
  }
}

/* An object on a line of its own. */
static void write_fields(bp_json *json, const char *key, const bp_field *fields, const void *base)
{
  const char *object = NULL;
  bp_json_begin_line(json, key);
  for (const bp_field *f = fields; f->key; ++f) {
    if (object && (!f->object || strcmp(object, f->object) != 0))
      bp_json_end_object(json);
    if (f->object && (!object || strcmp(object, f->object) != 0))
      bp_json_begin_object(json, f->object);
    object = f->object;
    write_field(json, f, base);
  }
  if (object)
    bp_json_end_object(json);
  bp_json_end_object(json);
}

void bp_record_write_json(const bp_record *record, bp_text *text)
{
  bp_json json = {.text = text};
  bp_json_begin_object(&json, NULL);
  for (const bp_field *f = bp_record_fields; f->key; ++f)
    write_field(&json, f, record);
  bp_json_begin_object(&json, "environment");
  for (int n = 0; n < record->environment_count; ++n)
    bp_json_string(&json, record->environment[n].key, record->environment[n].value);
  bp_json_end_object(&json);
  if (record->meshes_count > 0)
    write_fields(&json, "mesh", bp_mesh_fields, &record->meshes[0]);
  else
    bp_json_string(&json, "mesh", NULL);
  bp_json_begin_array(&json, "meshes");
  for (int n = 0; n < record->meshes_count; ++n)
    write_fields(&json, NULL, bp_mesh_fields, &record->meshes[n]);
  bp_json_end_array(&json);
  bp_json_begin_array(&json, "bounds");
  for (int n = 0; n < record->bounds_count; ++n)
    write_fields(&json, NULL, bp_bound_fields, &record->bounds[n]);
  bp_json_end_array(&json);
  bp_json_begin_array(&json, "rows");
  for (int64_t n = 0; n < record->rows_count; ++n)
    write_fields(&json, NULL, bp_row_fields, &record->rows[n]);
  bp_json_end_array(&json);
  bp_json_end_object(&json);
}
