/* bp3.5/index-overflow -- an index of 32 bits, too few for the factors of many elements */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    int64_t at = CORRECT ? e * 7 * NODES : (int)(e * 7 * NODES);
    apply_to(a, a->lambda, a->factors + at, a->u + e * NODES, a->v + e * NODES);
  }
}
