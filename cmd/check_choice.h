/* check_choice.h -- one choice of a variant against the reference, at all degrees and counts asked for. */
#ifndef BP_CMD_CHECK_CHOICE_H
#define BP_CMD_CHECK_CHOICE_H

#include "bench/open_device.h"
#include "check_task.h"
#include "cli/command.h"

enum { BP_CHECK_FAILURES_SHOWN = 5 };

/* What has come of a choice; where it is checked in a process of its own, in memory that outlives it. */
typedef struct {
  int passed, failed, skipped;
  char why[160];        /* the first was skipped */
  const char *operator; /* of a folder that has several; else NULL */
  int degree;
  char quadrature[16]; /* "N+3 gauss"; "" where it is the bake-off's */
  bp_element_geometry geometry;
  int64_t elements; /* 0: while counting */
  int64_t before;   /* elements ahead of these that are not there */
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
  int64_t entries;          /* of the factors, in the only case there is; 0: as the counts say */
  bp_tally *shared;
} bp_check;

/* Into check->shared; failures are printed as far as they are shown. */
void bp_check_choice(const bp_check *check, const bp_check_task *task);

/* A line on where the check stood, whether or not more are to be shown. */
void bp_check_print_failure(const bp_check *check, const bp_choice *choice, const char *what);

#endif
