/* peaks/gpu-unknowns -- vectors of unknowns to elements and back, by lists (src/lib/lists.h)
 *
 * degrees:  1..1 compiled once
 * operands: vector element_u element_v ids starts copied points stride unknowns component alpha beta
 * launch:   take; threads 256; blocks sms * 8
 * launch:   add; threads 256; blocks sms * 8
 * launch:   free_only; threads 256; blocks sms * 8
 * launch:   dot_parts; threads 256; blocks sms * 8
 * launch:   product; threads 256; blocks 1
 *
 * take: element_u = the vector by element. add: vector = alpha times the sum over an unknown's copies in element_v, in
 * the order of elements, + beta vector. free_only: what is fixed becomes 0. dot_parts, product: vector . element_v of
 * `component` components, by way of a sum of each block in element_u. A thread has several items under way. */
#include "abi/gpu.h"

enum { THREADS = 256, AT_ONCE = 4 };
static const unsigned FIXED_COPY = 0xffffffffu;

BP_KERNEL_BOUNDED(take, THREADS, 0)
{
  const double *const from = vector + component * stride;
  const long long count = (long long)elements * points, step = (long long)gridDim.x * THREADS;
  for (long long n = (long long)blockIdx.x * THREADS + threadIdx.x; n < count;
       n += AT_ONCE * step) {
    int id[AT_ONCE];
    double x[AT_ONCE];
    BP_UNROLL
    for (int a = 0; a < AT_ONCE; ++a)
      id[a] = n + a * step < count ? ids[n + a * step] : -1;
    BP_UNROLL
    for (int a = 0; a < AT_ONCE; ++a)
      x[a] = id[a] < 0 ? 0 : from[id[a]];
    BP_UNROLL
    for (int a = 0; a < AT_ONCE; ++a)
      if (n + a * step < count)
        element_u[n + a * step] = x[a];
  }
}

/* What nobody has stays. Most have one copy. */
BP_KERNEL_BOUNDED(add, THREADS, 0)
{
  double *const to = vector + component * stride;
  const long long step = (long long)gridDim.x * THREADS;
  for (long long n = (long long)blockIdx.x * THREADS + threadIdx.x; n < unknowns;
       n += AT_ONCE * step) {
    unsigned begin[AT_ONCE], end[AT_ONCE];
    double sum[AT_ONCE];
    BP_UNROLL
    for (int a = 0; a < AT_ONCE; ++a) {
      const bool is_there = n + a * step < unknowns;
      begin[a] = is_there ? starts[n + a * step] : 0;
      end[a] = is_there ? starts[n + a * step + 1] : 0;
    }
    BP_UNROLL
    for (int a = 0; a < AT_ONCE; ++a) {
      const unsigned first = begin[a] < end[a] ? copied[begin[a]] : FIXED_COPY;
      sum[a] = first == FIXED_COPY ? 0 : element_v[first];
    }
    BP_UNROLL
    for (int a = 0; a < AT_ONCE; ++a) {
      double *const at = to + n + a * step;
      for (unsigned c = begin[a] + 1; c < end[a]; ++c)
        sum[a] += copied[c] == FIXED_COPY ? 0 : element_v[copied[c]];
      if (begin[a] < end[a])
        *at = beta == 0 ? alpha * sum[a] : alpha * sum[a] + beta * *at;
    }
  }
}

BP_KERNEL_BOUNDED(free_only, THREADS, 0)
{
  for (int n = (int)blockIdx.x * THREADS + threadIdx.x; n < unknowns;
       n += (int)gridDim.x * THREADS)
    if (starts[n] < starts[n + 1] && copied[starts[n]] == FIXED_COPY)
      vector[component * stride + n] = 0;
}

BP_DEVICE double sum_of_block(double x, double *buffer)
{
  BP_UNROLL
  for (int mask = 16; mask > 0; mask /= 2)
    x += bp_shuffle_xor(x, mask);
  if (bp_lane() == 0)
    buffer[bp_warp()] = x;
  BP_BARRIER();
  x = 0;
  for (int w = 0; w < THREADS / 32; ++w)
    x += buffer[w];
  return x;
}

BP_KERNEL_BOUNDED(dot_parts, THREADS, 0)
{
  BP_SHARED(double, buffer, [THREADS / 32]);
  double sum = 0;
  for (long long n = (long long)blockIdx.x * THREADS + threadIdx.x;
       n < (long long)component * unknowns; n += (long long)gridDim.x * THREADS) {
    const int id = (int)(n % unknowns);
    const long long at = n / unknowns * stride + id;
    if (starts[id] < starts[id + 1])
      sum += vector[at] * element_v[at];
  }
  sum = sum_of_block(sum, buffer);
  if (threadIdx.x == 0)
    element_u[blockIdx.x] = sum;
}

/* Of so many blocks as `points` says. */
BP_KERNEL_BOUNDED(product, THREADS, 0)
{
  BP_SHARED(double, buffer, [THREADS / 32]);
  double sum = 0;
  for (int n = threadIdx.x; n < points; n += THREADS)
    sum += element_u[n];
  sum = sum_of_block(sum, buffer);
  if (threadIdx.x == 0)
    *vector = sum;
}
