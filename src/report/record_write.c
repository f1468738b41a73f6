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

static void write_fields(bp_json *json, const char *key, const bp_field *fields, const void *base,
                         bool is_line);
static void write_field(bp_json *json, const bp_field *f, const void *base);

static void write_timing(bp_json *json, const char *key, const bp_timing *timing)
{
  const bp_statistics *s = &timing->statistics;
  const double interval[2] = {s->low, s->high};
  bp_json_begin_object(json, key);
  for (const bp_field *f = bp_statistics_fields; f->key; ++f)
    write_field(json, f, s);
  bp_json_doubles(json, "interval", interval, s->count > 0 ? 2 : 0);
  bp_json_end_object(json);
  bp_json_doubles(json, "samples", timing->samples, timing->samples ? (size_t)s->count : 0);
}

static void write_facts(bp_json *json, const char *key, const bp_list facts)
{
  bp_json_begin_object(json, key);
  for (int64_t n = 0; n < facts.count; ++n) {
    const bp_fact *fact = (const bp_fact *)facts.items + n;
    bp_json_string(json, fact->key, fact->value);
  }
  bp_json_end_object(json);
}

/* Each on a line of its own. */
static void write_list(bp_json *json, const bp_field *f, const bp_list list)
{
  bp_json_begin_array(json, f->key);
  for (int64_t n = 0; n < list.count; ++n)
    write_fields(json, NULL, f->items, (const char *)list.items + (size_t)n * f->size, true);
  bp_json_end_array(json);
}

static void write_scalar(bp_json *json, const bp_field *f, const void *base)
{
  char text[32];
  const bp_json_value value = bp_field_value(f, base, text);
  if (value.kind == BP_JSON_STRING)
    bp_json_string(json, f->key, value.string);
  else if (value.kind == BP_JSON_BOOL)
    bp_json_bool(json, f->key, value.number != 0);
  else
    bp_json_double(json, f->key, value.kind == BP_JSON_NUMBER ? value.number : NAN);
}

static void write_field(bp_json *json, const bp_field *f, const void *base)
{
  const void *at = (const char *)base + f->offset;
  if (f->kind == BP_FIELD_OPTIONS)
    write_options(json, f->key, *(char *const *)at);
  else if (f->kind == BP_FIELD_TIMING)
    write_timing(json, f->key, at);
  else if (f->kind == BP_FIELD_FACTS)
    write_facts(json, f->key, bp_list_at(at));
  else if (f->kind == BP_FIELD_LIST)
    write_list(json, f, bp_list_at(at));
  else if (f->kind == BP_FIELD_FIRST && bp_list_at(at).count > 0)
    write_fields(json, f->key, f->items, bp_list_at(at).items, true);
  else
    write_scalar(json, f, base);
}

static void write_fields(bp_json *json, const char *key, const bp_field *fields, const void *base,
                         bool is_line)
{
  const char *object = NULL;
  (is_line ? bp_json_begin_line : bp_json_begin_object)(json, key);
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
  write_fields(&json, NULL, bp_record_fields, record, false);
}
