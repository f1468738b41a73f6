/* sparse.h -- sparse matrices of the levels below N = 1: products, aggregates of unknowns, the inverse of
 * the last one. The same for every number of threads. */
#ifndef BP_SOLVE_SPARSE_H
#define BP_SOLVE_SPARSE_H

#include "solve/matrix.h"

/* Row n has its columns, rising, at starts[n] .. starts[n+1]-1. */
typedef struct {
  int rows, columns;
  int *starts, *column; /* starts[rows + 1] */
  double *value;
} bp_sparse;

void bp_sparse_destroy(bp_sparse *matrix);

/* Rows and columns of fixed unknowns are empty. */
bp_sparse bp_sparse_of(const bp_matrix *matrix, int unknowns);
bp_sparse bp_sparse_transpose(const bp_sparse *a);
bp_sparse bp_sparse_product(const bp_sparse *a, const bp_sparse *b);

/* Its diagonal, 1 in empty rows. */
void bp_sparse_diagonal(const bp_sparse *a, double *diagonal);

/* One column for each row that is not empty: a 1. */
bp_sparse bp_sparse_injection(const bp_sparse *a);

/* Smoothed aggregation: P = (1 - 4/3 D^-1 A / largest) of piecewise constants, where `largest` bounds the
 * eigenvalues of D^-1 A. Aggregates join unknowns whose entry is at least `strong` of the diagonals' geometric mean. */
bp_sparse bp_sparse_aggregation(const bp_sparse *a, double strong, double largest);

/* inverse[rows][rows] of a symmetric positive definite one. */
void bp_sparse_inverse(const bp_sparse *a, double *inverse);

#endif
