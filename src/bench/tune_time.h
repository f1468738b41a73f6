/* tune_time.h -- the candidates of one case timed and verified, and what has become of them told. */
#ifndef BP_BENCH_TUNE_TIME_H
#define BP_BENCH_TUNE_TIME_H

#include "bench/tune_case.h"

#include "measure/sampler.h"
#include "work/work.h"

/* A choice that was right, and how. */
typedef struct {
  bp_choice choice;
  bp_stage_outcome outcome;
} bp_tuning_right;

typedef struct {
  bp_tuner *tuner;
  const bp_case *c;
  bp_stage *stage;
  double deadline;        /* of the search */
  double fastest;         /* seconds of the fastest candidate that is right */
  double per_candidate;   /* seconds of the search; 0: not known yet */
  bool *is_told;          /* of each variant: that no plan could be made */
  int *strikes;           /* of each variant: candidates that failed */
  bp_tuning_right *right; /* the same result of one of these is not looked at again */
  int right_count;
  int tried;
} bp_tuning;

bool bp_tuning_is_interrupted(const bp_tuning *t);

/* How many modes caches are to be in, hot or cold: two, where the mean of both is to be least. */
int bp_tuning_modes(const bp_tuning *t);

bp_sampling bp_tuning_sampling(const bp_tuning *t, bool cold, double warmup, double seconds,
                               int samples);

/* A message about a candidate. */
void bp_tuning_tell(const bp_tuning *t, const bp_choice *choice, const char *message);

/* A candidate of which no plan could be made: bp_message() says why. Told of one of a variant. */
void bp_tuning_complain(bp_tuning *t, const bp_choice *choice);

/* A candidate that failed: bp_message() says what happened; it took so many seconds. */
void bp_tuning_strike(bp_tuning *t, const bp_choice *choice, bp_status status, double seconds);

/* A choice bound to the case's arrays; of a solve, with all its iterations (a tolerance is not looked at). */
bp_status bp_tuning_plan(const bp_tuning *t, const bp_choice *choice, bp_plan **plan);

bp_status bp_tuning_verify(bp_tuning *t, bp_plan *plan);

/* Seconds of a candidate; INFINITY where it failed. */
double bp_tuning_time(bp_tuning *t, const bp_choice *choice);

void bp_tuning_show(const bp_tuning *t);

#endif
