/* solve.h -- one choice of a solve's variant against the textbook's conjugate gradients, of a wave's against
 * literal steps. */
#ifndef BP_CHECK_SOLVE_H
#define BP_CHECK_SOLVE_H

#include "check/task.h"
#include "solve/wave.h"

/* The rows of bp_bake_offs that a variant's folder has kernels for; returns how many. */
int bp_check_rows(const bp_variant *variant, const bp_bake_off *rows[BP_BAKE_OFFS]);

/* Iterations of each row, or steps, on so many elements with `beyond` points of a rule
 * (bp_bake_off_space_with), with and without a mass term and a preconditioner in turn: residuals and solution, and whether they have the same bits
 * again. BP_WRONG: which one, and by how much; BP_SKIPPED: it cannot run here. */
bp_status bp_check_solve(const bp_checked *t, bp_device *device, int degree, int beyond,
                         int64_t elements);

/* What that compiles for any number of elements; returns how many, at most BP_CHECK_SOLVE_BUILDS. */
enum { BP_CHECK_SOLVE_BUILDS = 4 };
int bp_check_solve_builds(const bp_checked *t, int degree, int beyond, bp_build *builds);

/* ---- parts of it ---- */

enum { BP_CHECK_QUICK = 7 }; /* the highest degree at which much is tried */

/* Counts of elements with a mesh of their own: a slab whose elements are turned at random, and elements
 * turned likewise around an edge, where five meet, and ten at its vertices in BP_CHECK_FAN. */
enum { BP_CHECK_TURNED = 7, BP_CHECK_SMALL_FAN = 5, BP_CHECK_FAN = 20, BP_CHECK_MANY = 200 };
bp_status bp_check_mesh(int64_t elements, bp_element_geometry geometry, bp_mesh **mesh);

/* Whether every run gives the same bits. The emulator compares two orders by itself. */
bool bp_check_repeats(const bp_device *device, const bp_choice *choice, const bp_system *system);

/* BP_WRONG: the first number of `what` whose bits differ. */
bp_status bp_check_bits(const double *x, const double *again, int64_t count, const char *what);

/* Sources and receivers of a wave's check; `mesh` is the whole one. Together. */
bp_status bp_check_points(bp_wave *wave, const bp_mesh *mesh);

/* With sources and receivers where all is free at one number of elements, where not at the next. */
bp_status bp_check_waves(bp_device *device, const bp_choice *choice, bp_system_options options,
                         const bp_mesh *mesh);

#endif
