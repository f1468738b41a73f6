/* bp3.0/producer-warp -- a producer warp fills a ring of slices of factors; pencils in registers
 *
 * degrees:  3..13
 * points:   1..5
 * factors:  ekcji align 2
 * option:   slots 1..17 = 8 -- slices of factors in shared memory at once
 * option:   consumer_groups 1..3 = 2 -- groups of consumer warps, each with an element
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     row = nc + (nc + 1) % 2 -- doubles from row to row of a cube
 * size:     slab = nc * row + (32 + nc - nc * row % 16) % 16 -- from slab to slab
 * size:     cube = nc * slab -- of a cube
 * launch:   apply; threads consumer_groups * group_threads + 32; blocks min(elements, sms * blocks_per_sm); shared real * (consumer_groups * nodes_slot + slots * slice_slot + consumer_groups * 3 * cube)
 *
 * A group of warps has an element at a time; pipeline_producer_warp.h brings the data. Thread (a, b) of a group owns
 * a pencil in each direction in turn. The interpolated values, t derivative and t flux of a t column stay in its
 * registers while slices of factors pass by.
 *
 * Three cubes in shared memory: u at the points and later the sum, the r part, the s part. Rows have an odd length,
 * and slabs continue the banks of a row of nc. Pencils are contracted in registers with constants, even and odd
 * halves separately. */
#include "abi/gpu.h"
#include "lib/contract/pencil.h"
#include "lib/pipeline/pipeline_producer_warp.h"
#include "lib/schedule/stagger.h"

/* Rows that begin at (a, b) with this sum. */
BP_DEVICE int rows_with_sum(int sum)
{
  return max(sum < BP_NC ? sum + 1 : 2 * BP_NC - 1 - sum, 0);
}

/* Where thread p's row along r begins. Where nc is odd rows and slabs both advance by nc banks, so that
 * rows with the same a + b, modulo 16, share a bank: the first of each such class go to the first 16
 * threads, the second ones to the next, and so on. */
BP_DEVICE int row_of(int p)
{
  if (BP_NC % 2 == 0)
    return p / BP_NC * SLAB + p % BP_NC * ROW;
  const int complete = BP_NC > 8 ? 2 * BP_NC - 16 : 0; /* rows in the smallest class */
  int round = min(p / 16, complete), left = min(p, POINTS_2D - 1) - 16 * round;
  for (int sum = 0;; sum = (sum + 1) % 16) {
    const int here = rows_with_sum(sum);
    if (round < here + rows_with_sum(sum + 16) && left-- == 0) {
      const int whole = round < here ? sum : sum + 16;
      const int a = max(0, whole - BP_NC + 1) + (round < here ? round : round - here);
      return a * SLAB + (whole - a) * ROW;
    }
    round += sum == 15;
  }
}

