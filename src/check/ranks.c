/* ranks.c -- what ranks promise: the bits of one rank, however many they are. */
#include "check/ranks.h"
#include "check/solve.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bench/open_device.h"
#include "device/emulate/emulate.h"
#include "solve/inner_products.h"
#include "solve/load.h"
#include "solve/multigrid.h"
#include "solve/wave_device.h"
#include <math.h>
#include <omp.h>
#include <unistd.h>

enum { ITERATIONS = 6, NUMBERS_MAX = 3 + ITERATIONS * BP_WAVE_RECEIVERS_MAX };

/* A device, alone or of one of the ranks, what it runs, and what came of it: numbers that all ranks have. */
typedef struct {
  bp_comm *comm;
  bp_device *device;
  const bp_choice *choice;
  const bp_mesh *mesh; /* the whole one, which each rank has made */
  bp_system_options options;
  const char *fixed;
  double numbers[NUMBERS_MAX];
  int count;
} side;

static void note(side *s, double number)
{
  s->numbers[s->count++] = number;
}

/* Of each smoother at some degree; the inverse is of few unknowns, so that aggregates are made. */
static bp_status run_multigrid(side *s, bp_system *system, const double *f, double *x,
                               double *residuals)
{
  const bool has_stiffness = system->problem->op->components > 1;
  const bp_multigrid_options options = {
      .levels = "auto",
      .smoother =
          has_stiffness ? (bp_smoother)(system->problem->space.degree % 3) : BP_SMOOTHER_JACOBI,
      .smoothing = {2, 2},
      .coarse = 8,
      .fixed = s->fixed,
      .whole = s->mesh};
  bp_scheme *scheme = NULL;
  bp_plan *plan = NULL;
  bp_multigrid *m = NULL;
  bp_status status = bp_scheme_create(s->device, system, f, true, &scheme);
  if (!status)
    status = bp_comm_agree(s->comm, bp_scheme_plan(scheme, s->choice, &plan));
  if (!status)
    status = bp_multigrid_create(scheme, s->choice, &options, &m);
  if (!status) {
    bp_multigrid_attach(m, plan);
    plan->iterations = ITERATIONS;
    status = bp_scheme_run(scheme, plan, x, residuals);
  }
  bp_plan_destroy(plan);
  bp_multigrid_destroy(m);
  bp_scheme_destroy(scheme);
  return status;
}

static bp_status run_solve(side *s, bp_system *system)
{
  const size_t size = (size_t)bp_system_size(system);
  double *f = bp_alloc_array(size, sizeof *f), *x = bp_alloc_array(size, sizeof *x);
  double residuals[ITERATIONS + 1];
  bp_scheme_once once = {.iterations = ITERATIONS, .residuals = residuals};
  bp_load_create(system, BP_LOAD_MANUFACTURED, f);
  bp_status status = system->problem->space.multigrid
                         ? run_multigrid(s, system, f, x, residuals)
                         : bp_scheme_solve(s->device, s->choice, system, f, x, &once);
  for (int n = 0; n <= ITERATIONS && !status; ++n)
    note(s, residuals[n]);
  if (!status)
    note(s, bp_system_product(system, NULL, x, x));
  if (!status)
    note(s, bp_system_product(system, NULL, f, x));
  bp_free(f);
  bp_free(x);
  return status;
}

static bp_status run_steps(side *s, bp_wave *wave, double *now, double *before)
{
  double signals[BP_WAVE_SOURCES_MAX * ITERATIONS], traces[BP_WAVE_RECEIVERS_MAX * ITERATIONS];
  bp_wave_device *d = NULL;
  bp_plan *plan = NULL;
  for (int n = 0; n < wave->points.sources * ITERATIONS; ++n)
    signals[n] = sin(1 + n) / (wave->dt * wave->dt);
  bp_status status = bp_wave_device_create(s->device, wave, now, before, true, &d);
  if (!status)
    status = bp_wave_device_signal(d, signals, ITERATIONS);
  if (!status)
    status = bp_comm_agree(s->comm, bp_wave_device_plan(d, s->choice, ITERATIONS, &plan));
  if (!status)
    status = bp_wave_device_run(d, plan, now, before, traces);
  for (int n = 0; n < wave->points.receivers * ITERATIONS && !status; ++n)
    note(s, traces[n]);
  bp_plan_destroy(plan);
  bp_wave_device_destroy(d);
  return status;
}

static bp_status run_wave(side *s, bp_system *system)
{
  const size_t size = (size_t)bp_system_size(system);
  double *now = bp_alloc_array(size, sizeof *now), *before = bp_alloc_array(size, sizeof *before);
  bp_wave *wave;
  bp_wave_create(system, 0.9, &wave);
  bp_status status = bp_check_points(wave, s->mesh);
  bp_wave_standing(wave, 0, now);
  bp_wave_standing(wave, -wave->dt, before);
  if (!status)
    status = run_steps(s, wave, now, before);
  if (!status)
    note(s, bp_system_product(system, NULL, now, now));
  if (!status)
    note(s, bp_system_product(system, NULL, now, before));
  bp_wave_destroy(wave);
  bp_free(now);
  bp_free(before);
  return status;
}

