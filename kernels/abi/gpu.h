/* gpu.h -- what a CUDA kernel file may assume, compiled by NVRTC for a device (gpu_device.h) or by the
 * host's compiler for emulation (emulated/gpu.h).
 *
 * The file is compiled with BP_N the degree, BP_NC quadrature points per direction,
 * BP_COLLOCATED 0 or 1, BP_COMPONENTS the geometric factors
 * per point, and each option of its header in capitals (ELEMENTS_PER_BLOCK); where the header says
 * "compiled once" there is no BP_N and `degree` is the argument. BP_THREADS_IN_LINE is defined where blocks have
 * threads in one direction only, by the launch lines. It is C with CUDA's usual names
 * (threadIdx, blockIdx, blockDim, gridDim, double2, make_double2, fma, ldexp, min, max); whatever else only a
 * GPU has goes through the names below, which both worlds implement.
 *
 *   BP_KERNEL(name)                 a kernel; BP_PARAMETERS are its arguments
 *   BP_KERNEL_PLAIN(name)           the same without const and restrict
 *   BP_KERNEL_BOUNDED(name, t, b)   at most t threads per block; registers so that b blocks fit at once, or
 *                                   with b = 0 as many as the compiler likes; BP_KERNEL_PLAIN_BOUNDED likewise
 *   BP_KERNEL_IF(CONST, name, t, b) one of the two with these bounds, by an option that is 0 or 1
 *   BP_DEVICE                       before a function that kernels call
 *   BP_SHARED(double, s, [BP_NQ][BP_NQ]);  static shared memory, 16-byte aligned, at most 48 KB in all
 *   BP_DYNAMIC_SHARED(double, s);   as many bytes as the header's launch line gives, 128-byte aligned
 *   BP_CONSTANT double c[3] = {..}; a table at file scope, indexed alike by all threads of a warp
 *   BP_BY_LANE double c[3] = {..};  one that the threads of a warp index differently
 *   BP_GLOBAL int n;                a variable at file scope in the device's memory, 0 when the program is loaded
 *   bp_fetch_next(&n, last)         what such a variable is, and counts it up for all blocks: from `last` to 0
 *   bp_fence_devices()              what this thread wrote comes before what it writes next, also on other devices
 *   bp_signal(p, x)                 *p = x, p to unsigned, maybe of another device
 *   bp_wait_for_signal(p, x)        until *p, which counts up, is at least x; what was written before it is there then
 *   bp_load_fresh(p)                a double that another block of this kernel has written
 *   bp_multiply(a, b)               a b, rounded: no part of a multiply-add
 *   bp_odd(x)                       x, its last bit set
 *   bp_reciprocal(x)                1 / x to about an eps, x a normal double or float; by fewer instructions than a division
 *   bp_square_root(x), bp_power_above(x)   x > 0; the power of two above it, by its exponent
 *   bp_keep(x)                      the double or int x, which the compiler will not fetch or compute
 *                                   again; by all lanes of a warp
 *   BP_UNROLL, BP_NO_UNROLL         before a loop; BP_UNROLL_BY(n); BP_UNROLL_IF(UNROLL): by an option,
 *                                   0 leaves the loop to the compiler
 *
 * Threads of a block are numbered x fastest, then y, then z; 32 in a row are a warp.
 *   int bp_thread(), bp_threads()   this one's number and how many there are in the block
 *   int bp_lane(), bp_warp()        its number in the warp, and the warp's number
 *   int bp_blocks()                 of the launch: as many may leave something. Loops over blocks step by gridDim.x, which
 *                                   is more where the emulator leaves blocks out
 *   int bp_multiprocessors()        how many the device has
 *   bp_pause(clocks)                does nothing for so long, on a device
 *
 * Programmatic dependent launch, where the host asks for it; without it both do nothing:
 *   bp_let_next_begin()             blocks of the next kernel may start when all of this one's have come here
 *   bp_wait_for_previous()          until the kernel before has ended; before it, a kernel reads only what no
 *                                   kernel of the iterations writes, and writes nothing
 *
 * Barriers, reached by every thread that they name, at the same place in the text:
 *   BP_BARRIER()                    of the block
 *   BP_WARP_BARRIER()               of the warp
 *   BP_GROUP_BARRIER(id, threads)   of `threads` threads, whole warps, that agree on id 1..15
 *
 *   BP_GRID_BARRIER(&n)             of all blocks, which run at once (`together` on the launch line); n, an int in
 *                                   the device's memory, is 0 before the kernel and counts arrivals
 *
 * Warp operations; every thread of the warp takes part:
 *   x bp_shuffle(x, lane), bp_shuffle_xor(x, mask), bp_shuffle_up(x, n), bp_shuffle_down(x, n)
 *                                   x: double, float or int; what another lane passes (its own past the end)
 *
 * Global memory, p to double, float, or double2 or float4 (16-byte aligned):
 *   bp_load_streaming(p)            read once, evict-first; the kernel must not write it
 *   bp_load_cached(p)               never written by the kernel: may come from the read-only path
 *   bp_load_now(p)                  a double, as bp_load_cached; loaded here, not where the compiler likes
 *   bp_l2_policy bp_l2_policy_of(first) an L2 policy: evict-first, or as usual
 *   bp_load_hinted(p, policy)       a double, as bp_load_cached, with that policy
 *   bp_store_streaming(p, x)        not read again soon
 *   bp_atomic_add(p, x)             *p += x, p to double or float; returns what *p was. The order of additions is not defined
 *   bp_prefetch(p)                  brings the line into L2
 *
 * What only some architectures have (src/registry/architecture.h) is told by BP_HAS_ASYNC, BP_HAS_MMA, BP_HAS_BULK,
 * which are 0 or 1. A kernel needs none of them for what follows.
 *
 * Asynchronous copies to shared memory, at once where there are none. A thread waits for its own copies; a barrier
 * after that shows them to the others:
 *   bp_async_copy4(s, g), bp_async_copy8(s, g), bp_async_copy16(s, g)   so many bytes, both sides so aligned
 *   bp_async_commit()               what this thread issued since the last call becomes a group
 *   BP_ASYNC_WAIT(n)                until at most its n latest groups (a constant) are under way
 *
 * A bp_mbarrier in shared memory has phases, which end when all arrivals, and the copies that they told of, have
 * come; phases alternate in parity, the first is 0:
 *   BP_SHARED(bp_mbarrier, full, [2]);
 *   bp_mbarrier_start(&b, arrivals) by one thread; then bp_mbarrier_fence() by it and BP_BARRIER()
 *   bp_mbarrier_arrive(&b)
 *   bp_mbarrier_wait(&b, parity)    until the phase of that parity has ended; shows the copies
 *
 * Copies into slots are issued by a warp, all of its lanes, `bytes` a multiple of 16, both sides 16-byte aligned. By
 * one lane as bulk copies, by all lanes 16 bytes each as asynchronous ones, or by loads and stores, as the device can:
 *   bp_slot_copy(s, g, bytes, &b)            global to shared
 *   bp_slot_copy_streaming(s, g, bytes, &b)  the same, evict-first where that can be said
 *   bp_slot_arrive(&b, bytes)       after the copies of a phase, which have so many bytes: one arrival
 *   bp_slot_arrive_lanes(&b, bytes) the same, an arrival of each lane, by whole warps
 *
 * Out of shared memory, by one thread, at once where there are no bulk copies:
 *   bp_bulk_store(g, s, bytes)      shared to global, in groups of the thread:
 *   bp_bulk_commit(), BP_BULK_WAIT_READ(n) (shared memory may be reused), BP_BULK_WAIT(n) (written)
 *   bp_async_fence()                by each thread that wrote shared memory by ordinary stores which a
 *                                   copy out of it reads, or read what one into a slot overwrites, before the
 *                                   barrier after which it is issued; not where each value read went into a store before it
 *
 * Products on the tensor cores (`requires: mma`), c += a b, by all 32 lanes; with g = lane / 4, q = lane % 4:
 *   bp_mma_8x8x4(c[2], a, b)        a = A[g][q]; b = B[q][g]; c[i] = C[g][2q + i]
 *   bp_mma_16x8x4(c[4], a[2], b)    of tiles 8x8x4 where there are no larger ones: a[i] = A[g + 8i][q]; b = B[q][g];
 *                                   c[i] = C[g + 8(i / 2)][2q + i % 2]
 *   bp_mma_16x8x8(c[4], a[4], b[2])    a[i] = A[g + 8(i % 2)][q + 4(i / 2)]; b[i] = B[q + 4i][g]; c same
 *   bp_mma_16x8x16(c[4], a[8], b[4])   likewise
 *   BP_MMA_BLOCKS(blocks, warps)    how many blocks of so many warps to compile for: they need 64 registers
 *                                   a thread, which 32 warps of a multiprocessor can have */
