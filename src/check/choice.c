/* choice.c -- a task: its choice at all degrees and numbers of elements; the emulator counts, too. */
#include "check/far.h"
#include "check/ranks.h"
#include "check/rounds.h"
#include "check/solve.h"

#include "base/memory.h"
#include "bench/open_device.h"
#include "device/emulate/emulate.h"
#include "fem/pair.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  bp_device *device;
  bp_device *single; /* the emulator with one multiprocessor, or NULL */
  bp_isa isa;        /* on the CPU */
} devices;

static const bp_choice *choice_of(const bp_checked *t)
{
  return &t->task->choice;
}

static const char *kernels_of(const bp_checked *t)
{
  return choice_of(t)->variant->problem;
}

/* All cases on one element count; a choice that cannot run here is skipped. */
static bp_status check_count(const bp_checked *t, bp_device *device, bp_check_oracle *o,
                             int64_t elements)
{
  bp_workspace *w = NULL;
  bp_problem part = *o->problem;
  part.elements = t->tally->elements = elements;
  bp_status status = bp_workspace_create(device, &part, true, &w);
  for (int n = 0; n < o->cases && !status; ++n) {
    part.lambda = o->lambda[n];
    status = bp_check_case(t, w, o, n);
  }
  bp_workspace_destroy(w);
  return bp_checked_count(t, status);
}

/* The emulator also counts, where that is quick, whether a variant does what the model says. */
static bp_status check_model(const bp_checked *t, int degree)
{
  enum { QUICK = 4 };
  if (t->check->backend != &bp_backend_emulate || degree > QUICK ||
      strcmp(t->check->config->precision, "double") != 0) /* what is counted are doubles */
    return BP_OK;
  bp_device_options options = bp_bench_device_options(t->check->config);
  t->tally->elements = 0;
  bp_build build = bp_checked_build(t, degree, 0);
  bp_status status = bp_emulate_check_model(&options, &build);
  return status == BP_SKIPPED ? BP_OK : bp_checked_count(t, status); /* its last line says so */
}

/* Tells how a choice uses shared memory. */
static void count_banks(const bp_checked *t, int degree)
{
  bp_device_options device_options = bp_bench_device_options(t->check->config);
  bp_emulate_banks banks;
  t->tally->elements = 0;
  bp_build build = bp_checked_build(t, degree, 0);
  bp_status status = bp_emulate_count_banks(&device_options, &build, &banks);
  if (status && status != BP_SKIPPED)
    bp_checked_fail(t, bp_message());
  if (status)
    return;
  char *options = bp_choice_options(choice_of(t));
  bp_checked_line(
      t, "banks %s N=%d%s%s: %.1f accesses of shared memory for an element, %.1f at least",
      choice_of(t)->variant->id, degree, *options ? " " : "", options, banks.accesses, banks.least);
  bp_free(options);
}

/* Of a solve at high degrees the textbook's iterations would take long, and the emulator's at all; so would
 * many elements, and emulated cycles over levels. */
static bp_config_numbers counts_at(const bp_checked *t, bool is_solve, int degree)
{
  static int64_t usual[] = {1, 2, BP_CHECK_TURNED, BP_CHECK_FAN, BP_CHECK_MANY},
                 few[] = {1, 2, BP_CHECK_SMALL_FAN}, cpu[] = {1, 2, 7, 65, BP_CHECK_MANY},
                 emulated[] = {1, 7, 19, BP_CHECK_MANY};
  enum { FAST = 2, QUICK = 7 };
  const bool is_emulated = t->check->backend == &bp_backend_emulate,
             is_fast = degree <= FAST || degree == choice_of(t)->variant->lowest;
  if (!t->check->has_usual_counts || (!is_solve && !is_fast))
    return t->check->counts;
  if (!is_solve)
    return is_emulated ? (bp_config_numbers){emulated, 4} : (bp_config_numbers){cpu, 5};
  const bool has_many =
      is_fast && !(is_emulated && bp_variant_takes(choice_of(t)->variant, BP_OPERAND_schedule));
  return degree > QUICK ? (bp_config_numbers){few, 3}
                        : (bp_config_numbers){usual, has_many ? 5 : 4};
}

static int64_t most_of(bp_config_numbers counts)
{
  int64_t most = 0;
  for (int n = 0; n < counts.count; ++n)
    most = counts.items[n] > most ? counts.items[n] : most;
  return most;
}

