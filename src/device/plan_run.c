/* plan_run.c -- runs a plan: its steps in order, and between them what ranks do together. */
#include "device/plan.h"

#include "base/clock.h"
#include "device/machine.h"
#include "device/program.h"
#include "fem/sharing.h"
#include "kernels/abi/ranks.h"

/* ---- the program ---- */

static bp_comm *comm_of(const bp_plan *p)
{
  return p->device->comm ? p->device->comm : bp_comm_self();
}

void bp_program_wait(bp_program *program, const bp_device *device)
{
  const bp_comm *comm = device->comm;
  if (device->kernels_wait)
    return;
  bp_step *step = bp_program_add(program, BP_STEP_WAIT);
  step->to = device->boxes[comm->rank];
  step->rank = comm->rank;
  step->ranks = comm->size;
}

/* With each neighbour. */
static void add_swaps(bp_program *program, const bp_sharing *s, int fields, bp_address outbox,
                      bp_address inbox)
{
  const bp_address each = (bp_address)fields * sizeof(double);
  for (int b = 0; b < s->neighbours; ++b) {
    const int64_t *sent = &s->sent_first[b], *come = &s->received_first[b];
    bp_step *step = bp_program_add(program, BP_STEP_SWAP);
    step->rank = s->rank[b];
    step->from = outbox + (bp_address)sent[0] * each;
    step->bytes = (sent[1] - sent[0]) * (int64_t)each;
    step->to = inbox + (bp_address)come[0] * each;
    step->come = (come[1] - come[0]) * (int64_t)each;
  }
}

void bp_program_exchange(bp_program *program, const bp_device *device, const bp_sharing *sharing,
                         int fields, bp_address outbox, bp_address inbox)
{
  if (device->boxes) {
    bp_program_wait(program, device);
    return;
  }
  if (device->way == BP_WAY_NCCL) {
    add_swaps(program, sharing, fields, outbox, inbox);
    return;
  }
  bp_step *step = bp_program_add(program, BP_STEP_EXCHANGE);
  step->sharing = (uint64_t)(uintptr_t)sharing;
  step->fields = fields;
  step->from = outbox;
  step->to = inbox;
}

static void add_exchange(const bp_plan *p, int n, bp_program *program)
{
  const bp_problem *problem = p->workspace->problem;
  const bool is_packed = p->choice.variant->language == BP_LANGUAGE_CUDA; /* by a kernel */
  bp_program_exchange(program, p->device, problem->unknowns->sharing, p->steps[n].fields,
                      p->own[is_packed ? BP_OPERAND_outbox : BP_OPERAND_copies].data,
                      p->own[BP_OPERAND_inbox].data);
  if (is_packed)
    return;
  bp_step *step = &program->steps[program->count - 1];
  step->come = bp_real_bytes(problem->space);
  step->bytes = p->elements * problem->unknowns->surface_nodes * step->come;
}

/* What `then` names. */
static void add_sums(const bp_plan *p, unsigned then, bp_program *program)
{
  static const struct {
    unsigned then;
    int place, count;
  } sums[] = {{BP_THEN_PAP, BP_SOLVE_PAP, BP_SOLVE_PARTS},
              {BP_THEN_RR, BP_SOLVE_RR, BP_SOLVE_PARTS},
              {BP_THEN_RR, BP_SOLVE_PLAIN_RR, BP_SOLVE_PARTS},
              {BP_THEN_SUMS, BP_SOLVE_PAP, BP_SOLVE_SUMS}};
  const bool has_plain = p->workspace && p->workspace->problem->space.jacobi;
  for (size_t s = 0; s < sizeof sums / sizeof *sums; ++s)
    if (then & sums[s].then && (has_plain || sums[s].place != BP_SOLVE_PLAIN_RR)) {
      bp_step *step = bp_program_add(program, BP_STEP_SUM);
      /* the first part is all of a sum where a kernel has added them up */
      step->parts = p->device->backend->language == BP_LANGUAGE_C ? p->device->sms : 1;
      step->to = p->own[BP_OPERAND_state].data + (bp_address)sums[s].place * sizeof(double);
      step->bytes = sums[s].count * (int64_t)sizeof(double);
    }
}

/* Step n, and what ranks do together after it. */
static void add_step(const bp_plan *p, int n, bp_program *program)
{
  const bp_variant *variant = p->choice.variant;
  unsigned then = variant && n < variant->launches_count ? variant->launches[n].then : 0;
  const bool is_alone = comm_of(p)->size == 1,
             is_solve = p->workspace && p->workspace->problem->unknowns;
  if (p->workspace && p->elements == 0 && !is_solve)
    return; /* a rank that has no part of it */
  if (is_alone && variant && variant->language == BP_LANGUAGE_CUDA && then)
    return; /* nobody wants what it tells */
  const bool has_mail = p->device->boxes && is_solve && then;
  /* what a kernel posts where it leaves it needs no launch */
  const bool is_posted = !(then & BP_THEN_EXCHANGE) || bp_variant_takes(variant, BP_OPERAND_posts);
  if (!has_mail || !is_posted)
    *bp_program_add(program, BP_STEP_LAUNCH) = p->steps[n];
  if (has_mail)
    bp_program_wait(program, p->device);
  if (is_alone || !then || !is_solve || has_mail)
    return;
  if (then & BP_THEN_EXCHANGE)
    add_exchange(p, n, program);
  add_sums(p, then, program);
}

