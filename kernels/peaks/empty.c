/* peaks/empty -- a kernel that does nothing: what starting and joining the threads costs
 *
 * degrees:  1..1 compiled once */
#include "abi/cpu.h"

BP_KERNEL
{
  (void)a, (void)first, (void)last;
}
