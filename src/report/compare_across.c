/* compare_across.c -- two machines beside each other, row by row. */
#include "report/compare.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/number.h"
#include "report/series.h"
#include "report/table.h"
#include <math.h>
#include <string.h>

/* The same work, whoever does it; both have a rate. */
static bool is_same_work(const bp_row *a, const bp_row *b)
{
  return a->degree == b->degree && a->elements == b->elements && bp_row_gdofs_per_second(a) > 0 &&
         bp_row_gdofs_per_second(b) > 0 && bp_row_is_beside(a, b, BP_SAME_PROBLEM | BP_ANY_DEVICE);
}

static const bp_row *best_of(const bp_record *record, const bp_row *like)
{
  const bp_row *best = NULL;
  for (const bp_row *row = record->rows; row < record->rows + record->rows_count; ++row)
    if (is_same_work(row, like) && bp_series_is_better(row, best))
      best = row;
  return best;
}

/* The first of its work in the record, so that each comes once. */
static bool is_first(const bp_record *record, const bp_row *row)
{
  const bp_row *first = record->rows;
  while (first < row && !is_same_work(first, row))
    ++first;
  return first == row;
}

/* Variant with its mark, rate and part of the copy. */
static void put_side(bp_table *t, int r, int at, const bp_row *row)
{
  bp_number number;
  const char flag = bp_row_flag(row);
  bp_table_put(t, r, at,
               flag == ' ' ? bp_strdup(row->variant) : bp_format("%s %c", row->variant, flag));
  bp_table_set(t, r, at + 1, bp_number_four(number, bp_row_gdofs_per_second(row)));
  bp_table_set(t, r, at + 2, bp_number_percent(number, bp_row_roofline_fraction(row)));
}

static void put_row(bp_table *t, int r, const bp_row *a, const bp_row *b)
{
  bp_number number;
  const bool is_known = !bp_row_is_marked(a) && !bp_row_is_marked(b);
  const double ratio = is_known ? bp_row_gdofs_per_second(a) / bp_row_gdofs_per_second(b) : NAN;
  bp_table_put(t, r, 0, bp_row_problem(a));
  bp_table_put(t, r, 1, bp_format("%d", a->degree));
  bp_table_set(t, r, 2, bp_number_count(number, (double)a->dofs));
  bp_table_set(t, r, 3, a->cache);
  put_side(t, r, 4, a);
  put_side(t, r, 7, b);
  bp_table_set(t, r, 10, bp_number_fixed(number, ratio, 2));
}

void bp_compare_across(const bp_record *first, const bp_record *second, bp_text *text)
{
  static const char *const titles[] = {"problem", "N",      "DOFs",   "cache",   "first", "GDOF/s",
                                       "of copy", "second", "GDOF/s", "of copy", "ratio", NULL};
  static const int left[] = {0, 3, 4, 7};
  bp_table t = bp_table_create((int)first->rows_count, titles);
  int rows = 0;
  for (size_t n = 0; n < sizeof left / sizeof *left; ++n)
    t.columns[left[n]].is_left = true;
  for (int64_t n = 0; n < first->rows_count; ++n) {
    const bp_row *row = &first->rows[n], *other = best_of(second, row);
    if (other && is_first(first, row))
      put_row(&t, rows++, best_of(first, row), other);
  }
  bp_text_append(text, "first: ");
  bp_safe_line(text, bp_record_device(first));
  bp_text_append(text, "\nsecond: ");
  bp_safe_line(text, bp_record_device(second));
  bp_text_append(text, "\n\n");
  t.rows_count = rows;
  if (rows > 0)
    bp_table_append(&t, BP_FORM_TERMINAL, &(bp_style){0}, text);
  else
    bp_text_append(text, "no row of one is of a problem, degree and size of the other\n");
  bp_table_destroy(&t);
}
