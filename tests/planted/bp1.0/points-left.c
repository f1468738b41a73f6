/* bp1.0/points-left -- points beyond N+2 per direction are left out
 *
 * degrees:  1..3 compiled once
 * points:   1..5
 * option:   correct 0..1 = 0 -- without the bug */
#include "abi/cpu.h"

/* The factor of a point times u there. */
static double value_at(const bp_cpu_arguments *a, const double *u, const double *w, int i, int j,
                       int k)
{
  const int nq = a->nq, nc = a->nc;
  double sum = 0;
  for (int n = 0; n < nq * nq * nq; ++n)
    sum += a->I[i * nq + n % nq] * a->I[j * nq + n / nq % nq] * a->I[k * nq + n / nq / nq] * u[n];
  return sum * w[(k * nc + j) * nc + i];
}

BP_KERNEL
{
  const int nq = a->nq, nc = a->nc, nodes = nq * nq * nq;
  const int most = a->option[0] || nc < a->degree + 2 ? nc : a->degree + 2;
  for (int64_t e = first; e < last; ++e) {
    const double *u = a->u + e * nodes, *w = a->factors + e * nc * nc * nc;
    double *v = a->v + e * nodes;
    for (int n = 0; n < nodes; ++n)
      v[n] = 0;
    for (int q = 0; q < most * most * most; ++q) {
      const int i = q % most, j = q / most % most, k = q / most / most;
      const double x = value_at(a, u, w, i, j, k);
      for (int n = 0; n < nodes; ++n)
        v[n] += a->I[i * nq + n % nq] * a->I[j * nq + n / nq % nq] * a->I[k * nq + n / nq / nq] * x;
    }
  }
}
