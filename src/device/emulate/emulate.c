/* backend_emulate.c -- CUDA variants on the CPU: each plan is a program of its own (emulate.h) and the
 * file that it shares with bp. */
#include "device/emulate/emulate.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/cuda/cuda_shape.h"
#include "kernels/abi/emulated/runtime.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every element is computed alike, so the second order of threads may be left out where there are
 * many. */
enum { SECONDS_MAX = 300, GAP = 1 << 20, BOTH_ORDERS = 16 };

/* What a current GPU allows. */
static const bp_cuda_limits limits = {
    .sm = 90,
    .sms = BP_EMULATED_MULTIPROCESSORS,
    .threads_max = 1024,
    .block_max = {1024, 1024, 64},
    .shared_max = 227 << 10,
};

typedef struct {
  bp_device base;
  bp_emulate_compiler *compiler;
  uint64_t seed;
} emulate_device;

typedef struct {
  bp_workspace base;
  double *u, *v;
} emulate_workspace;

typedef struct {
  bp_plan base;
  char *program;
  bp_job *job;
  int file;
  char *from, *to; /* of a copy, which has no program */
  size_t bytes;
} emulate_plan;

/* ---- device ---- */

static bp_status device_create(const bp_device_options *options, bp_device **device)
{
  bp_emulate_compiler *compiler;
  const char *sanitize = options->sanitize ? options->sanitize : "none";
  bool sanitizes = strcmp(sanitize, "none") != 0;
  bp_status status = bp_emulate_compiler_create(sanitize, &compiler);
  if (status)
    return status;
  emulate_device *d = bp_alloc(1, sizeof *d);
  d->compiler = compiler;
  d->seed = options->seed;
  d->base = (bp_device){
      .backend = &bp_backend_emulate,
      .name = bp_format("emulated GPU%s%s", sanitizes ? ", sanitizer: " : "",
                        sanitizes ? sanitize : ""),
      .lanes = 1,
      .sms = (int)limits.sms,
      .cache_bytes = 1 << 20,
      .memory_free = bp_memory_available(),
      .peak_bytes_per_second = NAN,
  };
  *device = &d->base;
  return BP_OK;
}

static void device_destroy(bp_device *device)
{
  emulate_device *d = (emulate_device *)device;
  bp_emulate_compiler_destroy(d->compiler);
  bp_free(d->base.name);
  bp_free(d);
}

/* What is compiled here is found again on disk, what fails fails again in plan_create. */
static void prepare(bp_device *device, const bp_choice *choices, const bp_operator *const *op,
                    const int *degree, int count)
{
  const emulate_device *d = (const emulate_device *)device;
#pragma omp parallel for schedule(dynamic, 1)
  for (int n = 0; n < count; ++n) {
    char *program;
    double seconds;
    if (choices[n].variant->lowest <= degree[n] && degree[n] <= choices[n].variant->highest &&
        bp_emulate_build(d->compiler, &choices[n], op[n], degree[n], &program, &seconds) == BP_OK)
      bp_free(program);
  }
}

/* ---- workspace: u and v; everything else belongs to the plans ---- */

static bp_status workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                                  bp_workspace **workspace)
{
  emulate_workspace *w = bp_alloc(1, sizeof *w);
  (void)guarded; /* they always are */
  w->base = (bp_workspace){.device = device, .problem = problem};
  w->u = bp_alloc_array((size_t)bp_problem_dofs(problem), sizeof *w->u);
  w->v = bp_alloc_array((size_t)bp_problem_dofs(problem), sizeof *w->v);
  *workspace = &w->base;
  return BP_OK;
}

static void workspace_destroy(bp_workspace *workspace)
{
  emulate_workspace *w = (emulate_workspace *)workspace;
  bp_free(w->u);
  bp_free(w->v);
  bp_free(w);
}

static bp_status workspace_write(bp_workspace *workspace, const double *u)
{
  emulate_workspace *w = (emulate_workspace *)workspace;
  memcpy(w->u, u, (size_t)bp_problem_dofs(workspace->problem) * sizeof *u);
  return BP_OK;
}

/* The program poisons v and scratch whenever it starts. */
static bp_status workspace_poison(bp_workspace *workspace)
{
  emulate_workspace *w = (emulate_workspace *)workspace;
  for (int64_t n = 0; n < bp_problem_dofs(workspace->problem); ++n)
    w->v[n] = NAN;
  return BP_OK;
}

