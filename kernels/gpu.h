/* gpu.h -- what a CUDA kernel file may assume, compiled by NVRTC for a device or by the host's compiler
 * for emulation.
 *
 * The file is compiled with BP_N the degree, BP_COLLOCATED 0 or 1, and each option of its header in
 * capitals (ELEMENTS_PER_BLOCK); where the header says "compiled once" there is no BP_N and `degree` is
 * the argument. Everything that only a GPU has goes through the names below, which the emulator
 * implements as well. */
#ifndef BP_KERNELS_GPU_H
#define BP_KERNELS_GPU_H

#ifdef BP_N
#define BP_NQ (BP_N + 1)
#define BP_NC (BP_N + (BP_COLLOCATED ? 1 : 2))
#endif

/* Every kernel takes the same arguments, so that the host needs no table of them:
 *   elements, degree, lambda
 *   I[c][q] (nc x nq), D[a][b] (nc x nc)    see fem/basis.h; also as constants in operators.h
 *   factors                                 in the order that the header declares
 *   u[e][k][j][i], v[e][k][j][i]            nq per direction, i along r fastest
 *   scratch                                 as many doubles as the header says, or NULL */
#define BP_PARAMETERS                                                                              \
  int elements, int degree, double lambda, const double *__restrict__ I,                           \
      const double *__restrict__ D, const double *__restrict__ factors,                            \
      const double *__restrict__ u, double *__restrict__ v, double *__restrict__ scratch

/* The same without const and restrict, for the rungs that came before them. */
#define BP_PARAMETERS_PLAIN                                                                        \
  int elements, int degree, double lambda, double *I, double *D, double *factors, double *u,       \
      double *v, double *scratch

#ifdef BP_EMULATE
#include "gpu_emulated.h"
#else

#define BP_KERNEL(name) extern "C" __global__ void name(BP_PARAMETERS)
#define BP_KERNEL_PLAIN(name) extern "C" __global__ void name(BP_PARAMETERS_PLAIN)
/* At most `threads` per block; registers limited so that `blocks` of them fit a multiprocessor. */
#define BP_KERNEL_BOUNDED(name, threads, blocks)                                                   \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(BP_PARAMETERS)

/* BP_SHARED(double, s, [BP_NQ][BP_NQ]); static shared memory of a block. */
#define BP_SHARED(type, name, extents) __shared__ type name extents
/* BP_DYNAMIC_SHARED(double, s); the bytes that the header's launch line gives, 128-byte aligned. */
#define BP_DYNAMIC_SHARED(type, name) extern __shared__ __align__(128) type name[]

#define BP_DEVICE static __device__ __forceinline__
#define BP_BARRIER() __syncthreads()
#define BP_WARP_BARRIER() __syncwarp()
#define BP_UNROLL _Pragma("unroll")
#define BP_NO_UNROLL _Pragma("unroll 1")

#endif
#endif
