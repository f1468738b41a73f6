/* solution.h -- the known solution u*, in the coordinates t = (x - low) / extent of the mesh's bounding box:
 * component c is a product of sin(pi t + phase) e^(slope t) along the directions. The exponential keeps it
 * from being an eigenvector of A, which a solver would find in one iteration. Along a direction that is
 * periodic the factor is e^(slope sin(2 pi t)). */
#ifndef BP_SOLVE_SOLUTION_H
#define BP_SOLVE_SOLUTION_H

#include "solve/system.h"

typedef struct {
  double low[3], extent[3];
  double phase; /* 0: zero at the sides of the box */
  int wraps;    /* bit d: the mesh is periodic along d */
} bp_solution;

/* All ranks of the system call it. */
bp_solution bp_solution_on(const bp_system *s);

/* Component c's factor along direction d at x[count], and by x its derivative unless that is NULL. */
void bp_solution_factor(const bp_solution *s, int c, int d, int count, const double *x,
                        double *factor, double *derivative);

#endif
