/* device.c -- the table of backends. */
#include "device/device.h"

#include "device/cuda/cuda.h"
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

void bp_device_worker(void)
{
  bp_cuda_become_worker();
}

void bp_step_start(bp_step *step, bp_step_kind kind)
{
  memset(step, 0, sizeof *step);
  step->kind = kind;
}

int64_t bp_step_rows(const bp_step *step, int64_t operand)
{
  enum { VECTORS = 4 };
  const int64_t species = step->is_pair ? step->fields : 0;
  bool has_nodes = false;
  if (step->is_pair)
    return operand == BP_OPERAND_u              ? VECTORS * species
           : operand == BP_OPERAND_v            ? species * species
           : operand == BP_OPERAND_u_by_species ? VECTORS
                                                : operand == BP_OPERAND_v_by_species;
  for (int n = 0; n < step->operands_count; ++n)
    has_nodes = has_nodes || step->operands[n].operand == BP_OPERAND_gather;
  return operand == BP_OPERAND_v || operand == BP_OPERAND_factors ||
         operand == (has_nodes ? BP_OPERAND_gather : BP_OPERAND_u);
}
