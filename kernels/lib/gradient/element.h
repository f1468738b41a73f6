/* element.h -- an element of a gradient kernel (fem/gradient.h): LINE nodes and as many points along an edge.
 *
 * size: is_simplex = element_nodes < (dim == 2 ? nq*nq : nq*nq*nq) -- else a tensor product
 * size: shape_table = table_count -- doubles of the operand table
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

#endif
