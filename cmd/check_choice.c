/* check_choice.c -- a choice on the inputs of the reference, on each device; the emulator counts, too. */
#include "check_far.h"
#include "check_large.h"
#include "check_ranks.h"
#include "check_solve.h"
#include "terminal.h"

#include "base/memory.h"
#include "device/emulate/emulate.h"
#include "fem/pair.h"
#include <stdio.h>
#include <string.h>

/* What a choice is checked on. */
typedef struct {
  bp_device *items[BP_ISA_COUNT];
  bp_isa isa[BP_ISA_COUNT]; /* CPU: of each */
  int count;
  bp_device *single; /* the emulator with one multiprocessor, or NULL */
} devices;

/* All cases on one element count; a choice that cannot run here is skipped. */
static bp_status check_count(const bp_check *c, bp_device *device, const bp_choice *choice,
                             bp_check_oracle *o, int64_t elements)
{
  bp_workspace *w = NULL;
  bp_problem part = *o->problem;
  part.elements = c->shared->elements = elements;
  bp_status status = bp_workspace_create(device, &part, true, &w);
  for (int n = 0; n < o->cases && !status; ++n) {
    part.lambda = o->lambda[n];
    status = bp_check_case(c, w, choice, o, n);
  }
  bp_check_count_outcome(c, choice, status);
  bp_workspace_destroy(w);
  return status == BP_SKIPPED ? BP_OK : status;
}

/* The emulator also counts, where that is quick, whether a variant does what the model says. */
static bp_status check_model(const bp_check *c, const bp_choice *choice, int degree)
{
  enum { QUICK = 4 };
  if (c->backend != &bp_backend_emulate || degree > QUICK ||
      strcmp(c->config->precision, "double") != 0) /* what is counted are doubles */
    return BP_OK;
  bp_device_options options = bp_bench_device_options(c->config);
  c->shared->elements = 0;
  bp_build build = bp_check_build(c, choice, degree, 0);
  bp_status status = bp_emulate_check_model(&options, &build);
  if (status == BP_SKIPPED) /* its last line says so */
    return BP_OK;
  c->shared->passed += !status;
  if (status)
    bp_check_fail(c, choice, bp_message());
  return status;
}

/* Prints how a choice uses shared memory. */
static void count_banks(const bp_check *c, const bp_choice *choice, int degree)
{
  bp_device_options device_options = bp_bench_device_options(c->config);
  bp_emulate_banks banks;
  c->shared->elements = 0;
  bp_build build = bp_check_build(c, choice, degree, 0);
  bp_status status = bp_emulate_count_banks(&device_options, &build, &banks);
  if (status && status != BP_SKIPPED)
    bp_check_fail(c, choice, bp_message());
  if (status)
    return;
  char *options = bp_choice_options(choice);
  bp_print(stdout,
           "banks %s N=%d%s%s: %.1f accesses of shared memory for an element, %.1f at least\n",
           choice->variant->id, degree, *options ? " " : "", options, banks.accesses, banks.least);
  bp_free(options);
}

/* The same of a solve. */
static bp_status check_solve(const bp_check *c, bp_device *device, const bp_choice *choice,
                             int degree, int beyond, int64_t elements)
{
  enum { SECONDS = 120 };
  c->shared->elements = elements;
  bp_check_set_limit(c, SECONDS);
  bp_status status = bp_check_solve(device, choice, degree, beyond, c->config->rule,
                                    c->shared->geometry, elements);
  bp_check_set_limit(c, 0);
  bp_check_count_outcome(c, choice, status);
  return status == BP_SKIPPED ? BP_OK : status;
}

static bp_status check_solve_large(const bp_check *c, bp_device *device, const bp_choice *choice,
                                   int degree, int beyond)
{
  enum { SECONDS = 600 };
  bp_check_set_limit(c, SECONDS);
  bp_status status = bp_check_solve_large(device, choice, degree, beyond, c->config->rule,
                                          c->shared->geometry, c->entries, &c->shared->elements);
  bp_check_set_limit(c, 0);
  bp_check_count_outcome(c, choice, status);
  return status == BP_SKIPPED ? BP_OK : status;
}

