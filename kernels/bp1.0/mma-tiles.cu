/* bp1.0/mma-tiles -- whole elements come by bulk copies; tiles of 16 pencils on the tensor cores
 *
 * degrees:  7..14
 * requires: sm_90
 * factors:  ecjki tiled 16
 * option:   warps 1..17 = 8 -- warps of a block
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     u_slot = slot(nq*nq*nq) -- doubles of a slot for u of a batch
 * size:     batch_slot = u_slot + slot(nc*nc*nc) -- doubles of a batch in shared memory
 * size:     slab = nq == 12 ? 12 * nc : (nc * tile_row + 3) / 8 * 8 + 4 -- doubles from slab to slab of the cube
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared 8 * (batch_slot + nc * slab)
 *
 * Five passes over a cube in shared memory. A pass takes all pencils of a direction in tiles of 16, across slabs, so
 * that only the last tile has unused pencils. The first and last pass are along s, where u, as the bulk copy left
 * it, has no bank conflicts for N = 11. So slabs of the cube have j fixed, and rows k. */
#include "lib/contract/mma_layout.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/tile_scheduler.h"

enum { WHOLE_TILES = POINTS_2D / 16 };

/* The lane's two pencils of nodes along s or t, or stand-ins: slab (or plane) and column. */
typedef struct {
  int slab[2], column[2];
  bool valid[2];
} pencil_pair;

/* In the tile that has `first` of `count` pencils for its first one. */
BP_DEVICE pencil_pair pencils_of(int first, int count)
{
  const int g = bp_lane() / 4, half = g / 4 * 4;
  pencil_pair p;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const int n = first + tile_pencil_s(g, h);
    const int read = tile_stand_in(n, first + tile_pencil_s(half, h), count);
    p.slab[h] = read / BP_NQ;
    p.column[h] = read % BP_NQ;
    p.valid[h] = n < count;
  }
  return p;
}

/* Of 16 pencils along s: from the cube to v (of the element before), then from u to the cube. Where there are
 * both, the products of one hide those of the other. */
BP_DEVICE void boundary_tile(bool has_v, bool has_u, double *v, double *u, const pencil_pair *p,
                             const tile_matrix *there, const tile_matrix *back, double *cube)
{
  const int q = bp_lane() % 4;
  const int n0 = p->slab[0] * NODES_2D + p->column[0], n1 = p->slab[1] * NODES_2D + p->column[1];
  const tile_pointers c =
      tile_pointers_of(cube + p->slab[0] * TILE_ROW + p->column[0],
                       cube + p->slab[1] * TILE_ROW + p->column[1], q, SLAB, BP_NC);
  const tile_pointers in = tile_pointers_of(u + n0, u + n1, q, BP_NQ, BP_NQ);
  const tile_pointers out = tile_pointers_of(v + n0, v + n1, q, BP_NQ, BP_NQ);
  tile_values x, y;
  if (has_v)
    tile_read(&c, SLAB, BP_NC, &x);
  if (has_u)
    tile_read(&in, BP_NQ, BP_NQ, &y);
  if (has_v)
    tile_contract(back, BP_NC, BP_NQ, &x);
  if (has_u) {
    tile_contract(there, BP_NQ, BP_NC, &y);
    tile_write(&c, p->valid[0], p->valid[1], q, SLAB, BP_NC, &y);
  }
  if (has_v)
    tile_write_both(&out, p->valid[0], p->valid[1], q, BP_NQ, BP_NQ, &x);
}

/* Of all pencils along s; `v` or `u` may be 0: then the other stands for it, unused. */
BP_DEVICE void boundary(double *v, double *u, const tile_matrix *there, const tile_matrix *back,
                        double *cube)
{
  BP_NO_UNROLL
  for (int first = 16 * bp_warp(); first < NODES_2D; first += 16 * WARPS) {
    const pencil_pair p = pencils_of(first, NODES_2D);
    if (v && u)
      boundary_tile(true, true, v, u, &p, there, back, cube);
    else if (v)
      boundary_tile(true, false, v, v, &p, there, back, cube);
    else
      boundary_tile(false, true, u, u, &p, there, back, cube);
  }
}

/* Along t, in place. */
BP_DEVICE void middle(const tile_matrix *matrix, int inputs, int outputs, double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int first = 16 * bp_warp(); first < BP_NC * BP_NQ; first += 16 * WARPS) {
    const pencil_pair p = pencils_of(first, BP_NC * BP_NQ);
    double *at0 = cube + p.slab[0] * SLAB + p.column[0],
           *at1 = cube + p.slab[1] * SLAB + p.column[1];
    const tile_pointers in = tile_pointers_of(at0, at1, q, TILE_ROW, inputs);
    const tile_pointers out = tile_pointers_of(at0, at1, q, TILE_ROW, outputs);
    tile_values x;
    tile_read(&in, TILE_ROW, inputs, &x);
    tile_contract(matrix, inputs, outputs, &x);
    tile_write(&out, p.valid[0], p.valid[1], q, TILE_ROW, outputs, &x);
  }
}

