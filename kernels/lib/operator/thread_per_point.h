/* thread_per_point.h -- BP3.0 and BP3.5 with a thread per quadrature point, for their 3D ladders: from u to
 * the points, the operator there, back to v. BP3.5 has the middle part only, since its points are the nodes.
 *
 * Thread (a, b, c) of an element, nc x nc x nc: a = threadIdx.x, (b, c) = threadIdx.y. Arrays p, q, ...
 * [c][b][a] lie in global or shared memory, with `row` doubles from one row to the next and nc rows to a
 * slab. `in_memory`: sums grow where they are stored, as the first rungs do, else in registers. No barrier comes
 * behind a part. */
#ifndef BP_KERNELS_THREAD_PER_POINT_H
#define BP_KERNELS_THREAD_PER_POINT_H

#include "lib/operator/ladder_gradient.h"

/* How the first rungs of BP3.0 do it, beside FACTORS_FIRST. */
enum { SUMS_IN_MEMORY = 8, VALUES_IN_CUBE = 16 /* in shared memory, for the gradient */ };

/* The thread's point: where it is in arrays of points, and where its element and its factors begin. */
typedef struct {
  int a, b, c, at;
  bool stores; /* the element exists */
  const real *u, *factors;
  real *v;
} ladder_point;

/* Where the point is in an array with `row` doubles from row to row. */
BP_DEVICE int point_at(int row)
{
  return ((int)threadIdx.y / BP_NC * BP_NC + (int)threadIdx.y % BP_NC) * row + (int)threadIdx.x;
}

BP_DEVICE ladder_point ladder_point_of(int elements, const real *u, const real *factors, real *v)
{
  const size_t e = element_to_read(elements);
  const int at = point_at(BP_NC);
  const ladder_point t = {(int)threadIdx.x,
                          (int)threadIdx.y % BP_NC,
                          (int)threadIdx.y / BP_NC,
                          at,
                          element_of_thread() < elements,
                          u + e * NODES_3D,
                          factors + e * BP_COMPONENTS * POINTS_3D + at,
                          v + e * NODES_3D};
  return t;
}

/* *to = dot(...) */
BP_DEVICE void put_dot(bool in_memory, real *to, int count, const real *matrix, int matrix_step,
                       const real *values, int step)
{
  if (in_memory) {
    *to = 0;
    add_dot(to, count, matrix, matrix_step, values, step);
  } else {
    *to = dot(count, matrix, matrix_step, values, step);
  }
}

/* u of the element to *value at the point, through p and q. */
BP_DEVICE void interpolate_to_point(bool in_memory, const real *I, const ladder_point *t, real *p,
                                    real *q, int row, real *value)
{
  const int here = point_at(row);
  if (t->b < BP_NQ && t->c < BP_NQ)
    put_dot(in_memory, p + here, BP_NQ, I + t->a * I_ROW, 1, t->u + (t->c * BP_NQ + t->b) * BP_NQ,
            1);
  BP_BARRIER();
  if (t->c < BP_NQ)
    put_dot(in_memory, q + here, BP_NQ, I + t->b * I_ROW, 1, p + t->c * BP_NC * row + t->a, row);
  BP_BARRIER();
  put_dot(in_memory, value, BP_NQ, I + t->c * I_ROW, 1, q + t->b * row + t->a, BP_NC * row);
}

/* The way back: `from`, with from_row doubles from row to row, to v, through p and q; p may be `from`. */
BP_DEVICE void project_from_points(bool in_memory, const real *I, const ladder_point *t,
                                   const real *from, int from_row, real *p, real *q, int row)
{
  const int here = point_at(row);
  if (t->c < BP_NQ)
    put_dot(in_memory, q + here, BP_NC, I + t->c, I_ROW, from + t->b * from_row + t->a,
            BP_NC * from_row);
  BP_BARRIER();
  if (t->b < BP_NQ && t->c < BP_NQ)
    put_dot(in_memory, p + here, BP_NC, I + t->b, I_ROW, q + t->c * BP_NC * row + t->a, row);
  BP_BARRIER();
  if (t->a < BP_NQ && t->b < BP_NQ && t->c < BP_NQ && t->stores)
    put_dot(in_memory, t->v + (t->c * BP_NQ + t->b) * BP_NQ + t->a, BP_NC, I + t->a, I_ROW,
            p + (t->c * BP_NC + t->b) * row, 1);
}

/* The flux at the point, of `values`. */
BP_DEVICE void flux_at_point(const ladder_derivative *d, const ladder_point *t, const real *g,
                             const real *values, int row, real *flux)
{
  gradient_at(d, t->a, t->b, t->c, values + t->c * BP_NC * row, row, values + t->b * row + t->a,
              BP_NC * row, flux);
  apply_metric(g, 1, flux);
}

/* One direction (0: r, 1: s, 2: t) of the transposed derivatives of `flux` at the point. */
BP_DEVICE real transposed_at_point(const ladder_derivative *d, const ladder_point *t, int direction,
                                   const real *flux, int row)
{
  const int slab = BP_NC * row;
  if (direction == 0)
    return dot(BP_NC, d->D + t->a, ROW, flux + t->c * slab + t->b * row, 1);
  if (direction == 1)
    return dot(BP_NC, d->D + t->b, ROW, flux + t->c * slab + t->a, row);
  return dot(BP_NC, d->D + t->c, ROW, flux + t->b * row + t->a, slab);
}

