/* lattice.h -- polynomials on the equispaced nodes of an element: raising elements to a higher
 * order. */
#ifndef BP_MESH_LATTICE_H
#define BP_MESH_LATTICE_H

#include "mesh/hexahedron.h"
#include <stdint.h>

/* A node added on an edge or a face: its corners in a canonical order and how far along it lies. */
typedef struct {
  int32_t corner[3], node;
  int16_t u, v;
} bp_lattice_shared;

/* Nodes that grow while elements are raised. Start with x, nodes and capacity; x stays the caller's. */
typedef struct {
  double *x; /* x[node][3], of bp_alloc_array; replaced when it grows */
  int64_t nodes, capacity;
  bp_lattice_shared *shared; /* a hash table; node -1: free */
  int64_t shared_count, shared_size;
} bp_lattice;

/* weight[i] of node i/p: the derivative by r in [0, 1] at r = 0. */
void bp_lattice_derivative(int p, double *weight);

/* m[b][a], row length q+1: the value at b/p of the Lagrange polynomial of node a/q. */
void bp_lattice_interpolate(int q, int p, double *m);

/* `to` gets the (p+1)^3 nodes, in bp's order, of an element of a kind of order q <= p, whose nodes
 * are `from` (complete kinds in bp's order, others in the file's). Nodes that both have are shared;
 * the others are added, on the element's own map: exact; those on edges and faces once for all raised elements there. An incomplete element's map is what its
 * edges span. */
void bp_lattice_raise(bp_lattice *lattice, const bp_hexahedron *kind, const int32_t *from, int p,
                      int32_t *to);
void bp_lattice_destroy(bp_lattice *lattice); /* but for x */

#endif
