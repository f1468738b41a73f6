/* species.c -- polynomials through the times of pair. */
#include "report/species.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/group.h"
#include <math.h>
#include <string.h>

enum { TERMS = BP_SPECIES_TERMS, COLUMNS = TERMS + 1, POINTS_MAX = 64 };

/* matrix[row][column], the right-hand side behind it; false: singular. */
static bool eliminate(double matrix[TERMS][COLUMNS])
{
  static const double nothing = 1e-12; /* of the diagonal, which was of the size of 1 */
  for (int k = 0; k < TERMS; ++k) {
    if (!(matrix[k][k] > nothing))
      return false;
    for (int row = 0; row < TERMS; ++row) {
      const double factor = matrix[row][k] / matrix[k][k];
      for (int column = k; column < COLUMNS && row != k; ++column)
        matrix[row][column] -= factor * matrix[k][column];
    }
  }
  return true;
}

bool bp_species_fit(int count, const double *x, const double *y, double terms[TERMS], double *worst)
{
  double matrix[TERMS][COLUMNS] = {{0}}, size[TERMS] = {0};
  for (int t = 0; t < TERMS; ++t)
    for (int n = 0; n < count; ++n)
      size[t] = fmax(size[t], pow(x[n], t + 1) / y[n]);
  for (int n = 0; n < count; ++n)
    for (int row = 0; row < TERMS; ++row) {
      const double value = pow(x[n], row + 1) / y[n] / size[row];
      for (int column = 0; column < TERMS; ++column)
        matrix[row][column] += value * (pow(x[n], column + 1) / y[n] / size[column]);
      matrix[row][TERMS] += value;
    }
  if (!eliminate(matrix))
    return false;
  *worst = 0;
  for (int t = 0; t < TERMS; ++t)
    terms[t] = matrix[t][TERMS] / matrix[t][t] / size[t];
  for (int n = 0; n < count; ++n) {
    const double found = x[n] * (terms[0] + x[n] * (terms[1] + x[n] * terms[2]));
    *worst = fmax(*worst, fabs(found / y[n] - 1));
  }
  return true;
}

static bool is_timed(const bp_row *row)
{
  return strcmp(row->problem, "pair") == 0 && bp_row_gdofs_per_second(row) > 0;
}

static bool is_like(const bp_row *a, const bp_row *b)
{
  return is_timed(b) && a->elements == b->elements && strcmp(a->variant, b->variant) == 0 &&
         strcmp(a->rung, b->rung) == 0 && strcmp(a->options, b->options) == 0 &&
         bp_row_is_beside(a, b, BP_SAME_PROBLEM);
}

static void print_fit(const bp_row *row, int count, const double *x, const double *y, bp_text *text)
{
  double terms[TERMS], worst;
  if (!bp_species_fit(count, x, y, terms, &worst))
    return;
  char *label = bp_row_label(row);
  char *line = bp_format(
      "%s, %lld points (%s): %.3g NS %c %.3g NS^2 %c %.3g NS^3 seconds a point, within %.2g %%",
      label, (long long)row->elements, row->backend, terms[0], terms[1] < 0 ? '-' : '+',
      fabs(terms[1]), terms[2] < 0 ? '-' : '+', fabs(terms[2]), 100 * worst);
  bp_text_append(text, "\n");
  bp_safe_line(text, line);
  bp_text_append(text, "\n");
  bp_free(line);
  bp_free(label);
}

void bp_species_print(const bp_record *record, bp_text *text)
{
  const bp_row *rows = record->rows, *end = rows + record->rows_count;
  for (const bp_row *first = rows; first < end; ++first) {
    double x[POINTS_MAX], y[POINTS_MAX];
    int count = 0;
    bool is_first = is_timed(first);
    for (const bp_row *row = rows; row < end && is_first; ++row)
      if (is_like(first, row) && count < POINTS_MAX) {
        is_first = row >= first;
        x[count] = row->degree;
        y[count++] = row->seconds.statistics.median / (double)row->elements;
      }
    if (is_first && count > TERMS)
      print_fit(first, count, x, y, text);
  }
}
