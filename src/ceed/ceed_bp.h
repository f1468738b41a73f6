/* ceed_bp.h -- what the parts of the libCEED backend know of each other. */
#ifndef BP_CEED_CEED_BP_H
#define BP_CEED_CEED_BP_H

#include "bp.h"
#include <ceed.h>
#include <ceed/backend.h>
#include <math.h>
#include <stdbool.h>

enum { BP_POINT_DATA_MAX = 12 };

/* What a pointwise function computes of u, or its derivatives, and the data q of the point: factor[f] . q is
 * the mass's W (f = 0), or of diffusion the entry rr, rs, rt, ss, st, tt. */
typedef struct {
  bool is_mass;
  double factor[6][BP_POINT_DATA_MAX];
} bp_pointwise;

/* NULL: found; else why not. *state is that of the function's context. */
const char *bp_point_fit(CeedQFunction q, CeedInt components, bool is_mass, bp_pointwise *point,
                         uint64_t *state);

/* Another one: the context may have changed. 0 without a context. */
int bp_point_state(CeedQFunction q, uint64_t *state);

#endif
