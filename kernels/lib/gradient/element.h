/* element.h -- an element of a gradient kernel (fem/gradient.h): LINE nodes and as many points along an edge.
 *
 * size: is_simplex = element_nodes < (dim == 2 ? nq*nq : nq*nq*nq) -- else a tensor product
 * size: shape_table = table_count -- doubles of the operand table
 * size: node_row = element_nodes + (element_nodes + 1) % 2 -- ints from element to element, see gather_ids
 * size: values = element_points * fields * dim -- of an element in v
 * size: one_field = element_points * dim -- derivatives of one value */
#ifndef BP_KERNELS_GRADIENT_ELEMENT_H
#define BP_KERNELS_GRADIENT_ELEMENT_H

#include "abi/gpu.h"

enum {
  LINE = BP_NQ,
  DIM = BP_SHAPE == 1 || BP_SHAPE == 2
            ? 2
            : 3, /* 1, 2: triangles, quadrilaterals; 3, 0: tetrahedra, hexahedra */
  NODES = BP_SHAPE == 1   ? LINE * (LINE + 1) / 2
          : BP_SHAPE == 2 ? LINE * LINE
          : BP_SHAPE == 3 ? LINE * (LINE + 1) * (LINE + 2) / 6
                          : LINE * LINE * LINE,
  POINTS = NODES
};

/* By a warp: the nodes' numbers of `most` elements, of which `count` numbers are there, to ids[element *
 * NODE_ROW + node] in shared memory; node 0 for those that are not there. */
BP_DEVICE void gather_ids(const int *gather, int count, int most, int *ids)
{
  BP_UNROLL
  for (int first = 0; first < most * NODES; first += 32) {
    const int n = first + bp_lane();
    if (n < most * NODES)
      ids[n / NODES * NODE_ROW + n % NODES] = n < count ? gather[n] : 0;
  }
}

#endif
