/* ladder.h -- what the kernels of the published ladders share: their options, the thread's column, rows in
 * shared memory, sums over one direction.
 *
 * Threads (a, b) or (a, b, c) of an element: a along r, b along s, c along t. I, D and slices lie in shared memory as
 * plain arrays: I[c][q] at I + c * I_ROW + q, D[c][m] at D + c * ROW + m, a slice's [b][a] at b * ROW + a.
 *
 * option: const 0..1 = 1 -- arguments are const and restrict
 * option: unroll 0..1 = 1 -- unroll every loop; 0 leaves that to the compiler
 * option: pad 0..1 = 1 -- rows of 8 or 16 doubles in shared memory get one more
 * option: elements_per_block 1..32 = 1 -- elements of a thread block
 * option: blocks_per_sm 1..16 = 1 -- blocks that must fit a multiprocessor, with fewer registers each
 * size: i_row = nq + (pad && nq % 8 == 0) -- doubles from row to row of I, so that a column is not in one bank
 * size: row = nc + (pad && nc % 8 == 0) -- from row to row of D and of a slice of points
 * size: slab = nc * row -- of D, of a slice
 * size: cube = nc * slab -- of all slices of an element */
#ifndef BP_KERNELS_LADDER_H
#define BP_KERNELS_LADDER_H

#ifdef BP_N
#include "lib/operator/element.h"

/* A kernel of the ladders with a thread per column in t, or per point. */
#define BP_KERNEL_OF_COLUMNS(name)                                                                 \
  BP_KERNEL_IF(CONST, name, (BP_NC * BP_NC) * (ELEMENTS_PER_BLOCK), BLOCKS_PER_SM)
#define BP_KERNEL_OF_POINTS(name)                                                                  \
  BP_KERNEL_IF(CONST, name, (POINTS_3D) * (ELEMENTS_PER_BLOCK), BLOCKS_PER_SM)
#else
#include "abi/gpu.h"
#endif

/* threadIdx.z counts the elements of a block. Threads past the last element compute it once more,
 * so that every thread reaches every barrier; they read from element_to_read and must not store. */
BP_DEVICE int element_of_thread()
{
  return (int)(blockIdx.x * blockDim.z + threadIdx.z);
}

BP_DEVICE size_t element_to_read(int elements)
{
  return (size_t)min(element_of_thread(), elements - 1);
}

#ifdef BP_N
/* The thread's column in t: where it begins in u, factors and v. */
typedef struct {
  int a, b;
  bool is_node, stores; /* there are nodes in it; and it is of an element that exists */
  const real *u, *factors;
  real *v;
} ladder_column;

BP_DEVICE ladder_column ladder_column_of(int elements, const real *u, const real *factors, real *v)
{
  const int a = threadIdx.x, b = threadIdx.y;
  const bool is_node = BP_COLLOCATED || (a < BP_NQ && b < BP_NQ);
  const size_t e = element_to_read(elements), node = e * NODES_3D + b * BP_NQ + a;
  const ladder_column t = {a,        b,
                           is_node,  is_node && element_of_thread() < elements,
                           u + node, factors + e * BP_COMPONENTS * POINTS_3D + b * BP_NC + a,
                           v + node};
  return t;
}
#endif

/* A matrix into shared memory, by all threads of the block: to[m * row_step + n]. */
BP_DEVICE void load_matrix(real *to, int row_step, const real *from, int rows, int columns)
{
  for (int n = bp_thread(); n < rows * columns; n += bp_threads())
    to[n / columns * row_step + n % columns] = from[n];
}

/* The same, transposed: to[n * row_step + m] = from[m][n]. */
BP_DEVICE void load_transposed(real *to, int row_step, const real *from, int rows, int columns)
{
  for (int n = bp_thread(); n < rows * columns; n += bp_threads())
    to[n % columns * row_step + n / columns] = from[n];
}

/* sum_m matrix[m * matrix_step] * values[m * step] */
BP_DEVICE real dot(int count, const real *matrix, int matrix_step, const real *values, int step)
{
  real sum = 0;
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    sum += matrix[m * matrix_step] * values[m * step];
  return sum;
}

/* The same sum, kept in memory while it grows, as the first rungs do. */
BP_DEVICE void add_dot(real *sum, int count, const real *matrix, int matrix_step,
                       const real *values, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    *sum += matrix[m * matrix_step] * values[m * step];
}

/* to[m * step] += matrix[m] * value: what one value gives to its whole column. */
BP_DEVICE void add_scaled(int count, real *to, int step, const real *matrix, real value)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    to[m * step] += matrix[m] * value;
}

/* to[m * to_step] = from[m * from_step] */
BP_DEVICE void move(int count, real *to, int to_step, const real *from, int from_step)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    to[m * to_step] = from[m * from_step];
}

BP_DEVICE void clear(int count, real *to, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    to[m * step] = 0;
}

/* gradient[3] becomes G gradient; g[c * step] are the factors rr, rs, rt, ss, st, tt of the point.
 */
BP_DEVICE void apply_metric(const real *g, int step, real *gradient)
{
  const real r = gradient[0], s = gradient[1], t = gradient[2];
  const real rs = g[step], rt = g[2 * step], st = g[4 * step];
  gradient[0] = g[0] * r + rs * s + rt * t;
  gradient[1] = rs * r + g[3 * step] * s + st * t;
  gradient[2] = rt * r + st * s + g[5 * step] * t;
}

#endif
