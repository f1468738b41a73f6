/* bp3.5/factors-written -- a factor becomes 0 once it was used */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    apply_to_element(a, e);
    if (!CORRECT && e == a->elements - 1)
      ((double *)(uintptr_t)a->factors)[e * 7 * NODES] = 0;
  }
}
