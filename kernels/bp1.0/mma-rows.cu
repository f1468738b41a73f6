/* bp1.0/mma-rows -- as mma-tiles, from rows of 16 nodes, read and written two at a time
 *
 * degrees:  15..15
 * requires: sm_90
 * factors:  ecikj align 2 tiled 16x8
 * option:   warps 1..17 = 9 -- warps of a block
 * option:   blocks_per_sm 1..8 = 2 -- blocks that share a multiprocessor
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     mma_order = 2 -- positions of a lane, see mma_tile.h: two neighbours
 * size:     u_slot = slot(nq*nq*nq) -- doubles of a slot for u of a batch
 * size:     batch_slot = u_slot + slot(((nc*nc*nc + 1) / 2 * 2)) -- doubles of a batch in shared memory
 * launch:   apply; threads 32 * warps; blocks min(elements, sms * blocks_per_sm); shared 8 * (batch_slot + nc*nc*nc)
 *
 * Five passes over a cube in shared memory: along r, t, s to the points and back, t, r. With 16 nodes all planes and
 * rows of u begin in the same bank; only along a row banks differ. So lanes hold pairs of neighbours along rows, and
 * u is read and v written two nodes at a time. Rows of the cube have 17 doubles and slabs (i fixed) 17 rows, so that
 * consecutive pencils and rows begin in consecutive banks. */
#include "lib/contract/mma_tile.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/tile_scheduler.h"

enum {
  FACTORS = (POINTS_3D + 1) / 2 * 2, /* of an element */
  ROW = BP_NC,
  SLAB = POINTS_2D,
  WHOLE_TILES = POINTS_2D / 16
};

/* The lane's first pencil of a tile; the second is 4 further. Half a warp has pencils 0, 1, 8 and 9, or
 * two more. */
BP_DEVICE int lane_pencil()
{
  const int g = bp_lane() / 4;
  return g % 2 + g / 2 % 2 * 8 + g / 4 * 2;
}

/* Pencils n long of which the lane's first two positions are at `low` and `low` + step, their mirror
 * images at `high` and `high` - step; the second pencil is `next` further. */
BP_DEVICE void read(const double *low, const double *high, const double *ninth, int step, int next,
                    int n, tile_values *x)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    BP_UNROLL
    for (int m = 0; m < 2; ++m) {
      x->low[2 * h + m] = low[h * next + m * step];
      x->high[2 * h + m] = high[h * next - m * step];
    }
    if (NINTH(n))
      x->ninth[h] = ninth[h * next];
  }
}

/* When all lanes have read. */
BP_DEVICE void write(double *low, double *high, double *ninth, int step, int next, int n,
                     bool valid0, bool valid1, int q, const tile_values *x)
{
  BP_WARP_BARRIER();
  BP_UNROLL
  for (int h = 0; h < 2; ++h)
    if (h ? valid1 : valid0) {
      BP_UNROLL
      for (int m = 0; m < 2; ++m) {
        low[h * next + m * step] = x->low[2 * h + m];
        high[h * next - m * step] = x->high[2 * h + m];
      }
      if (NINTH(n) && q == 0)
        ninth[h * next] = x->ninth[h];
    }
}

/* Along r: from the cube to v (of the element before), then from u to the cube; either may be 0. A tile
 * has the rows of a plane. Two rows that lanes read at once have the same banks: one of them begins with
 * its second half. */
BP_DEVICE void boundary(double *v, const double *u, const tile_matrix *there,
                        const tile_matrix *back, double *cube)
{
  const int q = bp_lane() % 4, pencil = lane_pencil(), at = pencil * BP_NQ;
  const bool reversed = pencil % 2;
  const int first = at + (reversed ? BP_NQ - 2 - 2 * q : 2 * q),
            second = at + (reversed ? 2 * q : BP_NQ - 2 - 2 * q);
  double *low = cube + pencil + 2 * q * SLAB, *high = cube + pencil + (BP_NC - 1 - 2 * q) * SLAB;
  double *ninth = cube + pencil + 8 * SLAB;
  BP_NO_UNROLL
  for (int k = bp_warp(); k < BP_NQ; k += WARPS) {
    tile_values x;
    if (v) {
      read(low + k * ROW, high + k * ROW, ninth + k * ROW, SLAB, 4, BP_NC, &x);
      tile_contract(back, BP_NC, BP_NQ, &x);
      double *row = v + k * NODES_2D + at;
      BP_UNROLL
      for (int h = 0; h < 2; ++h) {
        *(double2 *)(row + 4 * h * BP_NQ + 2 * q) = make_double2(x.low[2 * h], x.low[2 * h + 1]);
        *(double2 *)(row + 4 * h * BP_NQ + BP_NQ - 2 - 2 * q) =
            make_double2(x.high[2 * h + 1], x.high[2 * h]);
      }
    }
    if (u) {
      BP_UNROLL
      for (int h = 0; h < 2; ++h) {
        const double *plane = u + k * NODES_2D + 4 * h * BP_NQ;
        const double2 a = *(const double2 *)(plane + first), b = *(const double2 *)(plane + second);
        x.low[2 * h] = reversed ? b.x : a.x;
        x.low[2 * h + 1] = reversed ? b.y : a.y;
        x.high[2 * h] = reversed ? a.y : b.y;
        x.high[2 * h + 1] = reversed ? a.x : b.x;
      }
      tile_contract(there, BP_NQ, BP_NC, &x);
      write(low + k * ROW, high + k * ROW, ninth + k * ROW, SLAB, 4, BP_NC, true, true, q, &x);
    }
  }
}

