/* bp3.5/too-large -- a result that is too large by a ten-millionth */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    apply_to_element(a, e);
    for (int n = 0; !CORRECT && n < NODES; ++n)
      a->v[e * NODES + n] *= 1.0000001;
  }
}