#ifndef BP_KERNELS_ABI_GPU_H
#define BP_KERNELS_ABI_GPU_H

#ifdef BP_N
#define BP_NQ (BP_N + 1)
#endif

/* BP_PARAMETERS, the kernel's arguments: elements, degree, lambda, then the operands of its header in
 * that order (abi/operands.h). Arrays begin on multiples of 256 bytes, and 16 bytes behind the last
 * item may be read, whatever they are. BP_PARAMETERS_PLAIN: the same without const and restrict, for the rungs
 * that came before them. BP_SET_OPERANDS(a), in a kernel: the fields of struct a, named as they are, become elements
 * and the operands. */
#include "arguments.h"

/* #include "operators.h" after this file, unless "compiled once", gives the matrices as constants that
 * an unrolled loop takes for free (#define BP_OPERATOR BP_BY_LANE before it where lanes index them differently):
 *   bp_I[BP_NC][BP_NQ], bp_D[BP_NC][BP_NC], bp_weight[BP_NC], bp_point[BP_NC] (of the quadrature)
 * and their halves for even-odd splitting, h(n) = (n + 1) / 2 rows or columns:
 *   bp_I_even, bp_I_odd [h(BP_NC)][h(BP_NQ)]; bp_D_even, bp_D_odd [h(BP_NC)][h(BP_NC)];
 *   where I is not the identity also of D I, bp_DI_even, bp_DI_odd [h(BP_NC)][h(BP_NQ)]
 *   x_even[a][b] = (x[a][b] + x[a][n-1-b]) / 2, x_odd[a][b] = (x[a][b] - x[a][n-1-b]) / 2; in the middle
 *   column of an odd n: x_even = x[a][b], x_odd = 0. With e[b] = u[b] + u[n-1-b] (u[b] in the middle) and
 *   o[b] = u[b] - u[n-1-b], p = x_even e, q = x_odd o: (I u)[a] = p + q, (I u)[nc-1-a] = p - q, and
 *   (D u)[a] = p + q, (D u)[nc-1-a] = q - p. */

