/* cell.h -- shapes of elements: tensor products of an interval, or simplices. */
#ifndef BP_MESH_CELL_H
#define BP_MESH_CELL_H

#include <stdbool.h>

typedef enum { BP_HEXAHEDRON, BP_TRIANGLE, BP_QUADRILATERAL, BP_TETRAHEDRON } bp_cell;
enum { BP_CELLS = 4 };

static inline int bp_cell_dim(bp_cell shape)
{
  return shape == BP_TRIANGLE || shape == BP_QUADRILATERAL ? 2 : 3;
}

static inline bool bp_cell_is_simplex(bp_cell shape)
{
  return shape == BP_TRIANGLE || shape == BP_TETRAHEDRON;
}

/* Of an element that has n of them along an edge: nodes, or points. */
static inline int bp_cell_count(bp_cell shape, int n)
{
  int square = n * n, triangle = n * (n + 1) / 2;
  return shape == BP_TRIANGLE        ? triangle
         : shape == BP_QUADRILATERAL ? square
         : shape == BP_TETRAHEDRON   ? triangle * (n + 2) / 3
                                     : square * n;
}

#endif
