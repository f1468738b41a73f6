/* check_solve.h -- one choice of a solve's variant against the textbook's conjugate gradients. */
#ifndef BP_CMD_CHECK_SOLVE_H
#define BP_CMD_CHECK_SOLVE_H

#include "device/device.h"
#include "solve/wave.h"

/* The rows of bp_bake_offs that a variant's folder has kernels for; returns how many. */
int bp_check_rows(const bp_variant *variant, const bp_bake_off *rows[BP_BAKE_OFFS]);

/* Counts of elements with a mesh of their own: a slab whose elements are turned at random, and elements
 * turned likewise around an edge, where five meet, and ten at its vertices in BP_CHECK_FAN. */
enum { BP_CHECK_TURNED = 7, BP_CHECK_SMALL_FAN = 5, BP_CHECK_FAN = 20, BP_CHECK_MANY = 200 };
bp_status bp_check_mesh(int64_t elements, bp_mesh **mesh);

/* Sources and receivers of a wave's check; `mesh` is the whole one. Together. */
enum { BP_CHECK_SOURCES = 3, BP_CHECK_RECEIVERS = 5 };
bp_status bp_check_points(bp_wave *wave, const bp_mesh *mesh);

/* BP_WRONG: the first number of `what` whose bits differ. */
bp_status bp_check_bits(const double *x, const double *again, int64_t count, const char *what);

/* Iterations of each row, or steps, on so many elements with `beyond` points of a rule
 * (bp_bake_off_space_with), with and without a mass term and a preconditioner in turn: residuals and solution,
 * and whether they have the same bits again. BP_WRONG: which one, and by how much; BP_SKIPPED: it cannot run
 * here. */
bp_status bp_check_solve(bp_device *device, const bp_choice *choice, int degree, int beyond,
                         const char *rule, bp_element_geometry geometry, int64_t elements);

/* The variant's first row on copies of a few elements that have more than `entries` factors. */
bp_status bp_check_solve_large(bp_device *device, const bp_choice *choice, int degree, int beyond,
                               const char *rule, bp_element_geometry geometry, int64_t entries,
                               int64_t *elements);

/* What that compiles for any number of elements; returns how many, at most BP_CHECK_SOLVE_BUILDS. */
enum { BP_CHECK_SOLVE_BUILDS = 4 };
int bp_check_solve_builds(const bp_choice *choice, int degree, int beyond, const char *rule,
                          bp_element_geometry geometry, bp_build *builds);

#endif
