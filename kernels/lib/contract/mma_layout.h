/* mma_layout.h -- where the values of a tile's pencils are: cubes in shared memory with few bank
 * conflicts, pointers and offsets that a lane computes once, factors in the order in which lanes read
 * them.
 *
 *   tile_offsets (once per kernel)  --tile_pointers_at(slab)-->  tile_pointers  --tile_read-->   tile_values
 *                                                                               <--tile_write--
 *
 * tile_load and tile_store of mma_tile.h do the same from the addresses of two pencils, without offsets kept in
 * registers.
 *
 * size: tile_row = nq % 8 == 0 ? nq + 1 : nq -- doubles from row to row of a cube */
#ifndef BP_KERNELS_MMA_LAYOUT_H
#define BP_KERNELS_MMA_LAYOUT_H

#include "lib/contract/mma_tile.h"

/* Half a warp reads four pencils at four positions at once. Which pencils these are, of the 16 of a
 * tile, is chosen so that all 16 values lie in different banks: they are TILE_SPACING rows or columns
 * from each other. Pencils that a direction does not have are replaced by ones that keep this. */
#define TILE_SPACING (TILE_ROW % 2 ? 4 : TILE_ROW % 4 == 2 ? 2 : 1)

/* The h-th of the pencils along t, s and r of lanes 4g..4g+3. */
BP_DEVICE int tile_pencil_t(int g, int h)
{
  return BP_NQ % 2 ? g % 4 * 4 + g / 4 + 2 * h : g + 8 * h;
}

BP_DEVICE int tile_pencil_s(int g, int h)
{
  return TILE_SPACING == 4   ? g % 4 * 4 + g / 4 + 2 * h
         : TILE_SPACING == 2 ? g % 2 + g / 2 % 2 * 8 + g / 4 * 2 + 4 * h
                             : g + 8 * h;
}

BP_DEVICE int tile_pencil_r(int g, int h)
{
  return TILE_SPACING == 4 ? g % 4 * 4 + g / 4 + 2 * h : TILE_SPACING == 2 ? 2 * g + h : g + 8 * h;
}

/* Pencil p of `count`, or one that stands in for it: the first of its half warp, which is read anyway. */
BP_DEVICE int tile_stand_in(int p, int first, int count)
{
  return p < count ? p : min(first, count - 1);
}

/* Where the lane's values of its two pencils are: the first position, its mirror image, that of the
 * second; the ninth, where there is one. */
typedef struct {
  double *low[2], *high[2], *second[2], *ninth[2];
} tile_pointers;

/* Pencils that begin at first0 and first1. */
BP_DEVICE tile_pointers tile_pointers_of(double *first0, double *first1, int q, int step, int n)
{
  tile_pointers p;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    double *first = h ? first1 : first0;
    p.low[h] = first + q * step;
    p.high[h] = first + (n - 1 - q) * step;
    p.second[h] = p.high[h] - 4 * step;
    p.ninth[h] = first + 8 * step;
  }
  return p;
}

/* The same in bytes from some place. */
typedef struct {
  int low[2], high[2];
} tile_offsets;

/* Pencils that begin at p0 and p1, n long, `step` from one position to the next. */
BP_DEVICE tile_offsets tile_offsets_of(int p0, int p1, int step, int n)
{
  const int first = MMA_POSITION(bp_lane() % 4, 0), bytes = (int)sizeof(double);
  tile_offsets o;
  o.low[0] = bp_keep(bytes * (p0 + first * step));
  o.low[1] = bp_keep(bytes * (p1 + first * step));
  o.high[0] = bp_keep(bytes * (p0 + (n - 1 - first) * step));
  o.high[1] = bp_keep(bytes * (p1 + (n - 1 - first) * step));
  return o;
}

/* The same where the second pencil begins as many doubles behind the first for all lanes; 0: it does not. */
BP_DEVICE tile_offsets tile_offsets_spaced(const tile_offsets *o, int doubles)
{
  const int bytes = doubles * (int)sizeof(double);
  const tile_offsets known = {{o->low[0], o->low[0] + bytes}, {o->high[0], o->high[0] + bytes}};
  return doubles ? known : *o;
}

BP_DEVICE double *tile_at(double *from, int bytes)
{
  return (double *)((char *)from + bytes);
}

