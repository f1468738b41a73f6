/* backend_cpu.c -- the CPU: variants in C, threads by OpenMP, each with its own range of elements.
 */
#include "device/plan.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/cpu/cpu_array.h"
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { LINE_DOUBLES = 8, LAYOUTS_MAX = 8 };

typedef struct {
  bp_device base;
  int threads;
  bp_isa isa;
  double *flush; /* as large as needed to push everything else out of the caches */
  int64_t flush_count;
} cpu_device;

typedef struct {
  bp_workspace base;
  bp_cpu_array u, v;
  struct {
    bp_layout layout;
    bp_cpu_array factors;
  } layouts[LAYOUTS_MAX];
  int layouts_count;
  bool guarded;
} cpu_workspace;

typedef struct {
  bp_plan base;
  bp_cpu_arguments arguments;
  bp_cpu_kernel *kernel;
  bp_cpu_array u, v;     /* of copies and peaks, which have no workspace */
  bp_cpu_array scratch;  /* all threads' */
  int64_t scratch_count; /* of one thread, whole cache lines */
  int64_t unit;          /* threads' ranges start at multiples of it */
} cpu_plan;

/* What thread `t` of `threads` does of 0..count-1, in whole units. */
static void range_of(int64_t count, int64_t unit, int t, int threads, int64_t *first, int64_t *last)
{
  int64_t units = (count + unit - 1) / unit;
  *first = units * t / threads * unit;
  *last = units * (t + 1) / threads * unit;
  *last = *last < count ? *last : count;
}

/* ---- device ---- */

static void read_model_name(char name[128])
{
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  strcpy(name, "CPU");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "model name : %127[^\n]", name) == 1)
      break;
  if (f)
    fclose(f);
}

/* The system's tables first: what sysconf says counts the caches of the whole socket on some
 * machines. */
static int64_t last_cache_bytes(void)
{
  int64_t bytes = 32 << 20, found;
  char path[64], unit;
  for (int n = 0; n < 5; ++n) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", n);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%" SCNd64 "%c", &found, &unit) == 2)
      bytes = found * (unit == 'M' ? 1 << 20 : 1 << 10);
    if (f)
      fclose(f);
  }
  return bytes;
}

static bp_status device_create(const bp_device_options *options, bp_device **device)
{
  bp_isa isa = options->isa_is_forced ? options->isa : bp_isa_best();
  if (!bp_isa_runs(isa))
    return bp_fail(BP_ENVIRONMENT, "isa %s: this processor does not have it", bp_isa_names[isa]);
  if (!bp_isa_is_built(isa))
    return bp_fail(BP_ENVIRONMENT,
                   "isa %s: this binary holds no kernels for it; build with `make ISA=all`",
                   bp_isa_names[isa]);
  char model[128];
  read_model_name(model);
  cpu_device *d = bp_alloc(1, sizeof *d);
  d->isa = isa;
  d->threads = options->threads > 0 ? options->threads : omp_get_max_threads();
  d->base = (bp_device){
      .backend = &bp_backend_cpu,
      .name = bp_format("%s, %d thread%s, %s", model, d->threads, d->threads > 1 ? "s" : "",
                        bp_isa_names[isa]),
      .lanes = bp_isa_lanes(isa),
      .sms = d->threads,
      .cache_bytes = last_cache_bytes(),
      .memory_free = bp_memory_available(),
      .peak_bytes_per_second = NAN,
  };
  *device = &d->base;
  return BP_OK;
}

static void device_destroy(bp_device *device)
{
  cpu_device *d = (cpu_device *)device;
  bp_free(d->flush);
  bp_free(d->base.name);
  bp_free(d);
}

/* ---- workspace ---- */

static bp_status workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                                  bp_workspace **workspace)
{
  cpu_workspace *w = bp_alloc(1, sizeof *w);
  w->base = (bp_workspace){.device = device, .problem = problem};
  w->guarded = guarded;
  w->u = bp_cpu_array_create("u", bp_problem_dofs(problem), guarded);
  w->v = bp_cpu_array_create("v", bp_problem_dofs(problem), guarded);
  *workspace = &w->base;
  return BP_OK;
}

static void workspace_destroy(bp_workspace *workspace)
{
  cpu_workspace *w = (cpu_workspace *)workspace;
  bp_cpu_array_destroy(&w->u);
  bp_cpu_array_destroy(&w->v);
  for (int n = 0; n < w->layouts_count; ++n)
    bp_cpu_array_destroy(&w->layouts[n].factors);
  bp_free(w);
}

