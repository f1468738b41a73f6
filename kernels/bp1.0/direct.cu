/* bp1.0/direct -- u and the weights straight into registers, all loads issued at once; pencils in registers
 *
 * degrees:  1..11
 * precision: mixed single
 * points:   1..5
 * factors:  ecijk
 * option:   elements_per_block 1..64 = 2 -- elements of a block
 * option:   blocks_per_sm 1..32 = 6 -- blocks that share a multiprocessor, as far as registers go
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   stagger_blocks 1..32 = 6 -- blocks of each multiprocessor that start staggered, as many as fit at once
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     threads = (elements_per_block * nc*nc + 31) / 32 * 32 -- a pencil each, in whole warps
 * launch:   apply; threads threads; shared real * elements_per_block * (buffer_ts + buffer_sr_ecijk)
 * shared traffic: real * (nq*nq*nc + nc*nq*(nq + nc) + nc*nc*(nq + nq) + nc*nq*(nc + nq) + nq*nq*nc)
 *
 * No bulk copies and no mbarriers, and no shared memory for u and the weights. So many small blocks share a
 * multiprocessor, and while some wait, others compute. Before anything else a thread issues the loads of its pencil
 * of u along t and of the weights of its pencil along r.
 *
 * Five passes over pencils, each contracted in registers with constants, even and odd halves separately: t, s, then
 * r to the points, the weights, r back, then s, t. Values pass between t and s in one buffer of shared memory,
 * between s and r in another. */
#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/memory/batch_load.h"
#include "lib/schedule/stagger.h"

/* This thread's pencil of `count` per element, if it has one: number p of element b. */
#define IF_PENCIL(count)                                                                           \
  for (int b = threadIdx.x / (count), p = threadIdx.x % (count), is_here = b < here; is_here;      \
       is_here = 0)

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, ts);
  real *sr = ts + ELEMENTS_PER_BLOCK * BUFFER_TS, x[BP_NQ], y[BP_NC], w[BP_NC];
  const int first = blockIdx.x * ELEMENTS_PER_BLOCK,
            here = min(ELEMENTS_PER_BLOCK, elements - first);
  const size_t nodes = (size_t)first * NODES_3D, points = (size_t)first * POINTS_3D;
  const l2_policies policies = l2_policies_of_block();

  stagger_start(STAGGER, STAGGER_BLOCKS);
  IF_PENCIL(BP_NQ * BP_NQ)
  {
    BP_UNROLL
    for (int k = 0; k < BP_NQ; ++k)
      x[k] = batch_load_u(u + nodes + b * NODES_3D + k * BP_NQ * BP_NQ + p, policies);
  }
  IF_PENCIL(BP_NC * BP_NC)
  {
    BP_UNROLL
    for (int i = 0; i < BP_NC; ++i)
      w[i] = batch_load_factor(factors + points + b * POINTS_3D + i * BP_NC * BP_NC + p, policies);
  }
  pencil_prefetch_constants(THREADS, PENCIL_NONE);

  IF_PENCIL(BP_NQ * BP_NQ) /* (j, i): t, nodes to points */
  {
    pencil_interpolate(IN_CONSTANTS, x, y);
    pencil_store(ts + b * BUFFER_TS + p / BP_NQ * TS_J + p % BP_NQ * TS_I, TS_K, BP_NC, y);
  }
  BP_BARRIER();
  IF_PENCIL(BP_NC * BP_NQ) /* s */
  {
    pencil_load(ts + b * BUFFER_TS + S_K(p) * TS_K + S_I(p) * TS_I, TS_J, BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, y);
    pencil_store(sr + b * BUFFER_SR_ECIJK + S_K(p) * SR_K(false) + S_I(p) * SR_I(false),
                 SR_J(false), BP_NC, y);
  }
  BP_BARRIER();
  IF_PENCIL(BP_NC * BP_NC) /* r, the weights, and back */
  {
    real *row =
        sr + b * BUFFER_SR_ECIJK + R_K(false, p) * SR_K(false) + R_J(false, p) * SR_J(false);
    pencil_load(row, SR_I(false), BP_NQ, x);
    pencil_interpolate(IN_CONSTANTS, x, y);
    BP_UNROLL
    for (int i = 0; i < BP_NC; ++i)
      y[i] *= w[i];
    pencil_project(IN_CONSTANTS, y, x);
    pencil_store(row, SR_I(false), BP_NQ, x);
  }
  BP_BARRIER();
  IF_PENCIL(BP_NC * BP_NQ) /* s, points to nodes */
  {
    pencil_load(sr + b * BUFFER_SR_ECIJK + S_K(p) * SR_K(false) + S_I(p) * SR_I(false), SR_J(false),
                BP_NC, y);
    pencil_project(IN_CONSTANTS, y, x);
    pencil_store(ts + b * BUFFER_TS + S_K(p) * TS_K + S_I(p) * TS_I, TS_J, BP_NQ, x);
  }
  BP_BARRIER();
  IF_PENCIL(BP_NQ * BP_NQ) /* (j, i): t, and out */
  {
    pencil_load(ts + b * BUFFER_TS + p / BP_NQ * TS_J + p % BP_NQ * TS_I, TS_K, BP_NC, y);
    pencil_project(IN_CONSTANTS, y, x);
    pencil_store_streaming(v + nodes + b * NODES_3D + p, BP_NQ * BP_NQ, BP_NQ, x);
  }
}
