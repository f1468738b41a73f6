/* ladder.h -- what the kernels of the published ladders share: the thread's element, rows in shared
 * memory, sums over one direction. Its options: unroll, pad. */
#ifndef BP_KERNELS_LADDER_H
#define BP_KERNELS_LADDER_H

#include "abi/gpu.h"

/* Doubles from one row of n to the next in shared memory: with `pad`, rows of 8 or 16 get one more,
 * so that a column does not lie in one bank. */
#define BP_ROW(n) ((n) + (PAD && (n) % 8 == 0))

#ifdef BP_N
#define BP_NODES  (BP_NQ * BP_NQ * BP_NQ)
#define BP_POINTS (BP_NC * BP_NC * BP_NC)
/* A kernel of the ladders with a thread per column in t, or per point. */
#define BP_KERNEL_OF_COLUMNS(name)                                                                 \
  BP_KERNEL_IF(CONST, name, (BP_NC * BP_NC) * (ELEMENTS_PER_BLOCK), BLOCKS_PER_SM)
#define BP_KERNEL_OF_POINTS(name)                                                                  \
  BP_KERNEL_IF(CONST, name, (BP_POINTS) * (ELEMENTS_PER_BLOCK), BLOCKS_PER_SM)

/* Rows of I and of D in shared memory. */
typedef const double interpolation_row[BP_ROW(BP_NQ)];
typedef const double derivative_row[BP_ROW(BP_NC)];
#endif

/* Arrays in shared memory that begin at `start`: name[row][column], name[slab][row][column]. */
#define BP_ROWS_AT(name, start, columns) double(*name)[columns] = (double(*)[columns])(start)
#define BP_CUBE_AT(name, start, rows, columns)                                                     \
  double(*name)[rows][columns] = (double(*)[rows][columns])(start)

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

/* A matrix into shared memory, by all threads of the block: to[m * row_step + n]. */
BP_DEVICE void load_matrix(double *to, int row_step, const double *from, int rows, int columns)
{
  for (int n = bp_thread(); n < rows * columns; n += bp_threads())
    to[n / columns * row_step + n % columns] = from[n];
}

/* The same, transposed: to[n * row_step + m] = from[m][n]. */
BP_DEVICE void load_transposed(double *to, int row_step, const double *from, int rows, int columns)
{
  for (int n = bp_thread(); n < rows * columns; n += bp_threads())
    to[n % columns * row_step + n / columns] = from[n];
}

/* sum_m matrix[m * matrix_step] * values[m * step] */
BP_DEVICE double dot(int count, const double *matrix, int matrix_step, const double *values,
                     int step)
{
  double sum = 0;
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    sum += matrix[m * matrix_step] * values[m * step];
  return sum;
}

/* The same sum, kept in memory while it grows, as the first rungs do. */
BP_DEVICE void add_dot(double *sum, int count, const double *matrix, int matrix_step,
                       const double *values, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    *sum += matrix[m * matrix_step] * values[m * step];
}

/* to[m * step] += matrix[m] * value: what one value gives to its whole column. */
BP_DEVICE void add_scaled(int count, double *to, int step, const double *matrix, double value)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    to[m * step] += matrix[m] * value;
}

/* to[m * to_step] = from[m * from_step] */
BP_DEVICE void move(int count, double *to, int to_step, const double *from, int from_step)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    to[m * to_step] = from[m * from_step];
}

BP_DEVICE void clear(int count, double *to, int step)
{
  BP_UNROLL_IF(UNROLL)
  for (int m = 0; m < count; ++m)
    to[m * step] = 0;
}

/* gradient[3] becomes G gradient; g[c * step] are the factors rr, rs, rt, ss, st, tt of the point.
 */
BP_DEVICE void apply_metric(const double *g, int step, double *gradient)
{
  const double r = gradient[0], s = gradient[1], t = gradient[2];
  const double rs = g[step], rt = g[2 * step], st = g[4 * step];
  gradient[0] = g[0] * r + rs * s + rt * t;
  gradient[1] = rs * r + g[3 * step] * s + st * t;
  gradient[2] = rt * r + st * s + g[5 * step] * t;
}

#endif
