/* scheme.h -- conjugate gradients on a device: a variant of kernels/bp1, bp3 or bp5, whose kernels keep all
 * scalars on the device and fuse the operator with the vectors. */
#ifndef BP_SOLVE_SCHEME_H
#define BP_SOLVE_SCHEME_H

#include "device/plan.h"
#include "kernels/abi/ranks.h"
#include "solve/bounds.h"
#include "solve/matrix.h"
#include "solve/system.h"

/* A system on a device: what its kernels read. Plans of `workspace` are its solves. */
typedef struct {
  const bp_system *system; /* the caller's */
  bp_workspace *workspace;
  uint32_t *slots; /* NULL where kernels are C */
  int32_t *halo;   /* zeros; NULL where a rank has its own */
  double bounds[BP_BOUNDS];
  const double *f; /* the caller's, or: */
  double *scaled;  /* in single precision f times `scale`, so that numbers are about 1; else NULL */
  double scale;    /* a power of two, which changes no bits */
  double *diagonal; /* NULL without jacobi */
  int64_t
      mail[BP_MAIL_LENGTH]; /* zeros where ranks' devices have no mailboxes, as of the next two */
  int32_t *post_ends;       /* NULL where a rank is alone, or kernels are C */
  int64_t *posts;
  bp_matrix *matrix; /* made for the first variant that takes it */
  int64_t stride;
} bp_scheme;

/* f[c][n] of A x = f is 0 at fixed unknowns, and must outlive the scheme. NULL: whoever solves writes it, and
 * what is behind it, into the workspace; kernels for ranks cannot run so. The diagonal preconditions
 * where the system was made so. Of a rank's part of a system: together, with a device that has its
 * communicator. */
bp_status bp_scheme_create(bp_device *device, bp_system *system, const double *f, bool guarded,
                           bp_scheme **scheme);
void bp_scheme_destroy(bp_scheme *scheme); /* NULL is legal */

/* Together: mail[BP_MAIL_LENGTH] of zeros tells kernels where messages go, `each` bytes a number. Halves of a
 * box are `half` bytes apart on all ranks; 0: as much as comes. Nothing without mailboxes. */
bp_status bp_mail_fill(const bp_device *device, const bp_sharing *sharing, int64_t each,
                       int64_t half, int64_t *mail);

/* Where the copies of surface unknowns are, in a fixed number of places: 2 for an unknown inside a face, 4
 * inside an edge, 8 at a vertex. A place is e S + m, or 0xffffffff for none. Where more elements meet, the
 * first is 0x80000000 + s (s = unknown - inner), and `starts` and `copies` have them. Free with bp_free. */
uint32_t *bp_scheme_slots(const bp_unknowns *unknowns);

/* bp_plan_create on the scheme's workspace, with the operands that only some variants take. */
bp_status bp_scheme_plan(bp_scheme *scheme, const bp_choice *choice, bp_plan **plan);

/* plan->iterations iterations from x = 0, at most system->problem->iterations; residuals[] gets |r| before
 * each and after the last. BP_WRONG: its kernels failed, or wrote where they must not. */
bp_status bp_scheme_run(bp_scheme *scheme, bp_plan *plan, double *x, double *residuals);

/* The same, of no more iterations than bring the residual to `tolerance` times the first: plan->iterations
 * becomes how many. False in *reached: that many do not. */
bp_status bp_scheme_run_to(bp_scheme *scheme, bp_plan *plan, double tolerance, double *x,
                           double *residuals, bool *reached);

/* The same by one rank, without going back: plan->iterations becomes how many were done, which can be some
 * more. x may be NULL; then it stays in the workspace. */
bp_status bp_scheme_run_past(bp_scheme *scheme, bp_plan *plan, double tolerance, double *x,
                             double *residuals, bool *reached);

typedef struct {
  int iterations; /* of a solve, at most those of the system; with a tolerance at most, then how many */
  double tolerance;  /* of the first residual; 0: none */
  int timed;         /* solves that are timed after the one that counts; 0: none */
  double *residuals; /* |r|, iterations + 1 of them; the caller's */
  double seconds;    /* of one iteration of the fastest solve; NaN: none was timed */
} bp_scheme_once;

/* One solve with all its set-up. The device must be one whose language the variant has. BP_SKIPPED: the
 * variant cannot run here, and why. */
bp_status bp_scheme_solve(bp_device *device, const bp_choice *choice, bp_system *system,
                          const double *f, double *x, bp_scheme_once *once);

#endif
