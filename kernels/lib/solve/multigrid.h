/* multigrid.h -- p-multigrid on a GPU: the vectors of a level, of the transfers between two, and of the
 * conjugate gradients around the cycle. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_H
#define BP_KERNELS_SOLVE_MULTIGRID_H

#include "abi/gpu.h"
#include "abi/multigrid.h"
#include "lib/solve/numbering.h"

#define EACH(n, count)                                                                             \
  for (long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x; n < (count);                \
       n += (long long)gridDim.x * blockDim.x)
#define EACH_HERE(n, count) for (int n = bp_thread(); n < (count); n += bp_threads())

BP_DEVICE const double *row_of(const double *schedule, int row)
{
  return schedule + (size_t)row * BP_MG_ROW;
}

/* ---- between vectors and elements ---- */

/* The unknown of node m of element e, negative where it is fixed; *owns: e is the first that has it. */
BP_DEVICE int unknown_of(const int *ids, const int *first, size_t e, int m, bool *owns)
{
  const int i = m % BP_NQ, j = m / BP_NQ % BP_NQ, k = m / (BP_NQ * BP_NQ);
  *owns = true;
  if (i > 0 && i < BP_N && j > 0 && j < BP_N && k > 0 && k < BP_N)
    return (int)e * ELEMENT_INNER + ((k - 1) * EDGE_INNER + j - 1) * EDGE_INNER + i - 1;
  const int s = surface_index(i, j, k), id = ids[e * ELEMENT_SURFACE + s];
  *owns = id >= first[3 * e + (s >= EDGES_AT) + (s >= CORNERS_AT)];
  return id;
}

BP_KERNEL_BOUNDED(scatter, 256, 0)
{
  EACH(n, (long long)elements * NODES)
  {
    bool owns;
    const int id = unknown_of(ids, first, (size_t)(n / NODES), (int)(n % NODES), &owns);
    for (int f = 0; f < BP_FIELDS; ++f)
      element_u[(size_t)f * BP_MG_ELEMENTS(elements) * NODES + n] = id < 0 ? 0 : p[f * stride + id];
  }
}

/* The sum over the copies of unknown n in what elements have of a field. */
BP_DEVICE real gathered(const real *local, const unsigned *starts, const unsigned *copied,
                        long long n, int inner)
{
  const int side = ELEMENT_INNER > 0 ? ELEMENT_INNER : 1;
  if (n < inner)
    return local[(size_t)(n / side) * NODES + inner_place((int)(n % side), BP_NQ * BP_NQ)];
  real sum = 0;
  const unsigned end = starts[n - inner + 1];
  for (unsigned c = starts[n - inner]; c < end; ++c) {
    const unsigned e = copied[c] / ELEMENT_SURFACE, m = copied[c] % ELEMENT_SURFACE;
    sum += local[(size_t)e * NODES + surface_place((int)m, BP_NQ * BP_NQ)];
  }
  return sum;
}

/* ---- a level ---- */

BP_KERNEL_BOUNDED(smooth, 256, 0)
{
  const double *const numbers = row_of(schedule, row);
  const int flags = (int)numbers[BP_MG_FLAGS];
  const real before = (real)numbers[BP_MG_BEFORE], keep = (real)numbers[BP_MG_KEEP],
             gain = (real)numbers[BP_MG_GAIN], after = (real)numbers[BP_MG_AFTER];
  const bool is_plain = flags & BP_MG_PLAIN,
             wants = flags & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ);
  for (int f = 0; f < BP_FIELDS; ++f)
    EACH(n, is_plain ? elements : unknowns)
    {
      const long long at = f * stride + n;
      const real t = !wants     ? 0
                     : is_plain ? element_v[at]
                                : gathered(element_v + (size_t)f * BP_MG_ELEMENTS(elements) * NODES,
                                           starts, copied, n, inner);
      if (flags & BP_MG_TAKES_B)
        ap[at] = t;
      real y = 0, z = t;
      if (flags & (BP_MG_FROM_B | BP_MG_FROM_R)) {
        y = (flags & BP_MG_FROM_B ? ap[at] : r[at]) - (flags & BP_MG_LESS ? t : 0);
        r[at] = y;
      }
      real added = 0;
      if (flags & BP_MG_ADDS)
        added = before * p[at];
      if (flags & BP_MG_JACOBI)
        z = y / diagonal[n];
      if (flags & (BP_MG_JACOBI | BP_MG_SCHWARZ)) {
        const real d = flags & BP_MG_KEEPS ? keep * p[at] + gain * z : gain * z;
        p[at] = d;
        if (flags & BP_MG_ADDS_NEW)
          added += after * d;
      }
      if (flags & BP_MG_ZERO)
        x[at] = added;
      else if (flags & (BP_MG_ADDS | BP_MG_ADDS_NEW))
        x[at] += added;
    }
}