/* The mirror images `shift` doubles further than `o` has them. */
BP_DEVICE tile_pointers tile_pointers_at(double *from, const tile_offsets *o, int step, int shift)
{
  tile_pointers p;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    p.low[h] = tile_at(from, o->low[h]);
    p.high[h] = tile_at(from, o->high[h]) + shift;
    p.second[h] = p.high[h] - 4 * step;
    p.ninth[h] = 0;
  }
  return p;
}

/* As many doubles further. */
BP_DEVICE tile_pointers tile_pointers_moved(const tile_pointers *from, int doubles)
{
  tile_pointers p;
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    p.low[h] = from->low[h] + doubles;
    p.high[h] = from->high[h] + doubles;
    p.second[h] = from->second[h] + doubles;
    p.ninth[h] = from->ninth[h] + doubles;
  }
  return p;
}

/* Beyond the middle the values are some of the pencil; the matrices have 0 there. */
BP_DEVICE void tile_read(const tile_pointers *p, int step, int n, tile_values *x)
{
  BP_UNROLL
  for (int m = 0; m < TILE_PAIRS; ++m) {
    x->low[m] = p->low[m / 2][m % 2 * 4 * step];
    x->high[m] = *(m % 2 ? p->second : p->high)[m / 2];
  }
  if (NINTH(n)) {
    x->ninth[0] = *p->ninth[0];
    x->ninth[1] = *p->ninth[1];
  }
}

BP_DEVICE void tile_write_pencil(const tile_pointers *p, int h, bool valid, int q, int step, int n,
                                 const tile_values *x)
{
  if (valid) {
    *p->low[h] = x->low[2 * h];
    *p->high[h] = x->high[2 * h];
    if (MMA_POSITION(3, 1) < BP_HALF(n) || MMA_POSITION(q, 1) < BP_HALF(n)) {
      p->low[h][4 * step] = x->low[2 * h + 1];
      *p->second[h] = x->high[2 * h + 1];
    }
    if (NINTH(n) && q == 0)
      *p->ninth[h] = x->ninth[h];
  }
}

/* Pencils of `n` > 7 positions that are valid. */
BP_DEVICE void tile_write_both(const tile_pointers *p, bool valid0, bool valid1, int q, int step,
                               int n, const tile_values *x)
{
  tile_write_pencil(p, 0, valid0, q, step, n, x);
  tile_write_pencil(p, 1, valid1, q, step, n, x);
}

/* The same when all lanes have read. */
BP_DEVICE void tile_write(const tile_pointers *p, bool valid0, bool valid1, int q, int step, int n,
                          const tile_values *x)
{
  BP_WARP_BARRIER();
  tile_write_both(p, valid0, valid1, q, step, n, x);
}

/* Where row j comes among the rows of a tiled slice of factors. */
BP_DEVICE int tile_factor_row(int j)
{
  int row = j / TILE_SPACING;
  BP_UNROLL
  for (int n = 0; n < TILE_SPACING - 1; ++n)
    row += n < j % TILE_SPACING ? (BP_NC - n + TILE_SPACING - 1) / TILE_SPACING : 0;
  return row;
}

/* Byte offsets of the four points of the lane in row j of `rows` rows that lie tiled, with
 * `spacing` between the rows that half a warp reads at once. */
BP_DEVICE void tile_factor_offsets(int j, int h, int rows, int spacing, tile_offsets *first,
                                   tile_offsets *second)
{
  const int q = bp_lane() % 4, bytes = (int)sizeof(double);
  const int lows = min(4, BP_HALF(BP_NC) - 4), highs = min(4, BP_NC / 2 - 4);
  int row = j / spacing;
  BP_UNROLL
  for (int n = 0; n < spacing - 1; ++n)
    row += n < j % spacing ? (rows - n + spacing - 1) / spacing : 0;
  const int low = 8 * rows + row * lows + min(q, lows - 1);
  const int high = (8 + lows) * rows + row * highs + min(q, highs - 1);
  first->low[h] = bp_keep(bytes * (row * 4 + q));
  first->high[h] = bp_keep(bytes * (4 * rows + row * 4 + q));
  second->low[h] = bp_keep(bytes * low);
  second->high[h] =
      bp_keep(bytes * (q < highs || BP_NC % 2 == 0 ? high : low)); /* the middle is its own image */
}

#endif
