/* tensor.h -- persistent blocks whose warps take the slices of an element in turn and stream the factors
 * of their own slices by bulk copies: while a warp computes, its next slices are on their way. Its
 * contractions run on the tensor cores. Layout of the factors: ekcji align 2 rotated. ROOMS: slices that
 * a warp has in shared memory. */
#ifndef BP_KERNELS_TENSOR_H
#define BP_KERNELS_TENSOR_H

#include "slices.h"
#include "tile.h"

/* A warp's slices, one after the other, and which of its rooms is next. */
typedef struct {
  int element, k, room, parity;
} slice_place;

BP_DEVICE slice_place slice_first()
{
  slice_place s = {(int)blockIdx.x, bp_warp(), 0, 0};
  if (s.k >= BP_NC)
    s.element = 0x7fffffff; /* never its turn */
  return s;
}

BP_DEVICE void slice_advance(slice_place *s)
{
  s->k += WARPS;
  if (s->k >= BP_NC) {
    s->k = bp_warp();
    s->element += (int)gridDim.x;
  }
  s->room = s->room + 1 == ROOMS ? 0 : s->room + 1;
  s->parity ^= s->room == 0;
}

/* By one lane of the warp: asks for the slice, if there is one. */
BP_DEVICE void slice_request(double *rooms, const double *factors, const slice_place *s,
                             int elements, bp_mbarrier *full)
{
  if (s->element < elements)
    slice_load(rooms + s->room * SLICE_ROOM, factors, s->element, s->k, elements, &full[s->room]);
}

/* Where column i of row j lies in a plane of a slice. */
BP_DEVICE int slice_index(int j, int i)
{
  const int rotated = i + j < BP_NC ? i + j : i + j - BP_NC;
  return j * BP_NC + (BP_NC % 2 ? i : rotated);
}

/* x becomes W x in a tile whose pencils are rows j0 and j1 of the slice. */
BP_DEVICE void slice_weigh(const double *slice, int j0, int j1, bool both, int q, tile_values *x)
{
  BP_UNROLL
  for (int n = 0; n < (both ? 4 : 2); ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC);
    x->low[n] *= slice[slice_index(j, i)];
    x->high[n] *= slice[slice_index(j, BP_NC - 1 - i)];
  }
  if (NINTH(BP_NC)) {
    BP_UNROLL
    for (int h = 0; h < (both ? 2 : 1); ++h)
      x->ninth[h] *= slice[slice_index(h ? j1 : j0, 8)];
  }
}

#if BP_COMPONENTS == 7
/* The gradient of a point becomes its flux, u becomes lambda W u. */
BP_DEVICE void slice_flux(const double *f, double lambda, double *u, double *r, double *s,
                          double *t)
{
  enum { C = BP_NC * BP_NC };
  const double a = *r, b = *s, c = *t, f1 = f[C], f2 = f[2 * C], f4 = f[4 * C];
  *r = f[0] * a + f1 * b + f2 * c;
  *s = f1 * a + f[3 * C] * b + f4 * c;
  *t = f2 * a + f4 * b + f[5 * C] * c;
  *u = lambda * f[6 * C] * *u;
}

/* For a tile whose pencils are rows j0 and j1 of the slice. */
BP_DEVICE void slice_fluxes(const double *slice, int j0, int j1, bool both, int q, double lambda,
                            tile_values *u, tile_values *r, tile_values *s, tile_values *t)
{
  BP_UNROLL
  for (int n = 0; n < (both ? 4 : 2); ++n) {
    const int j = n < 2 ? j0 : j1, i = tile_position(q, n % 2, BP_NC);
    slice_flux(slice + slice_index(j, i), lambda, &u->low[n], &r->low[n], &s->low[n], &t->low[n]);
    slice_flux(slice + slice_index(j, BP_NC - 1 - i), lambda, &u->high[n], &r->high[n], &s->high[n],
               &t->high[n]);
  }
  if (NINTH(BP_NC)) {
    BP_UNROLL
    for (int h = 0; h < (both ? 2 : 1); ++h)
      slice_flux(slice + slice_index(h ? j1 : j0, 8), lambda, &u->ninth[h], &r->ninth[h],
                 &s->ninth[h], &t->ninth[h]);
  }
}
#endif

/* By all threads, first of all: the block's first slices are on their way. `ahead`: the first not asked
 * for. */
BP_DEVICE slice_place slices_start(double *rooms, const double *factors, int elements,
                                   bp_mbarrier *full)
{
  slice_place ahead = slice_first();
  if (bp_lane() == 0) {
    for (int n = 0; n < ROOMS; ++n)
      bp_mbarrier_start(&full[n], 1);
    bp_mbarrier_fence();
  }
  BP_WARP_BARRIER();
  for (int n = 0; n < ROOMS; ++n) {
    if (bp_lane() == 0)
      slice_request(rooms, factors, &ahead, elements, full);
    slice_advance(&ahead);
  }
  return ahead;
}

#endif
