/* case_rows.h -- a case while it runs, and the rows that it leaves in the record. */
#ifndef BP_BENCH_CASE_ROWS_H
#define BP_BENCH_CASE_ROWS_H

#include "bench/bench.h"
#include "bench/copies.h"
#include "bench/gpu.h"
#include "bench/rounds.h"
#include "work/work.h"

/* What a run holds from its first case to its last. */
typedef struct {
  bp_peaks peaks;
  int64_t before;       /* rows that were there: of a run that is resumed */
  double begin;         /* on the clock */
  bp_busy_place place;  /* where to see what else runs */
  bp_copies *copies;    /* it has shown */
  char *copies_path;    /* where they are kept; NULL: nowhere */
  int rows, rows_ready; /* to be measured */
} bp_session;

/* What one case holds while it runs; arrays have an item for each choice. */
typedef struct {
  bp_session *session;
  bp_cases *cases;
  const bp_case *c;
  int number;
  bp_record *record;
  const bp_events *events;
  bp_stage *stage;
  bp_plan **plans; /* NULL unless the state is ok */
  bp_row_status *states;
  char **reasons; /* NULL while the state is ok */
  bp_stage_outcome *outcomes;
  double *verify_seconds; /* of the first time */
  bool any_wrong;
  bp_nvml_summary power; /* while the case was last timed */
} bp_running;

/* What says which row it is: case c with its choice n. */
void bp_row_name(const bp_cases *cases, const bp_case *c, int n, bool cold, bp_row *row);

/* A row of choice n; `rounds` is NULL where nothing was timed. Together. */
void bp_running_add_row(bp_running *r, int n, bool cold, const bp_rounds *rounds);

/* The best peaks of the whole run, of one that is resumed too. */
void bp_running_record_peaks(bp_running *r);

#endif
