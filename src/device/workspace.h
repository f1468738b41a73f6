/* workspace.h -- one problem's arrays on a device: those of the operands that kernels ask for, the factors
 * in each order that some kernel wants. They are made when first asked for, and made again when the
 * device was opened anew. */
#ifndef BP_DEVICE_WORKSPACE_H
#define BP_DEVICE_WORKSPACE_H

#include "device/array.h"
#include "registry/layout.h"
#include "registry/operand.h"

typedef struct bp_plan bp_plan;

typedef struct {
  bp_layout layout;
  bp_array factors;
  uint64_t sum; /* of what they were filled with, where the host can read them in place */
} bp_factors;

typedef struct {
  bp_device *device;
  const bp_problem *problem;
  bool guarded;
  int generation;                        /* of the device, when the arrays were made */
  const void *values[BP_OPERANDS_COUNT]; /* what the host has of them; NULL: nothing */
  bool
      by_fields[BP_OPERANDS_COUNT]; /* the host has of each field counts[], else all of the array */
  int64_t counts[BP_OPERANDS_COUNT];
  bp_array arrays[BP_OPERANDS_COUNT];
  double *u;            /* what was last written, to be brought up again */
  double *rule;         /* points and weights of the quadrature */
  double *u_by_species; /* of pair: the same in its other order */
  bp_factors *factors;
  int factors_count;
  bp_plan *plans; /* a list: they have scratch that is poisoned and guarded as well */
} bp_workspace;

/* Copies the problem to the device; the problem must outlive the workspace. `guarded`: zones that no
 * kernel may touch around every array. Inputs that a kernel has
 * written are told; unguarded, only where the host can read them in place. */
bp_status bp_workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                              bp_workspace **workspace);
void bp_workspace_destroy(bp_workspace *workspace);
bp_status bp_workspace_write(bp_workspace *workspace, const double *u);
bp_status bp_workspace_read(bp_workspace *workspace, double *v);

/* What the host has of another operand; it must outlive the workspace. To be called before a plan takes
 * it. */
void bp_workspace_give(bp_workspace *workspace, int operand, const void *values);

/* The same of vectors of the problem's fields, without the padding between and behind them: `count` of
 * each field. */
void bp_workspace_give_fields(bp_workspace *workspace, int operand, const double *values,
                              int64_t count);

/* What it has is another by now: brings it up again, if it was brought up. */
bp_status bp_workspace_update(bp_workspace *workspace, int operand);

/* Gives an operand's memory back: plans are bound elsewhere. */
void bp_workspace_drop(bp_workspace *workspace, int operand);

/* The problem has other factors by now. */
bp_status bp_workspace_refill(bp_workspace *workspace);

/* Of an operand that kernels write. */
bp_status bp_workspace_read_operand(bp_workspace *workspace, int operand, void *values);

bp_status bp_workspace_read_fields(bp_workspace *workspace, int operand, double *values,
                                   int64_t count);

/* All that kernels write, and their scratch, becomes NaN. */
bp_status bp_workspace_poison(bp_workspace *workspace);

/* BP_WRONG: says which array and where. */
bp_status bp_workspace_guards(bp_workspace *workspace);

/* ---- for plan.c ---- */

/* Brings the data up again if the device lost them. */
bp_status bp_workspace_ready(bp_workspace *workspace);

/* The array of an operand; the factors in that order. Made on the first request, when *setup_seconds and
 * *upload_seconds get what that took. */
bp_status bp_workspace_array(bp_workspace *workspace, int operand, bp_address *address);
bp_status bp_workspace_factors(bp_workspace *workspace, const bp_layout *layout,
                               double *setup_seconds, double *upload_seconds, bp_address *address);

#endif
