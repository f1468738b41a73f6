/* bp1.0/factorised -- N known to the compiler, which vectorises the contractions of one element
 *
 * degrees:  1..15
 * scratch:  2 * nc*nc*nc
 *
 * Six contractions with every extent a constant; the innermost loop is always over contiguous data,
 * for the direction i by going through the matrix column by column. */
#include "cpu.h"

enum { Q = BP_NQ, C = BP_NC, NODES = Q * Q * Q, POINTS = C * C * C };

/* to[..][b][..] = sum_a m[b][a] from[..][a][..] with `inner` > 1 values inside the contracted
 * index. */
static inline void contract(const double *m, int row_step, int column_step, int from_count,
                            int to_count, int outer, int inner, const double *restrict from,
                            double *restrict to)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < to_count; ++b, to += inner) {
      const double *line = from + o * from_count * inner;
      for (int n = 0; n < inner; ++n)
        to[n] = m[b * row_step] * line[n];
      for (int a = 1; a < from_count; ++a)
        for (int n = 0; n < inner; ++n)
          to[n] += m[b * row_step + a * column_step] * line[a * inner + n];
    }
}

/* The same for the innermost index, with columns[a][b] so that the loop over b is contiguous. */
static inline void contract_rows(const double *columns, int from_count, int to_count, int rows,
                                 const double *restrict from, double *restrict to)
{
  for (int n = 0; n < rows; ++n, from += from_count, to += to_count) {
    for (int b = 0; b < to_count; ++b)
      to[b] = columns[b] * from[0];
    for (int a = 1; a < from_count; ++a)
      for (int b = 0; b < to_count; ++b)
        to[b] += columns[a * to_count + b] * from[a];
  }
}

static void transpose(const double *m, int rows, int columns, double *to)
{
  for (int b = 0; b < rows; ++b)
    for (int a = 0; a < columns; ++a)
      to[a * rows + b] = m[b * columns + a];
}

BP_KERNEL
{
  double columns[Q * C], *s = a->scratch, *t = s + POINTS;
  const double *I = a->I;
  transpose(I, C, Q, columns);
  for (int64_t e = first; e < last; ++e) {
    const double *w = a->factors + e * POINTS;
    contract_rows(columns, Q, C, Q * Q, a->u + e * NODES, s);
    contract(I, Q, 1, Q, C, Q, C, s, t);
    contract(I, Q, 1, Q, C, 1, C * C, t, s);
    for (int n = 0; n < POINTS; ++n)
      s[n] *= w[n];
    contract(I, 1, Q, C, Q, 1, C * C, s, t);
    contract(I, 1, Q, C, Q, Q, C, t, s);
    contract_rows(I, C, Q, Q * Q, s, a->v + e * NODES);
  }
}
