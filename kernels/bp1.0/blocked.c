/* bp1.0/blocked -- a block of elements side by side: every innermost loop is long
 *
 * degrees:  1..15 compiled once
 * option:   block 1..64 = 16 -- elements in a block
 * scratch:  2 * block * nc*nc*nc
 *
 * The naive contractions on arrays s[node][element of the block]: what was a loop over run-time N,
 * too short for the vector unit, becomes a loop over the block. */
#include "lib/contract/arrays.h"

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
    bp_array_interleave(a->u + e * nodes, nodes, count, block, s);
    bp_array_contract(a->I, nq, 1, nq, nc, nq * nq, block, s, t);
    bp_array_contract(a->I, nq, 1, nq, nc, nq, nc * block, t, s);
    bp_array_contract(a->I, nq, 1, nq, nc, 1, nc * nc * block, s, t);
    weight(a->factors + e * points, points, count, block, t);
    bp_array_contract(a->I, 1, nq, nc, nq, 1, nc * nc * block, t, s);
    bp_array_contract(a->I, 1, nq, nc, nq, nq, nc * block, s, t);
    bp_array_contract(a->I, 1, nq, nc, nq, nq * nq, block, t, s);
    bp_array_separate(s, nodes, count, block, a->v + e * nodes);
  }
}
