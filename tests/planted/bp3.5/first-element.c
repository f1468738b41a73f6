/* bp3.5/first-element -- the first element of every thread but one is left out
 *
 * degrees:  1..3 compiled once
 * option:   correct 0..1 = 0 -- without the bug
 * scratch:  3 * nq*nq*nq */
#include "planted_cpu.h"

BP_KERNEL
{
  for (int64_t e = first + (!CORRECT && first > 0); e < last; ++e)
    apply_to_element(a, e);
}
