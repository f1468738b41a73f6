/* emulate_far.c -- a step as that of the last of many elements: which blocks run, what they find ahead. */
#include "device/emulate/emulate_device.h"

#include "device/ahead.h"
#include "device/shape.h"
#include "registry/operand.h"
#include <string.h>

static bool is_by_element(const bp_launch *launch)
{
  return strcmp(launch->shared, "0") != 0;
}

/* Of a solve blocks come round to the elements that are there, unless each keeps its own. */
static bp_status check_rounds(const bp_variant *variant)
{
  for (int n = 0; n < variant->launches_count; ++n)
    if (variant->launches[n].together && is_by_element(&variant->launches[n]))
      return bp_fail(BP_SKIPPED, "has blocks that keep their elements");
  return BP_OK;
}

bp_status bp_emulate_shapes_before(const emulate_device *d, const bp_build *what,
                                   bp_shape missing[BP_LAUNCHES_MAX])
{
  bp_shape more[BP_LAUNCHES_MAX] = {0};
  int64_t scratch;
  if (bp_variant_takes(what->choice.variant, BP_OPERAND_stride))
    return check_rounds(what->choice.variant);
  bp_status status = bp_shapes(&d->base, what, d->before, missing, &scratch);
  if (!status)
    status = bp_shapes(&d->base, what, d->before + 1, more, &scratch);
  for (int n = 0; n < bp_shapes_count(what->choice.variant) && !status; ++n)
    if (more[n].blocks <= missing[n].blocks)
      status = bp_fail(BP_SKIPPED, "has blocks that begin elsewhere");
  return status;
}

/* ---- arrays ---- */

/* Memory of a solve ahead of its own is there, since blocks that come round begin with it; unknowns there are
 * fixed. So is all of scratch. */
void bp_emulate_ahead(const emulate_device *d, const bp_step *step, int operand, bp_job_array *a)
{
  const bp_build *build = &emulate_function_of(step)->of->build;
  const bp_ahead ahead = bp_ahead_of(step, operand, a->count * a->item, d->before);
  bp_shape shapes[BP_LAUNCHES_MAX];
  int64_t scratch;
  a->rows = ahead.rows;
  a->missing = ahead.missing / a->item;
  if (operand == BP_OPERAND_scratch &&
      !bp_shapes(&d->base, build, step->elements + d->before, shapes, &scratch)) {
    a->missing = scratch;
    a->ahead = BP_JOB_ALL;
  } else if (step->is_solve && a->rows && a->missing) {
    a->ahead = operand == BP_OPERAND_diagonal ? BP_JOB_ONES
               : operand == BP_OPERAND_ids    ? BP_JOB_MINUS_ONES
                                              : BP_JOB_ZEROS;
  }
}

void bp_emulate_move_lists(const emulate_device *d, const bp_step *step, int sign)
{
  for (int n = 0; n < step->operands_count && d->before; ++n) {
    const int operand = (int)step->operands[n].operand;
    const bp_address address = step->operands[n].value;
    if (bp_operands[operand].access == BP_ACCESS_READ && address)
      bp_ahead_move(step, operand, d->memory + address, bp_emulate_bytes(d, address), d->before,
                    sign);
  }
}

/* ---- blocks ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
  return b == 0 ? a : common_divisor(b, a % b);
}

/* Threads that a launch needs for what it writes of any problem, as a run's traces. */
static int64_t threads_for_results(const emulate_device *d, const bp_step *step)
{
  int64_t most = 0;
  for (int n = 0; n < step->operands_count; ++n) {
    const int operand = (int)step->operands[n].operand;
    if (!bp_operand_is_output(operand) || !step->operands[n].value)
      continue;
    const int64_t bytes = bp_emulate_bytes(d, step->operands[n].value),
                  items = bytes / bp_operands[operand].bytes;
    if (bp_ahead_of(step, operand, bytes, d->before).rows == 0 && items > most)
      most = items;
  }
  return most;
}

/* After how many blocks loops of all come round. It divides what lies ahead by what a loop takes in a round,
 * so that each comes to the first of what is there in block 0; the header's launch line tells that but for a
 * factor of 2. An int counts what comes some rounds later. Where an iteration is one launch it has loops over
 * elements and over unknowns. */
static int64_t grid_of(const emulate_device *d, const bp_step *step, const emulate_function *f,
                       int64_t chunk)
{
  enum { MOST = 1 << 20, PACK_BYTES = 16 };
  const bp_variant *variant = f->of->build.choice.variant;
  const int64_t inside = step->nq - 2, nodes = (int64_t)step->nq * step->nq * step->nq,
                ahead = d->before * inside * inside * inside,
                threads = bp_shape_threads(&step->shape),
                pack = PACK_BYTES / bp_real_bytes(f->of->build.space),
                packs = ahead / (pack * threads),
                batches =
                    d->before / bp_choice_option(&f->of->build.choice, "elements_per_block", 1);
  int repeated = 0;
  for (int n = 0; n < variant->launches_count; ++n)
    repeated += variant->launches[n].phase == BP_REPEATED;
  if (is_by_element(f->launch))
    return repeated == 1 ? common_divisor(batches, packs) : batches;
  int64_t grid =
      common_divisor(common_divisor(ahead / (pack * chunk), d->before * nodes / threads), packs);
  while (grid > MOST && grid % 2 == 0)
    grid /= 2;
  return grid;
}

bp_status bp_emulate_spread(const emulate_device *d, const bp_step *step, bp_job_launch *l)
{
  enum { LEAST = 8 };
  const emulate_function *f = emulate_function_of(step);
  const bp_launch *launch = f->launch;
  const int64_t each = (int64_t)step->nq * step->nq * step->nq,
                nodes = each * step->elements * step->fields,
                threads = bp_shape_threads(&step->shape),
                results = launch->phase == BP_AT_START ? threads_for_results(d, step) / threads : 0;
  bp_shape shapes[BP_LAUNCHES_MAX];
  int64_t scratch;
  bp_status status = bp_shapes(&d->base, &f->of->build, d->before, shapes, &scratch);
  if (status)
    return status;
  int64_t blocks = nodes / threads + LEAST;
  blocks = blocks < step->shape.blocks ? step->shape.blocks : blocks;
  blocks = blocks < results ? results : blocks;
  if (launch->together || strcmp(launch->blocks ? launch->blocks : "", "1") == 0)
    blocks = 1;
  int64_t chunk = 1024; /* at most */
  while (chunk * shapes[step->launch].blocks > d->before * each)
    chunk /= 2;
  const int64_t grid = grid_of(d, step, f, chunk);
  if (grid <= blocks)
    return bp_fail(BP_SKIPPED, "%s takes more blocks than there are ahead", launch->kernel);
  l->blocks = (unsigned)blocks;
  l->grid = (unsigned)grid;
  return BP_OK;
}