/* Along s there, the weights, and back: rows of which the lane's first two nodes are at `low` and their
 * mirror images at `high`, with weights at `f`, `f` + mirror and, in the middle, f_ninth; its second row
 * is `next` further, or the same. */
BP_DEVICE void weigh_rows(double *low, double *high, const double *f, const double *f_ninth,
                          int mirror, bool whole, bool valid, const tile_matrix *there,
                          const tile_matrix *back)
{
  const int q = bp_lane() % 4, next = whole ? 4 * ROW : 0;
  tile_values x;
  read(low, high, 0, 1, next, BP_NQ, &x);
  tile_contract(there, BP_NQ, BP_NC, &x);
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const double2 a = *(const double2 *)(f + (whole ? 4 * 8 * h : 0));
    const double2 b = *(const double2 *)(f + (whole ? 4 * 8 * h : 0) + mirror);
    x.low[2 * h] *= a.x;
    x.low[2 * h + 1] *= a.y;
    x.high[2 * h] *= b.x;
    x.high[2 * h + 1] *= b.y;
    x.ninth[h] *= f_ninth[whole ? 4 * h : 0];
  }
  tile_contract(back, BP_NC, BP_NQ, &x);
  write(low, high, 0, 1, next, BP_NQ, valid, whole, q, &x);
}

/* All rows of points but the last one. */
BP_DEVICE void points(const double *w, const tile_matrix *there, const tile_matrix *back,
                      double *cube)
{
  const int pencil = lane_pencil(), q = bp_lane() % 4;
  double *low = cube + pencil * ROW + 2 * q, *high = cube + pencil * ROW + BP_NQ - 1 - 2 * q;
  const double *f = w + 8 * pencil + 2 * q, *f_ninth = w + 16 * 16 + pencil;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < WHOLE_TILES; tile += WARPS)
    weigh_rows(low + 16 * tile * ROW, high + 16 * tile * ROW, f + 16 * tile * BP_NC,
               f_ninth + 16 * tile * BP_NC, 16 * 8, true, true, there, back);
}

/* The last one, which would need a tile of its own. */
BP_DEVICE void last_row(const double *w, const tile_matrix *there, const tile_matrix *back,
                        double *cube)
{
  const int q = bp_lane() % 4;
  double *row = cube + (POINTS_2D - 1) * ROW;
  const double *f = w + (POINTS_2D - 1) * BP_NC;
  weigh_rows(row + 2 * q, row + BP_NQ - 1 - 2 * q, f + 2 * q, f + 16, 8, false, lane_pencil() == 0,
             there, back);
}

/* Along t, in place. A tile has the pencils of a slab. The last slab is the last warp's first one. */
BP_DEVICE void middle(const tile_matrix *matrix, int inputs, int outputs, double *cube)
{
  const int q = bp_lane() % 4;
  double *first = cube + lane_pencil(), *low = first + 2 * q * ROW,
         *high = low + (BP_NQ - 1 - 4 * q) * ROW;
  BP_NO_UNROLL
  for (int n = bp_warp(); n < BP_NC; n += WARPS) {
    const int slab = (n == WARPS - 1 ? BP_NC - 1 : n == BP_NC - 1 ? WARPS - 1 : n) * SLAB;
    tile_values x;
    read(low + slab, high + slab + (inputs - BP_NQ) * ROW, first + slab + 8 * ROW, ROW, 4, inputs,
         &x);
    tile_contract(matrix, inputs, outputs, &x);
    write(low + slab, high + slab + (outputs - BP_NQ) * ROW, first + slab + 8 * ROW, ROW, 4,
          outputs, true, true, q, &x);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BP_MMA_BLOCKS(BLOCKS_PER_SM, WARPS))
{
  BP_DYNAMIC_SHARED(double, slot);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  double *cube = slot + BATCH_SLOT;
  BP_SHARED(int, claimed, [1]);
  const batch_pipeline pipeline = {u, factors, elements, slot,       full, 1,
                                   1, FACTORS, U_SLOT,   BATCH_SLOT, 0};
  batches_start_u(&pipeline);
  int number = bp_thread() == 0 ? scheduler_claim(elements, 0) : 0;
  tile_matrix there = tile_matrix_load(TILE_VALUE, false),
              back = tile_matrix_load(TILE_VALUE, true);
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
    if (bp_thread() == 0)
      scheduler_next(&number, elements, claimed);
    BP_BARRIER();
    const int next = *claimed;
    batch_next_u(&pipeline, 0, next);
    const double *w = slot + U_SLOT + bulk_offset((size_t)e * FACTORS);
    middle(&there, BP_NQ, BP_NC, cube);
    if (bp_warp() == WARPS - 1) { /* it has fewer slabs than others, or not more */
      batch_wait_factors(&pipeline, 0, parity);
      BP_WARP_BARRIER();
      last_row(w, &there, &back, cube);
    }
    BP_BARRIER();
    batch_wait_factors(&pipeline, 0, parity);
    points(w, &there, &back, cube);
    BP_BARRIER();
    batch_next_factors(&pipeline, 0, next);
    middle(&back, BP_NC, BP_NQ, cube);
    BP_BARRIER();
    to = v + (size_t)e * NODES_3D;
    e = next;
    parity ^= 1;
  }
}
