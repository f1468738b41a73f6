/* numbering.h -- unique nodes at degree N from the connectivity alone: the reference that fem/unknowns.h
 * and whole solves are compared with. */
#ifndef BP_UNIT_NUMBERING_H
#define BP_UNIT_NUMBERING_H

#include "mesh/connectivity.h"

/* ids[e - first][k][j][i] of elements first..last-1 at degree N. Parallel. */
void bp_connectivity_number(const bp_connectivity *connectivity, int degree, int64_t first,
                            int64_t last, int64_t *ids);

/* is_boundary[id] for all unique nodes of degree N: on a face with one side. Parallel. */
void bp_connectivity_boundary(const bp_connectivity *connectivity, int degree, bool *is_boundary);

/* Qᵀ: sums the elements' values into the unique nodes. Q: copies them back. `ids` as above, for all
 * elements. Parallel; a sum's order is that of the elements, so results are the same for every
 * number of threads. */
void bp_gather(const bp_connectivity *connectivity, int degree, const int64_t *ids,
               const double *local, double *global);
void bp_scatter(const bp_connectivity *connectivity, int degree, const int64_t *ids,
                const double *global, double *local);

#endif