/* Each thread writes the elements that it will later compute, so their pages lie near it. */
static bp_status workspace_write(bp_workspace *workspace, const double *u)
{
  cpu_workspace *w = (cpu_workspace *)workspace;
  int threads = ((cpu_device *)workspace->device)->threads;
  int64_t nodes = w->u.count / workspace->problem->elements;
#pragma omp parallel num_threads(threads)
  {
    int64_t first, last;
    range_of(workspace->problem->elements, workspace->device->lanes, omp_get_thread_num(),
             omp_get_num_threads(), &first, &last);
    memcpy(w->u.data + first * nodes, u + first * nodes, (size_t)((last - first) * nodes) * 8);
  }
  return BP_OK;
}

static bp_status workspace_poison(bp_workspace *workspace)
{
  cpu_workspace *w = (cpu_workspace *)workspace;
  int threads = ((cpu_device *)workspace->device)->threads;
  int64_t nodes = w->u.count / workspace->problem->elements;
#pragma omp parallel num_threads(threads)
  {
    int64_t first, last;
    range_of(workspace->problem->elements, workspace->device->lanes, omp_get_thread_num(),
             omp_get_num_threads(), &first, &last);
    for (int64_t n = first * nodes; n < last * nodes; ++n)
      w->v.data[n] = NAN;
  }
  return BP_OK;
}

static bp_status workspace_read(bp_workspace *workspace, double *v)
{
  cpu_workspace *w = (cpu_workspace *)workspace;
  memcpy(v, w->v.data, (size_t)w->v.count * sizeof *v);
  return BP_OK;
}

static bp_status workspace_guards(bp_workspace *workspace)
{
  const cpu_workspace *w = (const cpu_workspace *)workspace;
  bp_status status = bp_cpu_array_check(&w->u);
  if (!status)
    status = bp_cpu_array_check(&w->v);
  for (int n = 0; n < w->layouts_count && !status; ++n)
    status = bp_cpu_array_check(&w->layouts[n].factors);
  return status;
}

/* The factors in the order asked for, made on the first request. */
static const double *factors_of(cpu_workspace *w, const bp_layout *layout, double *seconds)
{
  for (int n = 0; n < w->layouts_count; ++n)
    if (bp_layout_is_same(&w->layouts[n].layout, layout))
      return w->layouts[n].factors.data;
  BP_ASSERT(w->layouts_count < LAYOUTS_MAX);
  double start = bp_clock();
  int n = w->layouts_count++;
  w->layouts[n].layout = *layout;
  w->layouts[n].factors =
      bp_cpu_array_create("the factors", bp_layout_count(layout, w->base.problem), w->guarded);
  bp_layout_fill(layout, w->base.problem, w->layouts[n].factors.data);
  *seconds = bp_clock() - start;
  return w->layouts[n].factors.data;
}

/* ---- plans ---- */

static bp_status create_scratch(cpu_plan *p, const bp_operator *op, int degree, int64_t elements,
                                bool guarded)
{
  const cpu_device *d = (const cpu_device *)p->base.device;
  bp_name names[BP_NAMES_MAX];
  int64_t count = 0;
  bp_choice_names(&p->base.choice, op, degree, elements, d->base.lanes, d->threads, names);
  if (p->base.choice.variant->scratch) {
    bp_status status = bp_expression_evaluate(p->base.choice.variant->scratch, names, &count);
    if (status)
      return status;
  }
  p->scratch_count = (count + LINE_DOUBLES - 1) / LINE_DOUBLES * LINE_DOUBLES;
  p->scratch = bp_cpu_array_create("scratch", p->scratch_count * d->threads, guarded);
  return BP_OK;
}

static cpu_plan *new_plan(bp_device *device, const bp_choice *choice)
{
  cpu_plan *p = bp_alloc(1, sizeof *p);
  p->base.device = device;
  p->base.choice = *choice;
  p->base.details =
      (bp_plan_details){-1, -1, -1, -1, -1, ((cpu_device *)device)->threads, NAN, 0, NAN};
  p->arguments.option = p->base.choice.option;
  p->unit = 1;
  return p;
}

static void plan_destroy(bp_plan *plan)
{
  cpu_plan *p = (cpu_plan *)plan;
  bp_cpu_array_destroy(&p->u);
  bp_cpu_array_destroy(&p->v);
  bp_cpu_array_destroy(&p->scratch);
  bp_free(p);
}

static bp_cpu_kernel *kernel_of(const cpu_device *d, const bp_variant *variant, int degree)
{
  return variant->text->cpu[d->isa][variant->compiled_once ? 0 : degree];
}

