/* bp3.0/run-time-sized -- one compiled kernel for every degree, two cubes in dynamic shared memory
 *
 * degrees:  1..15 compiled once
 * option:   unroll 0..1 = 0 -- unroll every loop as far as a compiler can that does not know the degree
 * launch:   apply; threads nc, nc, elements_per_block; shared 8 * (nc * i_row + slab + elements_per_block * (2 * nc + 2)*slab)
 * shared traffic: 8 * (nq*nc + nc*nc) / elements_per_block + 8 * (nq*nq*nq + 4 * nc*nq*nq*nq + 4 * nc*nc*nq*nq + 4 * nc*nc*nc*nq + 2 * nc*nq*nq + 2 * nc*nc*nq + nc*nc*nc + 13 * nc*nc*nc*nc + 6 * nc*nc*nc)
 *
 * The degree is an argument, so loops have no length that the compiler knows and nothing can be kept in
 * an array of registers: each pass goes from one cube to the other, and the columns of values and
 * results are the cubes' own. Thread (a, b) owns a column in t. Beside cube-prefetch, it shows what
 * knowing the degree is worth. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_IF(CONST, apply, 1024, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  const int nq = degree + 1, nc = degree + 2, i_row = nq + (PAD && nq % 8 == 0),
            row = nc + (PAD && nc % 8 == 0);
  const int slab = nc * row, cube = nc * slab, a = threadIdx.x, b = threadIdx.y;
  const size_t e = element_to_read(elements);
  const bool stores = element_of_thread() < elements;
  const double *ue = u + e * nq * nq * nq + b * nq + a;
  const double *ge = factors + e * 7 * nc * nc * nc + b * nc + a;
  double *ve = v + e * nq * nq * nq + b * nq + a;
  double *s_I = shared, *s_D = s_I + nc * i_row;
  double *p = s_D + slab + threadIdx.z * 2 * (cube + slab), *q = p + cube;
  double *s_r = q + cube, *s_s = s_r + slab;
  load_matrix(s_I, i_row, I, nc, nq);
  const ladder_derivative d = {s_D, 0, false, nc, row};
  load_matrix(s_D, row, D, nc, nc);
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
    p[c * slab + b * row + a] = dot(nq, s_I + c * i_row, 1, q + b * row + a, slab);
  clear(nc, q + b * row + a, slab);
  BP_BARRIER();

  for (int c = 0; c < nc; ++c) {
    double gradient[3];
    gradient_at(&d, a, b, c, p + c * slab, row, p + b * row + a, slab, gradient);
    apply_metric(ge + c * nc * nc, nc * nc * nc, gradient);
    s_r[b * row + a] = gradient[0];
    s_s[b * row + a] = gradient[1];
    BP_BARRIER();
    q[c * slab + b * row + a] += add_transposed(
        &d, lambda * ge[(6 * nc + c) * nc * nc] * p[c * slab + b * row + a], a, b, s_r, s_s, row);
    add_scaled(nc, q + b * row + a, slab, s_D + c * row, gradient[2]);
    BP_BARRIER();
  }

  for (int k = 0; k < nq; ++k)
    p[k * slab + b * row + a] = dot(nc, s_I + k, i_row, q + b * row + a, slab);
  BP_BARRIER();
  if (b < nq)
    for (int k = 0; k < nq; ++k)
      q[k * slab + b * row + a] = dot(nc, s_I + b, i_row, p + k * slab + a, row);
  BP_BARRIER();
  if (a < nq && b < nq && stores)
    for (int k = 0; k < nq; ++k)
      ve[k * nq * nq] = dot(nc, s_I + a, i_row, q + k * slab + b * row, 1);
}
