/* bp35_sized.h -- BP3.5 where the degree may be a variable: loops of nc turns over arrays whose extents are
 * told.
 *
 * Where the compiler does not know nc, nothing can be kept in an array of registers: the columns of u and of the
 * result are in shared cubes. Thread (a, b) owns a column in t. */
#ifndef BP_KERNELS_BP35_SIZED_H
#define BP_KERNELS_BP35_SIZED_H

#include "lib/operator/ladder_gradient.h"

/* Of arrays in shared memory: from row to row, slice to slice, cube to cube. An element has two cubes and two
 * slices, behind D. */
typedef struct {
  int row, slab, cube;
} sized_extents;

BP_DEVICE void apply_sized(int nc, sized_extents x, int elements, real lambda, const real *D,
                           const real *factors, const real *u, real *v, real *shared)
{
  const int a = threadIdx.x, b = threadIdx.y, here = b * x.row + a;
  const size_t e = element_to_read(elements), node = e * nc * nc * nc + b * nc + a;
  const real *ge = factors + e * 7 * nc * nc * nc + b * nc + a;
  real *s_D = shared, *p = s_D + x.slab + threadIdx.z * 2 * (x.cube + x.slab), *q = p + x.cube;
  real *s_r = q + x.cube, *s_s = s_r + x.slab;
  const ladder_derivative d = {s_D, 0, false, nc, x.row};
  load_matrix(s_D, x.row, D, nc, nc);
  move(nc, p + here, x.slab, u + node, nc * nc);
  clear(nc, q + here, x.slab);
  BP_BARRIER();

  for (int c = 0; c < nc; ++c) {
    real gradient[3];
    gradient_at(&d, a, b, c, p + c * x.slab, x.row, p + here, x.slab, gradient);
    apply_metric(ge + c * nc * nc, nc * nc * nc, gradient);
    s_r[here] = gradient[0];
    s_s[here] = gradient[1];
    BP_BARRIER();
    q[c * x.slab + here] += add_transposed(
        &d, lambda * ge[(6 * nc + c) * nc * nc] * p[c * x.slab + here], a, b, s_r, s_s, x.row);
    add_scaled(nc, q + here, x.slab, s_D + c * x.row, gradient[2]);
    BP_BARRIER();
  }
  if (element_of_thread() < elements)
    move(nc, v + node, nc * nc, q + here, x.slab);
}

#endif
