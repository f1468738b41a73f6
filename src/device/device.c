/* device.c -- the table of backends. */
#include "device/device.h"

#include "device/cuda/cuda.h"
#include "device/jit/jit_process.h"
#include "device/jit/spawn.h"
#include "device/plan.h"
#include <string.h>

static const bp_backend *const backends[] = {&bp_backend_cpu, &bp_backend_cuda,
                                             &bp_backend_emulate};

const bp_backend *bp_backend_find(const char *name)
{
  for (size_t n = 0; n < sizeof backends / sizeof *backends; ++n)
    if (strcmp(backends[n]->name, name) == 0)
      return backends[n];
  return NULL;
}

bp_status bp_device_create(const bp_backend *backend, const bp_device_options *options,
                           bp_device **device)
{
  *device = NULL;
  return backend->open(options, device);
}

void bp_device_destroy(bp_device *device)
{
  if (!device)
    return;
  bp_plan_destroy(device->flush);
  device->backend->close(device);
}

bp_best_limits bp_device_best_limits(const bp_device *device)
{
  const bp_limits *l = &device->limits;
  return (bp_best_limits){device->class, l->sm, l->threads_max, l->shared_max};
}

bp_status bp_device_go_on(const bp_device *device)
{
  const bool is_alone = !device->comm || device->comm->size == 1;
  return is_alone && device->interrupted && *device->interrupted
             ? bp_fail(BP_INTERRUPTED, "interrupted")
             : BP_OK;
}

void bp_device_worker(void)
{
  bp_spawn_become_leader();
  bp_jit_become_compiler();
  bp_cuda_become_worker();
}

void bp_step_start(bp_step *step, bp_step_kind kind)
{
  memset(step, 0, sizeof *step);
  step->kind = kind;
}
