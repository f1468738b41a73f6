/* tune_cycles.h -- the fastest levels and smoother of a solve by p-multigrid, by its time to solution. */
#ifndef BP_BENCH_TUNE_CYCLES_H
#define BP_BENCH_TUNE_CYCLES_H

#include "bench/cases.h"
#include "bench/events.h"

/* Which of them the search leaves as the config has them. */
typedef struct {
  bool levels, smoother, smoothing;
} bp_cycles_kept;
bp_cycles_kept bp_cycles_kept_of(const bp_config *config);

/* What a cycle can be made of, and how it did. */
typedef struct {
  char levels[40]; /* "7-4-2-1" */
  bp_smoother smoother;
  int smoothing[2]; /* down, up */
  bool is_own;      /* as the config has it */
  int iterations;
  double seconds, setup_seconds; /* to the solution, the fastest of some; of making levels */
  bool is_busy;                  /* other work slowed it */
  char *failure;                 /* NULL: it got there */
} bp_cycle;

typedef struct {
  bp_cycle *items; /* the fastest first */
  int count;
  bool is_wrong; /* a solve was; iterations that end too early are not */
  bool is_cut;   /* there was no time for all */
} bp_cycles;

/* "3", "3,2"; free with bp_free. */
char *bp_cycle_smoothing(const bp_cycle *cycle);

/* Tries few, each a solve to the config's tolerance, for about `seconds`; the fastest is verified. `config`
 * is that of the cases, of which levels, smoother and smoothing change meanwhile. BP_ENVIRONMENT: none could be
 * timed; BP_INTERRUPTED. Destroy *cycles in any case. */
bp_status bp_tune_cycles(const bp_cases *cases, bp_config *config, const bp_case *c,
                         bp_cycles_kept kept, const bp_events *events, double seconds,
                         bp_cycles *cycles);
void bp_cycles_destroy(bp_cycles *cycles);

#endif
