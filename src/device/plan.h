/* plan.h -- one choice (a variant with its options) ready to be applied to a workspace and timed; or a
 * kernel without a problem (machine.h). */
#ifndef BP_DEVICE_PLAN_H
#define BP_DEVICE_PLAN_H

#include "device/shape.h"
#include "device/workspace.h"

/* What is known of a plan besides its speed, of its most demanding launch; -1 or NaN where it does not
 * apply. */
typedef struct {
  int64_t registers, spill_bytes, shared_bytes, blocks_per_sm, blocks, threads;
  int64_t code_bytes;     /* of all launches, with what the loader needs */
  double compile_seconds; /* 0 when it came from the cache */
  double setup_seconds;   /* bringing factors into the variant's order; 0 when they were there */
  double upload_seconds;
} bp_plan_details;

struct bp_program; /* program.h */

struct bp_plan {
  bp_device *device;
  bp_workspace *workspace; /* NULL: without a problem */
  bp_choice choice;        /* variant NULL: a copy without a kernel */
  double work;             /* of a peak: flops, or bytes of shared memory, of one application */
  bp_plan_details details;

  bp_plan *next; /* of the same workspace */
  bp_build build;
  int generation; /* of the device, when what follows was made; -1: it was not */
  bp_module module;
  bp_shape shapes[BP_LAUNCHES_MAX];
  bp_step steps[BP_LAUNCHES_MAX];
  int steps_count, launches; /* launches: steps of a plan with a kernel */
  bool left_out[BP_LAUNCHES_MAX];
  bp_phase phases
      [BP_LAUNCHES_MAX]; /* of the steps: those at the start come first, those at the end last */
  bp_array own[BP_OPERANDS_COUNT]; /* the operands that are the plan's alone: scratch */
  int64_t scratch_count;           /* doubles that the line `scratch:` asks for */
  bp_array from, to;               /* without a problem: u and v */
  int64_t elements, doubles;
  int iterations;      /* of bp_plan_apply, between start and end: 1 unless it was set */
  bool goes_on, stops; /* it leaves out the start; the end, which is another application's */
  /* Unless NULL, makes all steps of an application, in place of the plan's own. */
  bp_status (*append)(void *context, bp_plan *plan, struct bp_program *program);
  void *context;
  int applications; /* of the finest operator in an iteration: 1 unless it was set */
  int inner; /* of an iterative refinement (solve/refined.h): all iterations within its iterations; else 0 */
  double own_seconds,
      own_waiting; /* what the last bp_plan_time was on this rank; the part of that in
                                      exchanges and sums */
};

/* BP_SKIPPED: this choice cannot run here at this degree, and why. */
bp_status bp_plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan);

/* Without a problem: on two arrays of `doubles` zeros, `elements` units of work; choice->variant NULL: a
 * copy of one to the other without a kernel. */
bp_status bp_plan_create_alone(bp_device *device, const bp_choice *choice, int64_t elements,
                               int64_t doubles, bp_plan **plan);

/* What `other` costs without its work: as many launches of a kernel that does nothing, in the same
 * shapes, but of no more blocks than run at once: those behind them come while others work. On the CPU
 * as many parallel regions. */
bp_status bp_plan_create_empty(const bp_plan *other, bp_plan **plan);

/* Of a plan on the CPU: the same on its first `elements` elements. */
bp_status bp_plan_create_part(const bp_plan *other, int64_t elements, bp_plan **plan);
void bp_plan_destroy(bp_plan *plan);

/* From now on an operand is at this address of the device, the caller's: u or v, of as many items as the
 * workspace has there, beginning at a multiple of 64 bytes. */
void bp_plan_bind(bp_plan *plan, int operand, bp_address address);

/* From now on that kernel is not launched. */
void bp_plan_leave_out(bp_plan *plan, const char *kernel);

/* Compiles at once what will be asked for, as far as the device can have it; bp_plan_create finds
 * it done, and tells what has failed. */
void bp_plans_build(bp_device *device, const bp_build *builds, int count);

/* With ranks (bp_device.comm) these two are calls that all of them make together, and fail on all
 * of them; the
 * seconds are those of the slowest. */

/* One application, or all iterations of a solve, finished on return. A crash of the device or a launch
 * that fails: BP_WRONG. */
bp_status bp_plan_apply(bp_plan *plan);

/* Of a solve, those that its time is told of. */
static inline int bp_plan_iterations(const bp_plan *plan)
{
  return plan->inner ? plan->inner : plan->iterations;
}

/* What bp_plan_apply runs, behind the steps of a program. */
void bp_plan_append(const bp_plan *plan, struct bp_program *program);

/* Seconds of one application (of a solve: all iterations, start and end), the mean over
 * `repetitions` in a row (device time on CUDA). `cold`: the caches are flushed before it, and
 * repetitions must be 1. */
bp_status bp_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds);

/* The largest of all ranks' values: what depends on a clock has to be the same everywhere. */
double bp_plan_agree(const bp_plan *plan, double value);

/* Scratch becomes NaN; guards around it are looked at. */
bp_status bp_plan_poison(bp_plan *plan);
bp_status bp_plan_check(bp_plan *plan);

/* Makes again what the plan lost when the device was opened anew. */
bp_status bp_plan_ready(bp_plan *plan);

#endif
