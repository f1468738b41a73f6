/* bp3.5/lambda-ignored -- the mass term as if lambda were 1 */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    apply_to(a, CORRECT ? a->lambda : 1, a->factors + e * 7 * NODES, a->u + e * NODES,
             a->v + e * NODES);
  }
}
