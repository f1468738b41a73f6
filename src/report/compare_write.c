/* compare_write.c -- a comparison for people and for programs. */
#include "report/compare.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/safe.h"
#include "report/group.h"
#include "report/number.h"
#include "report/table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const colors[BP_VERDICTS] = {
    [BP_VERDICT_SLOWER] = BP_RED,   [BP_VERDICT_FASTER] = BP_GREEN,
    [BP_VERDICT_SAME] = NULL,       [BP_VERDICT_INCONCLUSIVE] = BP_DIM,
    [BP_VERDICT_OVERHEAD] = BP_DIM, [BP_VERDICT_BROKEN] = BP_RED,
    [BP_VERDICT_LOST] = BP_RED,     [BP_VERDICT_MISSING] = BP_DIM,
    [BP_VERDICT_NEW] = BP_DIM,      [BP_VERDICT_NONE] = BP_DIM};

static char *signed_percent(double change)
{
  bp_number number;
  bp_number_percent(number, change);
  return bp_format("%s%s", change > 0 ? "+" : "", number);
}

static char *interval_of(const bp_compared_row *row)
{
  bp_number low, high;
  if (isnan(row->low))
    return bp_strdup("");
  if (row->low == -1 || isinf(row->high)) /* too few samples for any */
    return bp_strdup("unknown");
  bp_number_fixed(low, 100 * row->low, 1);
  bp_number_fixed(high, 100 * row->high, 1);
  return bp_format("%s%s..%s%s %%", row->low > 0 ? "+" : "", low, row->high > 0 ? "+" : "", high);
}

/* The figure that decided, or the median where nothing was decided. */
static char *time_of(const bp_row *row, double seconds, const bp_style *style)
{
  bp_number number;
  if (isnan(seconds) && row && row->status == BP_ROW_OK && row->seconds.statistics.count)
    seconds = row->seconds.statistics.median;
  return isnan(seconds) ? bp_strdup("")
                        : bp_strdup(bp_number_seconds(number, seconds, style->unicode));
}

static const bp_row *row_of(const bp_compared_row *row)
{
  return row->old ? row->old : row->new;
}

/* With where it ran, if that differs among the rows. */
static char *problem_of(const bp_row *row, bool has_place)
{
  char *problem = bp_row_problem(row);
  char *all = has_place ? bp_format("%s %s%s%lld %s", problem, row->mesh,
                                    *row->mesh ? " " : "E=", (long long)row->elements, row->cache)
                        : bp_strdup(problem);
  bp_free(problem);
  return all;
}

static void put_row(bp_table *t, int r, const bp_compared_row *row, bool has_place,
                    const bp_style *style)
{
  const bp_row *any = row_of(row);
  const bool changed = isfinite(row->change);
  bp_table_put(t, r, 0, problem_of(any, has_place));
  bp_table_put(t, r, 1, bp_format("%d", any->degree));
  bp_table_put(t, r, 2, bp_row_label(any));
  bp_table_set(t, r, 3, !changed ? "" : row->by_floor ? "floor" : "median");
  bp_table_put(t, r, 4, time_of(row->old, row->old_seconds, style));
  bp_table_put(t, r, 5, time_of(row->new, row->new_seconds, style));
  bp_table_put(t, r, 6, changed ? signed_percent(row->change) : bp_strdup(""));
  bp_table_put(t, r, 7, interval_of(row));
  bp_table_put(t, r, 8,
               bp_format("%s%s", bp_verdict_names[row->verdict],
                         row->is_regression && row->verdict == BP_VERDICT_SLOWER ? " !" : ""));
  t->rows[r].color = colors[row->verdict];
}

/* Whether meshes, sizes, cache modes or devices differ. */
static bool has_places(const bp_comparison *c)
{
  bool has = false;
  const bp_row *first = row_of(&c->rows[0]);
  for (int64_t n = 1; n < c->count; ++n) {
    const bp_row *row = row_of(&c->rows[n]);
    has |= row->elements != first->elements || strcmp(row->mesh, first->mesh) != 0 ||
           strcmp(row->cache, first->cache) != 0 || strcmp(row->device, first->device) != 0;
  }
  return has;
}

static void print_rows(const bp_comparison *c, const bp_style *style, bp_text *text)
{
  static const char *const titles[] = {"problem", "N",      "variant",  "figure",  "old",
                                       "new",     "change", "interval", "verdict", NULL};
  const bool has_place = has_places(c);
  bp_table t = bp_table_create((int)c->count, titles);
  t.columns[0].is_left = t.columns[2].is_left = t.columns[3].is_left = t.columns[8].is_left = true;
  for (int n = 0; n < t.rows_count; ++n)
    put_row(&t, n, &c->rows[n], has_place, style);
  bp_table_append(&t, BP_FORM_TERMINAL, style, text);
  bp_table_destroy(&t);
}

