/* types.h -- what kernels compute with and store.
 *
 *   real    vectors, and all arithmetic but that of sums over the mesh, which stays double */
#ifndef BP_KERNELS_ABI_TYPES_H
#define BP_KERNELS_ABI_TYPES_H

typedef double real;

#endif
