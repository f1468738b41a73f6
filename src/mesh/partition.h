/* partition.h -- which rank has which element. */
#ifndef BP_MESH_PARTITION_H
#define BP_MESH_PARTITION_H

#include "mesh/mesh.h"

typedef enum {
  BP_PARTITION_CURVE,  /* runs of elements in the order of the mesh, sorted along a curve */
  BP_PARTITION_CYCLIC, /* element e to rank e % ranks: the largest surface, for tests */
  BP_PARTITION_METIS,  /* the fewest shared faces, by the METIS library, which is opened for it */
  BP_PARTITION_FILE    /* the mesh file's own: part p to rank p - 1 */
} bp_partition_kind;

/* "curve", "cyclic", "metis", "file"; ends with NULL. */
extern const char *const bp_partition_names[];
bp_partition_kind bp_partition_find(const char *name); /* one of them */

/* rank_of[e] for all elements; by curve or cyclic no rank has more than one element more than
 * another one, and where there are fewer elements than ranks, some have none. BP_ENVIRONMENT:
 * there is no METIS; BP_BAD_INPUT: the file has no partition, or one into another number of parts.
 */
bp_status bp_partition(bp_partition_kind kind, const bp_mesh *mesh, int ranks, int32_t *rank_of);

/* By METIS. */
bp_status bp_metis_partition(const bp_mesh *mesh, int ranks, int32_t *rank_of);

#endif
