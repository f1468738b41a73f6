/* inner_products.h -- products of vectors, of one rank or of all, with the same bits for any number of
 * threads and ranks. */
#ifndef BP_SOLVE_INNER_PRODUCTS_H
#define BP_SOLVE_INNER_PRODUCTS_H

#include "solve/system.h"

/* Sum of x[n] y[n] in extended precision, the same for every number of threads. */
double bp_system_dot(int64_t count, const double *x, const double *y);

/* The same over all ranks' unknowns, for vectors of the system: the same bits for every number of threads
 * and ranks. Each product is off by 2^-95 of the largest at most. `weights`, unless NULL, are one
 * component's factors of the products. Together. */
double bp_system_product(const bp_system *system, const double *weights, const double *x,
                         const double *y);

#endif