/* ---- transfers ---- */

/* out[b][j][a] = sum over i of m[j][i] in[b][i][a], m by its steps; by all threads, then a barrier */
BP_DEVICE void contract(int before, int rows, int columns, int after, const real *m, int row_step,
                        int column_step, const real *in, real *out)
{
  EACH_HERE(n, before * rows * after)
  {
    const int a = n % after, j = n / after % rows, b = n / after / rows;
    real sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += m[j * row_step + i * column_step] * in[(b * columns + i) * after + a];
    out[n] = sum;
  }
  BP_BARRIER();
}

/* Each unknown's residual goes with the element that owns it. */
BP_KERNEL_BOUNDED(restrict_residual, 128, 0)
{
  BP_DYNAMIC_SHARED(real, u);
  real *const v = u + NODES;
  const int nc = (int)row_of(schedule, row)[BP_MG_COARSE];
  for (int f = 0; f < BP_FIELDS; ++f)
    for (int e = blockIdx.x; e < elements; e += gridDim.x) {
      EACH_HERE(m, NODES)
      {
        bool owns;
        const int id = unknown_of(ids, first, (size_t)e, m, &owns);
        u[m] = owns && id >= 0 ? r[f * stride + id] : 0;
      }
      BP_BARRIER();
      contract(1, nc, BP_NQ, BP_NQ * BP_NQ, transfer, 1, nc, u, v);
      contract(nc, nc, BP_NQ, BP_NQ, transfer, 1, nc, v, u);
      contract(nc * nc, nc, BP_NQ, 1, transfer, 1, nc, u,
               coarse_elements + ((size_t)f * BP_MG_ELEMENTS(elements) + e) * nc * nc * nc);
    }
}

/* x += what the next level has, at each unknown by the element that owns it. */
BP_KERNEL_BOUNDED(prolong, 128, 0)
{
  BP_DYNAMIC_SHARED(real, u);
  real *const v = u + NODES;
  const int nc = (int)row_of(schedule, row)[BP_MG_COARSE];
  for (int f = 0; f < BP_FIELDS; ++f)
    for (int e = blockIdx.x; e < elements; e += gridDim.x) {
      contract(nc * nc, BP_NQ, nc, 1, transfer, nc, 1,
               coarse_elements + ((size_t)f * BP_MG_ELEMENTS(elements) + e) * nc * nc * nc, u);
      contract(nc, BP_NQ, nc, BP_NQ, transfer, nc, 1, u, v);
      contract(1, BP_NQ, nc, BP_NQ * BP_NQ, transfer, nc, 1, v, u);
      EACH_HERE(m, NODES)
      {
        bool owns;
        const int id = unknown_of(ids, first, (size_t)e, m, &owns);
        if (owns && id >= 0)
          x[f * stride + id] += u[m];
      }
      BP_BARRIER();
    }
}

/* ---- Schwarz ---- */

/* 1 / copies of an unknown, or its root. */
BP_DEVICE real weight_of(const unsigned *starts, int id, int inner, bool is_root)
{
  if (id < inner)
    return 1;
  const unsigned copies = starts[id - inner + 1] - starts[id - inner];
  return is_root ? (real)(1 / bp_square_root((double)copies)) : 1 / (real)copies;
}

/* The box of an element in shared memory: rows of odd pitch, so that pencils in any direction lie in
 * different banks; its matrices have rows of whole vectors. */
BP_DEVICE int box_pitch(int side)
{
  return side | 1;
}

BP_DEVICE int matrix_pitch(int side)
{
  return (side + 3) / 4 * 4;
}

