/* check.h -- every variant against the reference: choices, each at some degrees, on some numbers of elements.
 *
 * Each task runs in a process of its own (on a GPU in this one): one that crashes or hangs is one failed line, and
 * the others go on. Nothing is printed here; who asks gets the lines of each task in the order of the tasks. */
#ifndef BP_CHECK_CHECK_H
#define BP_CHECK_CHECK_H

#include "bench/events.h"
#include "check/tasks.h"
#include "config/config.h"

enum { BP_CHECK_FAILURES_SHOWN = 5, BP_CHECK_LINES_BYTES = 16384 };

/* What has come of a task, and where it is; in memory that outlives its process. */
typedef struct {
  int passed, failed, skipped;
  char why[160];                    /* the first was skipped */
  char lines[BP_CHECK_LINES_BYTES]; /* what is to be shown of it */
  const char *operator;             /* of a folder that has several; else NULL */
  int degree;
  char quadrature[16]; /* "N+3 gauss"; "" where it is the bake-off's */
  int64_t elements;    /* 0: while counting */
  int64_t before;      /* elements ahead of these that are not there */
  char isa[16];
  int limit;    /* seconds in which the kernel has to end; 0: it is not running */
  double since; /* by bp_clock */
} bp_tally;

typedef struct {
  const bp_config *config;
  const bp_backend *backend;
  bp_config_numbers counts; /* of elements */
  bool has_usual_counts;    /* nobody asked for those: solves have their own */
  int64_t most;             /* the largest of them */
  bool banks;               /* counted, too */
} bp_check;

/* Adds to *total. Kernels of the emulator are one thread each, so as many of their tasks run at once as there
 * are processors; others run one by one. BP_ENVIRONMENT. */
bp_status bp_check_run(const bp_check *check, const bp_check_tasks *tasks,
                       void (*show)(const char *lines), const bp_events *events, bp_tally *total);

#endif
