/* applied.h -- what kinds have in common whose kernels are an operator from u to v: elements, gradients,
 * pairs. */
#ifndef BP_WORK_APPLIED_H
#define BP_WORK_APPLIED_H

#include "work/work.h"

/* On random data of the seed. */
bp_status bp_applied_create(bp_stage *stage);

/* From the stage's problem on: u, random or from the file of the options, the reference's v, and the
 * arrays on the device. */
bp_status bp_applied_begin(bp_stage *stage);
bp_status bp_applied_plan(bp_stage *stage, const bp_choice *choice, int iterations, bp_plan **plan);
bp_status bp_applied_judge(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome);
bp_status bp_applied_compare(bp_stage *stage, bp_stage_outcome *outcome);

/* u and v. */
bp_status bp_applied_files(bp_stage *stage, const bp_files *to);

/* Bytes and flops of all elements by the operator's model; of vectors, without factors: u, v and the
 * reference of the host. */
int64_t bp_applied_bytes(const bp_case *c, const bp_choice *choice, const bp_device *device);
int64_t bp_applied_flops(const bp_case *c);
int64_t bp_applied_vectors(const bp_case *c, bool on_device);

#endif
