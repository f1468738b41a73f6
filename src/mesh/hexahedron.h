/* hexahedron.h -- Gmsh's element types: which are hexahedra, of what order, and where their nodes
 * lie.
 *
 * bp numbers the (p+1)^3 nodes of an element by (k*(p+1)+j)*(p+1)+i, i along r fastest; Gmsh goes
 * from corners to edges to faces to the inside, which is a smaller hexahedron numbered in the same
 * way. */
#ifndef BP_MESH_HEXAHEDRON_H
#define BP_MESH_HEXAHEDRON_H

#include "mesh/cell.h"
#include <stdbool.h>

enum {
  BP_HEXAHEDRON_NODES_MAX = 1000,
  BP_HEXAHEDRON_KINDS = 17,
  BP_ELEMENT_KINDS = 30, /* these and other shapes, of which only corners are used */
  BP_GMSH_TYPES = 141
};

typedef struct {
  int type;      /* Gmsh's number */
  int order;     /* p */
  int nodes;     /* in the file */
  bool complete; /* (p+1)^3 nodes; else those on corners and edges alone */
} bp_hexahedron;

/* Ordered: first the complete ones of order 1..9, then the incomplete ones of order 2..9; then triangles,
 * quadrilaterals and tetrahedra of order 1..3, which keep the file's order of nodes as incomplete ones do. */
extern const bp_hexahedron bp_hexahedra[BP_ELEMENT_KINDS];

/* Index in bp_hexahedra of a Gmsh type of this shape, or -1. */
int bp_kind_find(bp_cell shape, int type);

/* place[n] is where bp keeps node n of the file; kind->nodes of them. */
void bp_hexahedron_places(const bp_hexahedron *kind, int *place);

/* Nodes of an element of a Gmsh type; 0 where the element says itself how many (polygons,
 * polyhedra), -1 for a type that Gmsh does not have. */
int bp_gmsh_type_nodes(int type);

/* Whether its first four nodes are the corners of a quadrilateral. */
bool bp_gmsh_type_is_quad(int type);

/* Whether it is a tetrahedron, hexahedron, prism, pyramid or polyhedron. */
bool bp_gmsh_type_is_volume(int type);

/* "triangle", "tetrahedron of order 2": a type for people; `out` holds 40 bytes. Returns `out`. */
char *bp_gmsh_type_name(int type, char out[40]);

#endif
