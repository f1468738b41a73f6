/* matrix.h -- the operator of a bake-off problem as a sparse matrix: what a solve without matrix-free
 * operators works with.
 *
 * Row n of unknown n has its columns rising and without gaps in memory: entries starts[n] .. starts[n+1]-1. One
 * component's matrix, all are alike. Rows and columns of fixed unknowns are left out. */
#ifndef BP_SOLVE_MATRIX_H
#define BP_SOLVE_MATRIX_H

#include "solve/system.h"

enum { BP_MATRIX_DEGREE_MAX = 4 };

typedef struct {
  int64_t *starts;  /* starts[unknowns + 1] */
  int32_t *columns; /* columns[unknowns->pairs]: only the first starts[unknowns] of them count */
  double *values;
  double seconds; /* that it took */
} bp_matrix;

/* BP_SKIPPED: degrees beyond BP_MATRIX_DEGREE_MAX, or it would not fit twice into memory. Parallel, the
 * same for every number of threads. */
bp_status bp_matrix_create(const bp_system *system, bp_matrix **matrix);

/* NULL is legal. */
void bp_matrix_destroy(bp_matrix *matrix);

#endif
