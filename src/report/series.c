/* series.c -- sorting the rows of a group into lines. */
#include "report/series.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_degree(const bp_row *row)
{
  return row->degree >= 0 && row->degree < BP_SERIES_DEGREES;
}

static const bp_row *any_row(const bp_series *series)
{
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    if (series->rows[degree])
      return series->rows[degree];
  return NULL;
}

/* How rows make lines: where each degree has one row only (somebody chose the best), all are one line; a
 * variant with one row per degree is one, whatever its options are at each; else the options tell lines
 * apart. */
static bool has_one_per_degree(const bp_group *group, const char *variant)
{
  const bp_row *last = NULL; /* rows come by degree */
  for (int64_t n = 0; n < group->count; ++n) {
    const bp_row *row = group->rows[n];
    if (variant && strcmp(row->variant, variant) != 0)
      continue;
    if (last && last->degree == row->degree)
      return false;
    last = row;
  }
  return true;
}

static bool is_one_line(const bp_group *group, const bp_row *a, const bp_row *b)
{
  if (strcmp(a->variant, b->variant) != 0)
    return false;
  return (strcmp(a->options, b->options) == 0 && strcmp(a->rung, b->rung) == 0) ||
         has_one_per_degree(group, a->variant);
}

static bp_series *find_or_add(bp_series_set *set, const bp_group *group, const bp_row *row)
{
  for (int n = set->count - 1; n >= 0; --n)
    if (set->is_chosen || is_one_line(group, any_row(&set->series[n]), row))
      return &set->series[n];
  if ((set->count & (set->count - 1)) == 0)
    set->series =
        bp_realloc(set->series, set->count ? 2 * (size_t)set->count : 1, sizeof *set->series);
  bp_series *series = &set->series[set->count++];
  *series = (bp_series){.first = BP_SERIES_DEGREES, .last = -1};
  return series;
}

/* A figure that others, waiting or launches have a part in stands behind any that is the kernel's own. */
bool bp_series_is_better(const bp_row *row, const bp_row *other)
{
  if (!other || (row->status == BP_ROW_OK) != (other->status == BP_ROW_OK))
    return !other || row->status == BP_ROW_OK;
  if (bp_row_is_marked(row) != bp_row_is_marked(other))
    return bp_row_is_marked(other);
  return row->status == BP_ROW_OK && bp_row_gdofs_per_second(row) > bp_row_gdofs_per_second(other);
}

void bp_series_insert(const bp_row **rows, int *count, int most, const bp_row *row,
                      double (*key)(const bp_row *row))
{
  int at = 0;
  while (at < *count && key(rows[at]) < key(row))
    ++at;
  if (at < *count && key(rows[at]) == key(row)) {
    rows[at] = bp_series_is_better(row, rows[at]) ? row : rows[at];
  } else if (*count < most) {
    memmove(rows + at + 1, rows + at, (size_t)(*count - at) * sizeof *rows);
    rows[at] = row;
    ++*count;
  }
}

static bool has_several_variants(const bp_group *group)
{
  for (int64_t n = 1; n < group->count; ++n)
    if (strcmp(group->rows[n]->variant, group->rows[0]->variant) != 0)
      return true;
  return false;
}

/* The rung, or the variant; and the options where another line has the same name. */
static void fill_labels(bp_series_set *set, const bp_group *group)
{
  for (int n = 0; n < set->count; ++n) {
    const bp_row *row = any_row(&set->series[n]);
    const char *name = *row->rung ? row->rung : row->variant;
    bool is_unique = true;
    for (int m = 0; m < set->count; ++m) {
      const bp_row *other = any_row(&set->series[m]);
      is_unique &= m == n || strcmp(name, *other->rung ? other->rung : other->variant) != 0;
    }
    bp_text label = {0};
    bp_text_append(&label,
                   set->is_chosen && has_several_variants(group) ? "best of each degree" : name);
    bp_text_append(&label, is_unique ? "" : " ");
    if (!is_unique)
      bp_group_print_options(group, row, &label);
    set->series[n].label = label.data;
  }
}

static void fill_scores(bp_series_set *set)
{
  for (int n = 0; n < set->count; ++n) {
    bp_series *s = &set->series[n];
    int degrees = 0;
    for (int degree = set->first; degree <= set->last; ++degree) {
      const bp_row *row = s->rows[degree];
      degrees += set->best[degree] != NULL;
      if (!row || row->status != BP_ROW_OK)
        continue;
      s->score += bp_row_gflops(row) / bp_row_gflops(set->best[degree]);
      s->first = degree < s->first ? degree : s->first;
      s->last = degree;
    }
    s->score /= degrees ? degrees : 1;
  }
}

bp_series_set bp_series_of(const bp_group *group)
{
  bp_series_set set = {.first = BP_SERIES_DEGREES, .last = -1};
  set.is_chosen = has_one_per_degree(group, NULL);
  for (int64_t n = 0; n < group->count; ++n) {
    const bp_row *row = group->rows[n];
    if (!has_degree(row))
      continue;
    bp_series *series = find_or_add(&set, group, row);
    if (bp_series_is_better(row, series->rows[row->degree]))
      series->rows[row->degree] = row;
    if (row->status == BP_ROW_OK && bp_series_is_better(row, set.best[row->degree]))
      set.best[row->degree] = row;
    set.first = row->degree < set.first ? row->degree : set.first;
    set.last = row->degree > set.last ? row->degree : set.last;
  }
  fill_labels(&set, group);
  fill_scores(&set);
  return set;
}

void bp_series_destroy(bp_series_set *set)
{
  for (int n = 0; n < set->count; ++n)
    bp_free(set->series[n].label);
  bp_free(set->series);
  *set = (bp_series_set){0};
}

int bp_series_top(const bp_series_set *set, int most, int *indices)
{
  int count = 0;
  for (int n = 0; n < set->count; ++n) {
    double score = set->series[n].score;
    int at = count;
    if (score <= 0)
      continue;
    for (; at > 0 && set->series[indices[at - 1]].score < score; --at)
      if (at < most)
        indices[at] = indices[at - 1];
    if (at < most)
      indices[at] = n;
    count += count < most;
  }
  return count;
}

bool bp_series_has_degree(const bp_series_set *set, int degree)
{
  for (int n = 0; n < set->count; ++n)
    if (set->series[n].rows[degree])
      return true;
  return false;
}

double bp_series_most(const bp_series_set *set)
{
  double most = 0;
  for (int degree = set->first; degree <= set->last; ++degree)
    if (set->best[degree])
      most =
          fmax(most, fmax(bp_row_rate(set->best[degree]), bp_row_roofline_rate(set->best[degree])));
  return most;
}