/* (D' G D + lambda W) `values` at the point, whose value is `value`. The flux passes through three arrays,
 * flux_row doubles from row to row, flux_step from one to the next. */
BP_DEVICE real apply_through_fluxes(const ladder_derivative *d, const ladder_point *t,
                                    const real *g, real lambda, real value, const real *values,
                                    int row, real *flux, int flux_row, int flux_step)
{
  const int here = point_at(flux_row);
  real f[3];
  flux_at_point(d, t, g, values, row, f);
  flux[here] = f[0];
  flux[here + flux_step] = f[1];
  flux[here + 2 * flux_step] = f[2];
  BP_BARRIER();
  return lambda * g[6] * value + transposed_at_point(d, t, 0, flux, flux_row) +
         transposed_at_point(d, t, 1, flux + flux_step, flux_row) +
         transposed_at_point(d, t, 2, flux + 2 * flux_step, flux_row);
}

/* The same through cubes p, which holds the values, and q: the components of the flux take turns. */
BP_DEVICE real apply_through_two_cubes(const ladder_derivative *d, const ladder_point *t,
                                       const real *g, real lambda, real value, real *p, real *q)
{
  const int here = point_at(ROW);
  real f[3];
  flux_at_point(d, t, g, p, ROW, f);
  q[here] = f[0];
  BP_BARRIER();
  p[here] = f[1];
  real sum = lambda * g[6] * value + transposed_at_point(d, t, 0, q, ROW);
  BP_BARRIER();
  q[here] = f[2];
  sum += transposed_at_point(d, t, 1, p, ROW);
  BP_BARRIER();
  return sum + transposed_at_point(d, t, 2, q, ROW);
}

/* The same as the first rungs do it, to *result: the flux in global memory, flux[3][c][b][a], all
 * terms in one sum. g[component * g_step] are the point's factors, in global memory or in registers. */
BP_DEVICE void apply_in_global_memory(bool in_memory, const ladder_derivative *d,
                                      const ladder_point *t, const real *values, int row,
                                      const real *g, int g_step, real lambda, real *flux,
                                      real *result)
{
  const int slab = BP_NC * row, plane = POINTS_2D;
  real *flux_r = flux + t->at, *flux_s = flux_r + POINTS_3D, *flux_t = flux_s + POINTS_3D;
  put_dot(in_memory, flux_r, BP_NC, d->D + t->a * ROW, 1, values + t->c * slab + t->b * row, 1);
  put_dot(in_memory, flux_s, BP_NC, d->D + t->b * ROW, 1, values + t->c * slab + t->a, row);
  put_dot(in_memory, flux_t, BP_NC, d->D + t->c * ROW, 1, values + t->b * row + t->a, slab);
  /* not apply_metric: the stores come between the loads */
  const real ur = *flux_r, us = *flux_s, ut = *flux_t;
  *flux_r = g[0] * ur + g[g_step] * us + g[2 * g_step] * ut;
  *flux_s = g[g_step] * ur + g[3 * g_step] * us + g[4 * g_step] * ut;
  *flux_t = g[2 * g_step] * ur + g[4 * g_step] * us + g[5 * g_step] * ut;
  BP_BARRIER();
  real sum, *to = in_memory ? result : &sum;
  *to = lambda * g[6 * g_step] * values[t->c * slab + t->b * row + t->a];
  add_dot(to, BP_NC, d->D + t->a, ROW, flux + t->c * plane + t->b * BP_NC, 1);
  add_dot(to, BP_NC, d->D + t->b, ROW, flux + POINTS_3D + t->c * plane + t->a, BP_NC);
  add_dot(to, BP_NC, d->D + t->c, ROW, flux + 2 * POINTS_3D + t->b * BP_NC + t->a, plane);
  if (!in_memory)
    *result = sum;
}

/* BP3.0 with everything in global memory but the matrices and, by choice, the values at the points. scratch:
 * five arrays of points per element. */
BP_DEVICE void apply_points_in_global_memory(int how, real *shared, int elements, real lambda,
                                             const real *I, const real *D, const real *factors,
                                             real *scratch, const real *u, real *v)
{
  const ladder_point t = ladder_point_of(elements, u, factors, v);
  const bool in_memory = how & SUMS_IN_MEMORY, first = how & FACTORS_FIRST;
  real *s_I = shared, *s_D = s_I + BP_NC * I_ROW, *s_u = s_D + SLAB + threadIdx.z * CUBE;
  real *p = scratch + (size_t)element_of_thread() * 5 * POINTS_3D, *q = p + POINTS_3D;
  real g[7];
  if (first)
    move(7, g, 1, t.factors, POINTS_3D);
  load_matrix(s_I, I_ROW, I, BP_NC, BP_NQ);
  const ladder_derivative d = derivative_load(s_D, D);
  BP_BARRIER();
  interpolate_to_point(in_memory, s_I, &t, p, q, BP_NC, p + t.at);
  if (how & VALUES_IN_CUBE)
    s_u[point_at(ROW)] = p[t.at];
  BP_BARRIER();
  apply_in_global_memory(in_memory, &d, &t, how & VALUES_IN_CUBE ? s_u : p,
                         how & VALUES_IN_CUBE ? (int)ROW : BP_NC, first ? g : t.factors,
                         first ? 1 : POINTS_3D, lambda, q + POINTS_3D, q + t.at);
  BP_BARRIER();
  project_from_points(in_memory, s_I, &t, q, BP_NC, p, q + POINTS_3D, BP_NC);
}

#endif