/* Where node m of an element lies in its box. */
BP_DEVICE int in_box(int m, int side, int layer)
{
  const int i = m % BP_NQ, j = m / BP_NQ % BP_NQ, k = m / (BP_NQ * BP_NQ);
  return ((k + layer) * side + j + layer) * box_pitch(side) + i + layer;
}

/* And node n of those beyond its faces, [face][b][a]. */
BP_DEVICE int beyond_box(int n, int side)
{
  const int face = n / (BP_NQ * BP_NQ), a = n % BP_NQ + 1, b = n / BP_NQ % BP_NQ + 1, d = face / 2,
            end = face % 2 * (side - 1), pitch = box_pitch(side);
  return d == 0   ? (b * side + a) * pitch + end
         : d == 1 ? (b * side + end) * pitch + a
                  : (end * side + b) * pitch + a;
}

/* Two pencils of a box at once, since matrices are read for both, where registers suffice for two. */
enum { IS_PAIRED = BP_NQ <= 10 };
typedef struct {
  real a[BP_NQ + 2], b[IS_PAIRED ? BP_NQ + 2 : 1];
} two_pencils;

/* y = transpose(s) x */
BP_DEVICE void into_modes(const real *s, int side, const two_pencils *x, two_pencils *y)
{
  BP_UNROLL
  for (int i = 0; i < side; ++i) {
    BP_UNROLL
    for (int j = 0; j < side; ++j) {
      const real here = s[i * matrix_pitch(side) + j];
      y->a[j] = (i > 0 ? y->a[j] : 0) + here * x->a[i];
      if (IS_PAIRED)
        y->b[j] = (i > 0 ? y->b[j] : 0) + here * x->b[i];
    }
  }
}

/* y = s x */
BP_DEVICE void from_modes(const real *s, int side, const two_pencils *x, two_pencils *y)
{
  BP_UNROLL
  for (int j = 0; j < side; ++j) {
    BP_UNROLL
    for (int i = 0; i < side; ++i) {
      const real here = s[j * matrix_pitch(side) + i];
      y->a[j] = (i > 0 ? y->a[j] : 0) + here * x->a[i];
      if (IS_PAIRED)
        y->b[j] = (i > 0 ? y->b[j] : 0) + here * x->b[i];
    }
  }
}

/* Where pencil n along d begins, and its step. */
BP_DEVICE int pencil_begin(int n, int side, int d)
{
  const int a = n % side, b = n / side, pitch = box_pitch(side);
  return d == 0 ? n * pitch : d == 1 ? b * side * pitch + a : b * pitch + a;
}

BP_DEVICE int pencil_step(int side, int d)
{
  return d == 0 ? 1 : d == 1 ? box_pitch(side) : side * box_pitch(side);
}

typedef enum { INTO_MODES, FROM_MODES, SOLVED } box_work;

/* One direction of a box, in place: into modes, back, or both, and the solution of each mode between. By all
 * threads, then a barrier. values[d][side]: eigenvalues. */
BP_DEVICE void box_pass(real *u, const real *s, const real *values, real lambda, int side, int d,
                        box_work work)
{
  const int pencils = side * side, half = IS_PAIRED ? (pencils + 1) / 2 : pencils,
            step = pencil_step(side, d);
  EACH_HERE(n, half)
  {
    const int other = n + half < pencils ? n + half : n;
    real *const a = u + pencil_begin(n, side, d), *const b = u + pencil_begin(other, side, d);
    two_pencils x, y;
    BP_UNROLL
    for (int i = 0; i < side; ++i) {
      x.a[i] = a[i * step];
      if (IS_PAIRED)
        x.b[i] = b[i * step];
    }
    if (work == FROM_MODES)
      from_modes(s, side, &x, &y);
    else
      into_modes(s, side, &x, &y);
    if (work == SOLVED) { /* along the last direction */
      const real at_a = values[n % side] + values[side + n / side] + lambda,
                 at_b = values[other % side] + values[side + other / side] + lambda;
      BP_UNROLL
      for (int i = 0; i < side; ++i) {
        y.a[i] /= at_a + values[2 * side + i];
        if (IS_PAIRED)
          y.b[i] /= at_b + values[2 * side + i];
      }
      x = y;
      from_modes(s, side, &x, &y);
    }
    BP_UNROLL
    for (int i = 0; i < side; ++i) {
      a[i * step] = y.a[i];
      if (IS_PAIRED)
        b[i * step] = y.b[i];
    }
  }
  BP_BARRIER();
}

