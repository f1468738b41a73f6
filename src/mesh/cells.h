/* cells.h -- a mesh of elements of one shape without geometry: corners, and edges and faces that they share.
 *
 * Corners of simplices are in the file's order; of tensor products corner c lies at r = c & 1, s = c >> 1 & 1,
 * t = c >> 2. All are numbered 0, 1, .. by the order in which elements meet them. */
#ifndef BP_MESH_CELLS_H
#define BP_MESH_CELLS_H

#include "base/status.h"
#include "mesh/cell.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_CELL_CORNERS_MAX = 8, BP_CELL_EDGES_MAX = 12, BP_CELL_FACES_MAX = 6 };

typedef struct {
  char *name; /* as of a bp_mesh */
  bp_cell shape;
  int64_t elements, vertices, edges, faces;
  int32_t *corner; /* corner[e][c] */
  int32_t *edge;   /* edge[e][n], of the edges of bp_cell_edge */
  int32_t
      *face; /* face[e][n], of the faces of bp_cell_faces; of triangles and quadrilaterals none */
} bp_cells;

int bp_cell_corners(bp_cell shape);
/* How many edges an element has; those of edge n are corners pair[0] < pair[1]. */
int bp_cell_edges(bp_cell shape);
void bp_cell_edge(bp_cell shape, int n, int pair[2]);
/* The same of the faces of an element in space. Face n of a tetrahedron lacks corner n; face 2d + s of a
 * hexahedron lies at side s of direction d. */
int bp_cell_faces(bp_cell shape);

/* Elements of a shape in a Gmsh file, or the shipped mesh of that name; of one physical group unless that is
 * NULL. Their order is 1 to 3, of hexahedra any. */
bp_status bp_cells_open(const char *path, const char *group, bp_cell shape, bp_cells **cells);

/* The same from memory, of a file of anything but hexahedra; `name` stands for it in messages. */
bp_status bp_cells_read_bytes(const char *name, const char *data, size_t size, const char *group,
                              bp_cell shape, bp_cells **cells);

/* Of corners[elements][..], any numbers below `most`; takes neither array nor name. */
bp_cells *bp_cells_create(const char *name, bp_cell shape, int64_t elements, const int32_t *corners,
                          int64_t most);

/* Writes name, shape, elements and corners, which are indices of x[nodes][3], as bp_mesh_write does. */
bp_status bp_cells_write(const bp_cells *cells, int64_t nodes, double *x, const char *path,
                         int version, bool binary);

/* NULL is legal. */
void bp_cells_destroy(bp_cells *cells);

#endif
