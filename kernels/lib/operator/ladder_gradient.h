/* ladder_gradient.h -- D' G D + lambda W at the points, slice by slice: BP3.5, and what BP3.0 does between
 * interpolation and projection. For the ladders with a thread per column in t.
 *
 *   for each slice of points             who waits
 *     its values                         where a slab takes them: BP_BARRIER
 *     the gradient, times the factors
 *     the r and s flux to shared memory  where the r flux replaces the values: BP_BARRIER before it
 *     BP_BARRIER
 *     the sum grows: the mass term, transposed derivatives of the r and s flux; the t flux, to all slices */
#ifndef BP_KERNELS_LADDER_GRADIENT_H
#define BP_KERNELS_LADDER_GRADIENT_H

#include "lib/contract/ladder.h"

/* D, n x n, and maybe its transpose, `row` doubles from row to row in shared memory. With both, threads of a
 * row always read entries side by side. */
typedef struct {
  const real *D, *transposed;
  bool has_transposed;
  int n, row;
} ladder_derivative;

/* gradient[3] at (a, b, c), of the slice's values [b * row + a], and of the column in t, column[m * step]. */
BP_DEVICE void gradient_at(const ladder_derivative *d, int a, int b, int c, const real *slice,
                           int row, const real *column, int step, real *gradient)
{
  gradient[0] = d->has_transposed ? dot(d->n, d->transposed + a, d->row, slice + b * row, 1)
                                  : dot(d->n, d->D + a * d->row, 1, slice + b * row, 1);
  gradient[1] = dot(d->n, d->D + b * d->row, 1, slice + a, row);
  gradient[2] = dot(d->n, d->D + c * d->row, 1, column, step);
}

/* `sum` and what the slices of r and s flux give at (a, b). */
BP_DEVICE real add_transposed(const ladder_derivative *d, real sum, int a, int b,
                              const real *flux_r, const real *flux_s, int row)
{
  sum += dot(d->n, d->D + a, d->row, flux_r + b * row, 1);
  return sum + (d->has_transposed ? dot(d->n, d->transposed + b * d->row, 1, flux_s + a, row)
                                  : dot(d->n, d->D + b, d->row, flux_s + a, row));
}

#ifdef BP_N
/* D in shared memory, loaded by all threads; a barrier has to follow. */
BP_DEVICE ladder_derivative derivative_load(real *s_D, const real *D)
{
  const ladder_derivative d = {s_D, 0, false, BP_NC, ROW};
  load_matrix(s_D, ROW, D, BP_NC, BP_NC);
  return d;
}

/* How a rung does it. */
enum {
  VALUES_BY_SLICE =
      1, /* one slab takes the values of one slice after the other; else all are in a cube */
  FACTORS_FIRST =
      2, /* the factors are loaded to registers before the gradient; else where they are used */
  FLUX_IN_PLACE = 4 /* the r flux replaces the slice's values in the cube: one slab less */
};

/* The thread's columns of values and sums: value[c * value_step], sum[c * sum_step]. `values`: the slab or
 * the cube of values; `slabs`: two for the flux, or one if it is in place. A barrier has to come before, if there is a
 * cube, and behind it before shared memory is used again. */
BP_DEVICE void apply_slices(int how, const ladder_derivative *d, const ladder_column *t,
                            real lambda, real *values, real *slabs, const real *value,
                            int value_step, real *sum, int sum_step)
{
  const int here = t->b * ROW + t->a;
  BP_UNROLL_IF(UNROLL)
  for (int c = 0; c < BP_NC; ++c) {
    real *slice = how & VALUES_BY_SLICE ? values : values + c * SLAB;
    real *flux_r = how & FLUX_IN_PLACE ? slice : slabs;
    real *flux_s = how & FLUX_IN_PLACE ? slabs : slabs + SLAB;
    const real *g = t->factors + c * POINTS_2D;
    real first[7], gradient[3];
    if (how & VALUES_BY_SLICE)
      slice[here] = value[c * value_step];
    if (how & FACTORS_FIRST)
      move(7, first, 1, g, POINTS_3D);
    if (how & VALUES_BY_SLICE)
      BP_BARRIER();
    gradient_at(d, t->a, t->b, c, slice, ROW, value, value_step, gradient);
    apply_metric(how & FACTORS_FIRST ? first : g, how & FACTORS_FIRST ? 1 : POINTS_3D, gradient);
    if (how & FLUX_IN_PLACE)
      BP_BARRIER(); /* all have read the slice */
    flux_r[here] = gradient[0];
    flux_s[here] = gradient[1];
    BP_BARRIER();
    const real mass = how & FACTORS_FIRST ? first[6] : g[6 * POINTS_3D];
    sum[c * sum_step] +=
        add_transposed(d, lambda * mass * value[c * value_step], t->a, t->b, flux_r, flux_s, ROW);
    add_scaled(BP_NC, sum, sum_step, d->D + c * ROW, gradient[2]);
    if (!(how & (VALUES_BY_SLICE | FLUX_IN_PLACE)))
      BP_BARRIER(); /* all have read the flux */
  }
}
#endif

#endif
