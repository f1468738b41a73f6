/* peaks/gpu-shared -- the bandwidth of shared memory: 16-byte loads without bank conflicts
 *
 * degrees:  1..1 compiled once
 * shared traffic: 16 * 8 * 512 * 256
 * launch:   reads; threads 256; blocks elements
 *
 * An element is a block's work: 256 threads, each with 512 rounds of 8 loads. Where to load from depends
 * on the round, so that no load can be left out. */
#include "abi/gpu.h"

enum { LOADS = 8, ROUNDS = 512, WORDS = 256 + 32 * (LOADS - 1) };

struct alignas(16) pair {
  long long x, y;
};

BP_KERNEL_BOUNDED(reads, 256, 4)
{
  BP_SHARED(pair, s, [WORDS]);
  pair sum[LOADS];
  for (int n = bp_thread(); n < WORDS; n += 256)
    s[n].x = s[n].y = (long long)u[n] + n;
  BP_BARRIER();
  BP_UNROLL
  for (int l = 0; l < LOADS; ++l)
    sum[l].x = sum[l].y = 0;
  BP_UNROLL_BY(4)
  for (int n = 0; n < ROUNDS; ++n) {
    const pair *row = s + (bp_thread() ^ (n & 255));
    BP_UNROLL
    for (int l = 0; l < LOADS; ++l) {
      const pair x = row[32 * l];
      sum[l].x ^= x.x;
      sum[l].y ^= x.y;
    }
  }
  long long total = 0;
  BP_UNROLL
  for (int l = 0; l < LOADS; ++l)
    total += sum[l].x ^ sum[l].y;
  v[(blockIdx.x & 255) * 256 + bp_thread()] = (double)total;
}