/* Of a solve at high degrees the textbook's iterations would take long, and the emulator's at all; so would
 * many elements. */
static bp_config_numbers counts_at(const bp_check *c, const bp_check_task *task, bool is_solve,
                                   int degree)
{
  static int64_t usual[] = {1, 2, BP_CHECK_TURNED, BP_CHECK_FAN, BP_CHECK_MANY},
                 few[] = {1, 2, BP_CHECK_SMALL_FAN}, cpu[] = {1, 2, 7, 65, BP_CHECK_MANY},
                 emulated[] = {1, 7, 19, BP_CHECK_MANY};
  enum { FAST = 2, QUICK = 7 };
  const bool is_emulated = c->backend == &bp_backend_emulate,
             is_fast = degree <= FAST || degree == task->choice.variant->lowest;
  if (!c->has_usual_counts || (!is_solve && !is_fast))
    return c->counts;
  if (!is_solve)
    return is_emulated ? (bp_config_numbers){emulated, 4} : (bp_config_numbers){cpu, 5};
  return degree > QUICK ? (bp_config_numbers){few, 3} : (bp_config_numbers){usual, is_fast ? 5 : 4};
}

static int64_t most_of(bp_config_numbers counts)
{
  int64_t most = 0;
  for (int n = 0; n < counts.count; ++n)
    most = counts.items[n] > most ? counts.items[n] : most;
  return most;
}

/* Nothing else is checked then. */
static bp_status check_large(const bp_check *c, const devices *on, const bp_choice *choice,
                             bp_check_oracle *o, int64_t entries)
{
  bp_status worst = BP_OK;
  o->problem->lambda = o->lambda[0];
  for (int d = 0; d < on->count; ++d) {
    bp_status status = bp_check_large(on->items[d], choice, o->problem, entries, o->u[0],
                                      o->reference[0], &c->shared->elements);
    bp_check_count_outcome(c, choice, status);
    worst = status && status != BP_SKIPPED ? status : worst;
  }
  return worst;
}

static bp_status check_large_alone(const bp_check *c, const devices *on, const bp_choice *choice,
                                   int degree)
{
  bp_status worst = BP_OK;
  const bp_operator *op;
  for (int n = 0; (op = bp_operator_of_kernels(choice->variant->problem, n)); ++n) {
    bp_check_oracle o = bp_check_oracle_create(c, op, bp_operator_space(op, degree), c->most);
    c->shared->operator= op->name;
    bp_status status = check_large(c, on, choice, &o, c->entries);
    c->shared->operator= NULL;
    worst = status ? status : worst;
    bp_check_oracle_destroy(&o);
  }
  return worst;
}

/* Without factors the first elements do not have the first numbers of u, so each count has a problem
 * of its own; and kernels compute several operators. Without a device far from the first element. */
static bp_status check_alone(const bp_check *c, bp_device *device, bp_isa isa,
                             const bp_choice *choice, int degree, int64_t elements)
{
  bp_status worst = BP_OK;
  const bp_operator *op;
  for (int n = 0; (op = bp_operator_of_kernels(choice->variant->problem, n)); ++n) {
    bp_check_oracle o = bp_check_oracle_create(c, op, bp_operator_space(op, degree), elements);
    c->shared->operator= op->name;
    bp_status status = device ? check_count(c, device, choice, &o, elements)
                              : bp_check_far(c, isa, choice, &o, elements);
    c->shared->operator= NULL;
    worst = status ? status : worst;
    bp_check_oracle_destroy(&o);
  }
  return worst;
}

/* An even number of elements, so that their nodes' numbers fill an array. */
static bp_status check_far_alone(const bp_check *c, bp_isa isa, const bp_choice *choice, int degree)
{
  const int64_t few = bp_check_far_count(c) / 2 * 2;
  return few ? check_alone(c, NULL, isa, choice, degree, few) : BP_OK;
}

