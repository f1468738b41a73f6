/* check_solve.h -- one choice of a solve's variant against the textbook's conjugate gradients. */
#ifndef BP_CMD_CHECK_SOLVE_H
#define BP_CMD_CHECK_SOLVE_H

#include "device/device.h"
#include "fem/bake_off.h"

/* The rows of bp_bake_offs that a variant's folder has kernels for; returns how many. */
int bp_check_rows(const bp_variant *variant, const bp_bake_off *rows[BP_BAKE_OFFS]);

/* Counts of elements with a mesh of their own: a slab whose elements are turned at random, and elements
 * turned likewise around an edge, where five meet, and ten at its vertices in BP_CHECK_FAN. */
enum { BP_CHECK_TURNED = 7, BP_CHECK_SMALL_FAN = 5, BP_CHECK_FAN = 20 };

/* Five iterations of each row on so many elements with `beyond` points of a rule (bp_bake_off_space_with),
 * with and without a mass term and a preconditioner in turn: residuals and solution. BP_WRONG: which one,
 * and by how much; BP_SKIPPED: it cannot run here. */
bp_status bp_check_solve(bp_device *device, const bp_choice *choice, int degree, int beyond,
                         const char *rule, int64_t elements);

/* The variant's first row on copies of a few elements that have more than `entries` factors. */
bp_status bp_check_solve_large(bp_device *device, const bp_choice *choice, int degree, int beyond,
                               const char *rule, int64_t entries, int64_t *elements);

/* What that compiles for any number of elements; returns how many, at most BP_CHECK_SOLVE_BUILDS. */
enum { BP_CHECK_SOLVE_BUILDS = 4 };
int bp_check_solve_builds(const bp_choice *choice, int degree, int beyond, const char *rule,
                          bp_build *builds);

#endif
