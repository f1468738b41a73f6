/* pair/stream -- a few points at a time, whose input stays in cache; stores past the caches
 *
 * degrees:  1..15 compiled once
 * operands: u v species
 * option:   block 64..65536 = 256 -- points at a time: their 4 species arrays should fit the first or second cache
 *
 * Lines of v are written once and never read, so a non-temporal store saves a third of the traffic. */
#include "abi/simd.h"

enum { LINE = 64 };

/* Rows of v, whose first vector begins on an address that a streaming store takes. */
BP_INLINE void row(int64_t count, const double *ax, const double *bx, const double *ay,
                   const double *by, double *v)
{
  int64_t t = 0;
  for (; t < count && (uintptr_t)(v + t) % LINE; ++t)
    v[t] = ax[t] * ay[t] + bx[t] * by[t];
  for (; t + BP_LANES <= count; t += BP_LANES)
    bp_stream(v + t, *(const bp_unaligned *)(ax + t) * *(const bp_unaligned *)(ay + t) +
                         *(const bp_unaligned *)(bx + t) * *(const bp_unaligned *)(by + t));
  for (; t < count; ++t)
    v[t] = ax[t] * ay[t] + bx[t] * by[t];
}

BP_KERNEL
{
  const int64_t points = a->elements, species = a->species, each = species * points;
  const double *ax = a->u, *bx = ax + each, *ay = bx + each, *by = ay + each;
  for (int64_t from = first; from < last; from += a->option[0]) {
    const int64_t count = from + a->option[0] < last ? a->option[0] : last - from;
    for (int64_t y = 0; y < species; ++y)
      for (int64_t x = 0; x < species; ++x) {
        const int64_t at_x = x * points + from, at_y = y * points + from;
        row(count, ax + at_x, bx + at_x, ay + at_y, by + at_y,
            a->v + (y * species + x) * points + from);
      }
  }
  bp_fence();
}
