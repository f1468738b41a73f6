/* bp10_pencil_tiles.h -- BP1.0 whose sizes may be arguments: one text for the kernel that is compiled once
 * and for its twin that is compiled for each pair of degree and points.
 *
 * nc x nc threads for an element, each with a pencil in turn along r, s and t, and back. Two cubes of an element lie in
 * shared memory, `row` doubles from row to row, an odd number. Along t a thread multiplies its points with W.
 *
 * option: elements_per_block 1..64 = 1 -- elements of a block
 * option: blocks_per_sm 1..16 = 1 -- blocks that share a multiprocessor, as far as registers go
 * option: slices 1..8 = 4 -- points of a pencil whose factors are loaded at a time
 * size: row = nc + (nc % 2 == 0) -- doubles from row to row of a cube
 * size: cubes = 2 * nc*nc * row -- of an element
 * size: matrices = nq * row_nc + nc * row_nq -- I, transposed and as it is */
#ifndef BP_KERNELS_BP10_PENCIL_TILES_H
#define BP_KERNELS_BP10_PENCIL_TILES_H

#include "lib/contract/pencil_tiles.h"

/* x becomes W x at the points of a pencil along t. */
BP_DEVICE void mass_of_pencil(int nc, const real *w, real *x, int step)
{
  UNROLL_TILES
  for (int first = 0; first < nc; first += SLICES) {
    real f[SLICES];
    BP_UNROLL
    for (int n = 0; n < SLICES; ++n)
      f[n] = bp_load_streaming(w + min(first + n, nc - 1) * nc * nc);
    BP_UNROLL
    for (int n = 0; n < SLICES; ++n)
      if (first + n < nc)
        x[(first + n) * step] *= f[n];
  }
}

/* `shared`: matrices, then the cubes of ELEMENTS_PER_BLOCK elements. threadIdx.x counts pencils,
 * threadIdx.y elements. */
BP_DEVICE void apply_tiled(int nq, int nc, int elements, const real *I, const real *factors,
                           const real *u, real *v, real *shared)
{
  const int row = nc + (nc % 2 == 0), slab = nc * row, row_nq = tiled_row(nq),
            row_nc = tiled_row(nc);
  const int p = threadIdx.x, e = blockIdx.x * ELEMENTS_PER_BLOCK + threadIdx.y;
  const int last = min(e, elements - 1);
  real *const to_points = shared, *const to_nodes = to_points + nq * row_nc;
  real *const X = to_nodes + nc * row_nq + threadIdx.y * 2 * nc * slab, *const Y = X + nc * slab;
  /* where a pencil begins: along r of nodes (j, k), along s of point a and node k, along t of points (a, b)
   * */
  const int of_nodes = p / nq, j = p - of_nodes * nq, of_points = p / nc, a = p - of_points * nc;
  const int r = of_nodes * slab + j * row, s = of_points * slab + a, t = of_points * row + a;
  const real *const ue = u + (size_t)last * nq * nq * nq;

  load_tiled(to_points, row_nc, I, nq, nc, 1, nq);
  load_tiled(to_nodes, row_nq, I, nc, nq, nq, 1);
  if (p < nq * nq)
    for (int k = 0; k < nq; ++k)
      X[of_nodes * row + j + k * slab] = ue[k * nq * nq + p];
  BP_BARRIER();
  if (p < nq * nq)
    contract_tiles(false, to_points, row_nc, nq, nc, X + r, 1, Y + r, 1);
  BP_BARRIER();
  if (p < nq * nc)
    contract_tiles(false, to_points, row_nc, nq, nc, Y + s, row, X + s, row);
  BP_BARRIER();
  contract_tiles(false, to_points, row_nc, nq, nc, X + t, slab, Y + t, slab);
  mass_of_pencil(nc, factors + (size_t)last * nc * nc * nc + p, Y + t, slab);
  contract_tiles(false, to_nodes, row_nq, nc, nq, Y + t, slab, X + t, slab);
  BP_BARRIER();
  if (p < nq * nc)
    contract_tiles(false, to_nodes, row_nq, nc, nq, X + s, row, Y + s, row);
  BP_BARRIER();
  if (p < nq * nq)
    contract_tiles(false, to_nodes, row_nq, nc, nq, Y + r, 1, X + r, 1);
  BP_BARRIER();
  if (p < nq * nq && e < elements)
    for (int k = 0; k < nq; ++k)
      v[((size_t)e * nq + k) * nq * nq + p] = X[of_nodes * row + j + k * slab];
}

#endif
