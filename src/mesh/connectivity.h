/* connectivity.h -- which degree-N nodes elements share.
 *
 * Edges and faces are found once per mesh; the numbering of any degree follows from them. Global ids
 * are dense: vertices first, then edges' inner nodes, faces' inner nodes, elements' inner nodes. */
#ifndef BP_MESH_CONNECTIVITY_H
#define BP_MESH_CONNECTIVITY_H

#include "mesh/mesh.h"
#include <stdbool.h>
#include <stddef.h>

/* Corner c = 4t + 2s + r. Edge q = 4*d + n runs along direction d (0 r, 1 s, 2 t); n = bits of the two
 * other coordinates, the lower direction's bit first. Face f = 2*d + side lies at direction d = side. */
typedef struct {
  int64_t elements, vertices, edges, faces;
  int32_t *vertex;      /* vertex[e][8], dense ids in 0..vertices-1 */
  int64_t *edge;        /* edge[e][12] */
  int64_t *face;        /* face[e][6] */
  uint16_t *edge_flip;  /* bit q of edge_flip[e]: the edge runs against its global direction */
  uint8_t *face_turn;   /* face_turn[e][6]: 0..7, how the element's face axes lie on the face's own */
  uint8_t *face_sides;  /* face_sides[f]: elements at face f; 1 = boundary, more than 2 never returned */
} bp_connectivity;

/* Fails with BP_BAD_INPUT where three elements share a face, naming them by tag. */
bp_status bp_connectivity_create(const bp_mesh *mesh, bp_connectivity **connectivity);
void bp_connectivity_destroy(bp_connectivity *connectivity);

/* Unique nodes at degree N: V + E(N-1) + F(N-1)^2 + H(N-1)^3. */
int64_t bp_connectivity_unique(const bp_connectivity *connectivity, int degree);

/* ids[e][k][j][i] of elements first..last-1 at degree N. */
void bp_connectivity_number(const bp_connectivity *connectivity, int degree, int64_t first,
                            int64_t last, int64_t *ids);

/* is_boundary[id] for all unique nodes of degree N: on a face with one side. */
void bp_connectivity_boundary(const bp_connectivity *connectivity, int degree, bool *is_boundary);

/* Qᵀ: sums the elements' values into the unique nodes. Q: copies them back. `ids` as above, for all
 * elements; the sum's order is fixed, so results are the same for every number of threads. */
void bp_gather(const bp_connectivity *connectivity, int degree, const int64_t *ids,
               const double *local, double *global);
void bp_scatter(const bp_connectivity *connectivity, int degree, const int64_t *ids,
                const double *global, double *local);

#endif
