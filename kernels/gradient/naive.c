/* gradient/naive -- the formula: simplices by a table of all derivatives, else by sums of products
 *
 * degrees:  1..3 compiled once
 * operands: gather I table u v scratch shape fields
 * scratch:  element_nodes
 *
 * One value of one element at a time. */
#include "abi/cpu.h"

/* Of triangles and tetrahedra (shapes 1 and 3). */
static void differentiate_simplex(const bp_cpu_arguments *a, int dim, int nodes, const double *u,
                                  double *v)
{
  for (int q = 0; q < nodes; ++q)
    for (int d = 0; d < dim; ++d) {
      double sum = 0;
      for (int n = 0; n < nodes; ++n)
        sum += a->table[(q * dim + d) * nodes + n] * u[n];
      v[q * dim * a->fields + d] = sum;
    }
}

/* Of the point with indices at[], along direction d. */
static double slope_of(const bp_cpu_arguments *a, int dim, const int *at, int d, const double *u)
{
  const int n = a->nq;
  const double *rows[3];
  for (int b = 0; b < 3; ++b)
    rows[b] = (b == d ? a->table : a->I) + at[b] * n;
  double sum = 0;
  for (int k = 0; k < (dim == 3 ? n : 1); ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        sum += rows[0][i] * rows[1][j] * (dim == 3 ? rows[2][k] : 1) * u[(k * n + j) * n + i];
  return sum;
}

static void differentiate_tensor(const bp_cpu_arguments *a, int dim, int nodes, const double *u,
                                 double *v)
{
  const int n = a->nq;
  for (int q = 0; q < nodes; ++q)
    for (int d = 0; d < dim; ++d) {
      const int at[3] = {q % n, q / n % n, q / n / n};
      v[q * dim * a->fields + d] = slope_of(a, dim, at, d, u);
    }
}

BP_KERNEL
{
  const int n = a->nq, dim = a->shape == 1 || a->shape == 2 ? 2 : 3;
  const int nodes = a->shape == 1   ? n * (n + 1) / 2
                    : a->shape == 2 ? n * n
                    : a->shape == 3 ? n * (n + 1) * (n + 2) / 6
                                    : n * n * n;
  for (int64_t e = first; e < last; ++e)
    for (int f = 0; f < a->fields; ++f) {
      double *v = a->v + (e * nodes * a->fields + f) * dim;
      for (int m = 0; m < nodes; ++m)
        a->scratch[m] = a->u[(int64_t)a->gather[e * nodes + m] * a->fields + f];
      if (a->shape == 1 || a->shape == 3)
        differentiate_simplex(a, dim, nodes, a->scratch, v);
      else
        differentiate_tensor(a, dim, nodes, a->scratch, v);
    }
}
