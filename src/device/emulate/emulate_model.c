/* emulate_model.c -- counts what a variant does and holds it against what is declared. */
#include "device/emulate/emulate.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/plan.h"
#include "registry/layout.h"
#include <string.h>

enum { BATCHES = 4, BATCH_MAX = 256 };

static bp_status evaluate(const char *text, const bp_build *build, int64_t elements, int64_t *value)
{
  bp_name names[BP_NAMES_MAX];
  bp_choice_names(&build->choice, build->op, build->space, elements, 1, 1, names);
  return bp_expression_evaluate(text, names, value);
}

/* Global memory is the same for all: every double of u and the factors is read, of v written. What a layout
 * puts between elements may be read with them. */
static bp_status check_bytes(const bp_job *job, const bp_build *build, const bp_problem *problem)
{
  const bp_operator *op = problem->op;
  int points = build->space.points;
  long long elements = job->elements;
  bp_layout layout;
  bp_status status = bp_layout_parse(build->choice.variant->factors, 1, &layout);
  if (status)
    return status;
  long long between =
      bp_layout_count(&layout, problem) - elements * op->components * points * points * points;
  long long read = elements * bp_operator_doubles_read(op, build->space);
  long long written = elements * bp_operator_doubles_written(op, build->space);
  if (job->counts.read >= read && job->counts.read <= read + between &&
      job->counts.written == written)
    return BP_OK;
  return bp_fail(
      BP_WRONG,
      "reads %lld doubles of u and the factors and writes %lld of v; the model says %lld "
      "and %lld",
      job->counts.read, job->counts.written, read, written);
}

/* What the header declares, exactly; else at most the model's, with what its conventions leave out at
 * a point: the mass term of bp3.5, and the sums of three directions, when each starts at 0. Fewer are
 * the merit of an algorithm that splits even and odd. */
static bp_status check_flops(const bp_job *job, const bp_build *build, int iterations)
{
  int64_t points = build->space.points, slack = build->op->components == 1 ? 0 : 5;
  int64_t declared = bp_operator_flops(build->op, build->space) + slack * points * points * points;
  const char *line = build->choice.variant->flops;
  if (line) {
    bp_status status = evaluate(line, build, job->elements, &declared);
    if (status)
      return status;
  }
  declared *= (int64_t)job->elements * (iterations ? iterations : 1);
  if (job->counts.flops == declared || (!line && job->counts.flops < declared))
    return BP_OK;
  return bp_fail(BP_WRONG, "executes %lld flops on %d elements; %s %lld", job->counts.flops,
                 job->elements,
                 line ? "its header's line flops: says"
                      : "its header has no line flops:, and the model's most is",
                 (long long)declared);
}

static bp_status check_shared(const bp_job *job, const bp_build *build)
{
  /* Bytes of an element: what divisions by elements_per_block lose, and doubles that bulk copies leave
   * to threads where an element does not begin on a multiple of 16. */
  enum { ROUNDED = 33 };
  int64_t declared, counted = 8 * (job->counts.shared_loads + job->counts.shared_stores);
  if (!build->choice.variant->shared_traffic)
    return BP_OK;
  bp_status status =
      evaluate(build->choice.variant->shared_traffic, build, job->elements, &declared);
  declared *= job->elements;
  if (status || (counted >= declared && counted - declared < ROUNDED * (int64_t)job->elements))
    return status;
  return bp_fail(
      BP_WRONG,
      "moves %lld bytes of shared memory on %d elements; its header's line shared traffic: "
      "says %lld",
      (long long)counted, job->elements, (long long)declared);
}

/* Elements that a block takes at once: with fewer it would compute what is not there. Where no option says
 * so, as many as one block more is launched for, on a device with room for all of them. */
static int64_t batch_of(const bp_build *build)
{
  const bp_choice *choice = &build->choice;
  enum { SMS = 1 << 20 };
  const char *blocks = choice->variant->launches[0].blocks;
  bp_name names[BP_NAMES_MAX];
  int64_t here = 1, batch = 0;
  batch = bp_choice_option(choice, "elements_per_block", 0);
  if (batch)
    return batch;
  while (blocks && here == 1 && batch < BATCH_MAX) {
    bp_choice_names(choice, build->op, build->space, ++batch + 1, 1, SMS, names);
    if (bp_expression_evaluate(blocks, names, &here))
      return 1; /* told of where it is launched */
  }
  return blocks && here == 2 ? batch : 1;
}

static bp_status count(bp_device *device, const bp_choice *choice, const bp_problem *problem,
                       bp_job *counted)
{
  bp_workspace *w = NULL;
  bp_plan *plan = NULL;
  double *u = bp_alloc((size_t)bp_problem_dofs(problem), sizeof *u);
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    u[n] = 1;
  bp_status status = bp_workspace_create(device, problem, true, &w);
  if (!status)
    status = bp_workspace_write(w, u);
  if (!status)
    status = bp_plan_create(w, choice, &plan);
  if (!status) {
    double seconds; /* in one order of threads only */
    status = bp_plan_time(plan, 1, false, &seconds);
    *counted = *bp_emulate_job(device);
  }
  bp_plan_destroy(plan);
  bp_workspace_destroy(w);
  bp_free(u);
  return status;
}

/* The problem that was counted with is the caller's. BP_SKIPPED: the choice cannot run. */
static bp_status count_build(const bp_device_options *options, const bp_build *build,
                             bp_problem **problem, bp_job *job)
{
  bp_device_options counting = *options;
  bp_device *device;
  counting.counts = true;
  *problem = NULL;
  bp_status status = bp_device_create(&bp_backend_emulate, &counting, &device);
  if (status)
    return status;
  bp_problem_random(build->op, build->space, 1, BATCHES * batch_of(build), options->seed, problem);
  status = count(device, &build->choice, *problem, job);
  bp_device_destroy(device);
  return status;
}

bp_status bp_emulate_check_model(const bp_device_options *options, const bp_build *build)
{
  bp_problem *problem;
  bp_job job = {0};
  bp_status status = count_build(options, build, &problem, &job);
  if (!status)
    status = check_bytes(&job, build, problem);
  if (!status)
    status = check_flops(&job, build, problem->iterations);
  if (!status)
    status = check_shared(&job, build);
  bp_problem_destroy(problem);
  return status;
}

bp_status bp_emulate_count_banks(const bp_device_options *options, const bp_build *build,
                                 bp_emulate_banks *banks)
{
  enum { AT_ONCE = 16 }; /* doubles */
  bp_problem *problem;
  bp_job job = {0};
  bp_status status = count_build(options, build, &problem, &job);
  bp_problem_destroy(problem);
  if (!status) {
    banks->accesses = (double)job.counts.shared_accesses / job.elements;
    banks->least = (double)job.counts.threads_shared / AT_ONCE / job.elements;
  }
  return status;
}
