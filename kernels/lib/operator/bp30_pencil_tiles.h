/* bp30_pencil_tiles.h -- BP3.0 whose sizes may be arguments: one text for the kernel that is compiled once
 * and for its twin that is compiled for each pair of degree and points.
 *
 * nc x nc threads for an element, each with a pencil in turn along t, s and r. Four cubes of an element lie in shared
 * memory, `row` doubles from row to row, an odd number:
 *
 *   pass                          from -> to          pencils along
 *   to points, t                  u: X -> Y           t
 *   to points, s                  Y -> X              s
 *   to points, r; d/dr            X -> Y -> R         r
 *   d/ds                          Y -> S              s
 *   d/dt                          Y -> X              t
 *   the metric, at each point     X, R, S; Y = lambda W Y
 *   transposed d/dt, d/ds, d/dr   X, S, R added to Y  t, s, r
 *   to nodes, r, s, t             Y -> X -> Y -> v    r, s, t
 *
 * option: elements_per_block 1..64 = 1 -- elements of a block
 * option: blocks_per_sm 1..16 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option: slices 1..4 = 2 -- points of a pencil whose factors are loaded at a time
 * size: row = nc + (nc % 2 == 0) -- doubles from row to row of a cube
 * size: cubes = 4 * nc*nc * row -- of an element
 * size: matrices = (nq + 2 * nc) * row_nc + nc * row_nq -- I, transposed and as it is, and D likewise */
#ifndef BP_KERNELS_BP30_PENCIL_TILES_H
#define BP_KERNELS_BP30_PENCIL_TILES_H

#include "lib/contract/pencil_tiles.h"

/* What the passes need to know; the compiler sees constants where it can. */
typedef struct {
  int nq, nc, row, slab; /* a cube's [c][b][a] at c * slab + b * row + a */
  int row_nq, row_nc;
  const real *to_points, *to_nodes, *derivative, *transposed;
} tiled_sizes;

BP_DEVICE tiled_sizes tiled_sizes_of(int nq, int nc, real *matrices, const real *I, const real *D)
{
  const int row = nc + (nc % 2 == 0), row_nq = tiled_row(nq), row_nc = tiled_row(nc);
  real *const to_nodes = matrices + nq * row_nc, *const derivative = to_nodes + nc * row_nq,
              *const transposed = derivative + nc * row_nc;
  load_tiled(matrices, row_nc, I, nq, nc, 1, nq);
  load_tiled(to_nodes, row_nq, I, nc, nq, nq, 1);
  load_tiled(derivative, row_nc, D, nc, nc, 1, nc);
  load_tiled(transposed, row_nc, D, nc, nc, nc, 1);
  const tiled_sizes z = {nq,     nc,       row,      nc * row,   row_nq,
                         row_nc, matrices, to_nodes, derivative, transposed};
  return z;
}

/* The factors of the points of pencil p along t, SLICES at a time; d/dt in x, d/dr in r, d/ds in s become
 * the flux, and y becomes lambda W y. */
BP_DEVICE void metric_of_pencil(const tiled_sizes *z, const real *g, real lambda, real *x, real *r,
                                real *s, real *y)
{
  const int points = z->nc * z->nc * z->nc, plane = z->nc * z->nc;
  UNROLL_TILES
  for (int first = 0; first < z->nc; first += SLICES) {
    real f[SLICES][7];
    BP_UNROLL
    for (int n = 0; n < SLICES; ++n) {
      BP_UNROLL
      for (int c = 0; c < 7; ++c)
        f[n][c] = bp_load_streaming(g + c * points + min(first + n, z->nc - 1) * plane);
    }
    BP_UNROLL
    for (int n = 0; n < SLICES; ++n) {
      const int at = (first + n) * z->slab;
      if (first + n < z->nc) {
        const real ur = r[at], us = s[at], ut = x[at];
        r[at] = f[n][0] * ur + f[n][1] * us + f[n][2] * ut;
        s[at] = f[n][1] * ur + f[n][3] * us + f[n][4] * ut;
        x[at] = f[n][2] * ur + f[n][4] * us + f[n][5] * ut;
        y[at] *= lambda * f[n][6];
      }
    }
  }
}

