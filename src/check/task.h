/* task.h -- a task while it is checked: where it is, and what has come of it. */
#ifndef BP_CHECK_TASK_H
#define BP_CHECK_TASK_H

#include "check/check.h"
#include "device/plan.h"

typedef struct {
  const bp_check *check;
  const bp_check_task *task;
  bp_tally *tally;
} bp_checked;

/* Checks it, in this process. */
void bp_checked_run(const bp_checked *t);

/* ---- outcomes ---- */

/* A line to be shown. */
void bp_checked_line(const bp_checked *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One passed, failed (the message says how) or was skipped. Returns what is wrong, if anything. */
bp_status bp_checked_count(const bp_checked *t, bp_status status);

/* Counts a failure, with a line unless there were several. */
void bp_checked_fail(const bp_checked *t, const char *what);

/* ---- what it needs ---- */

bp_device_options bp_checked_device_options(const bp_checked *t);

/* At a degree with `beyond` points (0: its own): of a solve that of its first row, without a mass term. */
bp_build bp_checked_build(const bp_checked *t, int degree, int beyond);

/* A CPU kernel has so many seconds to end from now on; 0: none runs. The emulator limits its programs by
 * itself, and the driver what runs on a GPU. */
void bp_checked_limit(const bp_checked *t, int seconds);

#endif
