/* count.c -- what numbers that count report: flops, accesses of shared memory, and which doubles of the
 * global arrays are read or written at all. */
#include "runtime.h"

#include <stdlib.h>

static bp_job *counted;
static double *const *arrays;
static unsigned char *touched[BP_JOB_ARRAYS];

void count_open(bp_job *j, double *const from[BP_JOB_ARRAYS])
{
  counted = j;
  arrays = from;
  for (int n = 0; n < BP_JOB_ARRAYS; ++n) {
    touched[n] = calloc((size_t)j->arrays[n].count + 1, 1);
    if (!touched[n])
      fail("no memory for counts");
  }
}

/* 1 for the first access to a double of array `n`, 0 for others and elsewhere. */
static int is_first(int n, const double *p)
{
  if (!arrays[n] || p < arrays[n] || p >= arrays[n] + counted->arrays[n].count ||
      touched[n][p - arrays[n]])
    return 0;
  return touched[n][p - arrays[n]] = 1;
}

void bp_emulated_count_flops(long long flops)
{
  counted->counts.flops += flops;
}

void bp_emulated_count_load(const void *p)
{
  if (memory_is_shared(p, 8))
    ++counted->counts.shared_loads;
  else
    counted->counts.read += is_first(BP_JOB_U, p) + is_first(BP_JOB_FACTORS, p);
}

void bp_emulated_count_store(const void *p)
{
  if (memory_is_shared(p, 8))
    ++counted->counts.shared_stores;
  else
    counted->counts.written += is_first(BP_JOB_V, p);
}
