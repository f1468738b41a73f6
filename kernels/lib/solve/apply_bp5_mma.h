/* apply_bp5_mma.h -- as apply_bp5.h, one element at a time, a warp per slice, contractions on the tensor cores.
 *
 * The operator is that of bp3.5/tensor. Persistent blocks. In shared memory: slices of factors; two cubes for values
 * and t derivatives, which warps take slice by slice; two cubes for p, and for v and then r of the next element. v of an
 * element leaves when the next one has come: both are ends of the same pencils along t. Factors lie as ekcji align 2
 * rotated. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP5_MMA_H
#define BP_KERNELS_SOLVE_APPLY_BP5_MMA_H

#include "lib/contract/mma_tile.h"
#include "lib/operator/flux.h"
#include "lib/pipeline/pipeline_slices.h"
#include "lib/solve/elements.h"
#include "lib/solve/two_kernel.h"

/* Along t, for 16 pencils at a time: back from the cubes to v (of the item before), then from u to
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
      tile_load(at0 + VALUES, at1 + VALUES, true, q, SLAB, BP_NQ, &y);
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
      tile_store(at0 + VALUES, at1 + VALUES, p.has_first, p.has_second, q, SLAB, BP_NQ, &y);
    }
  }
}

/* Where column i of row j of a plane of points lies, where rows are rotated. */
BP_DEVICE int rotated_index(int j, int i)
{
  const int rotated = i + j < BP_NC ? i + j : i + j - BP_NC;
  return j * BP_NC + (BP_NC % 2 ? i : rotated);
}

/* For a tile whose pencils are rows j0 and j1 of the slice, if they exist; the slice's part of p . A p, without what
 * stands in for points that do not exist. */
BP_DEVICE double slice_fluxes(const double *slice, int j0, int j1, bool in0, bool in1, int q,
                              double lambda, tile_values *u, tile_values *r, tile_values *s,
                              tile_values *t)
{
  double energy = 0;
  BP_UNROLL
  for (int n = 0; n < 4; ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC), mirror = BP_NC - 1 - i;
    const bool is_there = (n < 2 ? in0 : in1) && MMA_POSITION(q, n % 2) < BP_HALF(BP_NC);
    const double low = flux_energy(slice + rotated_index(j, i), POINTS_2D, lambda, &r->low[n],
                                   &s->low[n], &t->low[n], &u->low[n]);
    const double high = flux_energy(slice + rotated_index(j, mirror), POINTS_2D, lambda,
                                    &r->high[n], &s->high[n], &t->high[n], &u->high[n]);
    energy += is_there ? low : 0;
    energy += is_there && mirror != i ? high : 0;
  }
  return energy;
}

BP_KERNEL_BOUNDED(apply, THREADS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [SLICE_PIPELINE_BARRIERS(false)]);
  BP_SHARED(int, claimed, [2]);
  BP_SHARED(double, buffer, [32]);
  const slice_pipeline pipeline = {shared, 0, factors, elements, full, claimed, false};
  double *const cube = shared + SLOTS_USED * SLICE_SLOT, *const p_cube = cube + 2 * VALUES,
                *const v_cube = p_cube + NODES_SLOT;

  /* the first slices, r, p, and the ids of the second element are on their way */
  surface_nodes surface;
  item at = {(int)blockIdx.x, 0}, before = {-1, 0};
  bp_let_next_begin();
  pipeline_init(&pipeline);
  surface_start(&surface);
  surface_ids(&surface, at, ids, first, elements);
  if (bp_thread() == 0)
    pipeline_claim_second(
        &pipeline, (int)blockIdx.x); /* the block's second element: blocks take them in turn */
  BP_BARRIER();
  pipeline_start(&pipeline);
  bp_wait_for_previous();
  const int k = counts[COUNT_COMPLETED];
  const double *const p_before = p + (k + HISTORY - 1) % HISTORY * (BP_FIELDS * stride);
  double *const p_now = p + k % HISTORY * (BP_FIELDS * stride);
  element_load(v_cube, p_cube, &surface, at, r, p_before, stride, elements);
  surface_ids(&surface, item_after(at), ids, first, elements);
  tile_matrix there = tile_matrix_load(TILE_DERIVATIVE, false),
              back = tile_matrix_load(TILE_DERIVATIVE, true);
  const double beta = sums_begin(state, counts, residuals, buffer);
  const int q = bp_keep(bp_lane() % 4), n0 = bp_keep(tile_pencil_spread(0)), n1 = n0 + 2;
  const bool in0 = n0 < BP_NQ, in1 = n1 < BP_NQ;
  const int c0 = bp_keep(min(n0, BP_NQ - 1)), c1 = bp_keep(min(n1, BP_NQ - 1));
  tile_matrix_finish(TILE_DERIVATIVE, false, &there);
  tile_matrix_finish(TILE_DERIVATIVE, true, &back);

  double energy = 0;
  for (pipeline_item start = item_start();; item_next_element(&pipeline, &start)) {
    const bool has_now = at.batch < elements;
    const item next = item_after(at);
    if (has_now)
      element_direction(v_cube, p_cube, &surface, at, beta, p_now, stride);
    BP_BARRIER();
    boundary(before.batch >= 0 ? v_cube : 0, has_now ? p_cube : 0, &there, &back, cube);
    BP_BARRIER();
    if (before.batch >= 0)
      element_out(v_cube, &surface, before, ap, copies, stride, elements);
    if (!has_now)
      break;
    element_load(v_cube, p_cube, &surface, next, r, p_before, stride, elements);
    surface_ids(&surface, item_after(next), ids, first, elements);
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
      tile_load(row0 + VALUES, row1 + VALUES, true, q, 1, BP_NQ, &t);
      tile_split(&value, true, &h);
      tile_apply(&there, TILE_DERIVATIVE, BP_NQ, BP_NQ, true, &h, &r);
      f = slice_wait(&pipeline, &here);
      energy += slice_fluxes(f, c0, c1, in0, in1, q, lambda, &value, &r, &s, &t);
      tile_replace(row0, row1, in0, in1, q, 1, BP_NQ, &s);
      tile_store(row0 + VALUES, row1 + VALUES, in0, in1, q, 1, BP_NQ, &t);
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
      if (BP_COMPONENTS == 7)
        tile_sum(&value, true, &x);
      tile_sum(&s, true, &x);
      tile_replace(row0, row1, in0, in1, q, 1, BP_NQ, &x);
    }
    if (bp_thread() == 0)
      item_claim_following(&pipeline, &start, next.batch); /* which comes after the next one */
    BP_BARRIER();
    before = at;
    at = next;
  }
  BP_BARRIER();
  sums_leave(energy, state + SUMS_PAP, buffer);
}

#endif
