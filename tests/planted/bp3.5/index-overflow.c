/* bp3.5/index-overflow -- an index of 32 bits, too few for the factors of many elements
 *
 * degrees:  1..3 compiled once
 * option:   correct 0..1 = 0 -- without the bug
 * scratch:  3 * nq*nq*nq */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    int64_t at = CORRECT ? e * 7 * NODES : (int)(e * 7 * NODES);
    apply_to(a, a->lambda, a->factors + at, a->u + e * NODES, a->v + e * NODES);
  }
}
