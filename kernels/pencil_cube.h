/* pencil_cube.h -- an element's cube of points in shared memory for passes of pencils in registers: rows
 * of the length that has the fewest bank conflicts; slabs continue the banks of a row of nq. */
#ifndef BP_KERNELS_PENCIL_CUBE_H
#define BP_KERNELS_PENCIL_CUBE_H

#include "gpu.h"

enum {
  ROW = BP_NQ < 7        ? BP_NC | 1
        : BP_NQ % 4 == 2 ? BP_NQ
                         : BP_NQ | 1,
  SLAB = BP_NC * ROW + (32 + BP_NQ - BP_NC * ROW % 16) % 16,
  CUBE = BP_NC * SLAB
};

#endif
