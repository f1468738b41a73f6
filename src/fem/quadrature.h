/* quadrature.h -- Gauss-Legendre and Gauss-Lobatto-Legendre points and weights on [-1, 1]. */
#ifndef BP_FEM_QUADRATURE_H
#define BP_FEM_QUADRATURE_H

enum { BP_POINTS_MAX = 20 };

/* n points in rising order, exactly antisymmetric, correct to the last bit or the one before it;
 * weights exactly symmetric. Gauss: exact to degree 2n-1, n >= 1. Lobatto: to 2n-3, n >= 2. */
void bp_quadrature_gauss(int n, double *points, double *weights);
void bp_quadrature_lobatto(int n, double *points, double *weights);

#endif