static bp_status workspace_read(bp_workspace *workspace, double *v)
{
  const emulate_workspace *w = (const emulate_workspace *)workspace;
  memcpy(v, w->v, (size_t)bp_problem_dofs(workspace->problem) * sizeof *v);
  return BP_OK;
}

/* The program looks at its guards itself, and plan_apply says what it saw. */
static bp_status workspace_guards(bp_workspace *workspace)
{
  (void)workspace;
  return BP_OK;
}

/* ---- plans ---- */

static void plan_destroy(bp_plan *plan)
{
  emulate_plan *p = (emulate_plan *)plan;
  if (p->job)
    munmap(p->job, (size_t)p->job->bytes);
  if (p->file >= 0)
    close(p->file);
  bp_free(p->program);
  bp_free(p->from);
  bp_free(p->to);
  bp_free(p);
}

/* Offsets of arrays with room for guards and a gap, so that what misses far hits no other array. */
static int64_t place_arrays(bp_job *job, const int64_t counts[BP_JOB_ARRAYS])
{
  int64_t at = GAP;
  for (int n = 0; n < BP_JOB_ARRAYS; ++n) {
    int64_t bytes = (counts[n] + 2 * BP_JOB_GUARD) * (int64_t)sizeof(double);
    job->arrays[n].count = counts[n];
    job->arrays[n].offset = at + BP_JOB_GUARD * (int64_t)sizeof(double);
    at += (bytes + GAP - 1) / GAP * GAP + GAP;
  }
  return at;
}

static bp_status open_file(emulate_plan *p, const bp_job *plan)
{
  p->file = memfd_create("bp", 0);
  if (p->file < 0 || ftruncate(p->file, plan->bytes) != 0)
    return bp_fail(BP_ENVIRONMENT, "emulate: no memory for %lld bytes", plan->bytes);
  void *map = mmap(NULL, (size_t)plan->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->file, 0);
  if (map == MAP_FAILED)
    return bp_fail(BP_ENVIRONMENT, "emulate: no memory for %lld bytes", plan->bytes);
  p->job = map;
  *p->job = *plan;
  return BP_OK;
}

static double *array_of(const emulate_plan *p, int n)
{
  return (double *)(void *)((char *)p->job + p->job->arrays[n].offset);
}

/* *fits false when no GPU could run it; the message says why. */
static bp_status fill_job(const bp_choice *choice, const bp_operator *op, int degree,
                          int64_t elements, uint64_t seed, bp_job *job, int64_t *scratch,
                          bool *fits)
{
  bp_cuda_shape shapes[BP_LAUNCHES_MAX];
  bp_status status = bp_cuda_shapes(&limits, choice, op, degree, elements, shapes, scratch, fits);
  if (status || !*fits)
    return status;
  *job = (bp_job){.elements = (int)elements,
                  .degree = degree,
                  .seed = seed,
                  .orders = elements <= BOTH_ORDERS ? 2 : 1,
                  .seconds_max = SECONDS_MAX,
                  .launches_count = choice->variant->launches_count};
  for (int n = 0; n < job->launches_count; ++n) {
    bp_job_launch *launch = &job->launches[n];
    snprintf(launch->kernel, sizeof launch->kernel, "%s", choice->variant->launches[n].kernel);
    for (int d = 0; d < 3; ++d)
      launch->threads[d] = (unsigned)shapes[n].threads[d];
    launch->blocks = (unsigned)shapes[n].blocks;
    launch->shared = shapes[n].shared;
  }
  return BP_OK;
}

static emulate_plan *new_plan(bp_device *device, const bp_choice *choice, const bp_job *job)
{
  emulate_plan *p = bp_alloc(1, sizeof *p);
  const bp_job_launch *last = &job->launches[job->launches_count - 1];
  p->file = -1;
  p->base.device = device;
  p->base.choice = *choice;
  p->base.details =
      (bp_plan_details){-1,
                        -1,
                        last->shared,
                        -1,
                        last->blocks,
                        (int64_t)last->threads[0] * last->threads[1] * last->threads[2],
                        0,
                        0,
                        NAN};
  return p;
}

