/* pair.h -- products of pairs of species at points: the inner loop of codes for real gases and transport.
 *
 *   v[y][x][t] = ax[x][t] ay[y][t] + bx[x][t] by[y][t],   x, y < species, t < points
 *
 * u is ax, bx, ay, by, one after the other, each [species][points]. Nothing is shared between points, so a
 * point is an element of the problem, and the species are its fields. Teams of threads at a point want the
 * species fastest: u_by_species is ax[t][x], bx[t][x], ay[t][y], by[t][y], and v_by_species[t][x][y]. */
#ifndef BP_FEM_PAIR_H
#define BP_FEM_PAIR_H

#include "fem/problem.h"

extern const bp_operator bp_operator_pair;
bool bp_problem_is_pair(const bp_problem *problem);

/* u with the species fastest; v with the points fastest. Parallel. */
void bp_pair_by_species(const bp_problem *problem, const double *u, double *by_species);
void bp_pair_by_points(const bp_problem *problem, const double *by_species, double *v);

#endif
