/* row_tiles.h -- even-odd contractions with vectors within an element, for 16 registers.
 *
 * A vector is four values that follow each other along i, so elements are taken one by one, in place. A contraction
 * along another direction is a tile: rows of the matrix, entry by entry broadcast, times up to four vectors. Along i
 * it is the reverse: each value is broadcast and multiplies rows of the transposed matrix.
 *
 * Additions and stores are free beside multiplications only where they are spread among them: so lines are folded
 * within the first tile that needs them, and the sums are left for the others. */
#ifndef BP_KERNELS_ROW_TILES_H
#define BP_KERNELS_ROW_TILES_H

#include "abi/simd.h"

typedef double bp_four __attribute__((vector_size(32), may_alias));
typedef double bp_four_anywhere __attribute__((vector_size(32), may_alias, aligned(8)));

enum { BP_ROW_TILE = 3, BP_ROW_LINES = 4 };
typedef bp_four bp_row_tile[BP_ROW_TILE][BP_ROW_LINES];
typedef bp_four bp_tall_tile[2 * BP_ROW_TILE][2];

/* Left alone, GCC would load a value for each use. */
BP_INLINE bp_four bp_four_kept(bp_four x)
{
#ifdef __AVX__
  __asm__("" : "+v"(x));
#endif
  return x;
}

BP_INLINE bp_four bp_four_load(const double *from)
{
  return bp_four_kept(*(const bp_four_anywhere *)from);
}

BP_INLINE bp_four bp_four_every(const double *entry)
{
  return bp_four_kept(*entry - (bp_four){0});
}

BP_INLINE void bp_four_store(double *to, bp_four x)
{
  *(bp_four_anywhere *)to = x;
}

/* Past the caches, where `to` is aligned; ordered by bp_fence only. */
BP_INLINE void bp_four_stream(double *to, bp_four x)
{
#ifdef __AVX__
  __asm__ volatile("vmovntpd %1, %0" : "=m"(*(bp_four *)to) : "v"(x));
#else
  *(bp_four *)to = x;
#endif
}

BP_INLINE bp_four bp_four_reversed(bp_four x)
{
  return __builtin_shufflevector(x, x, 3, 2, 1, 0);
}

/* Sum and difference in the place of two values. */
BP_INLINE void bp_four_pair(bp_four *a, bp_four *b)
{
  const bp_four x = *a, y = *b;
  *a = x + y;
  *b = x - y;
}

/* Where vector l of a row of `width` begins: four vectors cover it, and overlap in its middle. */
BP_INLINE int bp_four_at(int l, int width)
{
  return l < 2 ? 4 * l : width - 16 + 4 * l;
}

/* Adds m[r] x to, or makes it, line l of the tile. */
BP_INLINE void bp_row_add(int rows, int first, const bp_four *m, bp_four x, int l, bp_row_tile s)
{
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r)
    s[r][l] = first ? m[r] * x : s[r][l] + m[r] * x;
}

BP_INLINE void bp_row_entries(int rows, const double *from, bp_four *m)
{
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r)
    m[r] = bp_four_every(from + r);
}

BP_INLINE void bp_row_step(int rows, int lines, int first, const double *m, const double *x,
                           bp_row_tile s)
{
  bp_four entries[BP_ROW_TILE];
  bp_row_entries(rows, m, entries);
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l)
    bp_row_add(rows, first, entries, bp_four_load(x + 4 * l), l, s);
}

/* s[r][l] = the sum over a < count of m[a][r] x[a][l]; m has `pitch` entries per a, x four vectors. */
BP_INLINE void bp_row_contract(int rows, int lines, int count, const double *m, int pitch,
                               const double *x, bp_row_tile s)
{
  __asm__ volatile("" ::: "memory"); /* GCC keeps nothing from before in registers */
  bp_row_step(rows, lines, 1, m, x, s);
#pragma GCC unroll 1
  for (int a = 1; a < count; ++a)
    bp_row_step(rows, lines, 0, m + a * pitch, x + 16 * a, s);
}

