/* check_copies.h -- a system of few elements again and again, joined nowhere: conjugate gradients and steps
 * of a wave do in each what they do in the one. */
#ifndef BP_CMD_CHECK_COPIES_H
#define BP_CMD_CHECK_COPIES_H

#include "solve/system.h"

typedef struct {
  bp_system system; /* of all */
  const bp_system *few;
  bp_mesh *mesh;
  int64_t count; /* of copies */
} bp_check_copies;

/* As many as have `entries` factors, and one behind those. `few`, of which all of the boundary is fixed or
 * nothing, must outlive them. BP_SKIPPED: too many nodes. BP_ENVIRONMENT: memory does not suffice. */
bp_status bp_check_copies_create(const bp_system *few, int64_t entries, bp_check_copies **made);
void bp_check_copies_destroy(bp_check_copies *copies); /* NULL is legal */

/* values[unknown], those of `few`, for each copy; the old array is freed. */
void bp_check_copies_repeat(const bp_check_copies *copies, double **values);

#endif
