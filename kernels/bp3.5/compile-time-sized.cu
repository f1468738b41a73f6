/* bp3.5/compile-time-sized -- run-time-sized, compiled for each degree
 *
 * degrees:  1..15
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * (2 * nq + 2)*slab)
 * shared traffic: real * nq*nq / elements_per_block + real * (13 * nq*nq*nq*nq + 8 * nq*nq*nq)
 *
 * As a template of MFEM: the compiler knows how long each loop is. bp35_sized.h has the text. */
#include "lib/operator/bp35_sized.h"

BP_KERNEL_OF_COLUMNS(apply)
{
  BP_DYNAMIC_SHARED(real, shared);
  const sized_extents extents = {ROW, SLAB, CUBE};
  apply_sized(BP_NC, extents, elements, lambda, D, factors, u, v, shared);
}