/* Without factors the first elements do not have the first numbers of u, so each count has a problem
 * of its own; and kernels compute several operators. Without a device far from the first element. */
static bp_status check_alone(const bp_checked *t, bp_device *device, bp_isa isa, int degree,
                             int64_t elements)
{
  bp_status worst = BP_OK;
  const bp_operator *op;
  for (int n = 0; (op = bp_operator_of_kernels(kernels_of(t), n)); ++n) {
    bp_check_oracle o = bp_check_oracle_create(t, op, bp_operator_space(op, degree), elements);
    t->tally->operator= op->name;
    bp_status status =
        device ? check_count(t, device, &o, elements) : bp_check_far(t, isa, &o, elements);
    t->tally->operator= NULL;
    worst = status ? status : worst;
    bp_check_oracle_destroy(&o);
  }
  return worst;
}

/* A few elements are emulated on one multiprocessor, whose block is the last that claims an element.
 * Of several blocks, which come one after the other there, all but the first claim in vain. */
static bp_device *device_for(const devices *on, int64_t elements)
{
  enum { FEW = 8 };
  return on->single && elements > 1 && elements <= FEW ? on->single : on->device;
}

/* Warps that take 16 elements of a gradient each, round after round, come to a second and to a third round on
 * one multiprocessor, and not all of them; once, for it takes long. */
static bp_status check_warps_rounds(const bp_checked *t, const devices *on, int degree)
{
  enum { TWO_ROUNDS = 149, THREE_ROUNDS = 277 };
  if (!on->single || !t->check->has_usual_counts || t->task->is_other ||
      degree != choice_of(t)->variant->lowest ||
      !bp_operator_is_gradient(bp_operator_of_kernels(kernels_of(t), 0)))
    return BP_OK;
  bp_status status = check_alone(t, on->single, 0, degree, TWO_ROUNDS);
  return status ? status : check_alone(t, on->single, 0, degree, THREE_ROUNDS);
}

/* ---- a degree, by what is on elements ---- */

/* Operators with factors. */
static bp_status check_factors(const bp_checked *t, const devices *on, int degree, int beyond)
{
  const bp_config_numbers counts = counts_at(t, false, degree);
  const bp_build build = bp_checked_build(t, degree, beyond);
  bp_check_oracle o = bp_check_oracle_create(t, build.op, build.space, most_of(counts));
  bp_status worst = BP_OK;
  for (int n = 0; n < counts.count; ++n) {
    bp_status status = check_count(t, device_for(on, counts.items[n]), &o, counts.items[n]);
    worst = status ? status : worst;
  }
  if (!worst && !t->task->is_other && !t->task->geometry)
    worst = bp_check_far(t, on->isa, &o, bp_check_far_count(t));
  if (!worst && t->check->has_usual_counts)
    worst = bp_check_rounds(t, on->device, &o);
  bp_check_oracle_destroy(&o);
  return worst;
}

/* Gradients and pairs. */
static bp_status check_without_factors(const bp_checked *t, const devices *on, int degree)
{
  const bp_config_numbers counts = counts_at(t, false, degree);
  const int64_t far = bp_check_far_count(t) / 2 * 2; /* so that nodes' numbers fill an array */
  bp_status worst = BP_OK;
  for (int n = 0; n < counts.count; ++n) {
    bp_status status = check_alone(t, device_for(on, counts.items[n]), 0, degree, counts.items[n]);
    worst = status ? status : worst;
  }
  if (far && !worst && !t->task->is_other)
    worst = check_alone(t, NULL, on->isa, degree, far);
  return worst ? worst : check_warps_rounds(t, on, degree);
}

static bp_status check_solve(const bp_checked *t, const devices *on, int degree, int beyond)
{
  enum { SECONDS = 120 };
  const bp_config_numbers counts = counts_at(t, true, degree);
  bp_status worst = BP_OK;
  for (int n = 0; n < counts.count; ++n) {
    t->tally->elements = counts.items[n];
    bp_checked_limit(t, SECONDS);
    bp_status status = bp_check_solve(t, on->device, degree, beyond, counts.items[n]);
    bp_checked_limit(t, 0);
    status = bp_checked_count(t, status);
    worst = status ? status : worst;
  }
  return worst || t->task->is_other || t->task->geometry ? worst
                                                         : bp_check_far_solve(t, on->isa, degree);
}

