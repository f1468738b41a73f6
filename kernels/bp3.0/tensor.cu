/* bp3.0/tensor -- a warp per slice; factors by bulk copies; contractions on the tensor cores
 *
 * degrees:  7..15
 * requires: sm_90
 * factors:  ekcji align 2 rotated
 * option:   warps 1..17 = 6 -- warps of a block
 * option:   slices 1..4 = 1 -- slices of factors that a warp has in shared memory at once
 * option:   blocks_per_sm 1..8 = 1 -- blocks that share a multiprocessor
 * option:   in_registers 0..1 = 0 -- u of the next element waits in registers instead of shared memory
 * launch:   apply; threads 32 * warps; blocks elements < sms * blocks_per_sm ? elements : sms * blocks_per_sm; shared 8 * (warps * slices * ((7 * nc*nc + 31) / 16 * 16) + 2 * nc * ((nc * (nq + (nq + 1) % 2) + 3) / 8 * 8 + 4) + (in_registers ? 0 : (nq*nq*nq + 31) / 16 * 16))
 *
 * Interpolation and differentiation along t come first and their transposes last, for the whole element:
 * two cubes in shared memory hold u and its t derivative at the points of t. In between everything
 * belongs to one slice, and a warp goes through it alone: along s, then along r, where the gradient
 * meets the factors in registers, and back. The derivative in a direction is one contraction from nodes
 * to points, by D I. Between s and r three slabs have to pass through the two that there are: what would
 * be the third waits in registers. */
#include "gpu.h"
#define ROOMS SLICES
#include "tensor.h"

enum {
  PLANE = BP_NQ * BP_NQ,
  ROUNDS = (TILES(PLANE) + WARPS - 1) / WARPS, /* of a warp, through the pencils along t */
  ROW = BP_NQ | 1,
  SLAB = (BP_NC * ROW + 3) / 8 * 8 + 4, /* 4 or 12 banks of 16 from one to the next */
  CUBE = BP_NC * SLAB
};

/* Nodes of a plane that a lane's two pencils along t go through, the last one's for pencils beyond it. */
BP_DEVICE int node_of(int tile, int h)
{
  return min(tile * 16 + tile_pencil(h), PLANE - 1);
}

BP_DEVICE void load_nodes(const double *u, int tile, int q, tile_values *x)
{
  tile_load(u + node_of(tile, 0), u + node_of(tile, 1), true, q, PLANE, BP_NQ, x);
}

/* Along t: back from the cubes to v (of the element before), if it is not 0; then from u to the cubes,
 * if `has_next`. u is in `waiting` or, where that is 0, in memory. */
