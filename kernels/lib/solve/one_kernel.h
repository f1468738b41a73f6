/* one_kernel.h -- a merged iteration in one launch: merged.h tells how.
 *
 * size: scheme = 3 -- one kernel
 * size: kept = history - 3 -- directions; the other vectors are buffers of r and v */
#ifndef BP_KERNELS_SOLVE_ONE_KERNEL_H
#define BP_KERNELS_SOLVE_ONE_KERNEL_H

#include "lib/solve/merged.h"

#endif
