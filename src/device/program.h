/* program.h -- lists of steps with loops: made by whoever wants something run, walked by backends. */
#ifndef BP_DEVICE_PROGRAM_H
#define BP_DEVICE_PROGRAM_H

#include "device/device.h"
#include "fem/sharing.h"

typedef struct bp_program {
  bp_step *steps;
  int count, capacity;
} bp_program;

/* Appends a step of zeros; the pointer holds until the next one is appended. */
bp_step *bp_program_add(bp_program *program, bp_step_kind kind);

/* What is appended between these two calls runs so many times over; loops may lie in loops. */
int bp_program_repeat(bp_program *program, int64_t times);
void bp_program_end(bp_program *program, int loop);
void bp_program_destroy(bp_program *program);

/* Where ranks' devices take part: after a kernel that has posted, what waits if kernels do not; what a kernel
 * left in outbox[] in the order of messages goes, and inbox[] gets what comes, `fields` doubles of each. */
void bp_program_wait(bp_program *program, const bp_device *device);
void bp_program_exchange(bp_program *program, const bp_device *device, const bp_sharing *sharing,
                         int fields, bp_address outbox, bp_address inbox);

/* The backend's run, and on the host what is between launches where the device cannot do it. */
bp_status bp_program_run(bp_device *device, const bp_run *run, const char *name, double *seconds);

/* Walks through steps in the order in which they run; loops are no steps of it. */
enum { BP_LOOPS_MAX = 4 };
typedef struct {
  const bp_step *steps;
  int count, at, depth;
  struct {
    int first, end;
    int64_t left;
  } loops[BP_LOOPS_MAX]; /* in which it is */
} bp_walk;

bp_walk bp_walk_start(const bp_step *steps, int count);
const bp_step *bp_walk_next(bp_walk *walk); /* NULL: all have run */
bool bp_walk_has_next(const bp_walk *walk);

/* How many steps run. */
int64_t bp_steps_length(const bp_step *steps, int count);

#endif
