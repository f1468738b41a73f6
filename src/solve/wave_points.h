/* wave_points.h -- sources and receivers: points anywhere in the mesh, as weights at the nodes of their
 * element.
 *
 * A receiver's value is the sum of weight times u over the nodes; a source acts on all of them by its
 * weights. */
#ifndef BP_SOLVE_WAVE_POINTS_H
#define BP_SOLVE_WAVE_POINTS_H

#include "solve/system.h"

enum {
  BP_WAVE_SOURCES_MAX = 16,
  BP_WAVE_RECEIVERS_MAX = 64,
  BP_WAVE_POINTS_MAX = BP_WAVE_SOURCES_MAX + BP_WAVE_RECEIVERS_MAX
};

typedef struct {
  int sources, receivers; /* of all ranks */
  /* What lies in this rank's elements, receivers from BP_WAVE_SOURCES_MAX on; -1: there is no more. */
  int32_t elements[BP_WAVE_POINTS_MAX];
  int number[BP_WAVE_POINTS_MAX]; /* which of all sources, or receivers, that is */
  double *weights;                /* [point][k][j][i], BP_WAVE_POINTS_MAX of them */
} bp_wave_points;

void bp_wave_points_create(const bp_system *system, bp_wave_points *points);
void bp_wave_points_destroy(bp_wave_points *points);

/* Together: in the first element of the whole mesh that has it. BP_BAD_INPUT: none has, or there are too
 * many. */
bp_status bp_wave_points_add(const bp_system *system, bool is_source, const double x[3],
                             bp_wave_points *points);

/* The numbers of the unknowns of a point's element, [k][j][i]. */
void bp_wave_points_numbers(const bp_system *system, const bp_wave_points *points, int point,
                            int64_t *numbers);

/* u at x, if that lies in element e. */
bool bp_wave_value_in(const bp_system *system, int64_t e, const double x[3], const double *u,
                      double *value);

/* The value of receiver n; of one rank alone. */
double bp_wave_points_value(const bp_system *system, const bp_wave_points *points, int n,
                            const double *u);

#endif
