/* gradient/swapped -- two derivatives of a point change places
 *
 * degrees:  1..3 compiled once
 * operands: gather I table u v shape fields
 * option:   correct 0..1 = 0 -- without the bug */
#include "abi/cpu.h"

#include <stdbool.h>

typedef struct {
  int dim, nodes;
  bool is_simplex;
} element;

static element element_of(const bp_cpu_arguments *a)
{
  const int n = a->nq, dim = a->shape == 1 || a->shape == 2 ? 2 : 3;
  const bool is_simplex = a->shape == 1 || a->shape == 3;
  const int box = dim == 2 ? n * n : n * n * n;
  const int simplex = dim == 2 ? n * (n + 1) / 2 : n * (n + 1) * (n + 2) / 6;
  return (element){dim, is_simplex ? simplex : box, is_simplex};
}

/* What node m adds to derivative d at point p, for a value 1. */
static double slope(const bp_cpu_arguments *a, element of, int p, int d, int m)
{
  const int n = a->nq;
  double product = 1;
  if (of.is_simplex)
    return a->table[(p * of.dim + d) * of.nodes + m];
  for (int b = 0, place = 1; b < of.dim; ++b, place *= n)
    product *= (b == d ? a->table : a->I)[p / place % n * n + m / place % n];
  return product;
}

BP_KERNEL
{
  const element of = element_of(a);
  for (int64_t at = first * of.nodes; at < last * of.nodes; ++at)
    for (int f = 0; f < a->fields; ++f)
      for (int d = 0; d < of.dim; ++d) {
        const int to = a->option[0] || d > 1 ? d : 1 - d;
        double sum = 0;
        for (int m = 0; m < of.nodes; ++m)
          sum += slope(a, of, (int)(at % of.nodes), d, m) *
                 a->u[(int64_t)a->gather[at / of.nodes * of.nodes + m] * a->fields + f];
        a->v[(at * a->fields + f) * of.dim + to] = sum;
      }
}
