/* arrays.h -- a kernel's operands as one struct, by their names in abi/operands.h. What the header of the
 * kernel file does not list is 0. */
#ifndef BP_KERNELS_SOLVE_ARRAYS_H
#define BP_KERNELS_SOLVE_ARRAYS_H

#include "abi/gpu.h"
#include "abi/operands.h"
#include "abi/ranks.h"

#define ARRAY_READ(type, name)           const type *name;
#define ARRAY_WRITE(type, name)          type *name;
#define ARRAY_PART(type, name)           type *name;
#define ARRAY_SCRATCH(type, name)        type *name;
#define ARRAY_VALUE(type, name)          type name;
#define ARRAY(name, type, access, count) ARRAY_##access(type, name)

typedef struct {
  int elements;
  BP_OPERANDS(ARRAY)
  BP_OPERANDS_RANKS(ARRAY)
} solve_arrays;

/* In a kernel: declares `arrays`, which has its operands. */
#define SOLVE_ARRAYS(arrays)                                                                       \
  solve_arrays arrays = {0};                                                                       \
  BP_SET_OPERANDS(arrays)

#endif
