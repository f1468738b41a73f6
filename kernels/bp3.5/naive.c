/* bp3.5/naive -- the pseudo-code as it stands: gradient, metric, transposed gradient, node by node
 *
 * degrees:  1..15 compiled once
 * precision: mixed single
 * scratch:  3 * nc*nc*nc
 *
 * One element at a time; three gradient components of the whole element in scratch. */
#include "abi/cpu.h"

BP_KERNEL
{
  const int n1 = a->nq, n2 = n1 * n1, n3 = n2 * n1;
  const real *D = a->D;
  real *gr = a->scratch, *gs = gr + n3, *gt = gs + n3;
  for (int64_t e = first; e < last; ++e) {
    const stored *g = a->factors + e * 7 * n3;
    const real *u = a->u + e * n3;
    real *v = a->v + e * n3;
    for (int k = 0; k < n1; ++k)
      for (int j = 0; j < n1; ++j)
        for (int i = 0; i < n1; ++i) {
          const int n = k * n2 + j * n1 + i;
          real ur = 0, us = 0, ut = 0;
          for (int m = 0; m < n1; ++m) {
            ur += D[i * n1 + m] * u[k * n2 + j * n1 + m];
            us += D[j * n1 + m] * u[k * n2 + m * n1 + i];
            ut += D[k * n1 + m] * u[m * n2 + j * n1 + i];
          }
          gr[n] = g[n] * ur + g[n3 + n] * us + g[2 * n3 + n] * ut;
          gs[n] = g[n3 + n] * ur + g[3 * n3 + n] * us + g[4 * n3 + n] * ut;
          gt[n] = g[2 * n3 + n] * ur + g[4 * n3 + n] * us + g[5 * n3 + n] * ut;
        }
    for (int k = 0; k < n1; ++k)
      for (int j = 0; j < n1; ++j)
        for (int i = 0; i < n1; ++i) {
          const int n = k * n2 + j * n1 + i;
          real sum = (real)a->lambda * g[6 * n3 + n] * u[n];
          for (int m = 0; m < n1; ++m)
            sum += D[m * n1 + i] * gr[k * n2 + j * n1 + m] +
                   D[m * n1 + j] * gs[k * n2 + m * n1 + i] +
                   D[m * n1 + k] * gt[m * n2 + j * n1 + i];
          v[n] = sum;
        }
  }
}
