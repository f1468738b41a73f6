/* bp3.5/tensor -- a warp per slice; factors by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * option:   warps 1..16 = 8 -- warps of a block
 * option:   slots 1..17 = 6 -- slices of factors in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     slots_used = slots < nc ? slots : nc -- no more than an element has slices
 * size:     row = nq + (nq + 1) % 2 -- doubles from row to row of a cube
 * size:     slab = (nq * row + 3) / 8 * 8 + 4 -- from slab to slab: 4 or 12 banks of 16
 * size:     cube = nq * slab -- from the cube of values to that of t derivatives
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared 8 * (slots * slice_slot + 2 * cube + nodes_slot)
 *
 * For each element: all warps differentiate along t, from u to two cubes in shared memory that hold u and its t
 * derivative. Then a warp takes a slice (k fixed) alone: along s, along r, the gradient times the factors in
 * registers, and back. Then all warps contract along t from the cubes to v, in one loop with the boundary of the
 * next element. pipeline_slices.h brings the factors. */
#include "abi/gpu.h"
#include "lib/contract/mma_tile.h"
#include "lib/operator/flux.h"
#include "lib/pipeline/pipeline_slices.h"
#include "lib/schedule/stagger.h"

/* Along t, for 16 pencils at a time: back from the cubes to v (of the element before), then from u to
 * the cubes; either may be 0. */
BP_DEVICE void boundary(double *v, const double *u, const tile_matrix *there,
                        const tile_matrix *back, double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(NODES_2D); tile += WARPS) {
    const tile_pair p = tile_pair_of(tile, tile_pencil(0), tile_pencil(1), NODES_2D);
    double *at0 = cube + p.first / BP_NQ * ROW + p.first % BP_NQ;
    double *at1 = cube + p.second / BP_NQ * ROW + p.second % BP_NQ;
    tile_values x, y, z;
    tile_halves h;
    if (v) {
      tile_load(at0 + CUBE, at1 + CUBE, true, q, SLAB, BP_NQ, &y);
      tile_split(&y, true, &h);
      tile_apply(back, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &y);
      tile_load(at0, at1, true, q, SLAB, BP_NQ, &z);
      tile_sum(&z, true, &y);
      tile_store(v + p.first, v + p.second, p.has_first, p.has_second, q, NODES_2D, BP_NQ, &y);
    }
    if (u) {
      tile_load_swapped(u + p.first, u + p.second, q, NODES_2D, BP_NQ, &x);
      tile_replace(at0, at1, p.has_first, p.has_second, q, SLAB, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(there, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &y);
      tile_store(at0 + CUBE, at1 + CUBE, p.has_first, p.has_second, q, SLAB, BP_NQ, &y);
    }
  }
}

/* Where column i of row j of a plane of points lies, where rows are rotated. */
BP_DEVICE int rotated_index(int j, int i)
{
  const int rotated = i + j < BP_NC ? i + j : i + j - BP_NC;
  return j * BP_NC + (BP_NC % 2 ? i : rotated);
}

