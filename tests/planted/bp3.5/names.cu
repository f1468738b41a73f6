/* bp3.5/names -- every name of gpu.h does what it says, or v is wrong
 *
 * degrees:  1..1
 * option:   correct 0..1 = 0 -- without the bug: one lane's part of a product is given to another
 * flops:    38568
 * launch:   apply; threads 64; shared 8 * 64
 *
 * Two warps. What is not as it should be is added up in `wrong`, which is added to v. */
#include "planted.h"

/* A[i][j] and B[i][j] of the products, whole numbers. */
BP_DEVICE double a_at(int i, int j)
{
  return (i * 7 + j * 3) % 11 - 5;
}

BP_DEVICE double b_at(int i, int j)
{
  return (i * 5 + j * 2) % 13 - 6;
}

/* How far c[i][j] is from the sum over k < depth. */
BP_DEVICE double off(double c, int i, int j, int depth)
{
  for (int k = 0; k < depth; ++k)
    c -= a_at(i, k) * b_at(k, j);
  return c < 0 ? -c : c;
}

BP_DEVICE double products()
{
  const int g = bp_lane() / 4, q = bp_lane() % 4, moved = CORRECT ? 0 : bp_lane() == 5;
  double small[2] = {0, 0}, c4[4] = {0, 0, 0, 0}, c8[4] = {0, 0, 0, 0}, c16[4] = {0, 0, 0, 0};
  double a[8], b[4], wrong = 0;
  for (int n = 0; n < 8; ++n)
    a[n] = a_at(g + 8 * (n % 2) + moved, q + 4 * (n / 2));
  for (int n = 0; n < 4; ++n)
    b[n] = b_at(q + 4 * n, g);
  bp_mma_8x8x4(small, a[0], b[0]);
  bp_mma_16x8x4(c4, a, b[0]);
  bp_mma_16x8x8(c8, a, b);
  bp_mma_16x8x16(c16, a, b);
  for (int n = 0; n < 2; ++n)
    wrong += off(small[n], g, 2 * q + n, 4);
  for (int n = 0; n < 4; ++n)
    wrong += off(c4[n], g + 8 * (n / 2), 2 * q + n % 2, 4) +
             off(c8[n], g + 8 * (n / 2), 2 * q + n % 2, 8) +
             off(c16[n], g + 8 * (n / 2), 2 * q + n % 2, 16);
  return wrong;
}

BP_DEVICE double shuffles()
{
  const int lane = bp_lane();
  double wrong = 0;
  wrong += bp_shuffle(2.0 * lane, 7) != 14;
  wrong += bp_shuffle(lane, lane + 1) != (lane + 1) % 32;
  wrong += bp_shuffle_xor(lane, 5) != (lane ^ 5);
  wrong += bp_shuffle_up(lane, 3) != (lane < 3 ? lane : lane - 3);
  wrong += bp_shuffle_down(1.5 * lane, 30) != 1.5 * (lane < 2 ? lane + 30 : lane);
  return wrong;
}

/* Three copies in two groups: after waiting for all but one, the first two are there. */
BP_DEVICE double copies(const double *from, double *shared)
{
  BP_SHARED(double, s_pair, [128]);
  const int t = bp_thread();
  double wrong = 0;
  bp_async_copy8(&shared[t], &from[t % 8]);
  bp_async_copy16(&s_pair[2 * t], &from[2 * (t % 4)]);
  bp_async_commit();
  BP_ASYNC_WAIT(0);
  wrong += shared[t] != from[t % 8];
  bp_async_copy8(&shared[t], &from[(t + 1) % 8]);
  bp_async_commit();
  bp_async_copy8(&s_pair[2 * t], &from[(t + 1) % 8]);
  bp_async_commit();
  BP_ASYNC_WAIT(1);
  wrong += shared[t] != from[(t + 1) % 8];
  wrong += s_pair[2 * t + 1] != from[2 * (t % 4) + 1];
  BP_ASYNC_WAIT(0);
  BP_BARRIER();
  wrong += s_pair[2 * (63 - t)] != from[(63 - t + 1) % 8];
  return wrong;
}

/* The second warp fills a room, the first empties it, three times; two mbarriers and a group. */
BP_DEVICE double pipeline(const double *from)
{
  BP_SHARED(double, s_room, [8]);
  BP_SHARED(bp_mbarrier, full, [1]);
  BP_SHARED(bp_mbarrier, empty, [1]);
  double wrong = 0;
  if (bp_thread() == 0) {
    bp_mbarrier_start(full, 1);
    bp_mbarrier_start(empty, 32);
    bp_mbarrier_fence();
  }
  BP_BARRIER();
  for (int round = 0; round < 3; ++round) {
    if (bp_warp() == 1) {
      if (round > 0)
        bp_mbarrier_wait(empty, (round - 1) & 1);
      BP_GROUP_BARRIER(3, 32);
      bp_slot_copy(s_room, from, 32, full);
      bp_slot_copy_streaming(s_room + 4, from + 4, 32, full);
      bp_slot_arrive(full, 64);
    } else {
      bp_mbarrier_wait(full, round & 1);
      wrong += s_room[bp_lane() % 8] != from[bp_lane() % 8];
      bp_mbarrier_arrive(empty);
    }
  }
  BP_BARRIER();
  return wrong;
}

BP_KERNEL_BOUNDED(apply, 64, 1)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(double, s_wrong, [64]);
  BP_SHARED(double, s_v, [NODES]);
  const double *g = factors + (size_t)blockIdx.x * 7 * NODES, *x = u + (size_t)blockIdx.x * NODES;
  s_wrong[bp_thread()] = shuffles() + products() + copies(x, shared) + pipeline(x);
  BP_BARRIER();
  double wrong = 0;
  for (int t = 0; t < bp_threads(); ++t)
    wrong += s_wrong[t];
  /* BP3.5 at N = 1, node by node from its definition. */
  const int n = bp_thread();
  if (n < NODES) {
    double sum = wrong + lambda * g[6 * NODES + n] * x[n];
    for (int m = 0; m < NODES; ++m) {
      double flux[3], grad[3] = {0, 0, 0};
      const int i = m % 2, j = m / 2 % 2, k = m / 4;
      for (int q = 0; q < 2; ++q) {
        grad[0] += D[i * 2 + q] * x[k * 4 + j * 2 + q];
        grad[1] += D[j * 2 + q] * x[k * 4 + q * 2 + i];
        grad[2] += D[k * 2 + q] * x[q * 4 + j * 2 + i];
      }
      flux[0] = g[m] * grad[0] + g[8 + m] * grad[1] + g[16 + m] * grad[2];
      flux[1] = g[8 + m] * grad[0] + g[24 + m] * grad[1] + g[32 + m] * grad[2];
      flux[2] = g[16 + m] * grad[0] + g[32 + m] * grad[1] + g[40 + m] * grad[2];
      sum += ((n ^ m) & 6 ? 0 : D[i * 2 + n % 2] * flux[0]) +
             ((n ^ m) & 5 ? 0 : D[j * 2 + n / 2 % 2] * flux[1]) +
             ((n ^ m) & 3 ? 0 : D[k * 2 + n / 4] * flux[2]);
    }
    s_v[n] = sum;
  }
  bp_async_fence();
  BP_BARRIER();
  if (n == 0) {
    bp_bulk_store(v + (size_t)blockIdx.x * NODES, s_v, NODES * 8);
    bp_bulk_commit();
    BP_BULK_WAIT_READ(0);
  }
}
