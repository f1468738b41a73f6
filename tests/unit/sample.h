/* sample.h -- made-up records with plausible figures, for the tests of reports. */
#ifndef BP_TEST_SAMPLE_H
#define BP_TEST_SAMPLE_H

#include "report/record.h"

typedef struct {
  int problems;  /* 1..3 of bp1.0, bp3.0, bp3.5 */
  int degrees;   /* 1..degrees */
  int variants;  /* per problem */
  int samples;   /* of each row */
  double noise;  /* relative; timings have a one-sided tail of that size */
  double slower; /* factor on the first variant's time */
  double drift;  /* factor on every time of the run, the copy's too */
  bool faults;   /* one wrong, one skipped, one throttled row */
  bool sweep;    /* elements_per_block = 1, 2, 4 for the first variant */
  uint64_t seed;
} sample_recipe;

/* With the usual noise. */
#define SAMPLE_RECIPE(...)                                                                         \
  {                                                                                                \
    .noise = 0.01, .slower = 1, .drift = 1, __VA_ARGS__                                            \
  }

/* A device of 4000 GB/s; the variants reach from 40 to 97 % of the roofline. */
bp_record *sample_record(const sample_recipe *recipe);

/* As it will be from then on: version, time, command and git do not change from day to day. */
void sample_freeze(bp_record *record);

#endif