BP_DEVICE void ends(double *v, bool has_next, const double *u, const tile_values *waiting,
                    const tile_operators *m, double *cube)
{
  const int q = bp_lane() % 4;
  BP_UNROLL_IF(IN_REGISTERS)
  for (int n = 0; n < ROUNDS; ++n) {
    const int tile = bp_warp() + n * WARPS;
    if (tile >= TILES(PLANE))
      break;
    const bool valid0 = tile * 16 + tile_pencil(0) < PLANE, valid1 = tile * 16 + tile_pencil(1) < PLANE;
    const int p0 = node_of(tile, 0), p1 = node_of(tile, 1);
    double *at0 = cube + p0 / BP_NQ * ROW + p0 % BP_NQ, *at1 = cube + p1 / BP_NQ * ROW + p1 % BP_NQ;
    tile_values x, y;
    tile_halves h;
    if (v) {
      tile_sums sums;
      tile_zero(&sums);
      tile_load(at0, at1, true, q, SLAB, BP_NC, &y);
      tile_split(&y, true, &h);
      tile_add(&m->value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
      tile_load(at0 + CUBE, at1 + CUBE, true, q, SLAB, BP_NC, &y);
      tile_split(&y, true, &h);
      tile_add(&m->derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
      tile_join(&sums, true, &y);
      tile_store(v + p0, v + p1, valid0, valid1, q, PLANE, BP_NQ, &y);
    }
    if (has_next) {
      if (waiting)
        x = waiting[n];
      else
        load_nodes(u, tile, q, &x);
      tile_split(&x, true, &h);
      tile_apply(&m->value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &y);
      tile_replace(at0, at1, valid0, valid1, q, SLAB, BP_NC, &y);
      tile_apply(&m->derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &y);
      tile_store(at0 + CUBE, at1 + CUBE, valid0, valid1, q, SLAB, BP_NC, &y);
    }
  }
}

BP_KERNEL_BOUNDED(apply, 32 * WARPS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, all_full, [WARPS][SLICES]);
  BP_SHARED(bp_mbarrier, u_full, [1]);
  bp_mbarrier *full = all_full[bp_warp()];
  double *rooms = shared + bp_warp() * SLICES * SLICE_ROOM;
  double *cube = shared + WARPS * SLICES * SLICE_ROOM, *u_room = cube + 2 * CUBE;
  const tile_operators m = tile_operators_of();
  const int q = bp_keep(bp_lane() % 4), i0 = bp_keep(tile_pencil_spread(0)), i1 = i0 + 2;
  const bool in0 = i0 < BP_NQ, in1 = i1 < BP_NQ;
  const int c0 = bp_keep(min(i0, BP_NQ - 1)), c1 = bp_keep(min(i1, BP_NQ - 1));
  enum { ROWS = TILES(BP_NC) }; /* tiles; the second has one row */

  slice_place ahead = slices_start(rooms, factors, elements, full), here = slice_first();
#if IN_REGISTERS
  tile_values waiting[ROUNDS];
  BP_UNROLL
  for (int n = 0; n < ROUNDS; ++n)
    load_nodes(u + (size_t)blockIdx.x * NODES, min(bp_warp() + n * WARPS, TILES(PLANE) - 1), q, &waiting[n]);
#else
  const tile_values *waiting = 0;
  nodes_start(u_room, u, elements, u_full);
#endif

  double *to = 0;
  int parity = 0;
  for (int e = blockIdx.x;; e += gridDim.x) {
    const size_t first = (size_t)e * NODES;
    if (!IN_REGISTERS && e < elements)
      bp_mbarrier_wait(u_full, parity);
    ends(to, e < elements, u_room + span_offset(first), waiting, &m, cube);
    if (e >= elements)
      break;
    to = v + first;
    parity ^= 1;
    BP_BARRIER();
#if IN_REGISTERS
    if (e + (int)gridDim.x < elements) {
      BP_UNROLL
      for (int n = 0; n < ROUNDS; ++n)
        load_nodes(u + (size_t)(e + gridDim.x) * NODES, min(bp_warp() + n * WARPS, TILES(PLANE) - 1), q,
                   &waiting[n]);
    }
#else
    if (bp_thread() == 0)
      nodes_request(u_room, u, e + (int)gridDim.x, elements, u_full);
#endif
    BP_NO_UNROLL
    for (; here.element == e; slice_advance(&here)) {
      double *slab = cube + here.k * SLAB, *slab_t = slab + CUBE;
      const double *room = rooms + here.room * SLICE_ROOM + span_offset(slice_begin(here.element, here.k));
      tile_values x, y, s[ROWS];
      tile_halves h;

      /* along s, to points: the t derivative and, first, the s derivative, which rows then take away */
      tile_load(slab_t + c0, slab_t + c1, true, q, ROW, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &x);
      tile_replace(slab_t + c0, slab_t + c1, in0, in1, q, ROW, BP_NC, &x);
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NQ, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, true, &h, &x);
      tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, true, &h, &y);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NC, &x);
      BP_WARP_BARRIER();
      BP_UNROLL
      for (int tile = 0; tile < ROWS; ++tile) {
        const int k0 = min(16 * tile + i0, BP_NC - 1), k1 = min(16 * tile + i1, BP_NC - 1);
        tile_load(slab + k0 * ROW, slab + k1 * ROW, tile == 0, q, 1, BP_NQ, &x);
        tile_split(&x, tile == 0, &h);
        tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, tile == 0, &h, &s[tile]);
      }
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NC, &y);
      BP_WARP_BARRIER();

      /* along r, to points; the factors; back; the s flux stays */
      BP_UNROLL
      for (int tile = 0; tile < ROWS; ++tile) {
        const bool both = tile == 0;
        const int j0 = 16 * tile + i0, j1 = 16 * tile + i1;
        const int k0 = min(j0, BP_NC - 1), k1 = min(j1, BP_NC - 1);
        tile_values value, r, t;
        tile_sums sums;
        tile_load(slab + k0 * ROW, slab + k1 * ROW, both, q, 1, BP_NQ, &x);
        tile_split(&x, both, &h);
        tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, both, &h, &value);
        tile_apply(&m.derivative, TILE_DERIVATIVE, BP_NQ, BP_NC, both, &h, &r);
        tile_load(slab_t + k0 * ROW, slab_t + k1 * ROW, both, q, 1, BP_NQ, &x);
        tile_split(&x, both, &h);
        tile_apply(&m.value, TILE_VALUE, BP_NQ, BP_NC, both, &h, &t);
        if (tile == 0)
          bp_mbarrier_wait(&full[here.room], here.parity);
        slice_fluxes(room, k0, k1, both, q, lambda, &value, &r, &s[tile], &t);
        tile_zero(&sums);
        tile_split(&value, both, &h);
        tile_add(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
        tile_split(&r, both, &h);
        tile_add(&m.derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
        tile_join(&sums, both, &x);
        tile_replace(slab + k0 * ROW, slab + k1 * ROW, j0 < BP_NC, both && j1 < BP_NC, q, 1, BP_NQ, &x);
        tile_split(&t, both, &h);
        tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, both, &h, &x);
        tile_store(slab_t + k0 * ROW, slab_t + k1 * ROW, j0 < BP_NC, both && j1 < BP_NC, q, 1, BP_NQ,
                   &x);
        tile_split(&s[tile], both, &h);
        tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, both, &h, &s[tile]);
      }
      BP_WARP_BARRIER();
      if (bp_lane() == 0)
        slice_request(rooms, factors, &ahead, elements, full);
      slice_advance(&ahead);

      /* along s, to nodes: first what does not come from the s flux */
      tile_sums sums;
      tile_zero(&sums);
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_add(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, &h, &sums);
      tile_load(slab_t + c0, slab_t + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_apply(&m.value_back, TILE_VALUE, BP_NC, BP_NQ, true, &h, &x);
      tile_replace(slab_t + c0, slab_t + c1, in0, in1, q, ROW, BP_NQ, &x);
      BP_WARP_BARRIER();
      BP_UNROLL
      for (int tile = 0; tile < ROWS; ++tile) {
        const int j0 = 16 * tile + i0, j1 = 16 * tile + i1;
        const int k0 = min(j0, BP_NC - 1), k1 = min(j1, BP_NC - 1);
        tile_store(slab + k0 * ROW, slab + k1 * ROW, j0 < BP_NC, tile == 0 && j1 < BP_NC, q, 1, BP_NQ,
                   &s[tile]);
      }
      BP_WARP_BARRIER();
      tile_load(slab + c0, slab + c1, true, q, ROW, BP_NC, &x);
      tile_split(&x, true, &h);
      tile_add(&m.derivative_back, TILE_DERIVATIVE, BP_NC, BP_NQ, &h, &sums);
      tile_join(&sums, true, &x);
      tile_replace(slab + c0, slab + c1, in0, in1, q, ROW, BP_NQ, &x);
    }
    BP_BARRIER();
  }
}
