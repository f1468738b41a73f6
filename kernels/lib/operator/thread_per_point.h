/* thread_per_point.h -- the three parts of BP3.0 with a thread per quadrature point, for its 3D ladder:
 * from u to the points, the operator there, back to v.
 *
 * Thread (a, b, c) of an element, nc x nc x nc: a = threadIdx.x, (b, c) = threadIdx.y. Arrays p, q,
 * values, ... [c][b][a] lie in global or shared memory, with `row` doubles from one row to the next
 * and nc rows to a slab. `in_memory`: sums grow where they are stored, as the first rungs do, else in
 * registers. Where a part ends, the threads have not met yet. */
#ifndef BP_KERNELS_THREAD_PER_POINT_H
#define BP_KERNELS_THREAD_PER_POINT_H

#include "lib/contract/ladder.h"

BP_DEVICE int point_b()
{
  return (int)threadIdx.y % BP_NC;
}

BP_DEVICE int point_c()
{
  return (int)threadIdx.y / BP_NC;
}

/* Where the point of the thread is in an array with `row` doubles from row to row. */
BP_DEVICE int point_at(int row)
{
  return (point_c() * BP_NC + point_b()) * row + (int)threadIdx.x;
}

/* *to = dot(...) */
BP_DEVICE void put_dot(bool in_memory, double *to, int count, const double *matrix, int matrix_step,
                       const double *values, int step)
{
  if (in_memory) {
    *to = 0;
    add_dot(to, count, matrix, matrix_step, values, step);
  } else {
    *to = dot(count, matrix, matrix_step, values, step);
  }
}

/* u of the element to *value at the point, through p and q. */
BP_DEVICE void interpolate_to_point(bool in_memory, interpolation_row *I, const double *u,
                                    double *p, double *q, int row, double *value)
{
  const int a = threadIdx.x, b = point_b(), c = point_c(), here = point_at(row);
  if (b < BP_NQ && c < BP_NQ)
    put_dot(in_memory, p + here, BP_NQ, I[a], 1, u + (c * BP_NQ + b) * BP_NQ, 1);
  BP_BARRIER();
  if (c < BP_NQ)
    put_dot(in_memory, q + here, BP_NQ, I[b], 1, p + c * BP_NC * row + a, row);
  BP_BARRIER();
  put_dot(in_memory, value, BP_NQ, I[c], 1, q + b * row + a, BP_NC * row);
}

/* The way back: `from`, with from_row doubles from row to row, to v, through p and q; p may be
 * `from`. */
BP_DEVICE void project_from_points(bool in_memory, interpolation_row *I, const double *from,
                                   int from_row, double *p, double *q, int row, bool stores,
                                   double *v)
{
  const int a = threadIdx.x, b = point_b(), c = point_c(), here = point_at(row);
  if (c < BP_NQ)
    put_dot(in_memory, q + here, BP_NC, &I[0][c], BP_ROW(BP_NQ), from + b * from_row + a,
            BP_NC * from_row);
  BP_BARRIER();
  if (b < BP_NQ && c < BP_NQ)
    put_dot(in_memory, p + here, BP_NC, &I[0][b], BP_ROW(BP_NQ), q + c * BP_NC * row + a, row);
  BP_BARRIER();
  if (a < BP_NQ && b < BP_NQ && c < BP_NQ && stores)
    put_dot(in_memory, v + (c * BP_NQ + b) * BP_NQ + a, BP_NC, &I[0][a], BP_ROW(BP_NQ),
            p + (c * BP_NC + b) * row, 1);
}

/* The derivatives in r, s and t at the point, of `values`. */
BP_DEVICE void differentiate_at_point(derivative_row *D, const double *values, int row,
                                      double *gradient)
{
  const int a = threadIdx.x, b = point_b(), c = point_c(), slab = BP_NC * row;
  gradient[0] = dot(BP_NC, D[a], 1, values + c * slab + b * row, 1);
  gradient[1] = dot(BP_NC, D[b], 1, values + c * slab + a, row);
  gradient[2] = dot(BP_NC, D[c], 1, values + b * row + a, slab);
}

/* One direction (0: r, 1: s, 2: t) of the transposed derivatives of `flux` at the point. */
BP_DEVICE double transposed_at_point(derivative_row *D, int direction, const double *flux, int row)
{
  const int a = threadIdx.x, b = point_b(), c = point_c(), slab = BP_NC * row;
  if (direction == 0)
    return dot(BP_NC, &D[0][a], BP_ROW(BP_NC), flux + c * slab + b * row, 1);
  if (direction == 1)
    return dot(BP_NC, &D[0][b], BP_ROW(BP_NC), flux + c * slab + a, row);
  return dot(BP_NC, &D[0][c], BP_ROW(BP_NC), flux + b * row + a, slab);
}

/* (D' G D + lambda W) values at the point to *result, with the three components of the flux in global
 * memory: flux[3][c][b][a]. g[component * g_step] are the point's factors, in global memory or in
 * registers. */
BP_DEVICE void apply_at_point(bool in_memory, derivative_row *D, const double *values, int row,
                              const double *g, int g_step, double lambda, double *flux,
                              double *result)
{
  const int a = threadIdx.x, b = point_b(), c = point_c(), slab = BP_NC * row;
  double *flux_r = flux + point_at(BP_NC), *flux_s = flux_r + BP_POINTS;
  double *flux_t = flux_s + BP_POINTS;
  put_dot(in_memory, flux_r, BP_NC, D[a], 1, values + c * slab + b * row, 1);
  put_dot(in_memory, flux_s, BP_NC, D[b], 1, values + c * slab + a, row);
  put_dot(in_memory, flux_t, BP_NC, D[c], 1, values + b * row + a, slab);
  const double r = *flux_r, s = *flux_s, t = *flux_t;
  *flux_r = g[0] * r + g[g_step] * s + g[2 * g_step] * t;
  *flux_s = g[g_step] * r + g[3 * g_step] * s + g[4 * g_step] * t;
  *flux_t = g[2 * g_step] * r + g[4 * g_step] * s + g[5 * g_step] * t;
  BP_BARRIER();
  double sum, *to = in_memory ? result : &sum;
  const int plane = BP_NC * BP_NC;
  *to = lambda * g[6 * g_step] * values[point_at(row)];
  add_dot(to, BP_NC, &D[0][a], BP_ROW(BP_NC), flux + c * plane + b * BP_NC, 1);
  add_dot(to, BP_NC, &D[0][b], BP_ROW(BP_NC), flux + BP_POINTS + c * plane + a, BP_NC);
  add_dot(to, BP_NC, &D[0][c], BP_ROW(BP_NC), flux + 2 * BP_POINTS + b * BP_NC + a, plane);
  if (!in_memory)
    *result = sum;
}

#endif