BP_DEVICE void solve_box(real *u, const real *matrices, const real *values, real lambda, int side)
{
  const int each = side * matrix_pitch(side);
  box_pass(u, matrices, values, lambda, side, 0, INTO_MODES);
  box_pass(u, matrices + each, values, lambda, side, 1, INTO_MODES);
  box_pass(u, matrices + 2 * each, values, lambda, side, 2, SOLVED);
  box_pass(u, matrices + each, values, lambda, side, 1, FROM_MODES);
  box_pass(u, matrices, values, lambda, side, 0, FROM_MODES);
}

BP_KERNEL_BOUNDED(schwarz, 64, 0)
{
  BP_DYNAMIC_SHARED(real, matrices);
  const int layer = (int)row_of(schedule, row)[BP_MG_COARSE], m = BP_NQ + 2 * layer,
            each = m * m + m, pitch = matrix_pitch(m), count = m * m * box_pitch(m);
  real *const values = matrices + 3 * m * pitch, *const u = values + 3 * m;
  for (int g = 0; g < BP_FIELDS; ++g)
    for (int e = blockIdx.x; e < elements; e += gridDim.x) {
      const real *const box = boxes + (size_t)e * 3 * each, *const in = r + g * stride;
      real *const out = element_v + ((size_t)g * BP_MG_ELEMENTS(elements) + e) * NODES;
      EACH_HERE(n, 3 * each)
      {
        const int d = n / each, at = n % each;
        if (at < m * m)
          matrices[(d * m + at / m) * pitch + at % m] = box[n];
        else
          values[d * m + at - m * m] = box[n];
      }
      EACH_HERE(n, layer ? count : 0)
      u[n] = 0;
      BP_BARRIER();
      EACH_HERE(n, NODES)
      {
        bool owns;
        const int id = unknown_of(ids, first, (size_t)e, n, &owns);
        u[in_box(n, m, layer)] =
            id < 0 ? 0 : in[id] * (layer ? 1 : weight_of(starts, id, inner, true));
      }
      EACH_HERE(n, layer ? 6 * BP_NQ * BP_NQ : 0)
      {
        const int id = beyond[(size_t)e * 6 * BP_NQ * BP_NQ + n];
        u[beyond_box(n, m)] = id < 0 ? 0 : in[id];
      }
      BP_BARRIER();
      if (layer)
        solve_box(u, matrices, values, (real)lambda, BP_NQ + 2);
      else
        solve_box(u, matrices, values, (real)lambda, BP_NQ);
      EACH_HERE(n, NODES)
      {
        bool owns;
        const int id = unknown_of(ids, first, (size_t)e, n, &owns);
        out[n] = id < 0 ? 0 : u[in_box(n, m, layer)] * weight_of(starts, id, inner, !layer);
      }
      BP_BARRIER();
    }
}

/* ---- levels without elements ---- */

/* A warp for each row. From field to field it is `stride` in `out`, and in `in` what the row has as
 * `before`. */
BP_KERNEL_BOUNDED(sparse, 256, 0)
{
  const double *const numbers = row_of(schedule, row);
  const long long columns = (long long)numbers[BP_MG_COARSE],
                  in_stride = (long long)numbers[BP_MG_BEFORE];
  const bool is_full = !sparse_starts, adds = numbers[BP_MG_ADDITION] != 0;
  const int warps = bp_threads() / 32;
  for (int f = 0; f < BP_FIELDS; ++f)
    for (long long n = (long long)blockIdx.x * warps + bp_warp(); n < elements;
         n += (long long)gridDim.x * warps) {
      const long long begin = is_full ? n * columns : sparse_starts[n],
                      end = is_full ? begin + columns : sparse_starts[n + 1];
      const real *const in = sparse_in + f * in_stride;
      real sum = 0;
      for (long long at = begin + bp_lane(); at < end; at += 32)
        sum += sparse_values[at] * in[is_full ? at - begin : sparse_columns[at]];
      BP_UNROLL
      for (int mask = 16; mask > 0; mask /= 2)
        sum += bp_shuffle_xor(sum, mask);
      real *const out = sparse_out + f * stride + n;
      if (bp_lane() == 0)
        *out = adds ? *out + sum : sum;
    }
}

