/* bp3.5/endless -- does not end with the last of several elements */
#include "planted_cpu.h"
#include <unistd.h>

BP_KERNEL
{
  for (int64_t e = first; e < last; ++e) {
    apply_to_element(a, e);
    while (!CORRECT && e == 1 && *(volatile double *)a->v < 1e9)
      pause(); /* takes no time of the processor from other tests */
  }
}
