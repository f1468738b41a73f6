/* bp1.0/blocked -- a block of elements side by side: every innermost loop is long
 *
 * degrees:  1..15 compiled once
 * option:   block 1..64 = 16 -- elements in a block
 * scratch:  2 * block * nc*nc*nc
 *
 * The naive contractions on arrays s[node][element of the block]: what was a loop over run-time N,
 * too short for the vector unit, becomes a loop over the block. */
#include "cpu.h"

/* to[..][b][..] = sum_a m[b][a] from[..][a][..], or with m transposed; the contracted index has
 * `inner` values inside it and `outer` outside. */
static void contract(const double *m, int row_step, int column_step, int from_count, int to_count,
                     int outer, int inner, const double *restrict from, double *restrict to)
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

/* u[e][n] -> s[n][e] for `block` elements, of which those from `count` on repeat the last. */
static void interleave(const double *u, int nodes, int count, int block, double *s)
{
  for (int e = 0; e < block; ++e)
    for (int n = 0; n < nodes; ++n)
      s[n * block + e] = u[(e < count ? e : count - 1) * nodes + n];
}

static void separate(const double *s, int nodes, int count, int block, double *v)
{
  for (int e = 0; e < count; ++e)
    for (int n = 0; n < nodes; ++n)
      v[e * nodes + n] = s[n * block + e];
}

static void weight(const double *w, int points, int count, int block, double *s)
{
  for (int e = 0; e < count; ++e)
    for (int n = 0; n < points; ++n)
      s[n * block + e] *= w[e * points + n];
}

BP_KERNEL
{
  const int nq = a->nq, nc = a->nc, points = nc * nc * nc, nodes = nq * nq * nq;
  const int block = (int)a->option[0];
  double *s = a->scratch, *t = s + points * block;
  for (int64_t e = first; e < last; e += block) {
    const int count = e + block <= last ? block : (int)(last - e);
    interleave(a->u + e * nodes, nodes, count, block, s);
    contract(a->I, nq, 1, nq, nc, nq * nq, block, s, t);
    contract(a->I, nq, 1, nq, nc, nq, nc * block, t, s);
    contract(a->I, nq, 1, nq, nc, 1, nc * nc * block, s, t);
    weight(a->factors + e * points, points, count, block, t);
    contract(a->I, 1, nq, nc, nq, 1, nc * nc * block, t, s);
    contract(a->I, 1, nq, nc, nq, nq, nc * block, s, t);
    contract(a->I, 1, nq, nc, nq, nq * nq, block, t, s);
    separate(s, nodes, count, block, a->v + e * nodes);
  }
}
