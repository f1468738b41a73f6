/* cuda_machine.c -- what the device itself can do: its fastest copy, its peaks, its launches. */
#include "kernel/cuda_plan.h"

enum { PEAK_BLOCKS_PER_SM = 32, PEAK_DOUBLES = 1 << 17, COPY_TRIALS = 5, LAUNCHES = 1000 };

static bp_status fastest_of(bp_cuda_plan *p, double *best)
{
  bp_status status = BP_OK;
  for (int n = 0; n < COPY_TRIALS && !status; ++n) {
    double seconds = 0;
    status = bp_cuda_plan_time(&p->base, 4, false, &seconds);
    *best = n == 0 || seconds < *best ? seconds : *best;
  }
  return status;
}

/* Both ways are tried; the slower one is dropped. */
static bp_status choose(bp_cuda_plan *driver, bp_cuda_plan *kernel, bp_plan **plan)
{
  double driver_seconds = 0, kernel_seconds = 0;
  bp_status status = fastest_of(driver, &driver_seconds);
  if (!status)
    status = fastest_of(kernel, &kernel_seconds);
  bool kernel_wins = !status && kernel_seconds < driver_seconds;
  bp_cuda_plan_destroy(kernel_wins || status ? &driver->base : &kernel->base);
  if (status)
    bp_cuda_plan_destroy(&kernel->base);
  else
    *plan = kernel_wins ? &kernel->base : &driver->base;
  return status;
}

bp_status bp_cuda_copy_create(bp_device *device, int64_t bytes, bp_plan **plan)
{
  bp_cuda_device *d = (bp_cuda_device *)device;
  const bp_variant *variant = bp_variant_find("machine/gpu-copy");
  BP_ASSERT(variant);
  const bp_choice by_driver = {.rung = ""}, by_kernel = bp_choice_standard(variant);
  bp_cuda_plan *driver = NULL, *kernel = NULL;
  int64_t pairs = (bytes + 15) / 16;
  bp_status status = bp_cuda_machine_plan(d, &by_driver, 1, 2 * pairs, &driver);
  if (status || !driver)
    return status;
  status = bp_cuda_machine_plan(d, &by_kernel, pairs, 2 * pairs, &kernel);
  if (status || !kernel) { /* no room for a second pair of arrays: then the driver's it is */
    *plan = &driver->base;
    return BP_OK;
  }
  return choose(driver, kernel, plan);
}

/* Flops, or bytes of shared memory, of one application. */
static bp_status measure_work(bp_device *device, const bp_choice *choice, int64_t elements,
                              double *work)
{
  const char *text =
      choice->variant->flops ? choice->variant->flops : choice->variant->shared_traffic;
  bp_name names[BP_NAMES_MAX];
  int64_t of_element = 0;
  bp_choice_names(choice, NULL, 1, elements, device->lanes, device->sms, names);
  bp_status status = text ? bp_expression_evaluate(text, names, &of_element) : BP_OK;
  *work = (double)of_element * (double)elements;
  return status ? bp_fail_at(status, choice->variant->text->file) : BP_OK;
}

/* An element of a peak is one block's work. */
bp_status bp_cuda_peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan)
{
  bp_cuda_plan *p = NULL;
  int64_t elements = PEAK_BLOCKS_PER_SM * (int64_t)device->sms;
  double work;
  bp_status status = measure_work(device, choice, elements, &work);
  if (!status)
    status = bp_cuda_machine_plan((bp_cuda_device *)device, choice, elements, PEAK_DOUBLES, &p);
  if (p) {
    p->base.work = work;
    *plan = &p->base;
  }
  return status;
}

bp_status bp_cuda_launch_seconds(bp_device *device, double *seconds)
{
  const bp_variant *variant = bp_variant_find("machine/gpu-empty");
  BP_ASSERT(variant);
  const bp_choice choice = bp_choice_standard(variant);
  bp_cuda_plan *p = NULL;
  bp_status status = bp_cuda_machine_plan((bp_cuda_device *)device, &choice, 1, 2, &p);
  if (status || !p)
    return status ? status : BP_ENVIRONMENT;
  for (int n = 0; n < COPY_TRIALS && !status; ++n) {
    double sample = 0;
    status = bp_cuda_plan_time(&p->base, LAUNCHES, false, &sample);
    *seconds = n == 0 || sample < *seconds ? sample : *seconds;
  }
  bp_cuda_plan_destroy(&p->base);
  return status;
}
