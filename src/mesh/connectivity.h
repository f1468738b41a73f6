/* connectivity.h -- which degree-N nodes elements share.
 *
 * Edges and faces are found once per mesh, by the vertices at their corners; the numbering of any
 * degree follows from them. Global ids are dense: vertices first, then edges' inner nodes, faces'
 * inner nodes, elements' inner nodes. They depend on the mesh alone, not on the number of threads.
 *
 * Where two corners of one element are the same vertex, or two edges join the same two vertices, such
 * edges count as one: nothing breaks, but the numbering is then not that of a torus. A mesh whose joined
 * nodes (mesh->joined) make it so, being one or two elements wide, is refused. */
#ifndef BP_MESH_CONNECTIVITY_H
#define BP_MESH_CONNECTIVITY_H

#include "mesh/mesh.h"
#include <stdbool.h>
#include <stdint.h>

/* Corner c = 4t + 2s + r. Edge q = 4*d + n runs along direction d (0 r, 1 s, 2 t); n = bits of the
 * two other coordinates, the lower direction's bit first. Face f = 2*d + side lies at direction d =
 * side; its axes are the two other directions, the lower one first. */
typedef struct {
  int64_t elements, vertices, edges, faces;
  int32_t *vertex; /* vertex[e][8], dense ids in 0..vertices-1, in the order of the mesh's nodes */
  int64_t *edge;   /* edge[e][12] */
  int64_t *face;   /* face[e][6] */
  uint16_t *edge_flip; /* bit q of edge_flip[e]: the edge runs against its global direction, which
                          is from the smaller vertex to the larger */
  uint8_t
      *face_turn; /* face_turn[e][6]: the face's own origin is its smallest vertex, its own first
                     axis ends at the smaller neighbour of it. Bit 0, 1: the element's first, second
                     axis runs against it; bit 2: the face's first axis is the element's second */
  uint8_t *face_sides; /* face_sides[f]: 1 at the boundary, else 2 */
} bp_connectivity;

/* Fails with BP_BAD_INPUT where more than two elements share a face, naming three of them by tag.
 * Parallel; needs at most 80 bytes per element besides what it returns. */
bp_status bp_connectivity_create(const bp_mesh *mesh, bp_connectivity **connectivity);

/* NULL is legal. */
void bp_connectivity_destroy(bp_connectivity *connectivity);

/* Unique nodes at degree N: V + E(N-1) + F(N-1)^2 + H(N-1)^3. */
int64_t bp_connectivity_unique(const bp_connectivity *connectivity, int degree);

#endif
