/* cuda_machine.c -- what the device itself can do: its fastest copy, its peaks, its launches. */
#include "kernel/cuda_plan.h"

enum {
  PEAK_BLOCKS_PER_SM = 32,
  PEAK_DOUBLES = 1 << 17,
  COPY_TRIALS = 5,
  LAUNCHES = 1000,
  HINTS_MAX = 3
};

static const double COPY_SECONDS = 2e-4;

/* The least of some samples in that state of the caches, hot ones of some tenth of a millisecond. */
static bp_status fastest_of(bp_cuda_plan *p, bool cold, double *best)
{
  double seconds = 0;
  bp_status status = bp_cuda_plan_time(&p->base, 1, cold, &seconds);
  int64_t repetitions = cold ? 1 : 1 + (int64_t)(COPY_SECONDS / (seconds > 0 ? seconds : 1));
  for (int n = 0; n < COPY_TRIALS && !status; ++n) {
    status = bp_cuda_plan_time(&p->base, repetitions, cold, &seconds);
    *best = n == 0 || seconds < *best ? seconds : *best;
  }
  return status;
}

/* Keeps the faster of the best plan so far and another, which may be none. */
static bp_status keep_faster(bp_cuda_plan **best, double *best_seconds, bp_cuda_plan *other,
                             bool cold)
{
  double seconds = 0;
  bp_status status = other ? fastest_of(other, cold, &seconds) : BP_OK;
  bool is_better = other && !status && (!*best || seconds < *best_seconds);
  bp_cuda_plan *slower = is_better ? *best : other;
  if (is_better) {
    *best = other;
    *best_seconds = seconds;
  }
  if (slower)
    bp_cuda_plan_destroy(&slower->base);
  return status;
}

/* All ways are tried: the driver's, and the kernel with each hint to L2. Where there is no room for a second
 * pair of arrays, the driver's it is. */
bp_status bp_cuda_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan)
{
  bp_cuda_device *d = (bp_cuda_device *)device;
  const bp_variant *variant = bp_variant_find("machine/gpu-copy");
  BP_ASSERT(variant);
  bp_choice choice = {.rung = ""};
  bp_cuda_plan *best = NULL, *other = NULL;
  double best_seconds = 0;
  int64_t pairs = (bytes + 15) / 16;
  bp_status status = bp_cuda_machine_plan(d, &choice, 1, 2 * pairs, &other);
  if (status || !other)
    return status;
  status = keep_faster(&best, &best_seconds, other, cold);
  for (int hint = 0; hint <= HINTS_MAX && !status; ++hint) {
    choice = bp_choice_standard(variant);
    status = bp_choice_set(&choice, "first_out", hint);
    if (!status)
      status = bp_cuda_machine_plan(d, &choice, pairs, 2 * pairs, &other);
    if (status || !other) {
      status = BP_OK;
      break;
    }
    status = keep_faster(&best, &best_seconds, other, cold);
  }
  if (status && best)
    bp_cuda_plan_destroy(&best->base);
  else if (best)
    *plan = &best->base;
  return status;
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
