/* kershaw.h -- Kershaw's mesh in three dimensions: the unit cube, its elements stretched and sheared
 * on purpose, as the CEED bake-off benchmarks have it. */
#ifndef BP_MESH_KERSHAW_H
#define BP_MESH_KERSHAW_H

#include "mesh/mesh.h"

/* nx x ny x nz trilinear elements on [0,1]^3, numbered with x fastest; nx is a multiple of 6. The cube
 * is made of six layers in x. In y and z, `epsilon` in (0, 1] is how far the lower (left profile) or
 * upper half (right profile) of the elements is compressed; layers go from one profile to the other, by
 * a smooth step: left, left to right, right to left (two layers), left to right, right. 1 gives equal
 * boxes. All elements are right-handed. */
bp_status bp_mesh_kershaw(int64_t nx, int64_t ny, int64_t nz, double epsilon, bp_mesh **mesh);

#endif
