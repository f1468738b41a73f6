/* bp3.5/first-element -- the first element of every thread but one is left out */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first + (!CORRECT && first > 0); e < last; ++e)
    apply_to_element(a, e);
}
