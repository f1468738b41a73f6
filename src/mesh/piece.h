/* piece.h -- the part of a mesh that a rank works on.
 *
 * A partition says for every element which rank has it. Elements of a piece keep the order of the
 * whole mesh, and so do its nodes: what depends on the order of a mesh's nodes, as the axes of
 * faces and edges (mesh/connectivity.h), is the same in all pieces that share it. Where nodes are
 * joined, mesh->joined of a piece is not one of its nodes but the vertex's place among its vertices. */
#ifndef BP_MESH_PIECE_H
#define BP_MESH_PIECE_H

#include "comm/comm.h"
#include "mesh/connectivity.h"
#include "mesh/partition.h"
#include <stdbool.h>

typedef struct {
  bp_mesh *mesh;    /* own elements: nodes, tags, the name of the whole one; no groups */
  int64_t *element; /* element[e]: its number in the whole mesh, rising */
  int64_t *
      node; /* node[n]: in the whole mesh what it is one with: itself, rising, unless nodes are joined */
  uint8_t *is_shared; /* is_shared[n]: another rank has an element at that node, too */
  uint8_t *marks;     /* marks[e]: bit f: the caller's mark of face f (mesh/connectivity.h) */
  int64_t elements;   /* of the whole mesh */
} bp_piece;

/* How large a rank's part is; and its surface: faces and vertices that other ranks have, too, and
 * how many of these
 * ranks there are. */
typedef struct {
  int64_t elements, faces, vertices;
  int neighbours;
} bp_part_size;

/* sizes[rank] */
void bp_partition_measure(const bp_connectivity *connectivity, const int32_t *rank_of, int ranks,
                          bp_part_size *sizes);

/* The piece of one rank. `marks` has a byte for every element of the mesh. */
bp_piece *bp_piece_create(const bp_mesh *mesh, const int32_t *rank_of, int rank,
                          const uint8_t *marks);
void bp_piece_destroy(bp_piece *piece); /* NULL is legal */

/* Together: rank 0 has the mesh and makes all pieces, one after the other; `mesh`, `rank_of` and
 * `marks` of other ranks are not looked at. */
bp_status bp_piece_distribute(bp_comm *comm, const bp_mesh *mesh, const int32_t *rank_of,
                              const uint8_t *marks, bp_piece **piece);

#endif
