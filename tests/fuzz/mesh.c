/* mesh.c -- the fuzzers' view of the mesh reader. */
#include "fuzz.h"

#include "mesh/mesh.h"
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

bp_status fuzz_read(const char *data, size_t size)
{
  bp_mesh *mesh;
  bp_status status = bp_mesh_read_bytes("f", data, size, &mesh);
  BP_ASSERT((status == BP_OK) == (mesh != NULL));
  if (mesh) {
    check_mesh(mesh);
    check_select(mesh);
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 1000 && !strchr(bp_message(), '\n'));
  }
  bp_mesh_destroy(mesh);
  return status;
}
