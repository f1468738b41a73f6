/* sampler.h -- timing several plans against each other: in rounds, one sample of each per round, so
 * that whatever drifts (clocks, temperature, neighbours) drifts for all of them; until each is
 * known well enough. */
#ifndef BP_MEASURE_SAMPLER_H
#define BP_MEASURE_SAMPLER_H

#include "device/plan.h"
#include "measure/busy.h"
#include "measure/statistics.h"
#include <signal.h>

typedef struct {
  bool cold;                 /* flush the caches before every application */
  double warmup;             /* seconds for each plan before its first sample */
  double min_time, max_time; /* seconds of samples for each plan; max_time with the flushing */
  int64_t min_samples, max_samples;
  double confidence;     /* enough: 95 % interval of the median within +- this part of it */
  double sample_seconds; /* hot: repetitions are chosen so that a sample lasts about this long */
  const volatile sig_atomic_t *interrupted; /* stop soon when it becomes true; may be NULL */
  const bp_busy_place *busy;                /* where to see what other work does; NULL: nowhere */
} bp_sampling;

typedef struct {
  bp_plan *plan;
  bool reference; /* sampled in every round until all others are done (the copy) */
  bool hot;       /* whatever the others are */
  int64_t most;   /* samples of a reference; 0: 4096, after a warm-up like the others' */
  double part;    /* of the usual length of a sample; 0: 1 */
  /* out */
  double *samples;       /* seconds of one application each; free with bp_free */
  double *own, *waiting; /* the same of this rank alone, and what of it were exchanges and sums */
  int64_t count;
  int64_t repetitions; /* applications in one sample */
  int64_t late;        /* samples in which a thread waited for a processor */
  char *busy; /* why other work is to blame for the times, NULL for no reason; free with bp_free */
  const char *stopped; /* "confidence", "max_time", "max_samples", "interrupted", "failed" */
  bp_status status;
  char *message; /* of a failure, else NULL; free with bp_free */
} bp_sampled;

/* Fills in `sampled[0..count-1]`. A plan that fails ends alone; the others go on. */
void bp_sample(bp_sampled *sampled, int count, const bp_sampling *sampling);

void bp_sampled_destroy(bp_sampled *sampled);

#endif
