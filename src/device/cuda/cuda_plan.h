/* cuda_plan.h -- one choice on a CUDA device: compiled, its launches sized, its arrays at hand. */
#ifndef BP_DEVICE_CUDA_PLAN_H
#define BP_DEVICE_CUDA_PLAN_H

#include "device/cuda/cuda_workspace.h"
#include "device/jit/jit.h"

typedef struct {
  int64_t threads[3], blocks, shared; /* shared: dynamic, bytes */
} bp_cuda_shape;

struct bp_cuda_plan {
  bp_plan base;
  bp_cuda_plan *next; /* of the same workspace */
  int generation;     /* of the device, when all this was made; -1: it was not */
  const bp_jit_code *code;
  bp_cuda_module module; /* 0: none */
  bp_cuda_shape shapes[BP_LAUNCHES_MAX];
  bp_cuda_array scratch;
  int64_t scratch_count;
  bp_cuda_array from, to; /* copies and peaks, which have no workspace: u and v */
  int64_t doubles;        /* of each */
  bp_cuda_work work;
};

/* BP_OK with *plan NULL where it cannot run here; bp_message() says why. */
bp_status bp_cuda_plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan);
bp_status bp_cuda_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan);
bp_status bp_cuda_peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan);
void bp_cuda_plan_destroy(bp_plan *plan);
bp_status bp_cuda_plan_apply(bp_plan *plan);
bp_status bp_cuda_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds);
bool bp_cuda_fits(const bp_device *device, const bp_choice *choice, const bp_operator *op,
                  int degree, int64_t elements, bp_launch_size *size);
void bp_cuda_prepare(bp_device *device, const bp_choice *choices, const bp_operator *const *op,
                     const int *degree, int count);

/* ---- between the files of the backend ---- */

/* A plan without a problem, on two arrays of `doubles` doubles, `elements` units of work;
 * choice->variant NULL: a copy by the driver. *plan NULL as above. */
bp_status bp_cuda_machine_plan(bp_cuda_device *device, const bp_choice *choice, int64_t elements,
                               int64_t doubles, bp_cuda_plan **plan);

/* Enters the device and makes again what the plan lost with an older context. */
bp_status bp_cuda_plan_ready(bp_cuda_plan *plan);

#endif
