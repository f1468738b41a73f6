/* pair/stream -- a thread per two points and a few y; x read once for all, 16-byte stores past the caches
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   jam 1..16 = 8 -- species y of a thread
 * option:   ahead 1..8 = 2 -- x whose loads are under way at once
 * option:   threads 32..512 = 128 -- of a block
 * option:   streaming 0..1 = 1 -- what is written does not stay in L2
 * launch:   apply; threads threads; blocks ((elements + 2 * threads - 1) / (2 * threads)) * ((fields + jam - 1) / jam)
 *
 * Nearly all bytes are written, so all that counts is that stores go on without a pause and in whole lines. Blocks of
 * the same points follow each other, so that a x and b x come from L2. Where the points are odd in number, rows do not
 * begin on 16 bytes: there a thread has one point. */
#include "lib/pair/arrays.h"

typedef struct {
  double2 a, b;
} pair_of_points;

enum { GROUPS = (BP_FIELDS + JAM - 1) / JAM };

BP_DEVICE pair_of_points load_two(const double *a, const double *b, bool two)
{
  pair_of_points p;
  if (two) {
    p.a = bp_load_cached((const double2 *)a);
    p.b = bp_load_cached((const double2 *)b);
  } else {
    p.a = make_double2(bp_load_cached(a), 0);
    p.b = make_double2(bp_load_cached(b), 0);
  }
  return p;
}

BP_DEVICE void store_two(double *v, pair_of_points x, pair_of_points y, bool two)
{
  const double2 value = make_double2(pair_value(x.a.x, y.a.x, x.b.x, y.b.x),
                                     pair_value(x.a.y, y.a.y, x.b.y, y.b.y));
  if (two && STREAMING)
    bp_store_streaming((double2 *)v, value);
  else if (two)
    *(double2 *)v = value;
  else
    *v = value.x;
}

/* From point t on: two points, or one. */
BP_DEVICE void products(const pair_arrays *a, int first, long long t, bool two)
{
  const long long points = a->points;
  pair_of_points y[JAM], x[AHEAD];
  BP_UNROLL
  for (int n = 0; n < JAM; ++n)
    if (first + n < BP_FIELDS)
      y[n] = load_two(a->ay + (first + n) * points + t, a->by + (first + n) * points + t, two);
  BP_NO_UNROLL
  for (int from = 0; from < BP_FIELDS; from += AHEAD) {
    BP_UNROLL
    for (int m = 0; m < AHEAD; ++m)
      if (from + m < BP_FIELDS)
        x[m] = load_two(a->ax + (from + m) * points + t, a->bx + (from + m) * points + t, two);
    BP_UNROLL
    for (int n = 0; n < JAM; ++n)
      BP_UNROLL
      for (int m = 0; m < AHEAD; ++m)
        if (first + n < BP_FIELDS && from + m < BP_FIELDS)
          store_two(a->v + ((long long)(first + n) * BP_FIELDS + from + m) * points + t, x[m], y[n],
                    two);
  }
}

BP_KERNEL_BOUNDED(apply, THREADS, 1)
{
  const pair_arrays a = PAIR_ARRAYS;
  const int first = (int)blockIdx.x % GROUPS * JAM;
  const long long t = 2 * ((long long)((int)blockIdx.x / GROUPS) * THREADS + threadIdx.x);
  const bool even = elements % 2 == 0;
  if (even && t + 1 < elements)
    products(&a, first, t, true);
  if (!even && t < elements)
    products(&a, first, t, false);
  if (!even && t + 1 < elements)
    products(&a, first, t + 1, false);
}
