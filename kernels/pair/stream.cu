/* pair/stream -- a thread per two points and a few y; x read once for all, 16-byte stores past the caches
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   jam 1..16 = 8 -- species y of a thread
 * option:   ahead 1..8 = 2 -- x whose loads are under way at once
 * option:   vectors 1..4 = 1 -- pairs of points of a thread
 * option:   neighbours 1..4096 = 1 -- blocks of neighbouring points that follow each other, before the next y
 * option:   threads 32..512 = 128 -- of a block
 * option:   streaming 0..1 = 1 -- what is written does not stay in L2
 * launch:   apply; threads threads; blocks ((elements + 2 * vectors * threads * neighbours - 1) / (2 * vectors * threads * neighbours)) * neighbours * ((fields + jam - 1) / jam)
 *
 * Nearly all bytes are written, so all that counts is that stores go on without a pause, in whole lines, and that blocks
 * that run at once write next to each other. ax and bx of neighbouring blocks stay in L2 for the next y. Where the
 * points are odd in number, rows do not begin on 16 bytes: there a thread stores one point at a time. */
#include "lib/pair/arrays.h"

typedef struct {
  double2 a, b;
} pair_of_points;

enum { GROUPS_Y = (BP_FIELDS + JAM - 1) / JAM, POINTS = 2 * VECTORS * THREADS };

/* How many of the two points from t on there are; whether pairs are aligned. */
typedef struct {
  long long t;
  int count;
  bool aligned;
} two_points;

BP_DEVICE pair_of_points load_two(const double *a, const double *b, two_points p)
{
  pair_of_points loaded = {make_double2(0, 0), make_double2(0, 0)};
  if (p.count == 2 && p.aligned) {
    loaded.a = bp_load_cached((const double2 *)(a + p.t));
    loaded.b = bp_load_cached((const double2 *)(b + p.t));
  } else if (p.count > 0) {
    loaded.a.x = bp_load_cached(a + p.t);
    loaded.b.x = bp_load_cached(b + p.t);
    if (p.count == 2) {
      loaded.a.y = bp_load_cached(a + p.t + 1);
      loaded.b.y = bp_load_cached(b + p.t + 1);
    }
  }
  return loaded;
}

BP_DEVICE void store_two(double *v, pair_of_points x, pair_of_points y, two_points p)
{
  if (p.count == 2 && p.aligned) {
    const double2 value = make_double2(pair_value(x.a.x, y.a.x, x.b.x, y.b.x),
                                       pair_value(x.a.y, y.a.y, x.b.y, y.b.y));
    if (STREAMING)
      bp_store_streaming((double2 *)(v + p.t), value);
    else
      *(double2 *)(v + p.t) = value;
  } else if (p.count > 0) {
    v[p.t] = pair_value(x.a.x, y.a.x, x.b.x, y.b.x);
    if (p.count == 2)
      v[p.t + 1] = pair_value(x.a.y, y.a.y, x.b.y, y.b.y);
  }
}

BP_KERNEL_BOUNDED(apply, THREADS, 1)
{
  const pair_arrays a = PAIR_ARRAYS;
  const int b = (int)blockIdx.x;
  const int of_points = b / (NEIGHBOURS * GROUPS_Y) * NEIGHBOURS + b % NEIGHBOURS;
  const int first = b / NEIGHBOURS % GROUPS_Y * JAM;
  pair_of_points y[JAM][VECTORS], x[AHEAD][VECTORS];
  two_points p[VECTORS];
  BP_UNROLL
  for (int v = 0; v < VECTORS; ++v) {
    p[v].t = (long long)of_points * POINTS + 2 * (v * THREADS + (int)threadIdx.x);
    p[v].count = p[v].t + 1 < elements ? 2 : p[v].t < elements ? 1 : 0;
    p[v].aligned = elements % 2 == 0;
  }
  BP_UNROLL
  for (int n = 0; n < JAM; ++n)
    BP_UNROLL
    for (int v = 0; v < VECTORS; ++v)
      if (first + n < BP_FIELDS)
        y[n][v] = load_two(a.ay + (first + n) * a.points, a.by + (first + n) * a.points, p[v]);
  BP_NO_UNROLL
  for (int from = 0; from < BP_FIELDS; from += AHEAD) {
    BP_UNROLL
    for (int m = 0; m < AHEAD; ++m)
      BP_UNROLL
      for (int v = 0; v < VECTORS; ++v)
        if (from + m < BP_FIELDS)
          x[m][v] = load_two(a.ax + (from + m) * a.points, a.bx + (from + m) * a.points, p[v]);
    BP_UNROLL
    for (int n = 0; n < JAM; ++n)
      BP_UNROLL
      for (int m = 0; m < AHEAD; ++m)
        BP_UNROLL
        for (int v = 0; v < VECTORS; ++v)
          if (first + n < BP_FIELDS && from + m < BP_FIELDS)
            store_two(a.v + ((long long)(first + n) * BP_FIELDS + from + m) * a.points, x[m][v],
                      y[n][v], p[v]);
  }
}
