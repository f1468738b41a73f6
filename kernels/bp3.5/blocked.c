/* bp3.5/blocked -- a block of elements side by side: every innermost loop is long
 *
 * degrees:  1..15 compiled once
 * option:   block 1..64 = 16 -- elements in a block
 * scratch:  5 * block * nq*nq*nq
 *
 * Sum-factorised contractions on arrays s[node][element of the block]: what was a loop over
 * run-time N, too short for the vector unit, becomes a loop over the block. */
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
  const int n1 = a->nq, n2 = n1 * n1, nodes = n2 * n1, block = (int)a->option[0];
  const int size = nodes * block;
  const double *D = a->D;
  double *u = a->scratch, *r = u + size, *s = r + size, *t = s + size, *sum = t + size;
  for (int64_t e = first; e < last; e += block) {
    const int count = e + block <= last ? block : (int)(last - e);
    interleave(a->u + e * nodes, nodes, count, block, u);
    contract(D, n1, 1, n1, n1, n2, block, u, r);
    contract(D, n1, 1, n1, n1, n1, n1 * block, u, s);
    contract(D, n1, 1, n1, n1, 1, n2 * block, u, t);
    metric(a->factors + e * 7 * nodes, a->lambda, nodes, count, block, u, r, s, t);
    contract(D, 1, n1, n1, n1, n2, block, r, sum);
    add(sum, size, u);
    contract(D, 1, n1, n1, n1, n1, n1 * block, s, sum);
    add(sum, size, u);
    contract(D, 1, n1, n1, n1, 1, n2 * block, t, sum);
    add(sum, size, u);
    separate(u, nodes, count, block, a->v + e * nodes);
  }
}