BP_KERNEL_BOUNDED(apply, CONSUMER_GROUPS *GROUP_THREADS + 32, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  BP_SHARED(producer_barriers, ring, [1]);
  stagger_start(STAGGER, BLOCKS_PER_SM);
  producer_init(ring);
  if (bp_thread() >= CONSUMER_GROUPS * GROUP_THREADS) {
    producer_run(shared, u, factors, elements, ring);
    return;
  }

  pencil_prefetch_constants(CONSUMER_GROUPS * GROUP_THREADS, PENCIL_D);
  const int group = bp_thread() / GROUP_THREADS, p = bp_thread() % GROUP_THREADS, a = p / BP_NC,
            b = p % BP_NC;
  const bool has_column = p < POINTS_2D;
  real *u_slot = shared + group * NODES_SLOT;
  real *cube = shared + PRODUCER_SLOTS + group * 3 * CUBE, *cube_r = cube + CUBE,
       *cube_s = cube_r + CUBE;
  const int row = bp_keep(row_of(p)), pencil = a * SLAB + b, column = a * ROW + b;
  const int pencil_in = p / BP_NQ * SLAB + p % BP_NQ, column_in = p / BP_NQ * ROW + p % BP_NQ;
  real x[BP_NC], y[BP_NC], ut[BP_NC], wu[BP_NC];
  slot_cursor place = {0, 0};
  int parity = 0;

  for (int n = 0; n < group; ++n)
    slot_skip(&place);
  for (;;) {
    bp_mbarrier_wait(&ring->u_full[group], parity);
    const int e = ring->element[group];
    if (e < 0)
      break;
    const size_t first = (size_t)e * NODES_3D;
    parity ^= 1;

    /* interpolate: t as (j, i), s as (k, i), r as (k, j); the last also differentiates */
    if (p < BP_NQ * BP_NQ) {
      pencil_load(u_slot + slot_offset(first) + p, BP_NQ * BP_NQ, BP_NQ, x);
      pencil_interpolate(IN_CONSTANTS, x, y);
      pencil_store(cube + column_in, SLAB, BP_NC, y);
    }
    bp_mbarrier_arrive(&ring->u_free[group]);
    GROUP_BARRIER(group);
    if (p < BP_NC * BP_NQ) {
      pencil_load(cube + pencil_in, ROW, BP_NQ, x);
      pencil_interpolate(IN_CONSTANTS, x, y);
      pencil_store(cube + pencil_in, ROW, BP_NC, y);
    }
    GROUP_BARRIER(group);
    if (has_column) {
      pencil_load(cube + row, 1, BP_NQ, x);
      pencil_interpolate(IN_CONSTANTS, x, y);
      pencil_store(cube + row, 1, BP_NC, y);
      pencil_differentiate(IN_CONSTANTS, y, x);
      pencil_store(cube_r + row, 1, BP_NC, x);
    }
    GROUP_BARRIER(group);
    /* the s derivative as (k, i), the t derivative and the metric as (j, i) */
    if (has_column) {
      pencil_load(cube + pencil, ROW, BP_NC, x);
      pencil_differentiate(IN_CONSTANTS, x, y);
      pencil_store(cube_s + pencil, ROW, BP_NC, y);
      pencil_load(cube + column, SLAB, BP_NC, wu);
      pencil_differentiate(IN_CONSTANTS, wu, ut);
    }
    GROUP_BARRIER(group);
    group_wait_turn(group, parity, ring);
    BP_UNROLL
    for (int k = 0; k < BP_NC; ++k) {
      const real *f = shared + CONSUMER_GROUPS * NODES_SLOT + place.slot * SLICE_SLOT +
                      slot_offset(slice_begin(e, k)) + p;
      bp_mbarrier_wait(&ring->full[place.slot], place.parity);
      if (has_column)
        flux(f, POINTS_2D, lambda, cube_r + column + k * SLAB, cube_s + column + k * SLAB, &ut[k],
             &wu[k]);
      bp_mbarrier_arrive(&ring->free[place.slot]);
      slot_advance(&place);
    }
    group_pass_turn(group, &place, ring);
    if (has_column) {
      pencil_add_transposed(IN_CONSTANTS, ut, wu);
      pencil_store(cube + column, SLAB, BP_NC, wu);
    }
    GROUP_BARRIER(group);
    /* transposed: s as (k, i) into the sum, r as (k, j) */
    if (has_column) {
      pencil_load(cube_s + pencil, ROW, BP_NC, x);
      pencil_load(cube + pencil, ROW, BP_NC, y);
      pencil_add_transposed(IN_CONSTANTS, x, y);
      pencil_store(cube + pencil, ROW, BP_NC, y);
    }
    GROUP_BARRIER(group);
    if (has_column) {
      pencil_load(cube_r + row, 1, BP_NC, x);
      pencil_load(cube + row, 1, BP_NC, y);
      pencil_add_transposed(IN_CONSTANTS, x, y);
      pencil_project(IN_CONSTANTS, y, x);
      pencil_store(cube + row, 1, BP_NQ, x);
    }
    GROUP_BARRIER(group);
    if (p < BP_NC * BP_NQ) {
      pencil_load(cube + pencil_in, ROW, BP_NC, y);
      pencil_project(IN_CONSTANTS, y, x);
      pencil_store(cube + pencil_in, ROW, BP_NQ, x);
    }
    GROUP_BARRIER(group);
    if (p < BP_NQ * BP_NQ) {
      pencil_load(cube + column_in, SLAB, BP_NC, y);
      pencil_project(IN_CONSTANTS, y, x);
      BP_UNROLL
      for (int k = 0; k < BP_NQ; ++k)
        v[first + k * BP_NQ * BP_NQ + p] = x[k];
    }
    /* no barrier: the same threads write the same columns next */
  }
}