static bp_status run_side(side *s)
{
  bp_system *system = NULL;
  bp_status status = s->comm->size > 1
                         ? bp_system_distribute(s->options, s->fixed, s->mesh, BP_PARTITION_CYCLIC,
                                                s->comm, &system)
                         : bp_system_create_fixed(s->options, s->fixed, s->mesh, &system);
  if (!status)
    status = bp_bake_off_is_wave(s->options.row) ? run_wave(s, system) : run_solve(s, system);
  bp_system_destroy(system);
  return status;
}

/* Rank 0 does alone what all have done. */
static bp_status compare(const side *together, side *alone)
{
  bp_status status = run_side(alone);
  return status ? status
                : bp_check_bits(together->numbers, alone->numbers, alone->count,
                                "by one rank and by several, number");
}

/* One row at one degree; what has come of it, on all ranks. */
static bp_status check_row(const bp_checked *t, side *together, side *alone)
{
  bp_mesh *mesh = NULL;
  bp_status status = bp_check_mesh(BP_CHECK_FAN, t->task->geometry, &mesh);
  together->mesh = alone->mesh = mesh;
  together->options = alone->options;
  together->fixed = alone->fixed;
  together->count = alone->count = 0;
  if (!status)
    status = run_side(together);
  status = bp_comm_agree(together->comm, status);
  if (!status && together->comm->rank == 0)
    status = compare(together, alone);
  bp_mesh_destroy(mesh);
  if (together->comm->rank == 0)
    bp_checked_count(t, status);
  return together->comm->lost;
}

static bp_status check_rows(const bp_checked *t, side *together, side *alone)
{
  const bp_bake_off *rows[BP_BAKE_OFFS];
  const int count = bp_check_rows(t->task->choice.variant, rows);
  bp_status status = BP_OK;
  for (int degree = 1; degree <= BP_DEGREE_MAX && !status; ++degree)
    for (int n = 0; n < count && t->task->degrees & 1u << degree && !status; ++n) {
      const bool has_mass = !bp_bake_off_is_wave(rows[n]) && (degree + n) % 2 == 1;
      alone->options = (bp_system_options){.row = rows[n],
                                           .space = bp_bake_off_space(rows[n], degree),
                                           .lambda = has_mass ? 0.5 : 0};
      alone->options.space.geometry = t->task->geometry;
      alone->options.space.multigrid =
          bp_variant_takes(t->task->choice.variant, BP_OPERAND_schedule);
      alone->options.space.jacobi =
          bp_variant_takes(t->task->choice.variant, BP_OPERAND_diagonal) &&
          !alone->options.space.multigrid && (degree + n) / 2 % 2 == 1;
      alone->fixed = has_mass ? "none" : NULL;
      t->tally->degree = degree;
      t->tally->elements = BP_CHECK_FAN;
      status = check_row(t, together, alone);
    }
  return status;
}

/* Together, by a way between devices that have one. */
static bp_status check_way(const bp_checked *t, bp_comm *comm, const char *way)
{
  const bp_device_options options = bp_checked_device_options(t);
  side together = {.comm = comm, .choice = &t->task->choice},
       alone = {.comm = bp_comm_self(), .choice = &t->task->choice};
  comm->wanted = way;
  bp_status status = bp_bench_open_on(t->check->backend, options, comm, &together.device);
  if (!status && comm->rank == 0)
    status = bp_device_create(t->check->backend, &options, &alone.device);
  status = bp_comm_agree(comm, status);
  if (!status)
    status = check_rows(t, &together, &alone);
  bp_device_destroy(together.device);
  bp_device_destroy(alone.device);
  return status;
}

/* This process is a rank. Emulated ones have mailboxes, and can do without. */
static bp_status be_rank(const bp_checked *t, bp_comm *comm)
{
  bp_status status = BP_OK;
  omp_set_num_threads(1);
  if (t->check->backend == &bp_backend_emulate)
    status = check_way(t, comm, "ipc");
  if (!status && (t->check->backend != &bp_backend_emulate || comm->size == 2))
    status = check_way(t, comm, NULL);
  return status;
}

void bp_check_ranks(const bp_checked *t)
{
  enum { SECONDS = 300 };
  bp_comm *comm;
  t->tally->limit = SECONDS;
  t->tally->since = bp_clock();
  alarm(SECONDS);
  bp_status status = bp_comm_fork(t->task->ranks, &comm);
  if (comm) {
    status = be_rank(t, comm);
    status = bp_comm_close(comm, status);
    bp_leave(status);
  }
  alarm(0);
  t->tally->limit = 0;
  if (status)
    bp_checked_fail(t, bp_message());
}