BP_INLINE void bp_row_fold(int rows, int lines, int first, int sign, const double *m,
                           const double *x, const double *y, int width, double *folded,
                           bp_row_tile s)
{
  bp_four entries[BP_ROW_TILE];
  bp_row_entries(rows, m, entries);
#pragma GCC unroll 4
  for (int l = 0; l < lines; ++l) {
    const int at = bp_four_at(l, width);
    const bp_four left = *(const bp_four_anywhere *)(x + at);
    const bp_four right = *(const bp_four_anywhere *)(y + at);
    const bp_four z = bp_four_kept(sign > 0 ? left + right : left - right);
    bp_four_store(folded + 4 * l, z);
    bp_row_add(rows, first, entries, z, l, s);
  }
}

/* The same of sums x[a] + x[n-1-a], or of differences where sign is -1, which are left in `folded` for later
 * tiles. A middle value comes behind the sums. Rows of x are `width` wide, with `step` from one to the next. */
BP_INLINE void bp_row_contract_folding(int rows, int lines, int n, int sign, const double *m,
                                       int pitch, const double *x, int step, int width,
                                       double *folded, bp_row_tile s)
{
  const double *const end = x + (n - 1) * step;
  __asm__ volatile("" ::: "memory");
  bp_row_fold(rows, lines, 1, sign, m, x, end, width, folded, s);
#pragma GCC unroll 1
  for (int a = 1; a < n / 2; ++a)
    bp_row_fold(rows, lines, 0, sign, m + a * pitch, x + a * step, end - a * step, width,
                folded + 16 * a, s);
  if (n % 2 && sign > 0) {
    bp_four entries[BP_ROW_TILE];
    bp_row_entries(rows, m + n / 2 * pitch, entries);
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      const bp_four z = bp_four_load(x + n / 2 * step + bp_four_at(l, width));
      bp_four_store(folded + n / 2 * 16 + 4 * l, z);
      bp_row_add(rows, 0, entries, z, l, s);
    }
  }
}

BP_INLINE void bp_four_in_memory(bp_four *x)
{
#ifdef __AVX__
  __asm__("" : "+m"(*x));
#else
  (void)x;
#endif
}

/* Stores a tile now: left alone, GCC would keep it in registers that the next one needs. */
BP_INLINE void bp_row_put_down(int rows, int lines, const bp_row_tile from, bp_row_tile to)
{
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int l = 0; l < lines; ++l) {
      to[r][l] = from[r][l];
      bp_four_in_memory(&to[r][l]);
    }
}

/* ---- along i ---- */

BP_INLINE void bp_tall_step(int n1, int n2, int second, int first, const double *m, const double *x,
                            bp_tall_tile s)
{
  const bp_four m0 = bp_four_load(m), m1 = bp_four_load(m + 4);
#pragma GCC unroll 6
  for (int r = 0; r < n1 + n2; ++r) {
    const bp_four z = bp_four_every(x + 16 * (r < n1 ? r : second + r - n1));
    s[r][0] = first ? m0 * z : s[r][0] + m0 * z;
    s[r][1] = first ? m1 * z : s[r][1] + m1 * z;
  }
}

/* s[r] = the sum over a < count of x[r][a] m[a], where m[a] is eight entries; of n1 rows, and of n2 rows that
 * begin `second` rows later. */
BP_INLINE void bp_tall_contract(int n1, int n2, int second, int count, const double *m, int pitch,
                                const double *x, bp_tall_tile s)
{
  __asm__ volatile("" ::: "memory");
  bp_tall_step(n1, n2, second, 1, m, x, s);
#pragma GCC unroll 1
  for (int a = 1; a < count; ++a)
    bp_tall_step(n1, n2, second, 0, m + a * pitch, x + a, s);
}

BP_INLINE void bp_tall_put_down(int rows, const bp_tall_tile from, bp_tall_tile to)
{
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int l = 0; l < 2; ++l) {
      to[r][l] = from[r][l];
      bp_four_in_memory(&to[r][l]);
    }
}

#endif