/* `o` is that of an operator on elements. */
static bp_status check_elements(const bp_check *c, bp_device *device, const bp_choice *choice,
                                bp_check_oracle *o, int degree, int beyond, int64_t elements)
{
  const bp_operator *op = bp_operator_of_kernels(choice->variant->problem, 0);
  return !op                   ? check_solve(c, device, choice, degree, beyond, elements)
         : op->components == 0 ? check_alone(c, device, 0, choice, degree, elements)
                               : check_count(c, device, choice, o, elements);
}

/* A few elements are emulated on one multiprocessor, whose block is the last that claims an element.
 * Of several blocks, which come one after the other there, all but the first claim in vain. */
static bp_device *device_for(const devices *on, int d, int64_t elements)
{
  enum { FEW = 8 };
  return on->single && elements > 1 && elements <= FEW ? on->single : on->items[d];
}

/* Warps that take 16 elements of a gradient each, round after round, come to a second and to a third round on
 * one multiprocessor, and not all of them; once, for it takes long. */
static bp_status check_rounds(const bp_check *c, const devices *on, const bp_check_task *task,
                              int degree)
{
  enum { TWO_ROUNDS = 149, THREE_ROUNDS = 277 };
  const bp_choice *choice = &task->choice;
  if (!on->single || !c->has_usual_counts || task->is_other || degree != choice->variant->lowest ||
      !bp_operator_is_gradient(bp_operator_of_kernels(choice->variant->problem, 0)))
    return BP_OK;
  bp_status status = check_alone(c, on->single, 0, choice, degree, TWO_ROUNDS);
  return status ? status : check_alone(c, on->single, 0, choice, degree, THREE_ROUNDS);
}

/* A GPU's persistent blocks come to a second round, in which slots of shared memory are used again, and to
 * more. */
static bp_status check_many_rounds(const bp_check *c, const devices *on, const bp_choice *choice,
                                   bp_check_oracle *o)
{
  enum { MOST = 1 << 24, OF_MEMORY = 64 }; /* 128 MB of factors; an eighth of the memory */
  if (c->backend != &bp_backend_cuda || !c->has_usual_counts)
    return BP_OK;
  const int64_t fits = on->items[0]->memory_free / OF_MEMORY;
  return check_large(c, on, choice, o, fits < MOST ? fits : MOST);
}

static bp_status check_degree(const bp_check *c, const devices *on, const bp_check_task *task,
                              int degree, int beyond)
{
  const bp_choice *choice = &task->choice;
  const bp_operator *op = bp_operator_of_kernels(choice->variant->problem, 0);
  const bp_config_numbers counts = counts_at(c, task, !op, degree);
  const bool has_factors = op && op->components > 0;
  bp_check_oracle o = {0};
  bp_status worst = BP_OK;
  bool is_own = true;
  c->shared->degree = degree;
  if (has_factors || !op) {
    const bp_build build = bp_check_build(c, choice, degree, beyond);
    char *quadrature = bp_operator_quadrature(build.op, build.space);
    snprintf(c->shared->quadrature, sizeof c->shared->quadrature, "%s", quadrature);
    is_own = !*quadrature && !task->geometry;
    bp_free(quadrature);
    if (op)
      o = bp_check_oracle_create(c, op, build.space, most_of(counts));
  }
  if (c->entries && has_factors) {
    worst = check_large(c, on, choice, &o, c->entries);
    bp_check_oracle_destroy(&o);
  } else if (c->entries && op) {
    worst = check_large_alone(c, on, choice, degree);
  }
  for (int d = 0; d < on->count && c->entries && !op; ++d) {
    bp_status status = check_solve_large(c, on->items[d], choice, degree, beyond);
    worst = status ? status : worst;
  }
  if (c->entries)
    return worst;
  for (int d = 0; d < on->count; ++d) {
    const char *isa = strrchr(on->items[d]->name, ' ');
    snprintf(c->shared->isa, sizeof c->shared->isa, "%s",
             c->backend == &bp_backend_cpu && isa ? isa + 1 : "");
    for (int n = 0; n < counts.count; ++n) {
      bp_device *device = op ? device_for(on, d, counts.items[n]) : on->items[d];
      bp_status status = check_elements(c, device, choice, &o, degree, beyond, counts.items[n]);
      worst = status ? status : worst;
    }
    if (has_factors && !worst && !task->is_other && !task->geometry)
      worst = bp_check_far(c, on->isa[d], choice, &o, bp_check_far_count(c));
    else if (!worst && !task->is_other && !task->geometry)
      worst = op ? check_far_alone(c, on->isa[d], choice, degree)
                 : bp_check_far_solve(c, on->isa[d], choice, degree);
  }
  if (!op)
    return worst;
  if (has_factors && !worst)
    worst = check_many_rounds(c, on, choice, &o);
  if (has_factors)
    bp_check_oracle_destroy(&o);
  else if (!worst)
    worst = check_rounds(c, on, task, degree);
  if (!worst && !task->is_other && is_own && !bp_operator_is_gradient(op))
    worst = check_model(c, choice, degree);
  if (!worst && c->banks && is_own && !bp_operator_is_gradient(op))
    count_banks(c, choice, degree);
  return worst;
}

