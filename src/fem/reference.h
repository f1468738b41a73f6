/* reference.h -- the operators as the formulas stand, in extended precision: what every kernel is
 * compared with. */
#ifndef BP_FEM_REFERENCE_H
#define BP_FEM_REFERENCE_H

#include "fem/problem.h"

/* v[e][k][j][i] of elements first..last-1 from u[e][k][j][i]; both start at element 0. Parallel. */
void bp_reference_apply(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                        double *v);

/* The same of an operator on elements, with u and v that start at element `first`. */
void bp_reference_apply_part(const bp_problem *problem, int64_t first, int64_t last,
                             const double *u, double *v);

/* w = |A||u|, every matrix entry, factor and value taken by its size: what rounding errors are relative to,
 * also where A u cancels. Parallel. */
void bp_reference_magnitude(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                            double *w);

/* How far `v` is from `reference` on elements first..last-1: the largest over elements of
 * max|v - reference| / max|reference| of that element; NaN counts as infinite. *where is the index in v
 * of the worst value. Of pair, whose u is at most 1: the largest difference over all elements. Of gradients an element
 * with small derivatives counts as one of the usual size. */
double bp_reference_error(const bp_problem *problem, int64_t first, int64_t last, const double *v,
                          const double *reference, int64_t *where);

/* The same with max|scale| below the line; `scale` of bp_reference_magnitude suits any u. */
double bp_reference_error_to_scale(const bp_problem *problem, int64_t first, int64_t last,
                                   const double *v, const double *reference, const double *scale,
                                   int64_t *where);

/* What rounding may do to a correct kernel in that norm, whatever its order of summation: a few
 * dozen eps, growing with the length of the sums. u of order 1 and random; a u whose result cancels
 * (constants with lambda = 0) needs the scale above. A relative error of 1e-10 in any one entry of I or D
 * exceeds it at every degree, and so does 1e-10 in a component of random factors (see
 * bp_problem_random). */
double bp_reference_tolerance(const bp_problem *problem);

#endif
