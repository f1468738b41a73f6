/* one_kernel.h -- a merged iteration in one launch: merged.h tells how. */
#ifndef BP_KERNELS_SOLVE_ONE_KERNEL_H
#define BP_KERNELS_SOLVE_ONE_KERNEL_H

#define SOLVE_COPIES 0
#include "lib/solve/merged.h"

#endif