/* All of one application: the start, what is repeated as often as there are iterations, the end. */
void bp_plan_append(const bp_plan *p, bp_program *program)
{
  int first = 0, repeated = 0;
  for (int n = 0; n < p->steps_count; ++n) {
    first += p->phases[n] == BP_AT_START;
    repeated += p->phases[n] == BP_REPEATED;
  }
  for (int n = 0; n < first && !p->goes_on; ++n)
    add_step(p, n, program);
  const int loop = bp_program_repeat(program, p->iterations);
  for (int n = first; n < first + repeated; ++n)
    if (!p->left_out[n])
      add_step(p, n, program);
  bp_program_end(program, loop);
  if (program->steps[loop].body > 0)
    program->steps[program->count - 1].waits = p->device->waits;
  for (int n = first + repeated; n < p->steps_count && !p->stops; ++n)
    add_step(p, n, program);
}

static bp_status make_program(bp_plan *p, bp_program *program)
{
  *program = (bp_program){0};
  if (p->append)
    return p->append(p->context, p, program);
  bp_plan_append(p, program);
  return BP_OK;
}

/* ---- running ---- */

static bool is_together(const bp_step *step)
{
  return step->kind == BP_STEP_EXCHANGE || step->kind == BP_STEP_SUM || step->kind == BP_STEP_CALL;
}

/* Runs of launches, and on the host what is between them. */
static bp_status run_once(bp_device *device, const bp_step *steps, int count, const char *name)
{
  bp_status status = BP_OK;
  bp_program launches = {0};
  bp_walk walk = bp_walk_start(steps, count);
  for (const bp_step *step = bp_walk_next(&walk); step && !status;) {
    for (launches.count = 0; step && !is_together(step); step = bp_walk_next(&walk))
      *bp_program_add(&launches, step->kind) = *step;
    const bp_run run = {.steps = launches.steps, .steps_count = launches.count, .repetitions = 1};
    if (launches.count > 0)
      status = device->backend->run(device, &run, name, NULL);
    if (step && !status)
      status = bp_step_communicate(device, step);
    if (step)
      step = bp_walk_next(&walk);
  }
  bp_program_destroy(&launches);
  return status;
}

static bp_status run_apart(bp_device *device, const bp_run *what, const char *name, double *seconds)
{
  bp_status status = run_once(device, what->before, what->before_count, name);
  double begin = bp_clock();
  for (int64_t r = 0; r < what->repetitions && !status; ++r)
    status = run_once(device, what->steps, what->steps_count, name);
  if (seconds)
    *seconds = (bp_clock() - begin) / (double)what->repetitions;
  return status;
}

bp_status bp_program_run(bp_device *device, const bp_run *what, const char *name, double *seconds)
{
  bp_comm *comm = device->comm ? device->comm : bp_comm_self();
  bool has_together = false;
  for (int n = 0; n < what->steps_count; ++n)
    has_together = has_together || is_together(&what->steps[n]);
  /* an emulator's ranks may be far apart */
  has_together = has_together && device->way != BP_WAY_NCCL;
  bool is_limited = has_together && !device->backend->is_emulation;
  if (is_limited)
    bp_comm_limit(comm, true);
  bp_status status = has_together && !device->backend->map
                         ? run_apart(device, what, name, seconds)
                         : device->backend->run(device, what, name, seconds);
  if (is_limited)
    bp_comm_limit(comm, false);
  /* others' devices wait for this one's mail, and their hosts for them */
  return status == BP_ENVIRONMENT && device->way != BP_WAY_HOSTS ? bp_comm_quit(comm) : status;
}

static bp_status run(bp_plan *p, const bp_run *what, double *seconds)
{
  return bp_program_run(p->device, what,
                        p->choice.variant ? p->choice.variant->id : "the driver's copy", seconds);
}

/* The time of the slowest rank. */
static bp_status agree(bp_plan *p, bp_status status, double *seconds)
{
  bp_comm *comm = comm_of(p);
  if (comm->size == 1)
    return status;
  status = bp_comm_agree(comm, status);
  if (!status && seconds)
    *seconds = bp_comm_largest(comm, *seconds);
  return status;
}

bp_status bp_plan_apply(bp_plan *plan)
{
  bp_status status = agree(plan, bp_plan_ready(plan), NULL);
  if (status)
    return status;
  bp_program program;
  status = make_program(plan, &program);
  const bp_run once = {.steps = program.steps, .steps_count = program.count, .repetitions = 1};
  if (!status)
    status = run(plan, &once, NULL);
  bp_program_destroy(&program);
  return agree(plan, status, NULL);
}

bp_status bp_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds)
{
  bp_plan *flush = NULL;
  bp_status status = bp_plan_ready(plan);
  if (!status && cold)
    status = bp_machine_flush(plan->device, &flush);
  status = agree(plan, status, NULL);
  if (status)
    return status;
  bp_program program;
  status = make_program(plan, &program);
  const bp_run timed = {.before = flush ? flush->steps : NULL,
                        .before_count = flush ? flush->steps_count : 0,
                        .steps = program.steps,
                        .steps_count = program.count,
                        .repetitions = repetitions,
                        .graph = plan->iterations > 1 && !plan->device->launches};
  *seconds = 0;
  double waiting = comm_of(plan)->waiting;
  if (!status)
    status = run(plan, &timed, seconds);
  plan->own_seconds = *seconds;
  plan->own_waiting = (comm_of(plan)->waiting - waiting) / (double)repetitions;
  bp_program_destroy(&program);
  return agree(plan, status, seconds);
}

double bp_plan_agree(const bp_plan *plan, double value)
{
  return bp_comm_largest(comm_of(plan), value);
}
