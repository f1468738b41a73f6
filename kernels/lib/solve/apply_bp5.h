/* apply_bp5.h -- the operator of BP5 and BP6 in a solve. A scheme's header goes before it; columns_bp5.h has
 * the rest.
 *
 * precision: mixed single
 * size: exchanged = columns_shared -- doubles that pass between pencils */
#ifndef BP_KERNELS_SOLVE_APPLY_BP5_H
#define BP_KERNELS_SOLVE_APPLY_BP5_H

#include "lib/solve/columns_bp5.h"

#define OPERATOR_MATRICES PENCIL_D

typedef struct {
  real *cubes;
  column_places column;
} operator_places;

BP_DEVICE operator_places operator_places_of(real *buffers, int b, int pencil)
{
  const operator_places p = {buffers, column_places_of(buffers, b, pencil)};
  return p;
}

BP_DEVICE void operator_apply(const operator_places *p, const node_column *nodes, item at,
                              item next, factor_slot *f, real lambda, int elements,
                              exact_sum *energy, real *x)
{
  real values[BP_NQ];
  exact_add(energy,
            columns_apply(&p->column, nodes->lives, at, next, f, lambda, elements, values, x));
}

#include "lib/solve/apply_pencils.h"

#endif
