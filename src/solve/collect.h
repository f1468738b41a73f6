/* collect.h -- a vector of all ranks, where rank 0 wants it whole. */
#ifndef BP_SOLVE_COLLECT_H
#define BP_SOLVE_COLLECT_H

#include "solve/system.h"

/* Together: all[c][n] on rank 0, in the numbers of `whole`, the unknowns of the whole mesh there;
 * other ranks'
 * `whole` and `all` are not looked at. */
bp_status bp_system_collect(const bp_system *system, const bp_unknowns *whole, const double *vector,
                            double *all);

#endif
