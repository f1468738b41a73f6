/* bp1.0/run-time-sized -- one compiled kernel for every degree, two cubes in dynamic shared memory
 *
 * degrees:  1..15 compiled once
 * option:   unroll 0..1 = 0 -- unroll every loop as far as a compiler can that does not know the degree
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * (nc * i_row + elements_per_block * 2 * nc*slab)
 * shared traffic: 8 * nq*nc / elements_per_block + 8 * (nq*nq*nq + 4 * nc*nq*nq*nq + 4 * nc*nc*nq*nq + 4 * nc*nc*nc*nq + 2 * nc*nq*nq + 2 * nc*nc*nq + nc*nc*nc)
 *
 * The degree is an argument, so loops have no length that the compiler knows and nothing can be kept in
 * an array of registers: each pass goes from one cube to the other. Thread (a, b) owns a column in t.
 * Beside cube, it shows what knowing the degree is worth. */
#include "lib/contract/ladder.h"

BP_KERNEL_IF(CONST, apply, 1024, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  const int nq = degree + 1, nc = degree + 2, i_row = nq + (PAD && nq % 8 == 0),
            row = nc + (PAD && nc % 8 == 0);
  const int slab = nc * row, cube = nc * slab, a = threadIdx.x, b = threadIdx.y;
  const size_t e = element_to_read(elements);
  const bool stores = element_of_thread() < elements;
  const double *ue = u + e * nq * nq * nq + b * nq + a;
  const double *we = factors + e * nc * nc * nc + b * nc + a;
  double *ve = v + e * nq * nq * nq + b * nq + a;
  double *s_I = shared, *p = s_I + nc * i_row + threadIdx.z * 2 * cube, *q = p + cube;
  load_matrix(s_I, i_row, I, nc, nq);
  if (a < nq && b < nq)
    move(nq, q + b * row + a, slab, ue, nq * nq);
  BP_BARRIER();
  if (b < nq)
    for (int k = 0; k < nq; ++k)
      p[k * slab + b * row + a] = dot(nq, s_I + a * i_row, 1, q + k * slab + b * row, 1);
  BP_BARRIER();
  for (int k = 0; k < nq; ++k)
    q[k * slab + b * row + a] = dot(nq, s_I + b * i_row, 1, p + k * slab + a, row);
  BP_BARRIER();
  for (int c = 0; c < nc; ++c)
    p[c * slab + b * row + a] =
        we[c * nc * nc] * dot(nq, s_I + c * i_row, 1, q + b * row + a, slab);
  for (int k = 0; k < nq; ++k)
    q[k * slab + b * row + a] = dot(nc, s_I + k, i_row, p + b * row + a, slab);
  BP_BARRIER();
  if (b < nq)
    for (int k = 0; k < nq; ++k)
      p[k * slab + b * row + a] = dot(nc, s_I + b, i_row, q + k * slab + a, row);
  BP_BARRIER();
  if (a < nq && b < nq && stores)
    for (int k = 0; k < nq; ++k)
      ve[k * nq * nq] = dot(nc, s_I + a, i_row, p + k * slab + b * row, 1);
}
