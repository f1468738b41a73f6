/* random.h -- reproducible random numbers (splitmix64): the same seed, the same numbers,
 * everywhere. */
#ifndef BP_BASE_RANDOM_H
#define BP_BASE_RANDOM_H

#include <stdint.h>

typedef struct {
  uint64_t state;
} bp_random;

static inline bp_random bp_random_start(uint64_t seed)
{
  return (bp_random){seed};
}

static inline uint64_t bp_random_next(bp_random *random)
{
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double bp_random_unit(bp_random *random)
{
  return (double)(bp_random_next(random) >> 11) * 0x1p-53;
}

/* Uniform in 0..count-1; count > 0. */
static inline uint64_t bp_random_below(bp_random *random, uint64_t count)
{
  return bp_random_next(random) % count;
}

#endif
