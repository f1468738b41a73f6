/* bp1.0/tiles -- whole elements come by bulk copies; tiles of 16 pencils on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji rotated
 * option:   warps 1..17 = 8 -- warps of a block
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * ((nq*nq*nq + 31) / 16 * 16 + (nc*nc*nc + 31) / 16 * 16 + nc * (nq == 14 ? 220 : (nc * (nq == 11 ? 12 : nq == 12 ? 12 : nq + (nq + 1) % 2) + 3) / 8 * 8 + 4))
 *
 * The passes of stream.cu over a cube in shared memory, all pencils of a direction in tiles of 16: only the last
 * tile of a pass has some to spare, where a slice of 17 by 17 points has a second tile for one row. */
#include "gpu.h"
#include "tile.h"
#define ELEMENTS_PER_BLOCK 1
#define STAGES             1
#include "stream.h"

/* Rows, slabs and the pencils of a lane are what has few bank conflicts. */
enum {
  PLANE = BP_NQ * BP_NQ,
  ROW = BP_NQ == 11 || BP_NQ == 12 ? 12 : BP_NQ == 14 ? 14 : BP_NQ | 1,
  SLAB = BP_NQ == 14 ? BP_NC * ROW + 10 : (BP_NC * ROW + 3) / 8 * 8 + 4
};

BP_DEVICE int pencil_along_s(int h)
{
  return BP_NQ == 14 ? tile_pencil_pairs(h) : ROW % 2 ? tile_pencil_spread(h) : tile_pencil(h);
}

BP_DEVICE int pencil_along_r(int h)
{
  return BP_NQ == 14 ? tile_pencil_even(h) : ROW % 2 ? tile_pencil_spread(h) : tile_pencil(h);
}

#include "ends.h"

/* Along s, in place. */
BP_DEVICE void middle(const tile_matrix *matrix, int inputs, int outputs, double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(BP_NC * BP_NQ); tile += WARPS) {
    const tile_pair p = tile_pair_of(tile, pencil_along_s(0), pencil_along_s(1), BP_NC * BP_NQ);
    double *at0 = cube + p.first / BP_NQ * SLAB + p.first % BP_NQ;
    double *at1 = cube + p.second / BP_NQ * SLAB + p.second % BP_NQ;
    tile_values x;
    tile_halves h;
    tile_load(at0, at1, true, q, ROW, inputs, &x);
    tile_split(&x, true, &h);
    tile_apply(matrix, TILE_VALUE, inputs, outputs, true, &h, &x);
    tile_replace(at0, at1, p.has_first, p.has_second, q, ROW, outputs, &x);
  }
}

/* Pencil h of the tile, which is row p of the points. */
BP_DEVICE void weigh(const double *w, int p, int h, int q, tile_values *x)
{
  const int j = p % BP_NC;
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const int i = tile_position(q, m, BP_NC);
    x->low[2 * h + m] *= w[(p - j) * BP_NC + rotated_index(j, i)];
    x->high[2 * h + m] *= w[(p - j) * BP_NC + rotated_index(j, BP_NC - 1 - i)];
  }
  if (NINTH(BP_NC))
    x->ninth[h] *= w[p * BP_NC + 8];
}

/* Along r there, the weights, and back. */
BP_DEVICE void points(const double *w, const tile_matrix *there, const tile_matrix *back, double *cube)
{
  const int q = bp_lane() % 4;
  BP_NO_UNROLL
  for (int tile = bp_warp(); tile < TILES(BP_NC * BP_NC); tile += WARPS) {
    const tile_pair p = tile_pair_of(tile, pencil_along_r(0), pencil_along_r(1), BP_NC * BP_NC);
    double *at0 = cube + p.first / BP_NC * SLAB + p.first % BP_NC * ROW;
    double *at1 = cube + p.second / BP_NC * SLAB + p.second % BP_NC * ROW;
    tile_values x;
    tile_halves h;
    tile_load(at0, at1, true, q, 1, BP_NQ, &x);
    tile_split(&x, true, &h);
    tile_apply(there, TILE_VALUE, BP_NQ, BP_NC, true, &h, &x);
    weigh(w, p.first, 0, q, &x);
    weigh(w, p.second, 1, q, &x);
    tile_split(&x, true, &h);
    tile_apply(back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
    tile_replace(at0, at1, p.has_first, p.has_second, q, 1, BP_NQ, &x);
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, room);
  BP_SHARED(stream_barriers, full, [1]);
  double *cube = room + STAGE;
  start_stream(room, u, factors, elements, full);
  const tile_matrix there = tile_matrix_of(TILE_VALUE, false), back = tile_matrix_of(TILE_VALUE, true);

  double *to = 0;
  int parity = 0;
  for (int e = blockIdx.x;; e += gridDim.x) {
    const bool has_next = e < elements;
    if (has_next)
      bp_mbarrier_wait(full->u_full, parity);
    ends(to, has_next ? room + span_offset((size_t)e * NODES) : 0, &there, &back, cube);
    if (!has_next)
      break;
    BP_BARRIER();
    stream_next_u(room, u, e, elements, full->u_full);
    middle(&there, BP_NQ, BP_NC, cube);
    BP_BARRIER();
    bp_mbarrier_wait(full->factors_full, parity);
    points(room + U_ROOM + span_offset((size_t)e * FACTORS), &there, &back, cube);
    BP_BARRIER();
    stream_next_factors(room, factors, e, elements, full->factors_full);
    middle(&back, BP_NC, BP_NQ, cube);
    BP_BARRIER();
    to = v + (size_t)e * NODES;
    parity ^= 1;
  }
}
