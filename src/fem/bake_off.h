/* bake_off.h -- the bake-off problems bp1..bp6 as data: which operator, how many components, which
 * boundary. */
#ifndef BP_FEM_BAKE_OFF_H
#define BP_FEM_BAKE_OFF_H

#include "base/status.h"
#include "fem/operator.h"

typedef struct {
  const char *name;     /* "bp1" */
  const char *title;    /* "mass, scalar" */
  const char *operator; /* of bp_operators; applied to each component alone */
  const char *kernels;  /* the folder of its kernels: "bp1" also for bp2 */
  int components;       /* 1 or 3 */
  bool dirichlet;       /* the boundary is fixed, if nothing else is said */
} bp_bake_off;

/* Behind them: the wave equation, whose steps are neither bake-off nor solve, but use all the same
 * (solve/wave.h). */
enum { BP_BAKE_OFFS = 6, BP_WAVE = BP_BAKE_OFFS, BP_SOLVES };
extern const bp_bake_off bp_bake_offs[BP_SOLVES];

bool bp_bake_off_is_wave(const bp_bake_off *row);

/* Its operator, without a mass where lambda is 0, and the space at degree N. */
const bp_operator *bp_bake_off_operator(const bp_bake_off *row, double lambda);
bp_space bp_bake_off_space(const bp_bake_off *row, int degree);

/* The same with other points, see bp_operator_space_with. */
bp_space bp_bake_off_space_with(const bp_bake_off *row, int degree, int beyond, const char *rule);

/* Fails with BP_BAD_INPUT, and `place` first, where other points are asked for than a problem's own
 * (`beyond` not 0, `rule` not "own") and its points are its nodes; also of operators. */
bp_status bp_bake_off_check_points(const char *problem, int beyond, const char *rule,
                                   const char *place);

/* NULL when there is none of that name. */
const bp_bake_off *bp_bake_off_find(const char *name);

/* "bp5" of "bps5", which is bp5 solved to a tolerance with the best preconditioner; NULL of other names. */
const char *bp_bake_off_of_solver(const char *name);

/* The folder of a problem's kernels: "bp1" for bp2, any other name as it is. */
const char *bp_bake_off_kernels(const char *problem);

#endif