static bp_status plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan)
{
  const emulate_device *d = (const emulate_device *)workspace->device;
  const bp_problem *problem = workspace->problem;
  const bp_basis *basis = &problem->basis;
  bp_layout layout;
  bp_job job;
  int64_t scratch;
  bool fits = false;
  bp_status status = bp_layout_parse(choice->variant->factors, 1, &layout);
  if (!status)
    status = fill_job(choice, problem->op, basis->degree, problem->elements, d->seed, &job,
                      &scratch, &fits);
  if (status || !fits)
    return status;
  int64_t counts[BP_JOB_ARRAYS] = {
      (int64_t)basis->nc * basis->nq,    (int64_t)basis->nc * basis->nc,
      bp_layout_count(&layout, problem), bp_problem_dofs(problem),
      bp_problem_dofs(problem),          scratch};
  emulate_plan *p = new_plan(workspace->device, choice, &job);
  p->base.workspace = workspace;
  job.lambda = problem->lambda;
  job.bytes = place_arrays(&job, counts);
  status = bp_emulate_build(d->compiler, choice, problem->op, basis->degree, &p->program,
                            &p->base.details.compile_seconds);
  if (!status)
    status = open_file(p, &job);
  if (status) {
    plan_destroy(&p->base);
    return status;
  }
  memcpy(array_of(p, BP_JOB_I), basis->I, (size_t)counts[BP_JOB_I] * sizeof(double));
  memcpy(array_of(p, BP_JOB_D), basis->D, (size_t)counts[BP_JOB_D] * sizeof(double));
  bp_layout_fill(&layout, problem, array_of(p, BP_JOB_FACTORS));
  *plan = &p->base;
  return BP_OK;
}

static bp_status plan_apply(bp_plan *plan)
{
  emulate_plan *p = (emulate_plan *)plan;
  emulate_workspace *w = (emulate_workspace *)plan->workspace;
  if (!p->job) {
    memcpy(p->to, p->from, p->bytes);
    return BP_OK;
  }
  size_t bytes = (size_t)p->job->arrays[BP_JOB_V].count * sizeof(double);
  memcpy(array_of(p, BP_JOB_U), w->u, bytes);
  bp_status status = bp_emulate_run(p->program, plan->choice.variant->text->file, p->job, p->file);
  if (!status)
    memcpy(w->v, array_of(p, BP_JOB_V), bytes);
  return status;
}

const bp_job *bp_emulate_job(const bp_plan *plan)
{
  return ((const emulate_plan *)plan)->job;
}

/* The time of the emulation, in one order of threads: it says nothing of a GPU. */
static bp_status time_program(emulate_plan *p, int64_t repetitions, double *seconds)
{
  bp_status status = BP_OK;
  int orders = p->job->orders;
  *seconds = 0;
  p->job->orders = 1;
  for (int64_t n = 0; n < repetitions && !status; ++n) {
    status = plan_apply(&p->base);
    *seconds += p->job->seconds / (double)repetitions;
  }
  p->job->orders = orders;
  return status;
}

static bp_status plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds)
{
  emulate_plan *p = (emulate_plan *)plan;
  (void)cold;
  if (p->job)
    return time_program(p, repetitions, seconds);
  double begin = bp_clock();
  for (int64_t n = 0; n < repetitions; ++n)
    memcpy(p->to, p->from, p->bytes);
  *seconds = (bp_clock() - begin) / (double)repetitions;
  return BP_OK;
}

/* By the host, so that `bp run` goes its whole way without a GPU. */
static bp_status copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan)
{
  emulate_plan *p = bp_alloc(1, sizeof *p);
  (void)cold;
  p->base.device = device;
  p->base.details = (bp_plan_details){-1, -1, -1, -1, -1, 1, 0, 0, NAN};
  p->file = -1;
  p->bytes = (size_t)bytes;
  p->from = bp_alloc_array(p->bytes + 1, 1);
  p->to = bp_alloc_array(p->bytes + 1, 1);
  memset(p->from, 1, p->bytes);
  memset(p->to, 0, p->bytes);
  *plan = &p->base;
  return BP_OK;
}

static bp_status peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan)
{
  (void)device, (void)plan;
  return bp_fail(BP_ENVIRONMENT, "emulate: %s has no peak to be measured", choice->variant->id);
}

const bp_backend bp_backend_emulate = {
    .name = "emulate",
    .language = BP_LANGUAGE_CUDA,
    .device_create = device_create,
    .device_destroy = device_destroy,
    .prepare = prepare,
    .workspace_create = workspace_create,
    .workspace_destroy = workspace_destroy,
    .workspace_write = workspace_write,
    .workspace_poison = workspace_poison,
    .workspace_read = workspace_read,
    .workspace_guards = workspace_guards,
    .plan_create = plan_create,
    .copy_create = copy_create,
    .peak_create = peak_create,
    .plan_destroy = plan_destroy,
    .plan_apply = plan_apply,
    .plan_time = plan_time,
};