static void print_differences(const bp_comparison *c, bp_text *text)
{
  if (c->differences_count == 0)
    return;
  bp_text_append(text, "The environments differ:\n");
  for (int n = 0; n < c->differences_count; ++n) {
    const bp_difference *d = &c->differences[n];
    const char *const parts[] = {
        "  ", d->key, ": ", d->old ? d->old : "(not said)", " -> ", d->new ? d->new : "(not said)"};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
      bp_safe_line(text, parts[p]);
    bp_text_append(text, "\n");
  }
  bp_text_append(text, "\n");
}

static const char few_runs[] = "so few runs do not show how runs differ: to tell less, merge four "
                               "or more of each (bp report)\n";

static void print_summary(const bp_comparison *c, const bp_style *style, bp_text *text)
{
  bp_number floor_noise, median_noise, threshold;
  const char *joint = "";
  bp_text_append(text, "\n");
  for (int v = 0; v < BP_VERDICTS; ++v)
    if (c->counts[v]) {
      bp_text_appendf(text, "%s%lld %s", joint, (long long)c->counts[v], bp_verdict_names[v]);
      joint = ", ";
    }
  bp_number_percent(threshold, c->threshold);
  bp_text_append(text, *joint ? "" : "no rows");
  if (c->spread > 0)
    bp_text_appendf(text, "; noise from run to run taken as %s of the floor, %s of the median",
                    bp_number_percent(floor_noise, fmax(c->spread, c->wander[1])),
                    bp_number_percent(median_noise, fmax(c->spread, c->wander[0])));
  bp_text_appendf(text, "\n%s",
                  c->counts[BP_VERDICT_INCONCLUSIVE] && c->spread > 0 ? few_runs : "");
  if (c->regressions) {
    bp_text_appendf(text, "%s%lld regression%s (slower by more than %s beyond the noise, or wrong)",
                    style->color ? BP_RED : "", (long long)c->regressions,
                    c->regressions == 1 ? "" : "s", threshold);
    bp_text_appendf(text, "%s\n", style->color ? BP_PLAIN : "");
  } else if (bp_comparison_is_mute(c)) {
    bp_text_append(text, "nothing could be told: no row has a verdict\n");
  } else {
    bp_text_appendf(text, "no regression beyond %s\n", threshold);
  }
}

void bp_comparison_table(const bp_comparison *comparison, const bp_style *style, bp_text *text)
{
  print_differences(comparison, text);
  if (comparison->count)
    print_rows(comparison, style, text);
  print_summary(comparison, style, text);
}

static void write_row(bp_json *json, const bp_compared_row *row)
{
  const bp_row *any = row_of(row);
  bp_json_begin_object(json, NULL);
  bp_json_string(json, "problem", any->problem);
  bp_json_string(json, "quadrature", any->quadrature);
  bp_json_string(json, "geometry", any->geometry);
  bp_json_string(json, "precision", any->precision);
  bp_json_string(json, "preconditioner", any->preconditioner);
  bp_json_double(json, "lambda", any->lambda);
  bp_json_string(json, "variant", any->variant);
  bp_json_string(json, "rung", any->rung);
  bp_json_string(json, "options", any->options);
  bp_json_int(json, "degree", any->degree);
  bp_json_string(json, "mesh", any->mesh);
  bp_json_int(json, "elements", any->elements);
  bp_json_string(json, "device", any->device);
  bp_json_string(json, "cache", any->cache);
  bp_json_string(json, "figure", row->by_floor ? "floor" : "median");
  bp_json_double(json, "old_seconds", row->old_seconds);
  bp_json_double(json, "new_seconds", row->new_seconds);
  bp_json_double(json, "change", row->change);
  bp_json_double(json, "low", row->low);
  bp_json_double(json, "high", row->high);
  bp_json_double(json, "copy_change", row->copy_change);
  bp_json_string(json, "verdict", bp_verdict_names[row->verdict]);
  bp_json_bool(json, "regression", row->is_regression);
  bp_json_end_object(json);
}

void bp_comparison_json(const bp_comparison *comparison, bp_text *text)
{
  bp_json json = {.text = text};
  bp_json_begin_object(&json, NULL);
  bp_json_double(&json, "threshold", comparison->threshold);
  bp_json_double(&json, "spread", comparison->spread);
  bp_json_double(&json, "noise_median", comparison->wander[0]);
  bp_json_double(&json, "noise_floor", comparison->wander[1]);
  bp_json_int(&json, "regressions", comparison->regressions);
  bp_json_begin_array(&json, "differences");
  for (int n = 0; n < comparison->differences_count; ++n) {
    bp_json_begin_object(&json, NULL);
    bp_json_string(&json, "key", comparison->differences[n].key);
    bp_json_string(&json, "old", comparison->differences[n].old);
    bp_json_string(&json, "new", comparison->differences[n].new);
    bp_json_end_object(&json);
  }
  bp_json_end_array(&json);
  bp_json_begin_array(&json, "rows");
  for (int64_t n = 0; n < comparison->count; ++n)
    write_row(&json, &comparison->rows[n]);
  bp_json_end_array(&json);
  bp_json_end_object(&json);
}