static bp_status plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan)
{
  cpu_workspace *w = (cpu_workspace *)workspace;
  const bp_problem *problem = workspace->problem;
  const bp_basis *basis = &problem->basis;
  bp_layout layout;
  bp_status status = bp_layout_parse(choice->variant->factors, workspace->device->lanes, &layout);
  if (status)
    return status;
  cpu_plan *p = new_plan(workspace->device, choice);
  p->base.workspace = workspace;
  p->kernel = kernel_of((const cpu_device *)workspace->device, choice->variant, basis->degree);
  p->unit = layout.lanes;
  status = create_scratch(p, problem->op, basis->degree, problem->elements, w->guarded);
  if (status) {
    plan_destroy(&p->base);
    return status;
  }
  p->arguments = (bp_cpu_arguments){
      .degree = basis->degree,
      .nq = basis->nq,
      .nc = basis->nc,
      .elements = problem->elements,
      .lambda = problem->lambda,
      .I = basis->I,
      .D = basis->D,
      .factors = factors_of(w, &layout, &p->base.details.setup_seconds),
      .u = w->u.data,
      .v = w->v.data,
      .option = p->base.choice.option,
  };
  *plan = &p->base;
  return BP_OK;
}

static void fill_parallel(bp_cpu_array *a, double value, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t n = 0; n < a->count; ++n)
    a->data[n] = value + 1e-9 * (double)(n & 1023);
}

/* Plans without a problem: `count` units of work over arrays of `doubles` doubles. */
static bp_plan *create_machine_plan(bp_device *device, const bp_choice *choice, int64_t count,
                                    int64_t doubles, int64_t unit)
{
  const cpu_device *d = (const cpu_device *)device;
  cpu_plan *p = new_plan(device, choice);
  p->kernel = kernel_of(d, choice->variant, 1);
  p->unit = unit;
  p->u = bp_cpu_array_create("u", doubles, false);
  p->v = bp_cpu_array_create("v", doubles, false);
  fill_parallel(&p->u, 0.5, d->threads);
  fill_parallel(&p->v, 0.25, d->threads);
  p->arguments.elements = count;
  p->arguments.u = p->u.data;
  p->arguments.v = p->v.data;
  return &p->base;
}

static bp_status copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan)
{
  const bp_variant *copy = bp_variant_find("peaks/copy", BP_LANGUAGE_C);
  (void)cold; /* there is but one */
  BP_ASSERT(copy);
  bp_choice choice = bp_choice_standard(copy);
  int64_t doubles = (bytes + 7) / 8;
  *plan = create_machine_plan(device, &choice, doubles, doubles, LINE_DOUBLES);
  return BP_OK;
}

/* A peak is work without data: so many rounds that one application takes some tenths of a
 * millisecond. */
static bp_status peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan)
{
  enum { ROUNDS = 100000 };
  int64_t rounds = ROUNDS * (int64_t)((cpu_device *)device)->threads, flops;
  bp_name names[BP_NAMES_MAX];
  bp_choice_names(choice, NULL, 1, rounds, device->lanes, device->sms, names);
  bp_status status = bp_expression_evaluate(choice->variant->flops, names, &flops);
  if (status)
    return status;
  *plan = create_machine_plan(device, choice, rounds, rounds + LINE_DOUBLES, 1);
  (*plan)->work = (double)flops * (double)rounds;
  return BP_OK;
}

static bp_status plan_apply(bp_plan *plan)
{
  cpu_plan *p = (cpu_plan *)plan;
  int threads = ((cpu_device *)plan->device)->threads;
#pragma omp parallel num_threads(threads)
  {
    bp_cpu_arguments arguments = p->arguments;
    int64_t first, last;
    int t = omp_get_thread_num();
    arguments.scratch = p->scratch.data ? p->scratch.data + t * p->scratch_count : NULL;
    range_of(arguments.elements, p->unit, t, omp_get_num_threads(), &first, &last);
    if (first < last)
      p->kernel(&arguments, first, last);
  }
  return p->scratch.data ? bp_cpu_array_check(&p->scratch) : BP_OK;
}

/* Writes more than the caches hold, by the threads that will compute, so that nothing is left in
 * them. */
static void flush_caches(cpu_device *d)
{
  if (!d->flush) {
    d->flush_count = 4 * d->base.cache_bytes / (int64_t)sizeof(double);
    d->flush = bp_alloc_array((size_t)d->flush_count, sizeof *d->flush);
  }
#pragma omp parallel for schedule(static) num_threads(d->threads)
  for (int64_t n = 0; n < d->flush_count; ++n)
    d->flush[n] = (double)n;
}

static bp_status plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds)
{
  if (cold)
    flush_caches((cpu_device *)plan->device);
  double start = bp_clock();
  for (int64_t n = 0; n < repetitions; ++n) {
    bp_status status = plan_apply(plan);
    if (status)
      return status;
  }
  *seconds = (bp_clock() - start) / (double)repetitions;
  return BP_OK;
}

const bp_backend bp_backend_cpu = {
    .name = "cpu",
    .language = BP_LANGUAGE_C,
    .device_create = device_create,
    .device_destroy = device_destroy,
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
