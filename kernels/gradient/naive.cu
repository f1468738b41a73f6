/* gradient/naive -- as published: blocks of few elements, everything staged in shared memory
 *
 * degrees:  1..3
 * operands: gather I table u v
 * option:   elements_per_block 1..32 = 1 -- elements of a thread block
 * option:   shared_tables 0..1 = 1 -- tables of shape functions in shared memory; 0 leaves them to L1
 * size:     tables = shared_tables ? table_count + (is_simplex ? 0 : nq*nq) : 0 -- doubles of the tables
 * size:     scratch_cubes = is_simplex ? 0 : dim == 2 ? 2 : 5 -- of an element, between passes
 * size:     staged = element_nodes * (1 + scratch_cubes) + one_field -- doubles of an element: u, scratch, derivatives
 * launch:   apply; threads element_points, 1, elements_per_block; shared real * (tables + elements_per_block * staged) + 4 * elements_per_block * element_nodes
 *
 * A thread per point. One value of the nodes after the other: gather it, differentiate, write. Simplices
 * have a table of all derivatives, tensor products one direction after the other. */
#include "lib/gradient/element.h"

/* sum over m of row[m] x[m * step] */
BP_DEVICE double dot(const double *row, const double *x, int step)
{
  double sum = 0;
  BP_UNROLL
  for (int m = 0; m < LINE; ++m)
    sum += row[m] * x[m * step];
  return sum;
}

BP_DEVICE void differentiate_simplex(const double *table, const double *u, double *v)
{
  for (int d = 0; d < DIM; ++d) {
    double sum = 0;
    for (int n = 0; n < NODES; ++n)
      sum += table[(threadIdx.x * DIM + d) * NODES + n] * u[n];
    v[threadIdx.x * DIM + d] = sum;
  }
}

/* The point is (i, j, k); a barrier after each direction but the last. */
BP_DEVICE void differentiate_tensor(const double *I, const double *D, const double *u, double *s,
                                    double *v)
{
  const int p = threadIdx.x, i = p % LINE, j = p / LINE % LINE, k = p / (LINE * LINE);
  double *const a = s, *const b = s + NODES;
  a[p] = dot(I + i * LINE, u + p - i, 1);
  b[p] = dot(D + i * LINE, u + p - i, 1);
  BP_BARRIER();
  const int column = p - j * LINE;
  if (DIM == 2) {
    v[p * DIM] = dot(I + j * LINE, b + column, LINE);
    v[p * DIM + 1] = dot(D + j * LINE, a + column, LINE);
    return;
  }
  double *const ii = b + NODES, *const di = ii + NODES, *const id = di + NODES;
  ii[p] = dot(I + j * LINE, a + column, LINE);
  di[p] = dot(D + j * LINE, a + column, LINE);
  id[p] = dot(I + j * LINE, b + column, LINE);
  BP_BARRIER();
  const int pillar = p - k * LINE * LINE;
  v[p * DIM] = dot(I + k * LINE, id + pillar, LINE * LINE);
  v[p * DIM + 1] = dot(I + k * LINE, di + pillar, LINE * LINE);
  v[p * DIM + 2 - 3 % DIM] = dot(D + k * LINE, ii + pillar, LINE * LINE);
}

BP_KERNEL_BOUNDED(apply, BP_THREADS_AT_MOST(POINTS *ELEMENTS_PER_BLOCK), 1)
{
  BP_DYNAMIC_SHARED(double, shared);
  const int e = blockIdx.x * ELEMENTS_PER_BLOCK + threadIdx.z, n = threadIdx.x;
  const bool is_element = e < elements;
  double *const s_u = shared + TABLES + threadIdx.z * STAGED, *const scratch = s_u + NODES;
  double *const s_v = scratch + NODES * SCRATCH_CUBES;
  int *const ids = (int *)(shared + TABLES + ELEMENTS_PER_BLOCK * STAGED) + threadIdx.z * NODES;
  const double *t = table, *i = I;
  if (SHARED_TABLES) {
    for (int m = bp_thread(); m < SHAPE_TABLE; m += bp_threads())
      shared[m] = table[m];
    for (int m = bp_thread(); m < TABLES - SHAPE_TABLE; m += bp_threads())
      shared[SHAPE_TABLE + m] = I[m];
    t = shared;
    i = shared + SHAPE_TABLE;
  }
  ids[n] = is_element ? gather[(size_t)e * NODES + n] : 0;
  BP_BARRIER();
  for (int f = 0; f < BP_FIELDS; ++f) {
    s_u[n] = u[(size_t)ids[n] * BP_FIELDS + f];
    BP_BARRIER();
    if (IS_SIMPLEX)
      differentiate_simplex(t, s_u, s_v);
    else
      differentiate_tensor(i, t, s_u, scratch, s_v);
    BP_BARRIER();
    for (int d = 0; d < DIM && is_element; ++d)
      v[(((size_t)e * POINTS + n) * BP_FIELDS + f) * DIM + d] = s_v[n * DIM + d];
  }
}
