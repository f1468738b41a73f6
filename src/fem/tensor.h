/* tensor.h -- products of three one-dimensional matrices on a cube of values, in extended precision:
 * for references and what is done once per solve. */
#ifndef BP_FEM_TENSOR_H
#define BP_FEM_TENSOR_H

#include <stdbool.h>

/* m[b][a] of `rows` x `columns`, row length columns, along r, s and t. */
typedef struct {
  int rows, columns;
  const double *r, *s, *t;
} bp_tensor;

/* Values that `scratch` below holds. */
int bp_tensor_scratch(const bp_tensor *m);

/* out[rows^3] = m in[columns^3]. */
void bp_tensor_apply(const bp_tensor *m, const long double *in, long double *scratch,
                     long double *out);

/* out[columns^3] += transpose of m in[rows^3]. */
void bp_tensor_add_transposed(const bp_tensor *m, const long double *in, long double *scratch,
                              long double *out);

/* Both in double and in vectors, for sums whose rounding is far below what is asked of them: quadrature of
 * smooth functions, errors in L2. `scratch` holds as many doubles. */
void bp_tensor_apply_quickly(const bp_tensor *m, const double *in, double *scratch, double *out);
void bp_tensor_add_transposed_quickly(const bp_tensor *m, const double *in, double *scratch,
                                      double *out);

/* out = m[n][n] along one direction (0: r) of in[n^3]; transposed: out += . */
void bp_tensor_along(int direction, int n, const double *m, bool is_transposed,
                     const long double *in, long double *out);

#endif
