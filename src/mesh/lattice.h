/* lattice.h -- polynomials on the equispaced nodes of an element: raising elements to a higher
 * order. */
#ifndef BP_MESH_LATTICE_H
#define BP_MESH_LATTICE_H

#include "mesh/hexahedron.h"
#include <stdint.h>

/* Nodes that grow while elements are raised; x is owned by whoever made it. */
typedef struct {
  double *x; /* x[node][3], of bp_alloc_array; replaced when it grows */
  int64_t nodes, capacity;
} bp_lattice;

/* weight[i] of node i/p: the derivative by r in [0, 1] at r = 0. */
void bp_lattice_derivative(int p, double *weight);

/* m[b][a], row length q+1: the value at b/p of the Lagrange polynomial of node a/q. */
void bp_lattice_interpolate(int q, int p, double *m);

/* `to` gets the (p+1)^3 nodes, in bp's order, of an element of a kind of order q <= p, whose nodes
 * are `from` (complete kinds in bp's order, others in the file's). Nodes that both have are shared;
 * the others are added, on the element's own map: exact. An incomplete element's map is what its
 * edges span. */
void bp_lattice_raise(bp_lattice *lattice, const bp_hexahedron *kind, const int32_t *from, int p,
                      int32_t *to);

#endif
