/* bp3.0/blocked -- a block of elements side by side: every innermost loop is long
 *
 * degrees:  1..15 compiled once
 * option:   block 1..64 = 16 -- elements in a block
 * scratch:  5 * block * nc*nc*nc
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

/* r, s, t: the gradient, times the metric on return; w: the values, times lambda W on return. */
static void metric(const double *g, double lambda, int points, int count, int block, double *w,
                   double *r, double *s, double *t)
{
  for (int e = 0; e < count; ++e, g += 7 * points)
    for (int n = 0; n < points; ++n) {
      const int m = n * block + e;
      const double ur = r[m], us = s[m], ut = t[m];
      r[m] = g[n] * ur + g[points + n] * us + g[2 * points + n] * ut;
      s[m] = g[points + n] * ur + g[3 * points + n] * us + g[4 * points + n] * ut;
      t[m] = g[2 * points + n] * ur + g[4 * points + n] * us + g[5 * points + n] * ut;
      w[m] *= lambda * g[6 * points + n];
    }
}

static void add(const double *restrict s, int count, double *restrict to)
{
  for (int n = 0; n < count; ++n)
    to[n] += s[n];
}

BP_KERNEL
{
  const int nq = a->nq, nc = a->nc, points = nc * nc * nc, nodes = nq * nq * nq;
  const int block = (int)a->option[0], line = nc * block, plane = nc * line, size = nc * plane;
  const double *I = a->I, *D = a->D;
  double *w = a->scratch, *r = w + size, *s = r + size, *t = s + size, *sum = t + size;
  for (int64_t e = first; e < last; e += block) {
    const int count = e + block <= last ? block : (int)(last - e);
    interleave(a->u + e * nodes, nodes, count, block, r);
    contract(I, nq, 1, nq, nc, nq * nq, block, r, s);
    contract(I, nq, 1, nq, nc, nq, line, s, r);
    contract(I, nq, 1, nq, nc, 1, plane, r, w);
    contract(D, nc, 1, nc, nc, nc * nc, block, w, r);
    contract(D, nc, 1, nc, nc, nc, line, w, s);
    contract(D, nc, 1, nc, nc, 1, plane, w, t);
    metric(a->factors + e * 7 * points, a->lambda, points, count, block, w, r, s, t);
    contract(D, 1, nc, nc, nc, nc * nc, block, r, sum);
    add(sum, size, w);
    contract(D, 1, nc, nc, nc, nc, line, s, sum);
    add(sum, size, w);
    contract(D, 1, nc, nc, nc, 1, plane, t, sum);
    add(sum, size, w);
    contract(I, 1, nq, nc, nq, 1, plane, w, r);
    contract(I, 1, nq, nc, nq, nq, line, r, s);
    contract(I, 1, nq, nc, nq, nq * nq, block, s, r);
    separate(r, nodes, count, block, a->v + e * nodes);
  }
}
