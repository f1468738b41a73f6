/* tune_case.h -- the fastest choice of one case: candidates compiled together, timed one after the other,
 * verified before they count, the fastest of them timed against each other. */
#ifndef BP_BENCH_TUNE_CASE_H
#define BP_BENCH_TUNE_CASE_H

#include "bench/cases.h"
#include "bench/events.h"
#include "measure/busy.h"

/* What a search of several cases keeps from one to the next. */
typedef struct {
  const bp_cases *cases;
  const bp_events *events;
  double *ratios;    /* of each variant: its time by the fastest's in the last case, 0: not known */
  bool *is_left_out; /* a variant that took the device along, or did not end */
  int wrong;         /* candidates that were wrong */
  bp_busy_place place; /* where to see what else runs */
} bp_tuner;

void bp_tuner_create(const bp_cases *cases, const bp_events *events, bp_tuner *tuner);
void bp_tuner_destroy(bp_tuner *tuner);

typedef struct {
  bp_choice choice; /* the fastest */
  double seconds;   /* when nothing disturbs: its lower decile; of hot and cold caches the mean */
  bool has_shipped; /* the shipped table has a row that fits */
  bp_choice shipped;
  double shipped_seconds; /* NaN where it cannot run or is wrong */
  int tried;              /* candidates */
  bool is_cut;            /* there was no time for all that the search begins with */
} bp_tuned;

/* Searches for about `seconds`, set-up included, beginning with what the tables hold, `hints` and the
 * case's own choices. BP_ENVIRONMENT: nothing could be timed, or other work
 * disturbed the last ones; BP_INTERRUPTED. Candidates that fail are messages. */
bp_status bp_tune_case(bp_tuner *tuner, const bp_case *c, const bp_choice *hints, int hints_count,
                       double seconds, bp_tuned *tuned);

#endif