/* Where the lane's factors of a whole tile are, from its beginning. */
typedef struct {
  tile_offsets first, second;
} weight_offsets;

BP_DEVICE weight_offsets weight_offsets_of()
{
  weight_offsets w;
  BP_UNROLL
  for (int h = 0; h < 2; ++h)
    tile_factor_offsets(tile_pencil(h), h, 16, 1, &w.first, &w.second);
  return w;
}

BP_DEVICE void weigh(double *from, const weight_offsets *w, tile_values *x)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    x->low[2 * h] *= *tile_at(from, w->first.low[h]);
    x->high[2 * h] *= *tile_at(from, w->first.high[h]);
    x->low[2 * h + 1] *= *tile_at(from, w->second.low[h]);
    x->high[2 * h + 1] *= *tile_at(from, w->second.high[h]);
  }
}

/* The lane's rows p of those that no whole tile has lie one after the other. */
BP_DEVICE void weigh_rest(double *from, int p0, int p1, int q, tile_values *x)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const double *row = from + (h ? p1 : p0) * BP_NC;
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      const int i = min(q + 4 * m, BP_HALF(BP_NC) - 1);
      x->low[2 * h + m] *= row[i];
      x->high[2 * h + m] *= row[BP_NC - 1 - i];
    }
  }
}

/* Along r there, the weights, and back. */
BP_DEVICE void points(double *w, const tile_matrix *there, const tile_matrix *back,
                      const weight_offsets *weights, double *cube)
{
  const int at0 = tile_pencil(0), at1 = tile_pencil(1), q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(POINTS_2D); tile += WARPS) {
    const int p0 = 16 * tile + at0, p1 = 16 * tile + at1, c0 = min(p0, POINTS_2D - 1),
              c1 = min(p1, POINTS_2D - 1);
    double *row0 = cube + c0 * TILE_ROW, *row1 = cube + c1 * TILE_ROW;
    if (SLAB != BP_NC * TILE_ROW) {
      row0 = cube + c0 / BP_NC * SLAB + c0 % BP_NC * TILE_ROW;
      row1 = cube + c1 / BP_NC * SLAB + c1 % BP_NC * TILE_ROW;
    }
    const tile_pointers r = tile_pointers_of(row0, row1, q, 1, BP_NQ);
    tile_values x;
    tile_read(&r, 1, BP_NQ, &x);
    tile_contract(there, BP_NQ, BP_NC, &x);
    if (tile < WHOLE_TILES)
      weigh(w + 16 * tile * BP_NC, weights, &x);
    else
      weigh_rest(w, c0, c1, q, &x);
    tile_contract(back, BP_NC, BP_NQ, &x);
    tile_write(&r, p0 < POINTS_2D, p1 < POINTS_2D, q, 1, BP_NQ, &x);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, slot);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  double *cube = slot + BATCH_SLOT;
  BP_SHARED(int, claimed, [1]);
  const batch_pipeline pipeline = {
      u,      factors,    elements,        slot, full, 1, 1, ELEMENT_FACTORS,
      U_SLOT, BATCH_SLOT, 32 * (WARPS - 1)};
  batches_start_u(&pipeline);
  int number = bp_thread() == pipeline.producer ? scheduler_claim(elements, 0) : 0;
  tile_matrix there = tile_matrix_load(TILE_VALUE, false),
              back = tile_matrix_load(TILE_VALUE, true);
  const weight_offsets weights = weight_offsets_of();
  batches_start_factors(&pipeline);
  tile_matrix_finish(TILE_VALUE, false, &there);
  tile_matrix_finish(TILE_VALUE, true, &back);

  double *to = 0;
  int parity = 0, e = (int)blockIdx.x;
  for (;;) {
    const bool has_next = e < elements;
    if (has_next)
      batch_wait_u(&pipeline, 0, parity);
    boundary(to, has_next ? slot + bulk_offset((size_t)e * NODES_3D) : 0, &there, &back, cube);
    if (!has_next)
      break;
    if (bp_thread() == pipeline.producer)
      scheduler_next(&number, elements, claimed);
    BP_BARRIER();
    const int next = *claimed;
    batch_next_u(&pipeline, 0, next);
    middle(&there, BP_NQ, BP_NC, cube);
    BP_BARRIER();
    batch_wait_factors(&pipeline, 0, parity);
    points(slot + U_SLOT + bulk_offset((size_t)e * ELEMENT_FACTORS), &there, &back, &weights, cube);
    BP_BARRIER();
    batch_next_factors(&pipeline, 0, next);
    middle(&back, BP_NC, BP_NQ, cube);
    BP_BARRIER();
    to = v + (size_t)e * NODES_3D;
    e = next;
    parity ^= 1;
  }
}
