/* mesh.c -- the fuzzers' view of the mesh reader. */
#include "fuzz.h"

#include "base/memory.h"
#include "mesh/connectivity.h"
#include "mesh/mesh.h"
#include "mesh/partition.h"
#include "mesh/piece.h"
#include <math.h>
#include <string.h>

const char *const fuzz_words[] = {"$MeshFormat\n",
                                  "$EndMeshFormat\n",
                                  "2.2 0 8\n",
                                  "2.2 1 8\n",
                                  "4 0 8\n",
                                  "4.1 0 8\n",
                                  "4.1 1 4\n",
                                  "4.1 1 8\n\1\0",
                                  "$NOD\n",
                                  "$ENDNOD\n",
                                  "$ELM\n",
                                  "$ENDELM\n",
                                  "$Nodes\n",
                                  "$EndNodes\n",
                                  "$ParametricNodes\n",
                                  "$Elements\n",
                                  "$EndElements\n",
                                  "$Entities\n",
                                  "$PartitionedEntities\n",
                                  "$PhysicalNames\n",
                                  "$Periodic\n",
                                  "$Comments\n",
                                  "Affine ",
                                  "1 0 0 0\n",
                                  "1 5 2 0 1 1 2 3 4 5 6 7 8\n",
                                  "3 1 5 1\n",
                                  " 17 ",
                                  " 12 ",
                                  " 92 ",
                                  " 98 ",
                                  " 105 ",
                                  "\5",
                                  "\14",
                                  "\21",
                                  "\134",
                                  "\"name\"",
                                  "\r\n",
                                  "\n",
                                  " ",
                                  "1 5 4 0 1 1 1 1 2 3 4 5 6 7 8\n",
                                  "1 5 6 0 1 3 2 -1 -3 1 2 3 4 5 6 7 8\n",
                                  "3 2\n",
                                  "-",
                                  "1e308",
                                  "-1e308",
                                  "5e-324",
                                  NULL};

static void check_blocks(const bp_mesh *mesh)
{
  int64_t first = 0, counted = 0, listed = 0;
  for (int64_t b = 0; b < mesh->blocks_count; ++b) {
    const bp_mesh_block *block = &mesh->blocks[b];
    BP_ASSERT(block->first == first && block->count > 0);
    first += block->count;
    counted += block->count * block->groups_count;
    for (int g = 0; g < block->groups_count; ++g)
      BP_ASSERT(block->groups[g] >= 0 && block->groups[g] < mesh->groups_count);
  }
  for (int g = 0; g < mesh->groups_count; ++g)
    listed += mesh->groups[g].elements;
  BP_ASSERT(first == mesh->elements && counted == listed);
}

/* What mesh.h promises of every mesh, but for the sign of the Jacobian. */
static void check_mesh(const bp_mesh *mesh)
{
  BP_ASSERT(mesh->order >= 1 && mesh->order <= BP_MESH_ORDER_MAX && mesh->elements > 0);
  for (int64_t n = 0; n < 3 * mesh->nodes; ++n)
    BP_ASSERT(isfinite(mesh->x[n]));
  for (int64_t n = 0; n < mesh->elements * bp_mesh_element_nodes(mesh); ++n)
    BP_ASSERT(mesh->node[n] >= 0 && mesh->node[n] < mesh->nodes);
  check_blocks(mesh);
}

/* Selecting a group gives a mesh again. */
static void check_select(const bp_mesh *mesh)
{
  bp_mesh *part;
  if (mesh->groups_count == 0 || mesh->groups[0].name[0] == '\0')
    return;
  BP_ASSERT(bp_mesh_select(mesh, mesh->groups[0].name, &part) == BP_OK);
  check_mesh(part);
  bp_mesh_destroy(part);
}

/* Every element goes to a rank, also by the parts that a file tells; METIS counts edges of any graph. */
static void check_partitions(const bp_mesh *mesh)
{
  enum { RANKS = 4, FEW = 200 };
  bp_connectivity *connectivity = NULL;
  const bool is_connected = bp_connectivity_create(mesh, &connectivity) == BP_OK;
  int32_t *rank_of = bp_alloc_array((size_t)mesh->elements, sizeof *rank_of);
  for (int kind = 0; bp_partition_names[kind]; ++kind)
    for (int ranks = 1; ranks <= RANKS; ++ranks) {
      if (kind == BP_PARTITION_METIS && mesh->elements > FEW)
        continue;
      if (bp_partition((bp_partition_kind)kind, mesh, ranks, rank_of)) {
        BP_ASSERT(strstr(bp_message(), "partition: "));
        continue;
      }
      bp_part_size sizes[RANKS];
      int64_t elements = 0;
      for (int64_t e = 0; e < mesh->elements; ++e)
        BP_ASSERT(rank_of[e] >= 0 && rank_of[e] < ranks);
      if (!is_connected)
        continue;
      bp_partition_measure(connectivity, rank_of, ranks, sizes);
      for (int r = 0; r < ranks; ++r)
        elements += sizes[r].elements;
      BP_ASSERT(elements == mesh->elements);
    }
  bp_free(rank_of);
  bp_connectivity_destroy(connectivity);
}

bp_status fuzz_read(const char *data, size_t size)
{
  bp_mesh *mesh;
  bp_status status = bp_mesh_read_bytes("f", data, size, &mesh);
  BP_ASSERT((status == BP_OK) == (mesh != NULL));
  if (mesh) {
    check_mesh(mesh);
    check_select(mesh);
    check_partitions(mesh);
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 1000 && !strchr(bp_message(), '\n'));
  }
  bp_mesh_destroy(mesh);
  return status;
}
