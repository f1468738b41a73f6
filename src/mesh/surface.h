/* surface.h -- physical groups of surfaces as faces of elements. */
#ifndef BP_MESH_SURFACE_H
#define BP_MESH_SURFACE_H

#include "mesh/connectivity.h"
#include "mesh/mesh.h"
#include <stdbool.h>

/* Sets faces[id], by the connectivity's ids, for every face in one of the groups: by name, or by tag
 * written as a number. Fails with BP_BAD_INPUT for a group that the mesh has not, and for one without
 * a face of an element. Parallel. */
bp_status bp_surfaces_mark(const bp_mesh *mesh, const bp_connectivity *connectivity,
                           const char *const *groups, int count, bool *faces);

#endif
