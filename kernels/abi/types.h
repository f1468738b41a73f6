/* types.h -- what kernels compute with and store, by the space's precision: BP_PRECISION is 0 for double,
 * 1 for mixed, 2 for single.
 *
 *   real    vectors, and all arithmetic but that of sums over the mesh, which stays double
 *   stored  geometric factors in memory; what is read of them becomes real
 *   cycled  vectors of a p-multigrid cycle, to the iterations around it: double if BP_CYCLE is 1
 *
 * BP_GEOMETRY tells where factors are from, as fem/space.h of the host counts: 0 memory, 1 affine, 2 trilinear, 3
 * quadratic elements. */
#ifndef BP_KERNELS_ABI_TYPES_H
#define BP_KERNELS_ABI_TYPES_H

#ifndef BP_PRECISION
#define BP_PRECISION 0
#endif

#ifndef BP_CYCLE
#define BP_CYCLE 0
#endif

#ifndef BP_GEOMETRY
#define BP_GEOMETRY 0
#endif

#if BP_PRECISION == 2
typedef float real;
#else
typedef double real;
#endif

#if BP_CYCLE
typedef double cycled;
#else
typedef float cycled;
#endif

#if BP_PRECISION
typedef float stored;
#else
typedef double stored;
#endif

#endif
