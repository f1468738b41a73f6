/* shape.c -- evaluates launch lines and holds them against the device's limits. */
#include "device/shape.h"

#include "registry/architecture.h"
#include "registry/layout.h"
#include <string.h>

enum { LINE_DOUBLES = 8 };

int bp_shapes_count(const bp_variant *variant)
{
  return variant->launches_count ? variant->launches_count : 1;
}

int64_t bp_shape_threads(const bp_shape *shape)
{
  return shape->threads[0] * shape->threads[1] * shape->threads[2];
}

/* Blocks of a launch line that does not say: one per elements_per_block elements. */
static int64_t blocks_for(const bp_choice *choice, int64_t elements)
{
  int64_t per_block = bp_choice_option(choice, "elements_per_block", 1);
  return (elements + per_block - 1) / per_block;
}

static bp_status evaluate(const bp_choice *choice, const bp_launch *launch, const bp_name *names,
                          int64_t elements, bp_shape *shape)
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

static bp_status hold_against(const bp_choice *choice, const bp_limits *limits,
                              const bp_shape *shape)
{
  for (int n = 0; n < 3; ++n)
    if (shape->threads[n] < 1 || shape->threads[n] > limits->block_max[n])
      return bp_fail(BP_SKIPPED,
                     "needs %lld threads in direction %c of a block; this device allows 1..%lld",
                     (long long)shape->threads[n], "xyz"[n], (long long)limits -> block_max[n]);
  if (bp_shape_threads(shape) > limits->threads_max)
    return bp_fail(BP_SKIPPED, "needs %lld threads per block; this device allows %lld",
                   (long long)bp_shape_threads(shape), (long long)limits->threads_max);
  if (bp_shape_threads(shape) > bp_choice_option(choice, "most_threads", INT64_MAX))
    return bp_fail(BP_SKIPPED, "needs %lld threads per block; its option most_threads allows %lld",
                   (long long)bp_shape_threads(shape),
                   (long long)bp_choice_option(choice, "most_threads", 0));
  if (shape->shared > limits->shared_max)
    return bp_fail(BP_SKIPPED,
                   "needs %lld bytes of shared memory per block; this device allows %lld",
                   (long long)shape->shared, (long long)limits->shared_max);
  if (shape->blocks < 1 || shape->blocks > INT32_MAX)
    return bp_fail(BP_SKIPPED, "needs %lld blocks; a launch has 1..%d", (long long)shape->blocks,
                   INT32_MAX);
  return BP_OK;
}

static bp_status hold_together(const bp_limits *limits, const bp_launch *launch,
                               const bp_shape *shape)
{
  if (!launch->together || shape->blocks <= limits->together_max)
    return BP_OK;
  return bp_fail(BP_SKIPPED, "needs %lld blocks at once; this device surely runs %lld",
                 (long long)shape->blocks, (long long)limits->together_max);
}

/* Each thread has scratch of its own, in whole cache lines; ranges of elements begin at whole vectors where
 * the factors are stored so, and at whole cache lines where an element is a double. */
static bp_status shape_of_cpu(const bp_device *device, const bp_build *build, bp_shape *shape,
                              int64_t *scratch)
{
  bp_layout layout;
  const int64_t item = bp_real_bytes(build->space);
  const int64_t line = LINE_DOUBLES * (int64_t)sizeof(double) / item;
  int64_t of_thread = (*scratch + line - 1) / line * line;
  bp_status status = bp_layout_parse(build->choice.variant->factors,
                                     bp_space_lanes(build->space, device->lanes), &layout);
  int64_t unit = !build->op ? LINE_DOUBLES : status ? 1 : layout.lanes;
  *shape = (bp_shape){{unit, 1, 1}, device->sms, of_thread * item};
  *scratch = of_thread * device->sms;
  return status;
}

bp_status bp_shapes(const bp_device *device, const bp_build *build, int64_t elements,
                    bp_shape shapes[BP_LAUNCHES_MAX], int64_t *scratch)
{
  const bp_variant *variant = build->choice.variant;
  bp_name names[BP_NAMES_MAX];
  bp_status status = BP_OK;
  bool is_cpu = variant->language == BP_LANGUAGE_C;
  bp_choice_names(&build->choice, build->op, build->space, elements,
                  bp_space_lanes(build->space, device->lanes), device->sms, names);
  *scratch = 0;
  const char *lacking = bp_feature_lacking(variant->requires, device->limits.sm);
  if (!is_cpu && *lacking)
    return bp_fail(BP_SKIPPED, "needs the feature %s, which sm_%d has not", lacking,
                   device->limits.sm);
  if (elements > INT32_MAX)
    return bp_fail(BP_SKIPPED, "takes at most %d elements", INT32_MAX);
  if (variant->scratch)
    status = bp_expression_evaluate(variant->scratch, names, scratch);
  if (!status && is_cpu)
    status = shape_of_cpu(device, build, &shapes[0], scratch);
  for (int n = 1; is_cpu && n < variant->launches_count; ++n)
    shapes[n] = shapes[0];
  for (int n = 0; !is_cpu && n < variant->launches_count && !status; ++n) {
    status = evaluate(&build->choice, &variant->launches[n], names, elements, &shapes[n]);
    if (elements == 0 && shapes[n].blocks == 0) /* a rank that has no part of it */
      shapes[n].blocks = 1;
    if (!status)
      status = hold_against(&build->choice, &device->limits, &shapes[n]);
    if (!status)
      status = hold_together(&device->limits, &variant->launches[n], &shapes[n]);
  }
  return status && status != BP_SKIPPED ? bp_fail_at(status, variant->text->file) : status;
}

bool bp_shapes_fit(const bp_device *device, const bp_build *build, int64_t elements,
                   int64_t *threads, int64_t *shared)
{
  bp_shape shapes[BP_LAUNCHES_MAX];
  int64_t scratch;
  *threads = *shared = 0;
  if (bp_shapes(device, build, elements, shapes, &scratch))
    return false;
  for (int n = 0; n < build->choice.variant->launches_count; ++n) {
    int64_t of_block = bp_shape_threads(&shapes[n]);
    *threads = of_block > *threads ? of_block : *threads;
    *shared = shapes[n].shared > *shared ? shapes[n].shared : *shared;
  }
  return true;
}
