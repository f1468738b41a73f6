/* loops.h -- a step of the wave equation as four loops over nodes, which any number of threads share: u to
 * elements, the flux there, v = K u and the nodes inside elements, the other unknowns. What lies between
 * is in global memory.
 *
 * Thread `first` of `step` takes n = first, first + step, ... An element's nodes are counted with those on
 * its surface first (fem/unknowns.h). A kernel file has the option threads.
 *
 * size: history = 1 -- nothing is kept
 * size: surface_atomic = 0 -- surface nodes of v are stored as copies
 * scratch:  4 * elements * nq*nq*nq
 * bytes:    40 * unknowns + elements * ((64 + 8 * components) * nq*nq*nq + 28 * surface_nodes) */
#ifndef BP_KERNELS_WAVE_LOOPS_H
#define BP_KERNELS_WAVE_LOOPS_H

#include "abi/gpu.h"
#include "operators.h"

#include "lib/wave/surface.h"

/* A thread's share. */
typedef struct {
  long long first, step, nodes; /* nodes: of all elements */
} share;

BP_DEVICE share share_of(int elements)
{
  const share s = {(long long)blockIdx.x * bp_threads() + bp_thread(),
                   (long long)gridDim.x * bp_threads(), (long long)elements * NODES_3D};
  return s;
}

/* local[e][k][j][i] */
BP_DEVICE void loop_scatter(share s, const int *ids, const double *now, double *local)
{
  for (long long n = s.first; n < s.nodes; n += s.step) {
    const int e = (int)(n / NODES_3D);
    int place;
    const int number = wave_point_number(ids, e, (int)(n % NODES_3D), &place);
    local[(long long)e * NODES_3D + place] = now[number];
  }
}

/* The derivative along a direction at place `at` of it, of a line whose first node is u[0]. */
BP_DEVICE double loop_slope(const double *u, int step, int at)
{
  double sum = 0;
  for (int m = 0; m < BP_NQ; ++m)
    sum += bp_D[at][m] * u[m * step];
  return sum;
}

/* flux[direction][e][k][j][i]; factors as eckji. */
BP_DEVICE void loop_flux(share s, const double *factors, const double *local, double *flux)
{
  for (long long n = s.first; n < s.nodes; n += s.step) {
    const int node = (int)(n % NODES_3D), i = node % BP_NQ, j = node / BP_NQ % BP_NQ,
              k = node / NODES_2D;
    const double *const u = local + n - node, *const g = factors +
                                                         n / NODES_3D * (BP_COMPONENTS * NODES_3D) +
                                                         node;
    const double r = loop_slope(u + node - i, 1, i);
    const double q = loop_slope(u + node - j * BP_NQ, BP_NQ, j);
    const double t = loop_slope(u + node - k * NODES_2D, NODES_2D, k);
    flux[n] = g[0] * r + g[NODES_3D] * q + g[2 * NODES_3D] * t;
    flux[s.nodes + n] = g[NODES_3D] * r + g[3 * NODES_3D] * q + g[4 * NODES_3D] * t;
    flux[2 * s.nodes + n] = g[2 * NODES_3D] * r + g[4 * NODES_3D] * q + g[5 * NODES_3D] * t;
  }
}

/* v at a node: the transposed derivatives of the flux. */
BP_DEVICE double loop_product(share s, const double *flux, long long element, int node)
{
  const int i = node % BP_NQ, j = node / BP_NQ % BP_NQ, k = node / NODES_2D;
  const double *const r = flux + element + node - i,
                      *const q = flux + s.nodes + element + node - j * BP_NQ,
                      *const t = flux + 2 * s.nodes + element + node - k * NODES_2D;
  double sum = 0;
  for (int m = 0; m < BP_NQ; ++m)
    sum += bp_D[m][i] * r[m] + bp_D[m][j] * q[m * BP_NQ] + bp_D[m][k] * t[m * NODES_2D];
  return sum;
}

BP_DEVICE void loop_elements(share s, const int *ids, const double *flux, wave_vectors w,
                             double *copies)
{
  for (long long n = s.first; n < s.nodes; n += s.step) {
    const int e = (int)(n / NODES_3D), m = (int)(n % NODES_3D);
    int place;
    const int number = wave_point_number(ids, e, m, &place);
    const double v = loop_product(s, flux, (long long)e * NODES_3D, place);
    if (m < ELEMENT_SURFACE)
      copies[(long long)e * ELEMENT_SURFACE + m] = v;
    else
      w.next[number] = wave_step(w.now[number], w.next[number], w.inverse_mass[number], v);
  }
}

/* inverse_mass is 0 where unknowns are fixed, and so are now and before. */
BP_DEVICE void loop_surface(share s, const unknown_kinds *u, wave_vectors w, const unsigned *starts,
                            const unsigned *copied, const double *copies)
{
  for (long long n = u->inner + s.first; n < u->all; n += s.step) {
    double v = 0;
    for (unsigned c = starts[n - u->inner]; c < starts[n - u->inner + 1]; ++c)
      v += copies[copied[c]];
    w.next[n] = wave_step(w.now[n], w.next[n], w.inverse_mass[n], v);
  }
}

#endif
