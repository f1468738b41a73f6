/* cuda_shape.c -- evaluates launch lines and holds them against the device's limits. */
#include "device/cuda/cuda_shape.h"

#include <string.h>

bp_cuda_limits bp_cuda_limits_of(const bp_cuda_device *device)
{
  return (bp_cuda_limits){
      .sm = device->info.sm,
      .sms = device->info.multiprocessors,
      .threads_max = device->threads_max,
      .block_max = {device->block_max[0], device->block_max[1], device->block_max[2]},
      .shared_max = device->info.shared_per_block,
  };
}

/* Blocks of a launch line that does not say: one per elements_per_block elements. */
static int64_t blocks_for(const bp_choice *choice, int64_t elements)
{
  int64_t per_block = 1;
  for (int n = 0; n < choice->variant->options_count; ++n)
    if (strcmp(choice->variant->options[n].name, "elements_per_block") == 0)
      per_block = choice->option[n];
  return (elements + per_block - 1) / per_block;
}

static bp_status evaluate(const bp_choice *choice, const bp_launch *launch, const bp_name *names,
                          int64_t elements, bp_cuda_shape *shape)
{
  bp_status status = BP_OK;
  for (int n = 0; n < 3 && !status; ++n)
    status = bp_expression_evaluate(launch->threads[n], names, &shape->threads[n]);
  if (!status)
    status = bp_expression_evaluate(launch->shared, names, &shape->shared);
  shape->blocks = blocks_for(choice, elements);
  if (!status && launch->blocks)
    status = bp_expression_evaluate(launch->blocks, names, &shape->blocks);
  return status;
}

static bool fits_device(const bp_cuda_limits *limits, const bp_cuda_shape *shape)
{
  int64_t threads = 1;
  for (int n = 0; n < 3; ++n) {
    if (shape->threads[n] < 1 || shape->threads[n] > limits->block_max[n]) {
      bp_fail(BP_OK, "needs %lld threads in direction %c of a block; this device allows 1..%lld",
              (long long)shape->threads[n], "xyz"[n], (long long)limits -> block_max[n]);
      return false;
    }
    threads *= shape->threads[n];
  }
  if (threads > limits->threads_max) {
    bp_fail(BP_OK, "needs %lld threads per block; this device allows %lld", (long long)threads,
            (long long)limits->threads_max);
    return false;
  }
  if (shape->shared > limits->shared_max) {
    bp_fail(BP_OK, "needs %lld bytes of shared memory per block; this device allows %lld",
            (long long)shape->shared, (long long)limits->shared_max);
    return false;
  }
  if (shape->blocks < 1 || shape->blocks > INT32_MAX) {
    bp_fail(BP_OK, "needs %lld blocks; a launch has 1..%d", (long long)shape->blocks, INT32_MAX);
    return false;
  }
  return true;
}

bp_status bp_cuda_shapes(const bp_cuda_limits *limits, const bp_choice *choice,
                         const bp_operator *op, int degree, int64_t elements,
                         bp_cuda_shape shapes[BP_LAUNCHES_MAX], int64_t *scratch, bool *fits)
{
  const bp_variant *variant = choice->variant;
  bp_name names[BP_NAMES_MAX];
  bp_status status = BP_OK;
  bp_choice_names(choice, op, degree, elements, 1, (int)limits->sms, names);
  *fits = false;
  *scratch = 0;
  if (variant->requires_sm > limits->sm) {
    bp_fail(BP_OK, "needs sm_%d or newer; this device is sm_%d", variant->requires_sm, limits->sm);
    return BP_OK;
  }
  if (elements > INT32_MAX) {
    bp_fail(BP_OK, "takes at most %d elements", INT32_MAX);
    return BP_OK;
  }
  if (variant->scratch)
    status = bp_expression_evaluate(variant->scratch, names, scratch);
  *fits = true;
  for (int n = 0; n < variant->launches_count && !status && *fits; ++n) {
    status = evaluate(choice, &variant->launches[n], names, elements, &shapes[n]);
    *fits = !status && fits_device(limits, &shapes[n]);
  }
  return status ? bp_fail_at(status, variant->text->file) : BP_OK;
}
