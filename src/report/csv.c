/* csv.c -- every row as a line of comma-separated values. */
#include "report/report.h"

#include "base/safe.h"
#include "report/record_fields.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A line in the making; with `row` NULL it is the line of names. */
typedef struct {
  const bp_row *row;
  bp_text *text;
  bool comma;
} line;

static void append(line *l, const char *value)
{
  bp_text_append(l->text, l->comma ? "," : "");
  l->comma = true;
  bp_safe_csv(l->text, value);
}

static void append_double(line *l, const char *name, double value)
{
  char number[32];
  append(l, !l->row ? name : isfinite(value) ? bp_print_double(number, value) : "");
}

static void append_count(line *l, const char *name, int64_t value)
{
  char number[32];
  snprintf(number, sizeof number, "%" PRId64, value);
  append(l, !l->row ? name : value < 0 ? "" : number);
}

static void append_field(line *l, const char *name, const bp_field *f)
{
  const void *at = l->row ? (const char *)l->row + f->offset : NULL;
  if (!at)
    append(l, name);
  else if (f->kind == BP_FIELD_DOUBLE)
    append_double(l, name, *(const double *)at);
  else if (f->kind == BP_FIELD_INT)
    append_count(l, name, *(const int *)at);
  else if (f->kind == BP_FIELD_COUNT || f->kind == BP_FIELD_MAYBE)
    append_count(l, name, *(const int64_t *)at);
  else if (f->kind == BP_FIELD_STATUS)
    append(l, bp_row_status_names[*(const bp_row_status *)at]);
  else
    append(l, *(char *const *)at ? *(char *const *)at : "");
}

static void append_fields(line *l, const char *prefix, const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, f->key);
    append_field(l, name, f);
  }
}

static void append_timing(line *l, const char *const names[6], const bp_timing *timing)
{
  static const bp_statistics nothing;
  const bp_statistics *s = timing ? &timing->statistics : &nothing;
  const double values[] = {s->minimum, s->median, s->maximum, s->low, s->high};
  for (int n = 0; n < 5; ++n)
    append_double(l, names[n], s->count ? values[n] : NAN);
  append_count(l, names[5], s->count);
}

static void append_derived(line *l, const bp_derived *derived)
{
  for (; derived->key; ++derived)
    append_double(l, derived->key, l->row ? derived->value(l->row) : NAN);
}

static void append_line(const bp_row *row, bp_text *text)
{
  static const char *const kernel[] = {"seconds_min", "seconds_median", "seconds_max",
                                       "seconds_low", "seconds_high",   "seconds_count"};
  static const char *const copy[] = {"copy_seconds_min",  "copy_seconds_median",
                                     "copy_seconds_max",  "copy_seconds_low",
                                     "copy_seconds_high", "copy_seconds_count"};
  line l = {.row = row, .text = text};
  append_fields(&l, "", bp_row_fields);
  append_timing(&l, kernel, row ? &row->seconds : NULL);
  append_derived(&l, bp_row_rates);
  append_count(&l, "copy_bytes", row ? row->copy.bytes : 0);
  append_fields(&l, "copy_", bp_copy_fields);
  append_timing(&l, copy, row ? &row->copy.seconds : NULL);
  append_double(&l, "copy_gbytes_per_second", row ? bp_row_copy_gbytes_per_second(row) : NAN);
  append_derived(&l, bp_row_roofline);
  append_fields(&l, "", bp_row_outcome_fields);
  append_fields(&l, "power_", bp_power_fields);
  bp_text_append(text, "\n");
}

void bp_report_csv(const bp_record *record, bp_text *text)
{
  append_line(NULL, text);
  for (int64_t n = 0; n < record->rows_count; ++n)
    append_line(&record->rows[n], text);
}