/* A pass of all pencils, `count` of them; pencil p begins at `at` in both cubes. */
#define TILED_PASS(add, count, matrix, matrix_row, inputs, outputs, from, to, at, step)            \
  do {                                                                                             \
    if (p < (count))                                                                               \
      contract_tiles(add, z.matrix, z.matrix_row, inputs, outputs, (from) + (at), step,            \
                     (to) + (at), step);                                                           \
  } while (0)

/* `shared`: matrices, then the cubes of ELEMENTS_PER_BLOCK elements. threadIdx.x counts pencils,
 * threadIdx.y elements. */
BP_DEVICE void apply_tiled(int nq, int nc, int elements, real lambda, const real *I, const real *D,
                           const real *factors, const real *u, real *v, real *shared)
{
  const tiled_sizes z = tiled_sizes_of(nq, nc, shared, I, D);
  const int p = threadIdx.x, e = blockIdx.x * ELEMENTS_PER_BLOCK + threadIdx.y;
  const int cube = nc * z.slab, last = min(e, elements - 1);
  const int matrices = (nq + 2 * nc) * z.row_nc + nc * z.row_nq;
  real *const X = shared + matrices + threadIdx.y * 4 * cube, *const Y = X + cube,
              *const R = Y + cube, *const S = R + cube;
  /* along t: [b][a] of nodes, of points; along s: [c][a] of points and nodes, of points; along r: [c][b] */
  const int of_nodes = p / nq, of_points = p / nc;
  const int t_nodes = of_nodes * z.row + p - of_nodes * nq;
  const int s_nodes = of_nodes * z.slab + p - of_nodes * nq;
  const int t_points = of_points * z.row + p - of_points * nc;
  const int s_points = of_points * z.slab + p - of_points * nc;
  const real *const ue = u + (size_t)last * nq * nq * nq;
  const real *const g = factors + (size_t)last * 7 * nc * nc * nc + p;

  if (p < nq * nq)
    for (int k = 0; k < nq; ++k)
      X[t_nodes + k * z.slab] = ue[k * nq * nq + p];
  BP_BARRIER();
  TILED_PASS(false, nq * nq, to_points, row_nc, nq, nc, X, Y, t_nodes, z.slab);
  BP_BARRIER();
  TILED_PASS(false, nc * nq, to_points, row_nc, nq, nc, Y, X, s_nodes, z.row);
  BP_BARRIER();
  TILED_PASS(false, nc * nc, to_points, row_nc, nq, nc, X, Y, p * z.row, 1);
  TILED_PASS(false, nc * nc, derivative, row_nc, nc, nc, Y, R, p * z.row, 1);
  BP_BARRIER();
  TILED_PASS(false, nc * nc, derivative, row_nc, nc, nc, Y, S, s_points, z.row);
  BP_BARRIER();
  TILED_PASS(false, nc * nc, derivative, row_nc, nc, nc, Y, X, t_points, z.slab);
  metric_of_pencil(&z, g, lambda, X + t_points, R + t_points, S + t_points, Y + t_points);
  TILED_PASS(true, nc * nc, transposed, row_nc, nc, nc, X, Y, t_points, z.slab);
  BP_BARRIER();
  TILED_PASS(true, nc * nc, transposed, row_nc, nc, nc, S, Y, s_points, z.row);
  BP_BARRIER();
  TILED_PASS(true, nc * nc, transposed, row_nc, nc, nc, R, Y, p * z.row, 1);
  TILED_PASS(false, nc * nc, to_nodes, row_nq, nc, nq, Y, X, p * z.row, 1);
  BP_BARRIER();
  TILED_PASS(false, nc * nq, to_nodes, row_nq, nc, nq, X, Y, s_nodes, z.row);
  BP_BARRIER();
  if (p < nq * nq && e < elements)
    contract_tiles(false, z.to_nodes, z.row_nq, nc, nq, Y + t_nodes, z.slab,
                   v + (size_t)e * nq * nq * nq + p, nq * nq);
}

#endif
