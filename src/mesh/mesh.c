/* mesh.c -- what is asked of any mesh, and its end. */
#include "mesh/mesh.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>

void bp_mesh_bounds(const bp_mesh *mesh, double low[3], double high[3])
{
  for (int d = 0; d < 3; ++d) {
    low[d] = DBL_MAX;
    high[d] = -DBL_MAX;
  }
  for (int64_t n = 0; n < 3 * mesh->nodes; ++n) {
    low[n % 3] = fmin(low[n % 3], mesh->x[n]);
    high[n % 3] = fmax(high[n % 3], mesh->x[n]);
  }
}

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
  bp_free(mesh->partition);
  bp_free(mesh);
}
