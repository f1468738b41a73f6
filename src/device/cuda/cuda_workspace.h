/* cuda_workspace.h -- one problem's data on a CUDA device. */
#ifndef BP_DEVICE_CUDA_WORKSPACE_H
#define BP_DEVICE_CUDA_WORKSPACE_H

#include "device/cuda/cuda_device.h"

enum { BP_CUDA_LAYOUTS_MAX = 32 };

typedef struct bp_cuda_plan bp_cuda_plan;

typedef struct {
  bp_workspace base;
  int generation; /* of the device, when the arrays were made */
  bool guarded;
  double *host_u; /* what was last written, to be brought up again; NULL before */
  bp_cuda_array I, D, u, v;
  struct {
    bp_layout layout;
    bp_cuda_array factors;
  } layouts[BP_CUDA_LAYOUTS_MAX];
  int layouts_count;
  bp_cuda_plan *plans; /* a list: they have scratch that is poisoned and guarded as well */
} bp_cuda_workspace;

bp_status bp_cuda_workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                                   bp_workspace **workspace);
void bp_cuda_workspace_destroy(bp_workspace *workspace);
bp_status bp_cuda_workspace_write(bp_workspace *workspace, const double *u);
bp_status bp_cuda_workspace_poison(bp_workspace *workspace);
bp_status bp_cuda_workspace_read(bp_workspace *workspace, double *v);
bp_status bp_cuda_workspace_guards(bp_workspace *workspace);

/* Enters the device and brings the data up again if it lost them. */
bp_status bp_cuda_workspace_ready(bp_cuda_workspace *workspace);

/* The factors in that order, made on the first request; details gets what that took. */
bp_status bp_cuda_workspace_factors(bp_cuda_workspace *workspace, const bp_layout *layout,
                                    bp_plan_details *details, bp_cu_pointer *factors);

#endif
