/* far.c -- the last elements of very many, of which the others are not there. */
#include "check/far.h"
#include "check/solve.h"

#include "device/emulate/emulate.h"
#include "fem/pair.h"
#include <string.h>

/* How many elements bp_check_far takes. */
int64_t bp_check_far_count(const bp_checked *t)
{
  enum { FEW = 7, GROUPS = 16 };
  int64_t few = t->check->backend == &bp_backend_cpu ? GROUPS : FEW;
  return t->check->most < few ? t->check->most : few;
}

/* So many elements ahead that an array with `each` entries of one has more than an int counts. Blocks of any
 * size that is usual begin with the first of those that are there, in `groups`. */
static int64_t far_before(int64_t each, int64_t groups)
{
  enum { MULTIPLE = 64 * 9 * 5 * 7 * 11 * 13, LEAST = 4 };
  const int64_t least = each > LEAST ? each : LEAST, multiple = groups * MULTIPLE;
  return ((INT64_C(1) << 31) / least / multiple + (each >= least)) * multiple;
}

static bp_status open_far(const bp_checked *t, bp_isa isa, int64_t before, bp_device **device)
{
  bp_device_options options = bp_checked_device_options(t);
  options.before = t->tally->before = before;
  options.isa_is_forced = true;
  options.isa = isa;
  return bp_device_create(t->check->backend, &options, device);
}

/* As the last of so many elements that u, the factors' places, or the numbers of a gradient's nodes, has more
 * entries than an int counts, of pair u or v. An int still counts what comes two rounds of all blocks later. */
bp_status bp_check_far(const bp_checked *t, bp_isa isa, bp_check_oracle *o, int64_t elements)
{
  enum { GROUPS = 16, IN_A_BLOCK = 16 };
  const bool is_pair = bp_problem_is_pair(o->problem),
             is_cpu = t->check->backend == &bp_backend_cpu;
  const int64_t inputs = bp_operator_inputs(o->problem->op, o->problem->space),
                outputs = bp_operator_outputs(o->problem->op, o->problem->space);
  const int64_t each = !is_pair ? o->problem->gather ? bp_space_nodes(o->problem->space) : inputs
                       : inputs < outputs ? inputs
                                          : outputs;
  bp_problem part = *o->problem;
  bp_device *device = NULL;
  bp_workspace *w = NULL;
  if (is_cpu ? t->check->most < GROUPS : t->check->backend != &bp_backend_emulate)
    return BP_OK;
  t->tally->elements = part.elements = elements;
  bp_status status =
      open_far(t, isa, far_before(each, o->problem->gather || is_pair ? IN_A_BLOCK : 1), &device);
  if (!status)
    status = bp_workspace_create(device, &part, true, &w);
  part.lambda = o->lambda[0];
  if (!status)
    status = bp_check_case(t, w, o, 0);
  if (status && status != BP_SKIPPED) /* else it is not counted on top of the others */
    bp_checked_fail(t, bp_message());
  bp_workspace_destroy(w);
  bp_device_destroy(device);
  t->tally->before = 0;
  return status == BP_SKIPPED ? BP_OK : status;
}

static bool is_together(const bp_variant *variant)
{
  bool is = false;
  for (int n = 0; n < variant->launches_count; ++n)
    is = is || variant->launches[n].together;
  return is;
}

/* The same of a solve or wave: of the factors, a matrix's entries and, of several components, the copies at
 * surfaces; those of one component are fewer, as unknowns are. A kernel whose blocks wait for each other is emulated
 * with one block, which one element is enough for. */
bp_status bp_check_far_solve(const bp_checked *t, bp_isa isa, int degree)
{
  enum { SECONDS = 120, GROUPS = 16, MULTIPLE = 4096 * 3, QUICK = 7 };
  const bool is_cpu = t->check->backend == &bp_backend_cpu;
  const int64_t nq = degree + 1, inside = degree - 1,
                surface = nq * nq * nq - inside * inside * inside;
  bp_device *device = NULL;
  if ((!is_cpu && t->check->backend != &bp_backend_emulate) || degree > QUICK ||
      t->check->most < GROUPS ||
      bp_choice_option(&t->task->choice, "in_l2", 0) ||               /* scratch by blocks */
      bp_variant_takes(t->task->choice.variant, BP_OPERAND_schedule)) /* several plans */
    return BP_OK;
  const int64_t few = is_cpu ? GROUPS : is_together(t->task->choice.variant) ? 1 : BP_CHECK_TURNED;
  const int64_t multiple = MULTIPLE * bp_choice_option(&t->task->choice, "elements_per_block", 1);
  const int64_t before = (INT32_MAX / surface - few) / multiple * multiple;
  t->tally->elements = few;
  bp_status status = open_far(t, isa, before, &device);
  bp_checked_limit(t, SECONDS);
  if (!status)
    status = bp_check_solve(t, device, degree, 0, few);
  bp_checked_limit(t, 0);
  if (status && status != BP_SKIPPED)
    bp_checked_fail(t, bp_message());
  bp_device_destroy(device);
  t->tally->before = 0;
  return status == BP_SKIPPED ? BP_OK : status;
}