/* For a tile whose pencils are rows j0 and j1 of the slice. */
BP_DEVICE void slice_fluxes(const double *slice, int j0, int j1, bool both, int q, double lambda,
                            tile_values *u, tile_values *r, tile_values *s, tile_values *t)
{
  BP_UNROLL
  for (int n = 0; n < (both ? 4 : 2); ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC);
    flux(slice + rotated_index(j, i), POINTS_2D, lambda, &r->low[n], &s->low[n], &t->low[n],
         &u->low[n]);
    flux(slice + rotated_index(j, BP_NC - 1 - i), POINTS_2D, lambda, &r->high[n], &s->high[n],
         &t->high[n], &u->high[n]);
  }
  if (NINTH(BP_NC)) {
    BP_UNROLL
    for (int h = 0; h < (both ? 2 : 1); ++h)
      flux(slice + rotated_index(h ? j1 : j0, 8), POINTS_2D, lambda, &r->ninth[h], &s->ninth[h],
           &t->ninth[h], &u->ninth[h]);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  BP_SHARED(int, claimed, [2]);
  const slice_pipeline pipeline = {shared, u, factors, elements, full, claimed, false};
  double *u_slot = shared + SLOTS_USED * SLICE_SLOT, *cube = u_slot + NODES_SLOT;

  stagger_start(STAGGER, BLOCKS_PER_SM);
  pipeline_init(&pipeline);
  nodes_start(u_slot, u, elements, u_full);
  int number = bp_thread() == 0 ? scheduler_claim(elements, 1) : 0;

  tile_matrix there = tile_matrix_load(TILE_DERIVATIVE, false),
              back = tile_matrix_load(TILE_DERIVATIVE, true);
  const int q = bp_keep(bp_lane() % 4), n0 = bp_keep(tile_pencil_spread(0)), n1 = n0 + 2;
  const bool in0 = n0 < BP_NQ, in1 = n1 < BP_NQ;
  const int c0 = bp_keep(min(n0, BP_NQ - 1)), c1 = bp_keep(min(n1, BP_NQ - 1));
  pipeline_start(&pipeline);
  tile_matrix_finish(TILE_DERIVATIVE, false, &there);
  tile_matrix_finish(TILE_DERIVATIVE, true, &back);
  if (bp_thread() == 0)
    pipeline_claim_second(&pipeline, number);

  double *to = 0;
  int parity = 0;
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const int e = start.element;
    const size_t first = (size_t)e * NODES_3D;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    boundary(to, e < elements ? u_slot + bulk_offset(first) : 0, &there, &back, cube);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    BP_BARRIER();
    if (bp_thread() == 0) {
      nodes_prefetch(u_slot, u, *item_following(&pipeline, &start), elements, u_full);
      number = scheduler_claim(elements, 1);
    }
    BP_NO_UNROLL
    for (pipeline_item here = item_at(&pipeline, start, bp_warp()); here.n < BP_NC;
         item_advance(&pipeline, &here, WARPS)) {
      double *slab = cube + here.n * SLAB;
      double *row0 = slab + c0 * ROW, *row1 = slab + c1 * ROW;
      const double *f;
      tile_values value, x, r, s, t;
      tile_halves h;

      /* rows of u stay in registers while the s derivative takes its place */
      tile_load(row0, row1, true, q, 1, BP_NQ, &value);
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&there, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &x);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NQ, &x);
      BP_WARP_BARRIER();

      /* rows: the r derivative, the factors */
      tile_load(row0, row1, true, q, 1, BP_NQ, &s);
      tile_load(row0 + CUBE, row1 + CUBE, true, q, 1, BP_NQ, &t);
      tile_split(&value, true, &h);
      tile_apply(&there, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &r);
      f = slice_wait(&pipeline, &here);
      slice_fluxes(f, c0, c1, true, q, lambda, &value, &r, &s, &t);
      tile_replace(row0, row1, in0, in1, q, 1, BP_NQ, &s);
      tile_store(row0 + CUBE, row1 + CUBE, in0, in1, q, 1, BP_NQ, &t);
      item_refill(&pipeline, here);

      /* the transposed s derivative, in place, then the sum */
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NQ, &s);
      tile_split(&s, true, &h);
      tile_apply(&back, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &s);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NQ, &s);
      BP_WARP_BARRIER();
      tile_load(row0, row1, true, q, 1, BP_NQ, &s);
      tile_split(&r, true, &h);
      tile_apply(&back, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &x);
      tile_sum(&value, true, &x);
      tile_sum(&s, true, &x);
      tile_replace(row0, row1, in0, in1, q, 1, BP_NQ, &x);
    }
    if (bp_thread() == 0)
      item_claim_following(&pipeline, &start, number);
    BP_BARRIER();
  }
}
