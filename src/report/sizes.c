/* sizes.c -- curves of the rate by size, and what they say in words. */
#include "report/sizes.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/group.h"
#include "report/number.h"
#include "report/series.h"
#include <math.h>

static double dofs_of(const bp_row *row)
{
  return (double)row->dofs;
}

bp_curve bp_sizes_curve(const bp_record *record, const bp_row *first, int degree)
{
  const bp_row *rows[BP_CURVE_POINTS];
  bp_curve c = {.role = BP_ROLE_PATH};
  int count = 0;
  for (int64_t n = 0; n < record->rows_count; ++n) {
    const bp_row *row = &record->rows[n];
    if (row->degree == degree && bp_row_is_beside(row, first, BP_SAME_PROBLEM) &&
        bp_row_gdofs_per_second(row) > 0)
      bp_series_insert(rows, &count, BP_CURVE_POINTS, row, dofs_of);
  }
  for (int n = 0; n < count; ++n)
    bp_curve_add(&c, dofs_of(rows[n]), bp_row_gdofs_per_second(rows[n]), rows[n], NULL);
  return c;
}

double bp_sizes_share(const bp_row *row)
{
  return bp_row_is_solve(row) ? 0.8 : 0.5;
}

static const bp_point *highest_of(const bp_point *points, int count)
{
  const bp_point *highest = points;
  for (int n = 1; n < count; ++n)
    highest = points[n].y > highest->y ? &points[n] : highest;
  return highest;
}

bool bp_sizes_is_settled(const bp_point *points, int count)
{
  static const double enough = 0.9;
  if (count < BP_SIZES_LEAST)
    return false;
  const bp_point *highest = highest_of(points, count);
  if (highest->row && bp_row_is_marked(highest->row))
    return false;
  if (highest < points + count - 1)
    return true;
  const bp_point *p = highest - 1;
  double more = highest->x / highest->y - p->x / p->y; /* what the last DOFs took, at which rate */
  return more > 0 && highest->y >= enough * (highest->x - p->x) / more;
}

double bp_sizes_reach(const bp_point *points, int count, double share, double *rate)
{
  *rate = count ? share * highest_of(points, count)->y : 0;
  if (!bp_sizes_is_settled(points, count) || points[0].y >= *rate)
    return NAN;
  const bp_point *p = points + 1;
  while (p->y < *rate)
    ++p;
  double part = (*rate - p[-1].y) / (p->y - p[-1].y);
  return p[-1].x * pow(p->x / p[-1].x, part);
}

double bp_sizes_floor(const bp_point *points, int count)
{
  double most = 0;
  for (int n = 0; n < count; ++n)
    most = fmax(most, points[n].y);
  return count ? 1e-9 * points[0].x * (1 / points[0].y - 1 / most) : NAN;
}

/* The first row of its problem and degree, of a solve. */
static bool is_first(const bp_record *record, int64_t n)
{
  const bp_row *row = &record->rows[n];
  if (!bp_row_is_solve(row) || row->degree >= BP_SERIES_DEGREES)
    return false;
  for (int64_t m = 0; m < n; ++m)
    if (record->rows[m].degree == row->degree &&
        bp_row_is_beside(&record->rows[m], row, BP_SAME_PROBLEM))
      return false;
  return true;
}

static void print_degree(const bp_curve *c, bool unicode, bp_text *text)
{
  bp_number floor, dofs, seconds, highest;
  const bp_row *row = c->points[0].row;
  double rate, reach = bp_sizes_reach(c->points, c->count, bp_sizes_share(row), &rate);
  char *problem = bp_row_problem(row);
  bp_safe_line(text, problem);
  bp_free(problem);
  bp_text_appendf(text, " N=%d: T0 %s, highest rate %s GDOF/s", row->degree,
                  bp_number_seconds(floor, bp_sizes_floor(c->points, c->count), unicode),
                  bp_number_four(highest, rate / bp_sizes_share(row)));
  if (isfinite(reach))
    bp_text_appendf(text, ", 80 %% of it at n0.8 %s DOFs, t0.8 %s", bp_number_count(dofs, reach),
                    bp_number_seconds(seconds, 1e-9 * reach / rate, unicode));
  else if (!bp_sizes_is_settled(c->points, c->count))
    bp_text_append(text, ", which larger sizes may pass");
  bp_text_append(text, "\n");
}

void bp_sizes_print(const bp_record *record, bool unicode, bp_text *text)
{
  for (int64_t n = 0; n < record->rows_count; ++n) {
    if (!is_first(record, n))
      continue;
    const bp_curve c = bp_sizes_curve(record, &record->rows[n], record->rows[n].degree);
    if (c.count >= BP_SIZES_LEAST)
      print_degree(&c, unicode, text);
  }
}
