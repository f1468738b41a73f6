/* clock.c -- the monotonic clock in seconds. */
#include "base/clock.h"

#include <time.h>

double bp_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bp_clock_lap(double *begin)
{
  const double now = bp_clock(), seconds = now - *begin;
  *begin = now;
  return seconds;
}
