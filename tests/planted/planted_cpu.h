/* planted_cpu.h -- BP3.5 of one element on a CPU, for kernels that are wrong on purpose. Each of them is
 * right with the option `correct`.
 *
 * degrees:  1..3 compiled once
 * option:   correct 0..1 = 0 -- without the bug
 * scratch:  3 * nq*nq*nq */
#ifndef BP_PLANTED_CPU_H
#define BP_PLANTED_CPU_H

#include "abi/cpu.h"

#define CORRECT (a->option[0])
#define NODES   (a->nq * a->nq * a->nq)

static inline void flux_at(const bp_cpu_arguments *a, const double *g, const double *u, int n)
{
  const int nq = a->nq, i = n % nq, j = n / nq % nq, k = n / nq / nq, nodes = NODES;
  double r = 0, s = 0, t = 0, *flux = a->scratch + n;
  for (int m = 0; m < nq; ++m) {
    r += a->D[i * nq + m] * u[(k * nq + j) * nq + m];
    s += a->D[j * nq + m] * u[(k * nq + m) * nq + i];
    t += a->D[k * nq + m] * u[(m * nq + j) * nq + i];
  }
  g += n;
  flux[0] = g[0] * r + g[nodes] * s + g[2 * nodes] * t;
  flux[nodes] = g[nodes] * r + g[3 * nodes] * s + g[4 * nodes] * t;
  flux[2 * nodes] = g[2 * nodes] * r + g[4 * nodes] * s + g[5 * nodes] * t;
}

static inline double divergence_at(const bp_cpu_arguments *a, int n)
{
  const int nq = a->nq, i = n % nq, j = n / nq % nq, k = n / nq / nq, nodes = NODES;
  const double *r = a->scratch, *s = r + nodes, *t = s + nodes;
  double sum = 0;
  for (int m = 0; m < nq; ++m)
    sum += a->D[m * nq + i] * r[(k * nq + j) * nq + m] +
           a->D[m * nq + j] * s[(k * nq + m) * nq + i] +
           a->D[m * nq + k] * t[(m * nq + j) * nq + i];
  return sum;
}

static inline void apply_to(const bp_cpu_arguments *a, double lambda, const double *g,
                            const double *u, double *v)
{
  for (int n = 0; n < NODES; ++n)
    flux_at(a, g, u, n);
  for (int n = 0; n < NODES; ++n)
    v[n] = divergence_at(a, n) + lambda * g[6 * NODES + n] * u[n];
}

/* The same of element e. */
static inline void apply_to_element(const bp_cpu_arguments *a, int64_t e)
{
  apply_to(a, a->lambda, a->factors + e * 7 * NODES, a->u + e * NODES, a->v + e * NODES);
}

#endif
