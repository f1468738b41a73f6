/* wave.h -- the wave equation, u_tt = div grad u, by leapfrog on the collocated operator K of bp5 and the
 * diagonal mass M of the same points: what every kernel of problem `wave` is compared with.
 *
 *   u(n+1) = 2 u(n) - u(n-1) - dt^2 M^-1 K u(n) + dt^2 M^-1 s(n)
 *
 * Fixed unknowns stay 0 (Dirichlet), others are free (Neumann: a free surface). It is stable while dt^2
 * lambda < 4 for the largest eigenvalue lambda of M^-1 K. Vectors are those of system.h; steps are
 * literal: K is bp_system_apply's. */
#ifndef BP_SOLVE_WAVE_H
#define BP_SOLVE_WAVE_H

#include "solve/wave_points.h"

typedef struct {
  bp_system *system; /* the caller's; lambda 0 */
  double dt;
  double *mass;          /* the diagonal of M, 0 where fixed */
  bp_wave_points points; /* sources and receivers; none at first */
} bp_wave;

/* dt is `factor` of the largest that bp_wave_bound allows. */
void bp_wave_create(bp_system *system, double factor, bp_wave **wave);
void bp_wave_destroy(bp_wave *wave); /* NULL is legal */

/* No less than lambda: a bound by each element's metric, exact for one cube with every direction at its
 * fastest. */
double bp_wave_bound(const bp_wave *wave);

/* lambda from below, by so many power iterations. */
double bp_wave_largest(const bp_wave *wave, int iterations);

/* The standing wave of the mesh's bounding box, cos(omega t) times a product of sines, or of cosines where
 * nothing is fixed: a solution on any mesh that fills its box with all of the boundary fixed or none. */
void bp_wave_standing(const bp_wave *wave, double t, double *u);

/* `before` becomes the values after `now`. signals[source]: of this step; may be NULL without sources.
 * Returns the energy of now and before. */
double bp_wave_step(const bp_wave *wave, const double *signals, const double *now, double *before);

/* 1/2 |now - before|_M^2 / dt^2 + 1/2 now . K before, which a step without sources does not change. */
double bp_wave_energy(const bp_wave *wave, const double *now, const double *before);

/* The norm in M of u - v, and of v. */
double bp_wave_distance(const bp_wave *wave, const double *u, const double *v);
double bp_wave_norm(const bp_wave *wave, const double *v);

/* Ricker's wavelet of that frequency, at its peak at 1 / frequency. */
double bp_wave_ricker(double frequency, double t);

#endif
