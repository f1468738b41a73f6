/* bp3.0/mma-transposed -- a warp per slice, to the points in registers; contractions on the tensor cores
 *
 * degrees:  7..14
 * factors:  ekcji align 2 transposed
 * option:   warps 1..17 = 4 -- warps of a block
 * option:   slots 1..4 = 1 -- slices of factors in shared memory at once, of each warp
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   stagger 0..127 = 0 -- clocks from the start of one block to that of the next
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     mma_order = 1 -- positions of a lane, see mma_tile.h
 * size:     row = (nq + 1) / 4 * 4 + 2 -- doubles from row to row of a cube
 * size:     slab = (nq * row + 3) / 8 * 8 + 4 -- from slab to slab: 4 or 12 banks of 16
 * size:     cube = nc * slab -- from the cube of values to that of t derivatives
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared real * (warps * slots * slice_slot + 2 * cube + nodes_slot)
 *
 * As tensor.cu, but within a slice no values pass through shared memory. The rows of a slice come from the two
 * cubes, are contracted along r by products that transpose the tile (mma_transposed.h), then along s, take the
 * factors, and go the same way back. That costs a third more products and saves two thirds of the loads and stores. */
#include "lib/contract/mma_transposed.h"
#include "lib/operator/bp30_mma_boundary.h"
#include "lib/operator/flux.h"
#include "lib/pipeline/pipeline_per_warp.h"
#include "lib/schedule/stagger.h"
#include "lib/schedule/tile_scheduler.h"

/* factor times the matrix */
BP_DEVICE tile_matrix tile_scaled(const tile_matrix *m, double factor)
{
  tile_matrix s = *m;
  BP_UNROLL
  for (int n = 0; n < 2; ++n) {
    s.even[n] = bp_keep(factor * m->even[n]);
    s.odd[n] = bp_keep(factor * m->odd[n]);
  }
  return s;
}

/* Of position m or its mirror images. */
BP_DEVICE void slice_fluxes(double *slice, const transposed_offsets *p, int m, bool mirrored,
                            double lambda, tile_values *u, tile_values *r, tile_values *s,
                            tile_values *t)
{
  double f[2][BP_COMPONENTS];
  BP_UNROLL
  for (int c = 0; c < BP_COMPONENTS; ++c) {
    double both[2];
    transposed_factors(slice + c * POINTS_2D, p, m, mirrored, both);
    f[0][c] = both[0];
    f[1][c] = both[1];
  }
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const int n = 2 * h + m;
    if (mirrored)
      flux(f[h], 1, lambda, &r->high[n], &s->high[n], &t->high[n], &u->high[n]);
    else
      flux(f[h], 1, lambda, &r->low[n], &s->low[n], &t->low[n], &u->low[n]);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [WARPS * SLOTS]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  BP_SHARED(int, claimed, [1]);
  double *cube = shared + WARPS * SLOTS * SLICE_SLOT, *u_slot = cube + 2 * CUBE;

  const cube_layout layout = {ROW, SLAB, CUBE};

  stagger_start(STAGGER, BLOCKS_PER_SM);
  if (bp_thread() == 0)
    warp_pipeline_init(full);
  nodes_start(u_slot, u, elements, u_full);
  const bool producer = bp_thread() == 32 * LEAST_WARP;
  int number = producer ? scheduler_claim(elements, 0) : 0;

  tile_operators m = tile_operators_load();
  const int q = bp_keep(bp_lane() % 4), node = MMA_OUTPUT(bp_lane() / 4);
  const bool is_node = node < BP_HALF(BP_NQ);
  const int row = is_node ? node : MMA_OUTPUT(bp_lane() / 16 * 4);
  const tile_offsets rows = tile_offsets_of(row * ROW, (BP_NQ - 1 - row) * ROW, 1, BP_NQ);
  const transposed_offsets places = transposed_offsets_of();
  warp_pipeline slots = warp_pipeline_start(shared, factors, elements, full);
  tile_operators_finish(&m);
  const tile_matrix scaled = tile_scaled(&m.value, lambda);
  const tile_stacked stacked = tile_stacked_of(&m.value, &m.derivative);
  const tile_whole value_back = tile_whole_of(TILE_VALUE, &m.value_back);
  const tile_whole derivative_back = tile_whole_of(TILE_DERIVATIVE, &m.derivative_back);

  double *to = 0;
  int parity = 0, e = (int)blockIdx.x;
  for (;;) {
    const size_t first = (size_t)e * NODES_3D;
    if (e < elements)
      bp_mbarrier_wait(u_full, parity);
    boundary(to, e < elements ? u_slot + slot_offset(first) : 0, &m, cube, layout);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    if (producer)
      scheduler_next(&number, elements, claimed);
    BP_BARRIER();
    const int next = *claimed;
    if (bp_warp() == LEAST_WARP)
      nodes_prefetch(u_slot, u, next, elements, u_full);
    warp_pipeline_element(&slots);
    BP_NO_UNROLL
    for (int k = bp_warp(); k < BP_NC; k += WARPS) {
      const warp_slice here = {e, k};
      const tile_pointers at = tile_pointers_at(cube + k * SLAB, &rows, 1, 0),
                          at_t = tile_pointers_moved(&at, CUBE);
      tile_values x, value, r, s, t;
      tile_halves h, d;

      /* along r, then s, to points */
      tile_read(&at, 1, BP_NQ, &x);
      tile_transpose(&stacked, &x, &h, &d);
      tile_apply(&scaled, TILE_VALUE, BP_NQ, BP_NC, &h, &value);
      tile_apply(&m.derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, &h, &s);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, &d, &r);
      tile_read(&at_t, 1, BP_NQ, &x);
      tile_transpose(&stacked, &x, &h, 0);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, &h, &t);
      double *f = warp_pipeline_wait(&slots, here);
      slice_fluxes(f, &places, 0, false, 1, &value, &r, &s, &t);
      slice_fluxes(f, &places, 0, true, 1, &value, &r, &s, &t);
      BP_WARP_BARRIER(); /* not more loads at once than registers */
      slice_fluxes(f, &places, 1, false, 1, &value, &r, &s, &t);
      slice_fluxes(f, &places, 1, true, 1, &value, &r, &s, &t);
      warp_pipeline_refill(&slots, factors, e, next, elements);

      /* along s, then r, to nodes */
      tile_transpose_whole(&value_back, &t, &x);
      tile_split(&x, &h);
      tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &x);
      tile_write(&at_t, is_node, is_node, q, 1, BP_NQ, &x);
      double p[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
      tile_transpose_add(&value_back, &value, p);
      tile_transpose_add(&derivative_back, &s, p);
      tile_from_sums(p, &value);
      tile_transpose_whole(&value_back, &r, &r);
      tile_back(&m, &value, &r, &x);
      tile_write(&at, is_node, is_node, q, 1, BP_NQ, &x);
    }
    BP_BARRIER();
    e = next;
  }
}
