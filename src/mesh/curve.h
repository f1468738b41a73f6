/* curve.h -- elements along a space-filling curve, so that neighbours in space are near in memory. */
#ifndef BP_MESH_CURVE_H
#define BP_MESH_CURVE_H

#include "mesh/mesh.h"

enum { BP_CURVE_BITS = 21 };

/* Place of a cell of the 2^21-sided cube on a Hilbert curve: cells with consecutive places share a
 * face. */
uint64_t bp_curve_place(const uint32_t cell[3]);

/* Sorts the mesh's elements along the curve, by their corners' centre in the mesh's bounding cube;
 * equal places keep their order. former[n], if not NULL, gets the place that element n had before.
 * Nodes keep their numbers; blocks follow. Parallel, the same for every number of threads. */
void bp_mesh_sort(bp_mesh *mesh, int64_t *former);

#endif
