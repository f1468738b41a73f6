/* planted.h -- BP3.5 with one thread per node, in pieces, for kernels that are wrong on purpose. Each
 * of them is right with the option `correct`.
 *
 * degrees:  1..3
 * option:   correct 0..1 = 0 -- without the bug
 * launch:   apply; threads nq, nq, nq */
#ifndef BP_PLANTED_H
#define BP_PLANTED_H

#include "abi/gpu.h"

#define NODES (BP_NQ * BP_NQ * BP_NQ)
typedef double slab[BP_NQ][BP_NQ];

/* This thread's node. */
#define NODE ((int)((threadIdx.z * BP_NQ + threadIdx.y) * BP_NQ + threadIdx.x))

/* flux = G grad u at this thread's node; g: factors of its element. */
BP_DEVICE void flux_of(const double *D, const double *g, const slab *u, double flux[3])
{
  const int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
  double r = 0, s = 0, t = 0;
  for (int m = 0; m < BP_NQ; ++m) {
    r += D[i * BP_NQ + m] * u[k][j][m];
    s += D[j * BP_NQ + m] * u[k][m][i];
    t += D[k * BP_NQ + m] * u[m][j][i];
  }
  g += NODE;
  flux[0] = g[0] * r + g[NODES] * s + g[2 * NODES] * t;
  flux[1] = g[NODES] * r + g[3 * NODES] * s + g[4 * NODES] * t;
  flux[2] = g[2 * NODES] * r + g[4 * NODES] * s + g[5 * NODES] * t;
}

/* The transposed gradient of the fluxes at this thread's node. */
BP_DEVICE double divergence_of(const double *D, const slab *r, const slab *s, const slab *t)
{
  const int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
  double sum = 0;
  for (int m = 0; m < BP_NQ; ++m)
    sum += D[m * BP_NQ + i] * r[k][j][m] + D[m * BP_NQ + j] * s[k][m][i] +
           D[m * BP_NQ + k] * t[m][j][i];
  return sum;
}

/* The shared cubes of a block. */
#define CUBES                                                                                      \
  BP_SHARED(double, s_u, [BP_NQ][BP_NQ][BP_NQ]);                                                   \
  BP_SHARED(double, s_r, [BP_NQ][BP_NQ][BP_NQ]);                                                   \
  BP_SHARED(double, s_s, [BP_NQ][BP_NQ][BP_NQ]);                                                   \
  BP_SHARED(double, s_t, [BP_NQ][BP_NQ][BP_NQ])

/* By all threads: s_u by a copy into a slot from `from`, of which so many bytes are expected. */
#define BRING(from, expected)                                                                      \
  BP_SHARED(bp_mbarrier, full, [1]);                                                               \
  if (NODE == 0) {                                                                                 \
    bp_mbarrier_start(full, 1);                                                                    \
    bp_mbarrier_fence();                                                                           \
  }                                                                                                \
  BP_BARRIER();                                                                                    \
  if (bp_warp() == 0) {                                                                            \
    bp_slot_copy(s_u, from, NODES * 8, full);                                                      \
    bp_slot_arrive(full, expected);                                                                \
  }                                                                                                \
  bp_mbarrier_wait(full, 0)

/* flux into the three cubes, the sum out of them. */
#define STORE(flux)                                                                                \
  do {                                                                                             \
    (&s_r[0][0][0])[NODE] = flux[0];                                                               \
    (&s_s[0][0][0])[NODE] = flux[1];                                                               \
    (&s_t[0][0][0])[NODE] = flux[2];                                                               \
  } while (0)

/* Of element e: its factors, the place of this thread's node in u and v. */
#define ELEMENT(e)                                                                                 \
  const double *g = factors + (size_t)(e)*7 * NODES;                                               \
  const size_t n = (size_t)(e)*NODES + NODE;                                                       \
  double flux[3]

/* From u in its cube to the fluxes in theirs, and from there to v. */
#define FLUXES                                                                                     \
  flux_of(D, g, s_u, flux);                                                                        \
  STORE(flux);                                                                                     \
  BP_BARRIER()
#define RESULT (divergence_of(D, s_r, s_s, s_t) + lambda * g[6 * NODES + NODE] * u[n])

#endif
