/* scaling.c -- which rows are one run on more ranks, and what became of the rate. */
#include "report/scaling.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/group.h"
#include "report/number.h"
#include "report/series.h"
#include "report/table.h"
#include <math.h>
#include <string.h>

static const double LIKE = 0.1; /* loads that differ by less are the same */

static double load_of(const bp_row *row)
{
  return (double)row->dofs / (double)bp_row_ranks(row);
}

static bool is_timed(const bp_row *row)
{
  return bp_row_gdofs_per_second(row) > 0;
}

static bool is_like(const bp_row *a, const bp_row *b, bool is_weak)
{
  if (a->degree != b->degree || a->lambda != b->lambda || !is_timed(a) || !is_timed(b) ||
      !bp_row_is_beside(a, b, BP_SAME_PROBLEM | BP_ANY_RANKS))
    return false;
  return is_weak ? fabs(load_of(a) / load_of(b) - 1) < LIKE
                 : a->dofs == b->dofs && a->elements == b->elements;
}

static double ranks_of(const bp_row *row)
{
  return (double)bp_row_ranks(row);
}

/* All rows like this one; none where it is not the first of them in the record. */
static bp_scaling scaling_of(const bp_record *record, const bp_row *first, bool is_weak)
{
  bp_scaling s = {.is_weak = is_weak};
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (is_like(first, &record->rows[n], is_weak)) {
      if (&record->rows[n] < first)
        return (bp_scaling){0};
      bp_series_insert(s.rows, &s.count, BP_SCALING_POINTS, &record->rows[n], ranks_of);
    }
  return s;
}

static bool has_ranks(const bp_record *record)
{
  bool has = false;
  for (int64_t n = 0; n < record->rows_count; ++n)
    has = has || bp_row_ranks(&record->rows[n]) > 1;
  return has;
}

bp_scalings bp_scalings_of(const bp_record *record)
{
  bp_scalings all = {0};
  const int64_t count = has_ranks(record) ? record->rows_count : 0;
  for (int64_t n = 0; n < count; ++n)
    for (int is_weak = 0; is_weak < 2; ++is_weak) {
      bp_scaling s = scaling_of(record, &record->rows[n], is_weak);
      if (s.count < 2)
        continue;
      all.items = bp_realloc(all.items, (size_t)all.count + 1, sizeof s);
      all.items[all.count++] = s;
    }
  return all;
}

void bp_scalings_destroy(bp_scalings *scalings)
{
  bp_free(scalings->items);
  *scalings = (bp_scalings){0};
}

double bp_scaling_efficiency(const bp_scaling *scaling, int n)
{
  return bp_row_gdofs_per_rank(scaling->rows[n]) / bp_row_gdofs_per_rank(scaling->rows[0]);
}

/* "strong scaling of bp5 N=7, 2.1 M DOFs"; free with bp_free. */
static char *title_of(const bp_scaling *scaling)
{
  const bp_row *row = scaling->rows[0];
  bp_number dofs;
  return bp_format("%s scaling of %s N=%d, %s DOFs%s%s%s", scaling->is_weak ? "weak" : "strong",
                   row->problem, row->degree,
                   bp_number_count(dofs, scaling->is_weak ? load_of(row) : (double)row->dofs),
                   scaling->is_weak ? " per rank" : "", *row->cache ? ", " : "", row->cache);
}

static void print_scaling(const bp_scaling *s, const bp_style *style, bp_text *text)
{
  static const char *const titles[] = {"ranks",    "DOFs",       "time", "GDOF/s",
                                       "per rank", "efficiency", NULL};
  char *title = title_of(s);
  bp_table t = bp_table_create(s->count, titles);
  bp_number n;
  t.columns[0].gap = 2;
  for (int r = 0; r < s->count; ++r) {
    const bp_row *row = s->rows[r];
    bp_table_put(&t, r, 0, bp_format("%lld", (long long)bp_row_ranks(row)));
    bp_table_set(&t, r, 1, bp_number_count(n, (double)row->dofs));
    bp_table_set(&t, r, 2, bp_number_seconds(n, row->seconds.statistics.median, style->unicode));
    bp_table_set(&t, r, 3, bp_number_four(n, bp_row_gdofs_per_second(row)));
    bp_table_set(&t, r, 4, bp_number_four(n, bp_row_gdofs_per_rank(row)));
    bp_table_set(&t, r, 5, bp_number_percent(n, bp_scaling_efficiency(s, r)));
  }
  bp_text_append(text, "\n");
  bp_safe_line(text, title);
  bp_text_append(text, "\n");
  bp_table_append(&t, BP_FORM_TERMINAL, style, text);
  bp_table_destroy(&t);
  bp_free(title);
}

void bp_scalings_print(const bp_record *record, const bp_style *style, bp_text *text)
{
  bp_scalings all = bp_scalings_of(record);
  for (int n = 0; n < all.count; ++n)
    print_scaling(&all.items[n], style, text);
  bp_scalings_destroy(&all);
}
