/* orient.h -- makes every element right-handed, or finds the one that cannot be. */
#ifndef BP_MESH_ORIENT_H
#define BP_MESH_ORIENT_H

#include "mesh/mesh.h"
#include <stdbool.h>

typedef struct {
  int64_t bad; /* the first element whose corners are not all right- or all left-handed, or -1 */
  bool folded; /* it has both signs; else a corner is flat */
} bp_orientation;

/* Looks at the sign of det dx/d(r,s,t) at the corners, of the element's own map, relative to the
 * lengths of the three tangents. Left-handed elements are mirrored along r and counted in
 * mesh->reoriented. Then drops the nodes that no element uses. Stops before changing anything else
 * when one is bad. Parallel. */
bp_orientation bp_orient(bp_mesh *mesh);

#endif
