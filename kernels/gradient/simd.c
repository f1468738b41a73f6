/* gradient/simd -- an element per vector lane; a copy of the code for each shape, degree and number of values
 *
 * degrees:  1..3 compiled once
 * operands: gather I table u v scratch shape fields
 * factors:  ekjicl
 * scratch:  8 * (element_nodes * fields + values) + 16
 * size:     values = element_points * fields * dim -- of an element
 *
 * Lengths of loops are arguments that the compiler knows in each copy. Values of nodes are gathered into
 * vectors; the results of a group of elements go through a buffer to v. */
#include "abi/simd.h"

/* What a copy knows: n nodes along an edge. */
typedef struct {
  int shape, n, dim, nodes, fields;
} kind;

BP_INLINE kind kind_of(int shape, int n, int fields)
{
  const int nodes = shape == 1   ? n * (n + 1) / 2
                    : shape == 2 ? n * n
                    : shape == 3 ? n * (n + 1) * (n + 2) / 6
                                 : n * n * n;
  return (kind){shape, n, shape == 1 || shape == 2 ? 2 : 3, nodes, fields};
}

BP_INLINE void differentiate_simplex(const bp_cpu_arguments *a, kind z, const bp_vector *x,
                                     bp_vector *to)
{
  for (int q = 0; q < z.nodes; ++q)
    for (int d = 0; d < z.dim; ++d) {
      const double *row = a->table + (q * z.dim + d) * z.nodes;
      for (int f = 0; f < z.fields; ++f)
        to[(q * z.fields + f) * z.dim + d] = bp_dot(row, 1, x + f * z.nodes, z.nodes);
    }
}

/* to[outer][c][inner] = sum over m of matrix[c][m] from[outer][m][inner] */
BP_INLINE void along(const double *matrix, int n, int outer, int inner, const bp_vector *from,
                     bp_vector *to)
{
  for (int o = 0; o < outer; ++o)
    for (int c = 0; c < n; ++c)
      for (int i = 0; i < inner; ++i) {
        bp_vector sum = matrix[c * n] * from[o * n * inner + i];
        for (int m = 1; m < n; ++m)
          sum += matrix[c * n + m] * from[(o * n + m) * inner + i];
        to[(o * n + c) * inner + i] = sum;
      }
}

BP_INLINE void spread(kind z, int f, int d, const bp_vector *from, bp_vector *to)
{
  for (int q = 0; q < z.nodes; ++q)
    to[(q * z.fields + f) * z.dim + d] = from[q];
}

BP_INLINE void differentiate_tensor(const bp_cpu_arguments *a, kind z, const bp_vector *x,
                                    bp_vector *to)
{
  const double *I = a->I, *D = a->table;
  const int n = z.n, m = n * n;
  for (int f = 0; f < z.fields; ++f, x += z.nodes) {
    bp_vector value[64], slope[64], both[64], last[64];
    along(I, n, z.nodes / n, 1, x, value);
    along(D, n, z.nodes / n, 1, x, slope);
    if (z.dim == 2) {
      along(I, n, 1, n, slope, last);
      spread(z, f, 0, last, to);
      along(D, n, 1, n, value, last);
      spread(z, f, 1, last, to);
      continue;
    }
    along(I, n, n, n, slope, both);
    along(I, n, 1, m, both, last);
    spread(z, f, 0, last, to);
    along(D, n, n, n, value, both);
    along(I, n, 1, m, both, last);
    spread(z, f, 1, last, to);
    along(I, n, n, n, value, both);
    along(D, n, 1, m, both, last);
    spread(z, f, 2, last, to);
  }
}

/* Lanes beyond the last element repeat it. */
BP_INLINE void gather_group(const bp_cpu_arguments *a, kind z, int64_t e, int64_t last,
                            bp_vector *x)
{
  for (int l = 0; l < BP_LANES; ++l) {
    const int *ids = a->gather + (e + l < last ? e + l : last - 1) * z.nodes;
    for (int n = 0; n < z.nodes; ++n)
      for (int f = 0; f < z.fields; ++f)
        ((double *)(x + f * z.nodes + n))[l] = a->u[(int64_t)ids[n] * z.fields + f];
  }
}

BP_INLINE void apply(const bp_cpu_arguments *a, int64_t first, int64_t last, kind z)
{
  const int values = z.nodes * z.fields * z.dim;
  bp_vector *x = (bp_vector *)(void *)a->scratch, *to = x + z.nodes * z.fields;
  for (int64_t e = first; e < last; e += BP_LANES) {
    gather_group(a, z, e, last, x);
    if (z.shape == 1 || z.shape == 3)
      differentiate_simplex(a, z, x, to);
    else
      differentiate_tensor(a, z, x, to);
    for (int l = 0; l < BP_LANES && e + l < last; ++l)
      for (int n = 0; n < values; ++n)
        a->v[(e + l) * values + n] = ((const double *)(to + n))[l];
  }
}

#define COPY(shape, n, fields)                                                                     \
  case ((shape)*8 + (n)) * 4 + (fields):                                                           \
    apply(a, first, last, kind_of(shape, n, fields));                                              \
    break
#define COPIES(shape, dim)                                                                         \
  COPY(shape, 2, 1);                                                                               \
  COPY(shape, 3, 1);                                                                               \
  COPY(shape, 4, 1);                                                                               \
  COPY(shape, 2, dim);                                                                             \
  COPY(shape, 3, dim);                                                                             \
  COPY(shape, 4, dim)

BP_KERNEL
{
  switch ((a->shape * 8 + a->nq) * 4 + a->fields) {
    COPIES(0, 3);
    COPIES(1, 2);
    COPIES(2, 2);
    COPIES(3, 3);
  }
}
