/* waits.c -- tests of what tells waiting from work. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "measure/waits.h"
#include <math.h>
#include <stdbool.h>

/* A kernel that works has a floor and a tail; one that waits shows the scheduler. */
TEST(waits, are_told_from_work)
{
  enum { COUNT = 100 };
  bp_random random = bp_random_start(9);
  double work[COUNT], grid[COUNT], peaks[COUNT], far[COUNT], still[COUNT];
  for (int n = 0; n < COUNT; ++n) {
    double noise = bp_random_unit(&random);
    work[n] = 1e-4 * (1 + 0.1 * noise + (n % 30 == 0 ? 3 : 0));
    grid[n] = 4e-3 * (n % 3 + 1) + 1e-5 * noise;
    peaks[n] = 1e-4 * (n % 5 ? 1 : 1.8) * (1 + 0.02 * noise);
    far[n] = 1e-4 * (1 + 2.9 * n / COUNT);
    still[n] = 12e-3 + 1e-6 * noise;
  }
  const struct {
    const double *samples;
    double empty;
    const char *what;
  } cases[] = {{work, 1e-6, NULL},         {grid, 1e-6, "multiples of the scheduler's 4 ms"},
               {peaks, 1e-6, "two peaks"}, {far, 1e-6, "times the minimum"},
               {still, 1e-6, NULL},        {still, 12e-3, "multiples"}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    char *found = bp_waits(cases[n].samples, COUNT, cases[n].empty);
    CHECK(cases[n].what ? found && strstr(found, cases[n].what) : !found, "%zu: %s", n,
          found ? found : "nothing");
    bp_free(found);
  }
}

/* ---- how often work is taken for waiting, and waiting for work ---- */

enum { ROWS = 8000, MOST = 1000 };

typedef struct {
  double noise;  /* log-normal */
  double second; /* half of the samples take so much longer */
  double rare;   /* such a part takes up to twenty times as long */
  double
      waits; /* half of the rows' samples, at least, waits this many times as long; 0: none does */
} behaviour;

static double normal(bp_random *random)
{
  double radius = sqrt(-2 * log(1 - bp_random_unit(random)));
  return radius * cos(2 * 3.14159265358979 * bp_random_unit(random));
}

static double sample_of(const behaviour *b, double seconds, bp_random *random)
{
  seconds *= exp(b->noise * normal(random));
  seconds *= bp_random_unit(random) < 0.5 ? 1 : 1 + b->second;
  seconds *= bp_random_unit(random) < b->rare ? 1 + 19 * bp_random_unit(random) : 1;
  return seconds * (b->waits > 0 && bp_random_unit(random) < 0.5 ? b->waits : 1);
}

/* Of rows from a microsecond to a second each, with 6 to 1000 samples. */
static int rows_that_waited(const behaviour *b, int fewest)
{
  static double samples[MOST];
  bp_random random = bp_random_start(1);
  int waited = 0;
  for (int row = 0; row < ROWS; ++row) {
    int count = (int)(fewest * pow((double)MOST / fewest, bp_random_unit(&random)));
    double seconds = pow(10, -6 * bp_random_unit(&random));
    for (int n = 0; n < count; ++n)
      samples[n] = sample_of(b, seconds, &random);
    char *what = bp_waits(samples, count, 1e-7);
    waited += what != NULL;
    bp_free(what);
  }
  return waited;
}

TEST(waits, quiet_machines_do_not_wait)
{
  static const behaviour quiet[] = {
      {0.001, 0, 0.01, 0}, {0.01, 0, 0.01, 0},     {0.05, 0, 0.01, 0},      {0.1, 0, 0.01, 0},
      {0.01, 0, 0.02, 0},  {0.002, 0.03, 0.01, 0}, {0.0001, 0.03, 0.01, 0}, {0.01, 0.1, 0.01, 0}};
  for (size_t n = 0; n < sizeof quiet / sizeof *quiet; ++n) {
    int waited = rows_that_waited(&quiet[n], 6);
    CHECK(1000 * waited < ROWS, "%zu: %d of %d", n, waited, ROWS);
  }
}

TEST(waits, waiting_is_found)
{
  static const behaviour waiting[] = {
      {0.01, 0, 0.01, 2}, {0.05, 0, 0.01, 3}, {0.01, 0, 0.01, 50}, {0.05, 0.03, 0, 10}};
  for (size_t n = 0; n < sizeof waiting / sizeof *waiting; ++n) {
    int waited = rows_that_waited(&waiting[n], 20);
    CHECK(waited >= 0.99 * ROWS, "%zu: %d of %d", n, waited, ROWS);
  }
}