static void check_degree(const bp_checked *t, const devices *on, int degree, int beyond)
{
  const bp_operator *op = bp_operator_of_kernels(kernels_of(t), 0);
  const char *isa = strrchr(on->device->name, ' ');
  bool is_own = !t->task->geometry;
  t->tally->degree = degree;
  snprintf(t->tally->isa, sizeof t->tally->isa, "%s",
           t->check->backend == &bp_backend_cpu && isa ? isa + 1 : "");
  if (!op || op->components > 0) {
    const bp_build build = bp_checked_build(t, degree, beyond);
    char *quadrature = bp_operator_quadrature(build.op, build.space);
    snprintf(t->tally->quadrature, sizeof t->tally->quadrature, "%s", quadrature);
    is_own = is_own && !*quadrature;
    bp_free(quadrature);
  }
  bp_status worst = !op                  ? check_solve(t, on, degree, beyond)
                    : op->components > 0 ? check_factors(t, on, degree, beyond)
                                         : check_without_factors(t, on, degree);
  if (!op || worst || !is_own || bp_operator_is_gradient(op))
    return;
  if (!t->task->is_other)
    worst = check_model(t, degree);
  if (!worst && t->check->banks)
    count_banks(t, degree);
}

/* ---- a task ---- */

/* The CPU is checked on its widest instruction set, unless another was asked for. */
static bp_status open_devices(const bp_checked *t, devices *on)
{
  bp_device_options options = bp_checked_device_options(t);
  *on = (devices){.isa = options.isa_is_forced ? options.isa : bp_isa_best()};
  bp_status status = bp_device_create(t->check->backend, &options, &on->device);
  options.sms = 1;
  if (!status && t->check->backend == &bp_backend_emulate)
    status = bp_device_create(t->check->backend, &options, &on->single);
  return status;
}

/* Points per direction beyond the degree, 0 the bake-off's; returns how many numbers. */
static int points_of(const bp_checked *t, int64_t numbers[BP_POINTS_BEYOND_MAX])
{
  const bp_config_numbers *asked = &t->check->config->quadrature;
  numbers[0] = t->task->beyond;
  if (t->task->beyond || asked->count == 0)
    return 1;
  memcpy(numbers, asked->items, (size_t)asked->count * sizeof *numbers);
  return asked->count;
}

/* Compiles at once what the task needs. */
static void build_all(const bp_checked *t, bp_device *device)
{
  bp_build
      builds[(BP_CHECK_SOLVE_BUILDS * BP_POINTS_BEYOND_MAX + BP_GRADIENTS) * (BP_DEGREE_MAX + 1)];
  int64_t numbers[BP_POINTS_BEYOND_MAX];
  int count = 0;
  const bp_operator *op = bp_operator_find(kernels_of(t));
  const bool of_folder = !op && bp_operator_of_kernels(kernels_of(t), 0);
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree) {
    if (!(t->task->degrees & 1u << degree))
      continue;
    for (int n = 0; of_folder && (op = bp_operator_of_kernels(kernels_of(t), n)); ++n)
      builds[count++] = (bp_build){*choice_of(t), op, bp_operator_space(op, degree)};
    for (int n = 0; n < points_of(t, numbers) && !of_folder; ++n)
      if (op)
        builds[count++] = bp_checked_build(t, degree, (int)numbers[n]);
      else
        count += bp_check_solve_builds(t, degree, (int)numbers[n], builds + count);
  }
  bp_plans_build(device, builds, count);
}

void bp_checked_run(const bp_checked *t)
{
  if (t->task->ranks) {
    bp_check_ranks(t);
    return;
  }
  devices on;
  bp_status status = open_devices(t, &on);
  if (status)
    bp_checked_fail(t, bp_message());
  else
    build_all(t, on.device);
  int64_t beyond[BP_POINTS_BEYOND_MAX];
  const int numbers = points_of(t, beyond);
  for (int degree = 1; degree <= BP_DEGREE_MAX && !status; ++degree)
    for (int n = 0; n < numbers && t->task->degrees & 1u << degree; ++n)
      check_degree(t, &on, degree, (int)beyond[n]);
  bp_device_destroy(on.device);
  bp_device_destroy(on.single);
}
