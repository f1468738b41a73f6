/* arrays.h -- where the arrays of pair lie (fem/pair.h), and the one line that all kernels compute. */
#ifndef BP_KERNELS_PAIR_ARRAYS_H
#define BP_KERNELS_PAIR_ARRAYS_H

#include "abi/gpu.h"

typedef struct {
  const double *ax, *bx, *ay, *by; /* [species][points] */
  double *v;                       /* [y][x][points] */
  long long points;
} pair_arrays;

/* Of a kernel's arguments. */
#define PAIR_ARRAYS                                                                                \
  {                                                                                                \
    u, u + (long long)BP_FIELDS *elements, u + 2LL * BP_FIELDS *elements,                          \
        u + 3LL * BP_FIELDS *elements, v, elements                                                 \
  }

BP_DEVICE double pair_value(double ax, double ay, double bx, double by)
{
  return ax * ay + bx * by;
}

BP_DEVICE void pair_store(const pair_arrays *a, int x, int y, long long t, double ax, double ay,
                          double bx, double by)
{
  a->v[((long long)y * BP_FIELDS + x) * a->points + t] = pair_value(ax, ay, bx, by);
}

#endif
