/* backend_cuda.c -- NVIDIA GPUs: the calls of plan.h, by the driver interface and the run-time
 * compiler. */
#include "device/cuda/cuda_plan.h"

const bp_backend bp_backend_cuda = {
    .name = "cuda",
    .language = BP_LANGUAGE_CUDA,
    .device_create = bp_cuda_device_create,
    .device_destroy = bp_cuda_device_destroy,
    .prepare = bp_cuda_prepare,
    .fits = bp_cuda_fits,
    .workspace_create = bp_cuda_workspace_create,
    .workspace_destroy = bp_cuda_workspace_destroy,
    .workspace_write = bp_cuda_workspace_write,
    .workspace_poison = bp_cuda_workspace_poison,
    .workspace_read = bp_cuda_workspace_read,
    .workspace_guards = bp_cuda_workspace_guards,
    .plan_create = bp_cuda_plan_create,
    .copy_create = bp_cuda_copy_create,
    .peak_create = bp_cuda_peak_create,
    .plan_destroy = bp_cuda_plan_destroy,
    .plan_apply = bp_cuda_plan_apply,
    .plan_time = bp_cuda_plan_time,
};
