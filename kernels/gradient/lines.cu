/* gradient/lines -- quadrilaterals and hexahedra: a thread per line of an element; v leaves in whole lines
 *
 * degrees:  1..3
 * shapes:   quad hex
 * operands: gather u v
 * option:   elements_per_block 1..64 = 8 -- elements of a block
 * option:   blocks_per_sm 1..16 = 1 -- blocks that share a multiprocessor, as far as registers go
 * size:     lines = dim == 2 ? nq : nq*nq -- of an element in one direction, and its threads
 * size:     cube = element_points + (element_points + 1) % 2 -- doubles of a derivative of one value
 * size:     cubes = dim * fields * cube -- doubles of an element
 * launch:   apply; threads lines, elements_per_block; shared real * elements_per_block * cubes
 *
 * A thread gathers its line along t (s of a quadrilateral) into registers, then contracts lines along t,
 * s and r, whose results replace what they came from: value and t derivative; value, s and t derivatives;
 * all three derivatives. A barrier between directions. At the end the block writes all values in the
 * order of v. */
#include "lib/gradient/element.h"
#include "operators.h"

/* to[c * step] = sum over m of matrix[c][m] x[m] */
#define CONTRACT(matrix, x, to, step)                                                              \
  do {                                                                                             \
    BP_UNROLL                                                                                      \
    for (int c = 0; c < LINE; ++c) {                                                               \
      double sum = 0;                                                                              \
      BP_UNROLL                                                                                    \
      for (int m = 0; m < LINE; ++m)                                                               \
        sum += matrix[c][m] * x[m];                                                                \
      (to)[c * (step)] = sum;                                                                      \
    }                                                                                              \
  } while (0)

BP_DEVICE void load_line(const double *from, int step, double *x)
{
  BP_UNROLL
  for (int m = 0; m < LINE; ++m)
    x[m] = from[m * step];
}

BP_KERNEL_BOUNDED(apply, BP_THREADS_AT_MOST(LINES *ELEMENTS_PER_BLOCK), BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  enum { PLANE = LINE * LINE, LAST = DIM == 2 ? LINE : LINE * LINE, OF_POINT = BP_FIELDS * DIM };
  const int p = threadIdx.x, e0 = blockIdx.x * ELEMENTS_PER_BLOCK, e = e0 + threadIdx.y;
  const int here = min(ELEMENTS_PER_BLOCK, elements - e0);
  double *const mine = shared + threadIdx.y * CUBES;
  double x[LINE * BP_FIELDS], y[LINE];

  /* along the last direction, from u to the value and the derivative */
  if (e < elements) {
    int id[LINE];
    BP_UNROLL
    for (int m = 0; m < LINE; ++m)
      id[m] = gather[(size_t)e * NODES + m * LAST + p];
    BP_UNROLL
    for (int m = 0; m < LINE; ++m)
      BP_UNROLL
    for (int f = 0; f < BP_FIELDS; ++f)
      x[f * LINE + m] = bp_load_cached(u + (size_t)id[m] * BP_FIELDS + f);
    BP_UNROLL
    for (int f = 0; f < BP_FIELDS; ++f) {
      double *const cubes = mine + f * DIM * CUBE + p;
      CONTRACT(bp_I, (x + f * LINE), cubes, LAST);
      CONTRACT(bp_DI, (x + f * LINE), cubes + (DIM - 1) * CUBE, LAST);
    }
  }
  BP_BARRIER();
  if (DIM == 3) {
    if (e < elements) {
      BP_UNROLL
      for (int f = 0; f < BP_FIELDS; ++f) {
        double *const cubes = mine + f * DIM * CUBE + p / LINE * PLANE + p % LINE;
        load_line(cubes, LINE, x);
        load_line(cubes + (DIM - 1) * CUBE, LINE, y);
        CONTRACT(bp_I, x, cubes, LINE);
        CONTRACT(bp_DI, x, cubes + CUBE, LINE);
        CONTRACT(bp_I, y, cubes + (DIM - 1) * CUBE, LINE);
      }
    }
    BP_BARRIER();
  }
  if (e < elements) {
    BP_UNROLL
    for (int f = 0; f < BP_FIELDS; ++f) {
      double *const cubes = mine + f * DIM * CUBE + p * LINE;
      load_line(cubes, 1, x);
      CONTRACT(bp_DI, x, cubes, 1);
      BP_UNROLL
      for (int d = 1; d < DIM; ++d) {
        load_line(cubes + d * CUBE, 1, x);
        CONTRACT(bp_I, x, cubes + d * CUBE, 1);
      }
    }
  }
  BP_BARRIER();
  for (int n = bp_thread(); n < here * VALUES; n += bp_threads()) {
    const int b = n / VALUES, r = n % VALUES, q = r / OF_POINT, c = r % OF_POINT;
    bp_store_streaming(v + (size_t)e0 * VALUES + n, shared[b * CUBES + c * CUBE + q]);
  }
}
