/* assembled.h -- what kinds have in common whose elements share unknowns: solves and waves. */
#ifndef BP_WORK_ASSEMBLED_H
#define BP_WORK_ASSEMBLED_H

#include "work/work.h"

/* The system, or a rank's part of it, and vectors u and v. */
bp_status bp_assembled_begin(bp_stage *stage, int iterations);

/* u, random or from the file of the options, 0 at fixed unknowns, and the literal v of it. */
bp_status bp_assembled_input(bp_stage *stage);

/* How far v is from that. BP_WRONG: too far. */
bp_status bp_assembled_compare(bp_stage *stage, bp_stage_outcome *outcome);

/* x (n,3), ids (E,Nq,Nq,Nq) with elements as in the file, fixed (n); one vector, (n) or (n,3), of all
 * ranks. */
bp_status bp_assembled_space(bp_stage *stage, const bp_files *to);
bp_status bp_assembled_vector(bp_stage *stage, const char *name, const double *vector,
                              const bp_files *to);

/* Together: of a rank's system and a vector the whole, on rank 0; elsewhere u is NULL. The system is a look
 * at what the stage has, for whoever draws. Destroy it in any case. */
typedef struct {
  bp_system system;
  const double *u;
  double *owned;
} bp_whole;
bp_status bp_assembled_whole(bp_stage *stage, const double *vector, bp_whole *whole);
void bp_whole_destroy(bp_whole *whole);

/* The model, where an iteration takes so many flops an unknown beside the operator, and moves at least so
 * many numbers beside its factors. */
int64_t bp_assembled_bytes(const bp_case *c, const bp_choice *choice, const bp_device *device,
                           int numbers);
int64_t bp_assembled_flops(const bp_case *c, int each);
int64_t bp_assembled_vectors(const bp_case *c, bool on_device);

/* The bits of two vectors; whether they are, on any rank, others than those that were found right. */
bp_hash bp_assembled_hash(const bp_stage *stage, int64_t count, const double *other);
bool bp_assembled_is_new(const bp_stage *stage, bp_status status, const bp_hash *solved,
                         const bp_stage_outcome *outcome);

#endif
