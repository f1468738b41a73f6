/* cuda_machine.c -- what the device itself can do: its fastest copy, its peaks, its launches. */
#include "device/cuda/cuda_plan.h"

enum {
  PEAK_BLOCKS_PER_SM = 32,
  PEAK_DOUBLES = 1 << 17,
  COPY_ROUNDS = 7,
  COPIES_LEAST = 4,
  LAUNCH_TRIALS = 5,
  LAUNCHES = 1000
};

static const double COPY_SECONDS = 2e-4;

/* What leaves L2 first, and how much of it stays: options of peaks/gpu-copy. */
static const struct {
  int evict_first, keep_sixteenths;
} COPY_HINTS[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 4}, {3, 7}, {3, 10}};

/* Applications in a sample: hot ones as many as take two tenths of a millisecond and some more, so that
 * what begins a sample (a graph's launch most of all) does not decide. */
static bp_status repetitions_of(bp_cuda_plan *p, bool cold, int64_t *repetitions)
{
  double seconds = 0;
  bp_status status = bp_cuda_plan_time(&p->base, 1, cold, &seconds);
  *repetitions =
      cold ? 1 : COPIES_LEAST + (int64_t)(COPY_SECONDS / (seconds > 1e-6 ? seconds : 1e-6));
  return status;
}

/* In turns: which one is faster more often. */
static bp_status is_faster(bp_cuda_plan *p, bp_cuda_plan *than, bool cold, bool *is)
{
  int64_t repetitions;
  int wins = 0;
  bp_status status = repetitions_of(p, cold, &repetitions);
  for (int n = 0; n < COPY_ROUNDS && !status; ++n) {
    double seconds = 0, other = 0;
    status = bp_cuda_plan_time(&than->base, repetitions, cold, &other);
    if (!status)
      status = bp_cuda_plan_time(&p->base, repetitions, cold, &seconds);
    wins += seconds < other;
  }
  *is = 2 * wins > COPY_ROUNDS;
  return status;
}

/* The faster of the best way so far and another one stays. */
static bp_status keep_faster(bp_cuda_plan **best, bp_cuda_plan *other, bool cold)
{
  bool is_better = false;
  bp_status status = is_faster(other, *best, cold, &is_better);
  bp_cuda_plan *slower = is_better ? *best : other;
  *best = is_better ? other : *best;
  bp_cuda_plan_destroy(&slower->base);
  return status;
}

/* All ways are tried: the driver's, and the kernel with each choice of hints to L2. Where there is no room
 * for a second pair of arrays, it is the best so far. */
bp_status bp_cuda_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan)
{
  bp_cuda_device *d = (bp_cuda_device *)device;
  const bp_variant *variant = bp_variant_find("peaks/gpu-copy", BP_LANGUAGE_CUDA);
  BP_ASSERT(variant);
  bp_choice choice = {.rung = ""};
  bp_cuda_plan *best = NULL, *other = NULL;
  int64_t pairs = (bytes + 15) / 16;
  bp_status status = bp_cuda_machine_plan(d, &choice, 1, 2 * pairs, &best);
  if (status || !best)
    return status;
  choice = bp_choice_standard(variant);
  for (size_t n = 0; n < sizeof COPY_HINTS / sizeof *COPY_HINTS && !status; ++n) {
    BP_ASSERT(bp_choice_set(&choice, "evict_first", COPY_HINTS[n].evict_first) == BP_OK);
    BP_ASSERT(bp_choice_set(&choice, "keep_sixteenths", COPY_HINTS[n].keep_sixteenths) == BP_OK);
    status = bp_cuda_machine_plan(d, &choice, pairs, 2 * pairs, &other);
    if (status == BP_ENVIRONMENT || (!status && !other)) {
      status = BP_OK;
      break;
    }
    if (!status)
      status = keep_faster(&best, other, cold);
  }
  if (status)
    bp_cuda_plan_destroy(&best->base);
  else
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
  const bp_variant *variant = bp_variant_find("peaks/gpu-empty", BP_LANGUAGE_CUDA);
  BP_ASSERT(variant);
  const bp_choice choice = bp_choice_standard(variant);
  bp_cuda_plan *p = NULL;
  bp_status status = bp_cuda_machine_plan((bp_cuda_device *)device, &choice, 1, 2, &p);
  if (status || !p)
    return status ? status : BP_ENVIRONMENT;
  for (int n = 0; n < LAUNCH_TRIALS && !status; ++n) {
    double sample = 0;
    status = bp_cuda_plan_time(&p->base, LAUNCHES, false, &sample);
    *seconds = n == 0 || sample < *seconds ? sample : *seconds;
  }
  bp_cuda_plan_destroy(&p->base);
  return status;
}
