/* bp1.0/naive -- the pseudo-code as it stands: six contractions through scratch
 *
 * degrees:  1..15 compiled once
 * precision: mixed single
 * points:   1..5
 * scratch:  2 * nc*nc*nc
 *
 * One element at a time; each contraction is four loops over arrays of run-time size. */
#include "abi/cpu.h"

/* to[..][b][..] = sum_a m[b][a] from[..][a][..], or with m transposed; the contracted index has
 * `inner` values inside it and `outer` outside. */
static void contract(const real *m, int row_step, int column_step, int from_count, int to_count,
                     int outer, int inner, const real *from, real *to)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < to_count; ++b)
      for (int n = 0; n < inner; ++n) {
        real sum = 0;
        for (int a = 0; a < from_count; ++a)
          sum += m[b * row_step + a * column_step] * from[(o * from_count + a) * inner + n];
        to[(o * to_count + b) * inner + n] = sum;
      }
}

BP_KERNEL
{
  const int nq = a->nq, nc = a->nc, points = nc * nc * nc, nodes = nq * nq * nq;
  real *s = a->scratch, *t = a->scratch + points;
  for (int64_t e = first; e < last; ++e) {
    const stored *w = a->factors + e * points;
    contract(a->I, nq, 1, nq, nc, nq * nq, 1, a->u + e * nodes, s);
    contract(a->I, nq, 1, nq, nc, nq, nc, s, t);
    contract(a->I, nq, 1, nq, nc, 1, nc * nc, t, s);
    for (int n = 0; n < points; ++n)
      s[n] *= w[n];
    contract(a->I, 1, nq, nc, nq, 1, nc * nc, s, t);
    contract(a->I, 1, nq, nc, nq, nq, nc, t, s);
    contract(a->I, 1, nq, nc, nq, nq * nq, 1, s, a->v + e * nodes);
  }
}
