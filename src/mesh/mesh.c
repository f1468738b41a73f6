/* mesh.c -- what is asked of any mesh, and its end. */
#include "mesh/mesh.h"

#include "base/memory.h"
#include "mesh/hexahedron.h"
#include <float.h>
#include <inttypes.h>
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

int64_t bp_mesh_other_cells(const bp_mesh *mesh)
{
  int64_t count = 0;
  for (int n = 0; n < mesh->skipped_count; ++n)
    count += bp_gmsh_type_is_volume(mesh->skipped[n].type) ? mesh->skipped[n].count : 0;
  return count;
}

void bp_mesh_tell(const bp_mesh *mesh)
{
  const int64_t others = bp_mesh_other_cells(mesh);
  if (others)
    bp_tell("%s: %" PRId64 " of %" PRId64
            " cells are no hexahedra and left out; where they were is boundary",
            mesh->name, others, others + mesh->elements);
  if (mesh->reoriented)
    bp_tell("%s: %" PRId64 " of %" PRId64 " elements are left-handed in the file and were turned",
            mesh->name, mesh->reoriented, mesh->elements);
  if (mesh->periodic_nodes && !mesh->joined)
    bp_tell("%s: %" PRId64 " periodic nodes are not joined, which `periodic: true` does",
            mesh->name, mesh->periodic_nodes);
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
  bp_free(mesh->joined);
  bp_free(mesh);
}
