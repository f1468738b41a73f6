/* multigrid.h -- conjugate gradients on a device with a p-multigrid cycle in single precision, as one
 * program.
 *
 * Levels have falling degrees, down to 1. Each has the problem's operator at its degree, by the element kernels of
 * that operator that are best there, and a smoother. Below N = 1 are levels of sparse matrices, by smoothed
 * aggregation, and at the end a dense inverse. Directions are made A-orthogonal to the one before, whatever the cycle
 * did, so it need not be linear. What needs no operator is the variant bpN/multigrid (kernels/solve/multigrid.c). */
#ifndef BP_SOLVE_MULTIGRID_H
#define BP_SOLVE_MULTIGRID_H

#include "solve/chebyshev.h"
#include "solve/scheme.h"

enum { BP_MULTIGRID_LEVELS = 15 };

typedef enum { BP_SMOOTHER_JACOBI, BP_SMOOTHER_SCHWARZ, BP_SMOOTHER_RAS } bp_smoother;
extern const char *const bp_smoothers[]; /* their names */

typedef struct {
  const char *levels; /* "7-4-2-1"; "auto": halved degrees */
  bp_smoother smoother;
  int smoothing
      [2]; /* applications of the smoother down, and up; M is symmetric if they are equal */
  bool is_first_kind;   /* of Chebyshev polynomials; else the fourth */
  bool is_double;       /* the cycle; else single, which takes as many iterations */
  int coarse;           /* most unknowns that a dense inverse is made for */
  const char *fixed;    /* as bp_system_create_fixed wants it */
  const bp_mesh *whole; /* of several ranks, on the first one, which has N = 1 of all of them */
} bp_multigrid_options;

typedef struct bp_multigrid bp_multigrid;

/* "levels=7-4-2-1 smoother=ras smoothing=3 coarse=3000" at a degree, for people; free with bp_free. */
char *bp_multigrid_describe(const bp_multigrid_options *options, int degree);

/* degrees[]: of the levels; returns how many. BP_BAD_INPUT: they do not fall from `degree` to 1. */
bp_status bp_multigrid_levels(const char *text, int degree, int degrees[BP_MULTIGRID_LEVELS],
                              int *count);

/* For plans of the scheme, which must outlive it, by this variant. Of several ranks' part of a system:
 * together, as runs are, on CPUs. Neither their number nor that of threads changes a bit. */
bp_status bp_multigrid_create(bp_scheme *scheme, const bp_choice *choice,
                              const bp_multigrid_options *options, bp_multigrid **multigrid);
void bp_multigrid_destroy(bp_multigrid *multigrid); /* NULL is legal */

/* From now on the plan's program is that of the solve. */
void bp_multigrid_attach(bp_multigrid *multigrid, bp_plan *plan);

/* What an iteration's time goes to: a level's operator, smoother, transfer to the next one; all below
 * N = 1, coarse; the iterations themselves. Each is run and timed by itself, after which a plan's
 * vectors are not what they were. */
typedef struct {
  int degree; /* of the level; 0: coarse; of iterations the first one's */
  const char *part;
  double seconds;
} bp_multigrid_share;
enum { BP_MULTIGRID_SHARES = 3 * BP_MULTIGRID_LEVELS + 2 };
bp_status bp_multigrid_time(bp_multigrid *multigrid, bp_plan *plan,
                            bp_multigrid_share shares[BP_MULTIGRID_SHARES], int *count);

/* x = M b, one cycle. */
bp_status bp_multigrid_cycle(bp_multigrid *multigrid, const double *b, double *x);

/* The same cycle as the formulas stand, in extended precision; x = M b. */
void bp_multigrid_literal(bp_multigrid *multigrid, const double *b, double *x);

#endif
