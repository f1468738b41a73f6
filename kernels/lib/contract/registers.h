/* registers.h -- what stays in registers and what goes to memory, where GCC would choose otherwise. */
#ifndef BP_KERNELS_REGISTERS_H
#define BP_KERNELS_REGISTERS_H

#include "abi/simd.h"

/* An entry of the matrix in all lanes. */
BP_INLINE bp_vector bp_broadcast(const real *entry)
{
  bp_vector x = *entry - (bp_vector){0};
#if defined __x86_64__
  __asm__("" : "+v"(x));
#endif
  return x;
}

/* Stores x now: left alone, GCC would keep it in a register that the next sums need. */
BP_INLINE void bp_put_down(bp_vector *to, bp_vector x)
{
  *to = x;
#if defined __x86_64__
  __asm__("" : "+m"(*to));
#endif
}

BP_INLINE void bp_put(bp_vector *to, bp_vector x, int add)
{
  if (add)
    x += *to;
  *to = x;
}

#endif
