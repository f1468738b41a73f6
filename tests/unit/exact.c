/* exact.c -- tests of sums whose bits depend on no order. */
#include "test.h"

#include "base/random.h"
#include <stdbool.h>

#define BP_LANES   2
#define EXACT_SUMS 1
#include "lib/solve/exact.h"

enum { COUNT = 1024, TERMS = 2048 };

/* Numbers of all sizes and signs; each fourth lies in the middle between two multiples of the first unit. */
static double fill(double *x, uint64_t seed)
{
  bp_random random = bp_random_start(seed);
  double bound = 0;
  for (int n = 0; n < COUNT; ++n) {
    const double size = ldexp(1, -(int)(bp_random_next(&random) % 70));
    x[n] = size * (2 * bp_random_unit(&random) - 1);
    bound += fabs(x[n]);
  }
  const double unit = ldexp(exact_power(2 * bound), -51);
  for (int n = 0; n < COUNT; n += 4)
    x[n] = (floor(x[n] / unit) + 0.5) * unit;
  return 2 * bound;
}

static void shuffle(double *x, uint64_t seed)
{
  bp_random random = bp_random_start(seed);
  for (int n = COUNT - 1; n > 0; --n) {
    const int other = (int)(bp_random_next(&random) % (uint64_t)(n + 1));
    const double here = x[n];
    x[n] = x[other];
    x[other] = here;
  }
}

/* parts[] of the sum of x[], by vectors or one by one. */
static void add_up(const exact_units *units, const double *x, bool one_by_one, double *parts)
{
  exact_sum sum = exact_start(units);
  for (int n = 0; n < COUNT; n += one_by_one ? 1 : BP_LANES)
    exact_add(&sum, one_by_one ? (bp_vector){x[n]} : *(const bp_unaligned *)(x + n));
  for (int n = 0; n < EXACT_PARTS; ++n)
    parts[n] = exact_part(units, &sum, n);
}

TEST(exact, sums_are_the_same_bits_in_any_order_and_right)
{
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    double x[COUNT], parts[EXACT_PARTS], other[EXACT_PARTS];
    const double bound = fill(x, seed);
    const exact_units units = exact_units_of(bound, TERMS);
    long double sum = 0, total = 0;
    add_up(&units, x, false, parts);
    for (int n = 0; n < COUNT; ++n)
      sum += x[n];
    for (int n = 0; n < EXACT_PARTS; ++n)
      total += parts[n];
    CHECK(fabsl(total - sum) <= bound * 0x1p-60L, "%Lg instead of %Lg", total, sum);
    for (int turn = 0; turn < 4; ++turn) {
      shuffle(x, 100 * seed + (uint64_t)turn);
      add_up(&units, x, turn % 2, other);
      CHECK(memcmp(parts, other, sizeof parts) == 0, "seed %d, turn %d: other bits", (int)seed,
            turn);
    }
  }
}

TEST(exact, a_number_can_be_taken_out_again)
{
  double x[COUNT];
  const double bound = fill(x, 7);
  const exact_units units = exact_units_of(2 * bound, TERMS);
  exact_sum sum = exact_start(&units);
  for (int n = 0; n < COUNT; ++n)
    exact_add(&sum, (bp_vector){x[n]});
  for (int n = COUNT - 1; n >= 0; --n)
    exact_add(&sum, (bp_vector){-x[n]});
  for (int n = 0; n < EXACT_PARTS; ++n)
    CHECK(exact_part(&units, &sum, n) == 0, "part %d", n);
}