/* ---- conjugate gradients around the cycle ---- */

enum { COUNT_COMPLETED, COUNT_CURRENT, COUNT_BLOCKS };

/* The sum over the block, in all threads; buffer[32]. */
BP_DEVICE double block_sum(double x, double *buffer)
{
  BP_UNROLL
  for (int mask = 16; mask > 0; mask /= 2)
    x += bp_shuffle_xor(x, mask);
  if (bp_lane() == 0)
    buffer[bp_warp()] = x;
  BP_BARRIER();
  x = 0;
  for (int n = 0; n < bp_threads() / 32; ++n)
    x += buffer[n];
  BP_BARRIER();
  return x;
}

/* The block's part of a sum. */
BP_DEVICE void leave(double x, int sum, double *state, double *buffer)
{
  x = block_sum(x, buffer);
  if (threadIdx.x == 0)
    state[sum * BP_MG_PARTS + blockIdx.x] = x;
}

BP_DEVICE double ratio(double a, double b)
{
  return b != 0 ? a / b : 0;
}

/* All launches but the last have as many blocks. */
BP_DEVICE double total(const double *state, int sum, int blocks, double *buffer)
{
  double x = 0;
  for (int n = bp_thread(); n < blocks; n += bp_threads())
    x += state[sum * BP_MG_PARTS + n];
  return block_sum(x, buffer);
}

BP_KERNEL_BOUNDED(start, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const double scale = row_of(schedule, row)[BP_MG_SCALE];
  double rr = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const real y = f[at];
      r[at] = y;
      x[at] = 0;
      cycle_b[at] = (float)(scale * y);
      rr += y * y;
    }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    counts[COUNT_COMPLETED] = counts[COUNT_CURRENT] = 0;
    counts[COUNT_BLOCKS] = bp_blocks();
  }
  leave(rr, BP_MG_RR, state, buffer);
}

BP_KERNEL_BOUNDED(products, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const bool is_first = counts[COUNT_COMPLETED] == 0;
  double rz = 0, zap = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const double z = cycle_x[at];
      rz += r[at] * z;
      if (!is_first)
        zap += ap[at] * z;
    }
  leave(rz, BP_MG_RZ, state, buffer);
  leave(zap, BP_MG_ZAP, state, buffer);
}

/* p = z + beta p, A-orthogonal to the last one whatever the cycle did. */
BP_KERNEL_BOUNDED(direction, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_COMPLETED], blocks = counts[COUNT_BLOCKS];
  double beta = 0;
  if (k > 0) {
    const double zap = total(state, BP_MG_ZAP, blocks, buffer);
    beta = -ratio(zap, total(state, BP_MG_PAP, blocks, buffer));
  }
  const double rr = total(state, BP_MG_RR, blocks, buffer);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    counts[COUNT_CURRENT] = k;
    residuals[k] = rr;
  }
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      p[at] = k > 0 ? cycle_x[at] + beta * p[at] : cycle_x[at];
    }
}

BP_KERNEL_BOUNDED(gather, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  double sum = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const real t = gathered(element_v + (size_t)m * BP_MG_ELEMENTS(elements) * NODES, starts,
                              copied, n, inner);
      ap[at] = t;
      sum += p[at] * t;
    }
  leave(sum, BP_MG_PAP, state, buffer);
}

BP_KERNEL_BOUNDED(update, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_CURRENT], blocks = counts[COUNT_BLOCKS];
  const double scale = row_of(schedule, row)[BP_MG_SCALE],
               rz = total(state, BP_MG_RZ, blocks, buffer),
               alpha = ratio(rz, total(state, BP_MG_PAP, blocks, buffer));
  double rr = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const double y = r[at] - alpha * ap[at];
      x[at] += alpha * p[at];
      r[at] = y;
      cycle_b[at] = (float)(scale * y);
      rr += y * y;
    }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    counts[COUNT_COMPLETED] = k + 1;
  leave(rr, BP_MG_RR, state, buffer);
}

/* The last residual; one block. */
BP_KERNEL_BOUNDED(finish, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const double rr = total(state, BP_MG_RR, counts[COUNT_BLOCKS], buffer);
  if (threadIdx.x == 0)
    residuals[counts[COUNT_COMPLETED]] = rr;
}

#endif
