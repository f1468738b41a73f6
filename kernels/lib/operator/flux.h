/* flux.h -- what the geometric factors of BP3.0 and BP3.5 do at a point. */
#ifndef BP_KERNELS_FLUX_H
#define BP_KERNELS_FLUX_H

#include "abi/gpu.h"

/* The gradient (r, s, t) becomes the flux, u becomes lambda W u, or 0 where there are six factors. `step`
 * leads from one factor of the point to the next. */
BP_DEVICE void flux(const real *f, int step, real lambda, real *r, real *s, real *t, real *u)
{
  const real a = *r, b = *s, c = *t, f1 = f[step], f2 = f[2 * step], f4 = f[4 * step];
  *u = BP_COMPONENTS == 7 ? lambda * f[6 * step] * *u : 0;
  const real f0 = f[0], f3 = f[3 * step], f5 = f[5 * step];
  *r = f0 * a + f1 * b + f2 * c;
  *s = f1 * a + f3 * b + f4 * c;
  *t = f2 * a + f4 * b + f5 * c;
}

/* The same; returns the point's part of u . A u. */
BP_DEVICE real flux_energy(const real *f, int step, real lambda, real *r, real *s, real *t, real *u)
{
  const real a = *r, b = *s, c = *t, f1 = f[step], f2 = f[2 * step], f4 = f[4 * step];
  *r = f[0] * a + f1 * b + f2 * c;
  *s = f1 * a + f[3 * step] * b + f4 * c;
  *t = f2 * a + f4 * b + f[5 * step] * c;
  real energy = a * *r + b * *s + c * *t;
  const real w = BP_COMPONENTS == 7 ? lambda * f[6 * step] * *u : 0;
  if (BP_COMPONENTS == 7)
    energy += *u * w;
  *u = w;
  return energy;
}

#endif
