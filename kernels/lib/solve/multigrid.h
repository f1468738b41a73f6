/* multigrid.h -- p-multigrid on a GPU: the vectors of a level, levels without elements, and the conjugate
 * gradients around the cycle. */
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

/* Of an unknown inside an element; places are fewer than 2^32. */
BP_DEVICE unsigned inner_place_of(unsigned n)
{
  const unsigned each = ELEMENT_INNER > 0 ? ELEMENT_INNER : 1;
  return n / each * NODES + inner_place((int)(n % each), BP_NQ * BP_NQ);
}

/* Where an unknown is in what elements have: `inner` once, or copies begin .. end - 1 of `places`. */
typedef struct {
  bool is_inner;
  unsigned inner, begin, end;
} copy_range;

BP_DEVICE copy_range copies_of(const unsigned *starts, int n, int inner)
{
  copy_range c = {n < inner, 0, 0, 0};
  if (c.is_inner) {
    c.inner = inner_place_of(n);
  } else {
    c.begin = starts[n - inner];
    c.end = starts[n - inner + 1];
  }
  return c;
}

/* The sum over the copies of an unknown in what elements have of a field. */
BP_DEVICE real gathered(const real *local, const unsigned *places, const copy_range *copies)
{
  enum { AT_ONCE = 4 }; /* are on their way */
  if (copies->is_inner)
    return local[copies->inner];
  real sum = 0;
  for (unsigned c = copies->begin; c < copies->end; c += AT_ONCE) {
    unsigned place[AT_ONCE];
    real y[AT_ONCE];
    BP_UNROLL
    for (int m = 0; m < AT_ONCE; ++m)
      place[m] = c + m < copies->end ? places[c + m] : 0;
    BP_UNROLL
    for (int m = 0; m < AT_ONCE; ++m)
      y[m] = c + m < copies->end ? local[place[m]] : 0;
    BP_UNROLL
    for (int m = 0; m < AT_ONCE; ++m)
      sum += y[m];
  }
  return sum;
}

/* All copies of it become y. Those of fixed unknowns are 0 from the start. */
BP_DEVICE void spread(real *local, const unsigned *places, const copy_range *copies, real y)
{
  if (copies->is_inner)
    local[copies->inner] = y;
  for (unsigned c = copies->begin; c < copies->end; ++c)
    local[places[c]] = y;
}

/* The same from a vector, in the order of elements: of the finest level, so that writes are coalesced. */
BP_KERNEL_BOUNDED(scatter, 256, 0)
{
  EACH(n, (long long)elements * NODES)
  {
    const int id = element_nodes[n];
    for (int f = 0; f < BP_FIELDS; ++f)
      element_u[f * BP_MG_ELEMENTS((size_t)elements) * NODES + n] = id < 0 ? 0 : p[f * stride + id];
  }
}

/* ---- a level ---- */

typedef struct {
  int flags;
  real before, keep, gain, after;
} smooth_numbers;

/* What a step wants of an unknown but for t; on its way before t, which takes longer. */
typedef struct {
  real y, d, weight, x;
} smooth_values;

BP_DEVICE smooth_values smooth_load(int flags, const real *weight, const real *b, const real *r,
                                    const real *d, const real *x)
{
  const bool makes = flags & (BP_MG_JACOBI | BP_MG_SCHWARZ);
  smooth_values v = {0};
  if (flags & BP_MG_FROM_R)
    v.y = *r;
  else if (flags & BP_MG_FROM_B && !(flags & BP_MG_TAKES_B))
    v.y = *b;
  if (flags & (BP_MG_KEEPS | BP_MG_ADDS) || (!makes && flags & BP_MG_SPREADS_D))
    v.d = *d;
  if (makes)
    v.weight = *weight;
  if (flags & (BP_MG_ADDS | BP_MG_ADDS_NEW | BP_MG_SPREADS_X) && !(flags & BP_MG_ZERO))
    v.x = *x;
  return v;
}

