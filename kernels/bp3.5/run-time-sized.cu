/* bp3.5/run-time-sized -- one compiled kernel for every degree, two cubes in dynamic shared memory
 *
 * degrees:  1..15 compiled once
 * option:   unroll 0..1 = 0 -- unroll every loop as far as a compiler can that does not know the degree
 * launch:   apply; threads nq, nq, elements_per_block; shared real * (slab + elements_per_block * (2 * nq + 2)*slab)
 * shared traffic: real * nq*nq / elements_per_block + real * (13 * nq*nq*nq*nq + 8 * nq*nq*nq)
 *
 * The degree is an argument, so loops have no length that the compiler knows and nothing can be kept in
 * an array of registers: the columns of u and of the result are in shared cubes. Thread (a, b) owns a
 * column in t. Beside sums, it shows what knowing the degree is worth. */
#include "lib/operator/ladder_gradient.h"

BP_KERNEL_IF(CONST, apply, 1024, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(real, shared);
  const int nc = degree + 1, row = nc + (PAD && nc % 8 == 0);
  const int slab = nc * row, cube = nc * slab, a = threadIdx.x, b = threadIdx.y;
  const size_t e = element_to_read(elements), node = e * nc * nc * nc + b * nc + a;
  const real *ge = factors + e * 7 * nc * nc * nc + b * nc + a;
  real *s_D = shared, *p = s_D + slab + threadIdx.z * 2 * (cube + slab), *q = p + cube;
  real *s_r = q + cube, *s_s = s_r + slab;
  const ladder_derivative d = {s_D, 0, false, nc, row};
  load_matrix(s_D, row, D, nc, nc);
  move(nc, p + b * row + a, slab, u + node, nc * nc);
  clear(nc, q + b * row + a, slab);
  BP_BARRIER();

  for (int c = 0; c < nc; ++c) {
    real gradient[3];
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
  if (element_of_thread() < elements)
    move(nc, v + node, nc * nc, q + b * row + a, slab);
}
