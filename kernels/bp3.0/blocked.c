/* bp3.0/blocked -- a block of elements side by side: every innermost loop is long
 *
 * degrees:  1..15 compiled once
 * option:   block 1..64 = 16 -- elements in a block
 * scratch:  5 * block * nc*nc*nc
 *
 * The naive contractions on arrays s[node][element of the block]: what was a loop over run-time N,
 * too short for the vector unit, becomes a loop over the block. */
#include "lib/contract/arrays.h"

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
    bp_array_interleave(a->u + e * nodes, nodes, count, block, r);
    bp_array_contract(I, nq, 1, nq, nc, nq * nq, block, r, s);
    bp_array_contract(I, nq, 1, nq, nc, nq, line, s, r);
    bp_array_contract(I, nq, 1, nq, nc, 1, plane, r, w);
    bp_array_contract(D, nc, 1, nc, nc, nc * nc, block, w, r);
    bp_array_contract(D, nc, 1, nc, nc, nc, line, w, s);
    bp_array_contract(D, nc, 1, nc, nc, 1, plane, w, t);
    bp_array_metric(a->factors + e * 7 * points, a->lambda, points, count, block, w, r, s, t);
    bp_array_contract(D, 1, nc, nc, nc, nc * nc, block, r, sum);
    add(sum, size, w);
    bp_array_contract(D, 1, nc, nc, nc, nc, line, s, sum);
    add(sum, size, w);
    bp_array_contract(D, 1, nc, nc, nc, 1, plane, t, sum);
    add(sum, size, w);
    bp_array_contract(I, 1, nq, nc, nq, 1, plane, w, r);
    bp_array_contract(I, 1, nq, nc, nq, nq, line, r, s);
    bp_array_contract(I, 1, nq, nc, nq, nq * nq, block, s, r);
    bp_array_separate(r, nodes, count, block, a->v + e * nodes);
  }
}