/* abi/multigrid.h says what it does; returns what is spread. */
BP_DEVICE real smooth_one(const smooth_numbers *s, const smooth_values *v, real t, real *b, real *r,
                          real *d, real *x)
{
  const int flags = s->flags;
  const real from = flags & BP_MG_TAKES_B && !(flags & BP_MG_FROM_R) ? t : v->y,
             y = from - (flags & BP_MG_LESS ? t : 0);
  real now = v->d, sum = v->x;
  if (flags & BP_MG_TAKES_B)
    *b = t;
  if (flags & BP_MG_LEAVES_R)
    *r = y;
  if (flags & (BP_MG_JACOBI | BP_MG_SCHWARZ))
    now = (flags & BP_MG_KEEPS ? s->keep * v->d : 0) +
          s->gain * v->weight * (flags & BP_MG_JACOBI ? y : t);
  if (flags & BP_MG_ADDS)
    sum += s->before * v->d;
  if (flags & BP_MG_ADDS_NEW)
    sum += s->after * now;
  if (flags & (BP_MG_ADDS | BP_MG_ADDS_NEW))
    *x = sum;
  if (flags & BP_MG_LEAVES_D)
    *d = now;
  return flags & BP_MG_SPREADS_X ? sum : now;
}

/* A thread for each unknown, if there are as many. */
BP_KERNEL_BOUNDED(smooth, 256, 0)
{
  const double *const numbers = row_of(schedule, row);
  const smooth_numbers s = {(int)numbers[BP_MG_FLAGS], (real)numbers[BP_MG_BEFORE],
                            (real)numbers[BP_MG_KEEP], (real)numbers[BP_MG_GAIN],
                            (real)numbers[BP_MG_AFTER]};
  const bool wants = s.flags & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ),
             spreads = s.flags & (BP_MG_SPREADS_D | BP_MG_SPREADS_X);
  const size_t field = BP_MG_ELEMENTS((size_t)elements) * NODES;
  if (s.flags & BP_MG_PLAIN) {
    for (int f = 0; f < BP_FIELDS; ++f)
      EACH(n, elements)
      {
        const long long at = f * stride + n;
        const smooth_values values =
            smooth_load(s.flags, diagonal + n, ap + at, r + at, p + at, x + at);
        smooth_one(&s, &values, wants ? element_v[at] : 0, ap + at, r + at, p + at, x + at);
      }
    return;
  }
  EACH(n, unknowns)
  {
    const copy_range copies = copies_of(starts, (int)n, inner);
    for (int f = 0; f < BP_FIELDS; ++f) {
      const long long at = f * stride + n;
      const smooth_values values =
          smooth_load(s.flags, diagonal + n, ap + at, r + at, p + at, x + at);
      const real t = wants ? gathered(element_v + f * field, places, &copies) : 0,
                 y = smooth_one(&s, &values, t, ap + at, r + at, p + at, x + at);
      if (spreads)
        spread(element_u + f * field, places, &copies, y);
    }
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

/* p = z + beta p, A-orthogonal to the last one whatever the cycle did; in elements, too, unless told not. */
BP_KERNEL_BOUNDED(direction, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_COMPLETED], blocks = counts[COUNT_BLOCKS];
  const bool spreads = row_of(schedule, row)[BP_MG_FLAGS] != 0;
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
  EACH(n, unknowns)
  for (int m = 0; m < BP_FIELDS; ++m) {
    const long long at = m * stride + n;
    const real y = k > 0 ? cycle_x[at] + beta * p[at] : cycle_x[at];
    p[at] = y;
    if (spreads) {
      const copy_range copies = copies_of(starts, (int)n, inner);
      spread(element_u + m * BP_MG_ELEMENTS((size_t)elements) * NODES, places, &copies, y);
    }
  }
}

BP_KERNEL_BOUNDED(gather, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  double sum = 0;
  EACH(n, unknowns)
  {
    const copy_range copies = copies_of(starts, (int)n, inner);
    for (int m = 0; m < BP_FIELDS; ++m) {
      const long long at = m * stride + n;
      const real before = p[at],
                 t = gathered(element_v + m * BP_MG_ELEMENTS((size_t)elements) * NODES, places,
                              &copies);
      ap[at] = t;
      sum += before * t;
    }
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

#include "lib/solve/multigrid_boxes.h"
#include "lib/solve/multigrid_transfers.h"

#endif
