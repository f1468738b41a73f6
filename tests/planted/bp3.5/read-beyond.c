/* bp3.5/read-beyond -- the next element is read ahead, behind the last one too, where nobody uses it */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    apply_to_element(a, e);
    for (int n = 0; !CORRECT && n < 7 * NODES; ++n)
      (void)*(volatile const double *)(a->factors + (e + 1) * 7 * NODES + n);
  }
}
