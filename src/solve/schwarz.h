/* schwarz.h -- Schwarz smoothers by fast diagonalisation: on each element the inverse of a box of its mean
 * lengths, with what neighbours add along each direction.
 *
 * Without a layer it is symmetric: values are weighted by 1 / sqrt(copies) on the way in and out. With one, the element
 * also has its neighbours' next nodes, and what comes of its own is weighted by 1 / copies: restricted, not symmetric. */
#ifndef BP_SOLVE_SCHWARZ_H
#define BP_SOLVE_SCHWARZ_H

#include "solve/system.h"

typedef struct {
  int nodes;     /* per direction, those of a layer included */
  int layer;     /* 0 or 1 */
  int pitch;     /* nodes, rounded up to a multiple of 4 */
  double *boxes; /* [e][d]: eigenvectors[nodes], then eigenvalues, in rows of `pitch` */
  /* [e][k][j][i], each of `nodes`: the unknown there; -1: a fixed one, or none. Of other ranks: the stride of
   * vectors, and how many come before it. */
  int *unknowns;
  /* Of several ranks: unknowns whose values go to the neighbours of unknowns->sharing, -1: that is 0; NULL
   * without a layer. Neighbour n gets sent[sent_first[n]] and so on, and sends
   * received_first[n + 1] - received_first[n]. */
  int *sent;
  int64_t *sent_first, *received_first;
} bp_schwarz;

/* How many nodes are beyond faces that other ranks have, too; as many go there. */
int64_t bp_schwarz_far(const bp_unknowns *unknowns);

/* Of a system with a stiffness. Of several ranks: together. */
bp_status bp_schwarz_create(const bp_system *system, int layer, bp_schwarz **schwarz);
void bp_schwarz_destroy(bp_schwarz *schwarz); /* NULL is legal */

/* z = S r, literally; all components. */
void bp_schwarz_apply(const bp_system *system, const bp_schwarz *schwarz, const double *r,
                      double *z);

/* The eigenvectors of one direction of length h, as columns, scaled so that S^T B S = 1, and eigenvalues.
 * before, after: the neighbours' lengths, 0 where there is none; is_fixed: the end's node is. */
void bp_schwarz_line(int degree, int layer, double h, double before, double after,
                     const bool is_fixed[2], double *vectors, double *values);

#endif