/* The CPU is checked on its widest instruction set, unless another was asked for. */
static bp_status open_devices(const bp_check *c, devices *on)
{
  bp_device_options options = bp_check_device_options(c);
  *on = (devices){.isa[0] = options.isa_is_forced ? options.isa : bp_isa_best()};
  bp_status status = bp_device_create(c->backend, &options, &on->items[0]);
  on->count = !status;
  options.sms = 1;
  if (!status && c->backend == &bp_backend_emulate)
    status = bp_device_create(c->backend, &options, &on->single);
  return status;
}

/* Points per direction beyond the degree, 0 the bake-off's; returns how many numbers. */
static int points_of(const bp_check *c, const bp_check_task *task,
                     int64_t numbers[BP_POINTS_BEYOND_MAX])
{
  const bp_config_numbers *asked = &c->config->quadrature;
  numbers[0] = task->beyond;
  if (task->beyond || asked->count == 0)
    return 1;
  memcpy(numbers, asked->items, (size_t)asked->count * sizeof *numbers);
  return asked->count;
}

/* Compiles at once what the task needs. */
static void build_all(const bp_check *c, bp_device *device, const bp_check_task *task)
{
  bp_build
      builds[(BP_CHECK_SOLVE_BUILDS * BP_POINTS_BEYOND_MAX + BP_GRADIENTS) * (BP_DEGREE_MAX + 1)];
  int64_t numbers[BP_POINTS_BEYOND_MAX];
  int count = 0;
  const char *folder = task->choice.variant->problem;
  const bp_operator *op = bp_operator_find(folder);
  const bool of_folder = !op && bp_operator_of_kernels(folder, 0);
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree) {
    if (!(task->degrees & 1u << degree))
      continue;
    for (int n = 0; of_folder && (op = bp_operator_of_kernels(folder, n)); ++n)
      builds[count++] = (bp_build){task->choice, op, bp_operator_space(op, degree)};
    for (int n = 0; n < points_of(c, task, numbers) && !of_folder; ++n)
      if (op)
        builds[count++] = bp_check_build(c, &task->choice, degree, (int)numbers[n]);
      else
        count += bp_check_solve_builds(&task->choice, degree, (int)numbers[n], c->config->rule,
                                       task->geometry, builds + count);
  }
  bp_plans_build(device, builds, count);
}

void bp_check_choice(const bp_check *c, const bp_check_task *task)
{
  if (task->ranks) {
    bp_check_ranks(c, task);
    return;
  }
  devices on;
  c->shared->geometry = task->geometry;
  bp_status status = open_devices(c, &on);
  if (status)
    bp_check_fail(c, &task->choice, bp_message());
  else
    build_all(c, on.items[0], task);
  int64_t beyond[BP_POINTS_BEYOND_MAX];
  const int numbers = points_of(c, task, beyond);
  for (int degree = 1; degree <= BP_DEGREE_MAX && !status; ++degree)
    for (int n = 0; n < numbers && task->degrees & 1u << degree; ++n)
      check_degree(c, &on, task, degree, (int)beyond[n]);
  for (int n = 0; n < on.count; ++n)
    bp_device_destroy(on.items[n]);
  bp_device_destroy(on.single);
  fflush(stdout);
}
