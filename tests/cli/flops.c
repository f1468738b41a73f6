/* flops.c -- counts the flops of a C kernel of an operator: doubles are of a type whose operations are calls.
 *
 * Compiled by GCC with KERNEL, the file's name in quotes, and what the Makefile defines for a degree; -O0, so that
 * every operation of the text is one. Prints those of one element; what is done once for all is left out. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#undef __x86_64__ /* no instructions of a processor */
#define double __float128
#define BP_ENTRY counted
#include KERNEL

static int64_t flops;

#define COUNT(name)                                                                                \
  __float128 name(__float128 a, __float128 b);                                                     \
  __float128 name(__float128 a, __float128 b)                                                      \
  {                                                                                                \
    (void)b;                                                                                       \
    ++flops;                                                                                       \
    return a;                                                                                      \
  }
COUNT(__addtf3)
COUNT(__subtf3)
COUNT(__multf3)
COUNT(__divtf3)

static int64_t run(int64_t elements)
{
  enum { MOST = 1 << 20 }; /* doubles of an array */
  __float128 *arrays[6];
  for (int n = 0; n < 6; ++n)
    arrays[n] = aligned_alloc(64, MOST * sizeof(__float128));
  const bp_cpu_arguments a = {.degree = BP_N,
                              .nq = BP_N + 1,
                              .nc = BP_NC,
                              .elements = elements,
                              .I = arrays[0],
                              .D = arrays[1],
                              .factors = arrays[2],
                              .u = arrays[3],
                              .v = arrays[4],
                              .scratch = arrays[5]};
  flops = 0;
  counted(&a, 0, elements);
  for (int n = 0; n < 6; ++n)
    free(arrays[n]);
  return flops;
}

int main(void)
{
  enum { FEW = 4, MANY = 8 }; /* whole groups */
  printf("%lld\n", (long long)(run(MANY) - run(FEW)) / (MANY - FEW));
}
