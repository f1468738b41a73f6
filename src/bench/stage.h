/* stage.h -- one case on a device, ready for plans: its mesh, problem, input, reference and workspace. */
#ifndef BP_BENCH_STAGE_H
#define BP_BENCH_STAGE_H

#include "base/hash.h"
#include "bench/cases.h"
#include "solve/scheme.h"
#include "solve/wave_device.h"

typedef struct {
  bp_comm *comm;       /* the cases' */
  bp_mesh *box;        /* owned; NULL when the mesh is the config's file */
  const bp_mesh *mesh; /* the whole one; NULL: the problem has none, or rank 0 alone has it */
  bp_piece *piece;     /* a rank's, of an operator */
  bp_problem *problem;
  bp_workspace *workspace;   /* u is written */
  double *u, *v, *reference; /* v: room for a result; of a solve: u its solution, v = f */
  bp_system *system;         /* of a solve, which has problem and workspace from these */
  bp_scheme *scheme;
  bool has_solution; /* whose load f is */
  bp_wave *wave;     /* of problem wave, which has no scheme of its own */
  bp_wave_device *wave_device;
  double *before, energy, norm; /* one step before the beginning, and what both have */
  double *last;                 /* one step before the end of a run */
} bp_stage;

/* How right a choice is; of an operator, the first two alone. */
typedef struct {
  double error, tolerance;
  double residual, true_residual; /* of the first, as the kernels say, by the literal operator */
  double solution_error;          /* in L2, of the known solution's norm; NaN: none is known */
  bp_hash solved;                 /* of the solution and its residuals that were found right */
} bp_stage_outcome;

/* Of a solve or of steps, as the config says: how many, with a tolerance at most. */
int bp_stage_iterations(const bp_config *config);

/* All that follows: together. BP_ENVIRONMENT where the host or the device has too little memory.
 * Destroy it in any case. */
bp_status bp_stage_create(const bp_cases *cases, const bp_case *c, bp_stage *stage);
void bp_stage_destroy(bp_stage *stage);

/* Of a solve or of steps: so many iterations. BP_SKIPPED: the choice cannot run here, and why. */
bp_status bp_stage_plan(const bp_stage *stage, const bp_choice *choice, int iterations,
                        bp_plan **plan);

/* Of a solve with a tolerance: sets how many iterations the plan needs; at most so many. BP_WRONG: more. */
bp_status bp_stage_find_iterations(bp_stage *stage, bp_plan *plan, double tolerance);

/* One application or solve against the reference. BP_WRONG: says what is wrong. A solve with the same
 * bits as the one that *outcome tells of is not looked at again; {0}: there was none. */
bp_status bp_stage_verify(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome);

#endif
