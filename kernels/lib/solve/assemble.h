/* assemble.h -- v = A p at surface nodes, from copies in a fixed order, and their part of v . v. */
#ifndef BP_KERNELS_SOLVE_ASSEMBLE_H
#define BP_KERNELS_SOLVE_ASSEMBLE_H

#include "lib/solve/vectors.h"

/* Where v goes. MAPPED: of surface unknown s to targets[s], as alpha v + beta times what is there. */
typedef struct {
  real *v;
  const int *targets;
  real alpha, beta;
} assembled_place;

/* Stores v of unknowns of one kind, from the `first` on; returns v . v. */
BP_DEVICE double assemble_surface(int turns, int pairs, const assembled_place *to, int field,
                                  int first, const unknown_kinds *u, const real *d,
                                  const surface_lists *l, const slot_pair *slots,
                                  const real *copies, int n, int count)
{
  real *const out = to->v + field * u->stride;
  real v[VECTOR_TURNS];
  int place[VECTOR_TURNS];
  double sum = 0;
  unsigned counted;
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    const int at = first + n + t * VECTOR_THREADS;
    place[t] = !MAPPED ? at : at < first + count ? to->targets[at - u->inner] : -1;
  }
  const unsigned is_free = surface_values(turns, pairs, l, slots, copies, 0, n, count, v, &counted);
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    real *const x = out + place[t];
    if (MAPPED && place[t] >= 0)
      *x = to->beta == 0 ? to->alpha * v[t] : to->alpha * v[t] + to->beta * *x;
    if (!MAPPED && is_free >> t & 1) {
      *x = v[t];
      sum += BP_JACOBI ? (double)v[t] * v[t] / d[place[t]] : (double)v[t] * v[t];
    }
  }
  return sum;
}

/* The same of all kinds, from copies. Blocks take chunks in turn. */
BP_DEVICE double assemble_copies(const unknown_kinds *u, long long surface_stride,
                                 const assembled_place *to, const real *d, const surface_lists *l)
{
  const int first[3] = {u->inner, u->faces, u->edges}, last[3] = {u->faces, u->edges, u->all};
  const slot_pair *slots = l->slots;
  double sum = 0;
  int c = (int)blockIdx.x, from = 0;
  BP_UNROLL
  for (int kind = 0; kind < 3; ++kind) {
    const int turns = VECTOR_TURNS >> kind, each = turns * VECTOR_THREADS,
              count = last[kind] - first[kind], end = from + (count + each - 1) / each;
    for (; c < end; c += (int)gridDim.x)
      for (int f = 0; f < BP_FIELDS; ++f)
        sum += assemble_surface(turns, 1 << kind, to, f, first[kind], u, d, l, slots,
                                l->copies + f * surface_stride,
                                (c - from) * each + (int)threadIdx.x, count);
    slots += (size_t)count << kind;
    from = end;
  }
  return sum;
}

#endif
