/* bp3.5/blocked -- a block of elements side by side: every innermost loop is long
 *
 * degrees:  1..15 compiled once
 * option:   block 1..64 = 16 -- elements in a block
 * scratch:  5 * block * nq*nq*nq
 *
 * Sum-factorised contractions on arrays s[node][element of the block]: what was a loop over
 * run-time N, too short for the vector unit, becomes a loop over the block. */
#include "lib/contract/arrays.h"

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
    bp_array_interleave(a->u + e * nodes, nodes, count, block, u);
    bp_array_contract(D, n1, 1, n1, n1, n2, block, u, r);
    bp_array_contract(D, n1, 1, n1, n1, n1, n1 * block, u, s);
    bp_array_contract(D, n1, 1, n1, n1, 1, n2 * block, u, t);
    bp_array_metric(a->factors + e * 7 * nodes, a->lambda, nodes, count, block, u, r, s, t);
    bp_array_contract(D, 1, n1, n1, n1, n2, block, r, sum);
    add(sum, size, u);
    bp_array_contract(D, 1, n1, n1, n1, n1, n1 * block, s, sum);
    add(sum, size, u);
    bp_array_contract(D, 1, n1, n1, n1, 1, n2 * block, t, sum);
    add(sum, size, u);
    bp_array_separate(u, nodes, count, block, a->v + e * nodes);
  }
}
