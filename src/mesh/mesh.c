/* mesh.c -- the end of a mesh. */
#include "mesh/mesh.h"

#include "base/memory.h"

void bp_mesh_destroy(bp_mesh *mesh)
{
  if (!mesh)
    return;
  for (int g = 0; g < mesh->groups_count; ++g)
    bp_free(mesh->groups[g].name);
  bp_free(mesh->groups);
  bp_free(mesh->block_groups);
  bp_free(mesh->blocks);
  for (int s = 0; s < mesh->surfaces_count; ++s)
    bp_free(mesh->surfaces[s].name);
  bp_free(mesh->surfaces);
  bp_free(mesh->quads);
  bp_free(mesh->skipped);
  bp_free(mesh->name);
  bp_free(mesh->format);
  bp_free(mesh->x);
  bp_free(mesh->node);
  bp_free(mesh->tag);
  bp_free(mesh);
}
