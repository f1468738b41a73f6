/* bp3.5/run-time-sized -- one compiled kernel for every degree, two cubes in dynamic shared memory
 *
 * degrees:  1..15 compiled once
 * option:   const 0..1 = 1 -- arguments are const and restrict
 * option:   unroll 0..1 = 0 -- unroll every loop as far as a compiler can that does not know the degree
 * option:   pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * launch:   apply; threads nq, nq, elements_per_block; shared 8 * (nq*(nq + (pad && nq % 8 == 0)) + elements_per_block * (2 * nq + 2)*nq*(nq + (pad && nq % 8 == 0)))
 * shared traffic: 8 * nq*nq / elements_per_block + 8 * (13 * nq*nq*nq*nq + 8 * nq*nq*nq)
 *
 * The degree is an argument, so loops have no length that the compiler knows and nothing can be kept in
 * an array of registers: the columns of u and of the result are in shared cubes. Thread (a, b) owns a
 * column in t. Beside sums, it shows what knowing the degree is worth. */
#include "lib/contract/ladder.h"

BP_KERNEL_IF(CONST, apply, 1024, 1)
{
  BP_DYNAMIC_SHARED(double, shared);
  const int nc = degree + 1, row = BP_ROW(nc);
  const int slab = nc * row, cube = nc * slab, a = threadIdx.x, b = threadIdx.y;
  const size_t e = element_to_read(elements), node = e * nc * nc * nc + b * nc + a;
  const double *ge = factors + e * 7 * nc * nc * nc + b * nc + a;
  double *s_D = shared, *p = s_D + slab + threadIdx.z * 2 * (cube + slab), *q = p + cube;
  double *s_r = q + cube, *s_s = s_r + slab;
  load_matrix(s_D, row, D, nc, nc);
  move(nc, p + b * row + a, slab, u + node, nc * nc);
  clear(nc, q + b * row + a, slab);
  BP_BARRIER();

  for (int c = 0; c < nc; ++c) {
    double gradient[3] = {dot(nc, s_D + a * row, 1, p + c * slab + b * row, 1),
                          dot(nc, s_D + b * row, 1, p + c * slab + a, row),
                          dot(nc, s_D + c * row, 1, p + b * row + a, slab)};
    apply_metric(ge + c * nc * nc, nc * nc * nc, gradient);
    s_r[b * row + a] = gradient[0];
    s_s[b * row + a] = gradient[1];
    BP_BARRIER();
    q[c * slab + b * row + a] += lambda * ge[(6 * nc + c) * nc * nc] * p[c * slab + b * row + a] +
                                 dot(nc, s_D + a, row, s_r + b * row, 1) +
                                 dot(nc, s_D + b, row, s_s + a, row);
    add_scaled(nc, q + b * row + a, slab, s_D + c * row, gradient[2]);
    BP_BARRIER();
  }
  if (element_of_thread() < elements)
    move(nc, v + node, nc * nc, q + b * row + a, slab);
}