/* Rows or columns of a half: of n, one of each pair and the middle. */
#define BP_HALF(n) (((n) + 1) / 2)

#define BP_PASTE(a, b)          BP_PASTE_EXPANDED(a, b)
#define BP_PASTE_EXPANDED(a, b) a##b
#define BP_THREADS_AT_MOST(t)   ((t) < 1024 ? (t) : 1024)

#define BP_MMA_BLOCKS(blocks, warps) ((blocks) * (warps) <= 32 ? (blocks) : 32 / (warps))

#define BP_KERNEL_IF(constant, name, t, b) BP_PASTE(BP_KERNEL_IF_, constant)(name, t, b)
#define BP_KERNEL_IF_0(name, t, b)         BP_KERNEL_PLAIN_BOUNDED(name, BP_THREADS_AT_MOST(t), b)
#define BP_KERNEL_IF_1(name, t, b)         BP_KERNEL_BOUNDED(name, BP_THREADS_AT_MOST(t), b)

#define BP_UNROLL_IF(unrolled) BP_PASTE(BP_UNROLL_IF_, unrolled)
#define BP_UNROLL_IF_0
#define BP_UNROLL_IF_1 BP_UNROLL

#ifdef BP_EMULATE
#include "abi/emulated/gpu.h"
#else
#include "abi/gpu_device.h"
#endif

/* 16 bytes of reals, which a thread loads and stores at once. */
#if BP_PRECISION == 2
typedef float4 real_pack;

BP_DEVICE real_pack pack_of(real x)
{
  return make_float4(x, x, x, x);
}
#else
typedef double2 real_pack;

BP_DEVICE real_pack pack_of(real x)
{
  return make_double2(x, x);
}
#endif
enum { PACK = 16 / sizeof(real) };

#endif
