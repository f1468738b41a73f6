/* apply.c -- `bp apply`: applies one operator once and saves what another program needs to verify it. */
#include "apply_assembled.h"
#include "assembled.h"
#include "bench/cases.h"
#include "bench/open.h"
#include "cli/command.h"
#include "terminal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "fem/reference.h"
#include "measure/verify.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  bp_config *config;
  bool is_reference; /* --variants reference: no kernel at all */
  const char *u_path, *prefix;
  bp_device *device;
  bp_cases *cases;
  const bp_case *c;
  bp_mesh *box; /* owned; NULL when the mesh is a file's */
  const bp_mesh *mesh;
  bp_problem *problem;
  double *u, *v, *reference;
} application;

static bp_status expect_one(const char *option, const char *what, int found)
{
  if (found == 1)
    return BP_OK;
  if (found == 0)
    return bp_fail(BP_BAD_INPUT, "bp apply: %s: expected one %s, found none", option, what);
  return bp_fail(BP_BAD_INPUT, "bp apply: %s: expected one %s, found %d of them", option, what,
                 found);
}

static bp_status read_arguments(application *a, const bp_arguments *arguments)
{
  bp_config *c = a->config;
  const char *problem = bp_argument_string(arguments, "problem");
  bp_status status = problem ? bp_config_set(c, "problem", problem, "--problem") : BP_OK;
  const bp_operator *op = problem ? bp_operator_find(problem) : NULL;
  if (!status && op && op->components == 0)
    status = bp_fail(BP_BAD_INPUT, "bp apply: --problem: expected an operator on a mesh, found %s",
                     problem);
  if (!status && bp_argument_has(arguments, "fixed"))
    status = bp_fail(BP_BAD_INPUT, "bp apply: --fixed: expected a problem of bp1..bp6, found %s",
                     problem ? problem : "none");
  if (!status)
    status = bp_arguments_to_config(arguments, c);
  a->u_path = bp_argument_string(arguments, "u");
  a->prefix = bp_argument_string(arguments, "output");
  if (!status)
    status = expect_one("--problem", "problem", c->problems.count);
  if (!status)
    status = expect_one("--degree", "degree", c->degrees.count);
  if (!status && !c->mesh && !c->box[0] && c->elements.count != 1)
    status = bp_fail(BP_BAD_INPUT, "bp apply: expected --mesh FILE or --box AxBxC, found neither");
  if (!status && !a->prefix)
    status = bp_fail(BP_BAD_INPUT, "bp apply: expected --output PREFIX, found none");
  if (status)
    return status;
  a->is_reference = c->variants.count == 1 && strcmp(c->variants.items[0], "reference") == 0;
  if (a->is_reference) /* what it runs on and would be compared with does not matter then */
    status = bp_config_set(c, "variants", "best", "bp apply");
  if (!status && a->is_reference)
    status = bp_config_set(c, "backend", "cpu", "bp apply");
  return status ? status : bp_config_check(c);
}

/* Finds the one case that the arguments mean. */
static bp_status find_case(application *a)
{
  const bp_events events = bp_terminal_events();
  char *path = bp_format("%s-x.npy", a->prefix);
  bp_status status = bp_output_check(path);
  bp_free(path);
  if (!status)
    status = bp_bench_open(a->config, bp_comm_self(), &events, &a->device);
  if (!status)
    status = bp_cases_create(a->config, a->device, &a->cases);
  if (status)
    return status;
  a->c = &a->cases->items[0];
  return expect_one("--variants", "variant", a->c->choices_count);
}

/* x, u, v, the reference and its scale, on top of the problem. */
static bp_status check_memory(const application *a)
{
  char vectors[32], factors[32], available[32];
  int64_t nq = a->c->space.degree + 1,
          vector = a->mesh->elements * nq * nq * nq * (int64_t)sizeof(double);
  int64_t bytes = bp_problem_bytes(a->c->op, a->c->space, a->mesh->elements);
  int64_t have = bp_memory_available(), more = 7 * vector;
  if (bytes <= have && more <= have - bytes)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT,
                 "memory: bp apply needs %s for vectors beside the factors' %s, available: %s",
                 bp_print_bytes(vectors, (double)more), bp_print_bytes(factors, (double)bytes),
                 bp_print_bytes(available, (double)have));
}

static bp_status make_problem(application *a)
{
  const int64_t *n = a->c->box;
  bp_status status = BP_OK;
  if (n[0])
    status = bp_mesh_box(n[0], n[1], n[2], a->config->warp, &a->box);
  a->mesh = n[0] ? a->box : a->cases->mesh;
  if (!status)
    status = check_memory(a);
  if (!status)
    status = bp_problem_create(a->c->op, a->c->space, a->c->lambda, a->mesh, &a->problem);
  return status;
}

/* ---- vectors ---- */

static void shape_of(const application *a, int64_t shape[5])
{
  int64_t nq = a->problem->basis.nq, full[5] = {a->problem->elements, nq, nq, nq, 3};
  memcpy(shape, full, sizeof full);
}

static bp_status read_u(application *a)
{
  int64_t shape[5], count = bp_problem_dofs(a->problem);
  shape_of(a, shape);
  bp_status status = bp_npy_read(a->u_path, 4, shape, &a->u);
  for (int64_t n = 0; !status && n < count; ++n)
    if (!isfinite(a->u[n]))
      status = bp_fail(BP_BAD_INPUT, "%s: expected finite numbers, found %g at index %lld",
                       a->u_path, a->u[n], (long long)n);
  return status;
}

static bp_status make_vectors(application *a)
{
  size_t count = (size_t)bp_problem_dofs(a->problem);
  a->v = bp_alloc_array(count, sizeof *a->v);
  a->reference = bp_alloc_array(count, sizeof *a->reference);
  if (a->u_path)
    return read_u(a);
  a->u = bp_alloc_array(count, sizeof *a->u);
  bp_fill(0, (uint64_t)a->config->seed, a->problem, a->u);
  printf("seed %lld\n", (long long)a->config->seed);
  return BP_OK;
}

static bp_status apply_kernel(application *a)
{
  const bp_choice *choice = &a->c->choices[0];
  bp_workspace *w = NULL;
  bp_plan *plan = NULL;
  bp_status status = bp_workspace_create(a->device, a->problem, true, &w);
  if (!status)
    status = bp_workspace_write(w, a->u);
  if (!status)
    status = bp_workspace_poison(w);
  if (!status)
    status = bp_plan_create(w, choice, &plan);
  if (status == BP_SKIPPED) {
    char *why = bp_strdup(bp_message());
    status = bp_fail(BP_ENVIRONMENT, "%s: cannot run here: %s", choice->variant->id, why);
    bp_free(why);
  }
  if (!status)
    status = bp_plan_apply(plan);
  if (!status)
    status = bp_workspace_guards(w);
  if (!status)
    status = bp_workspace_read(w, a->v);
  bp_plan_destroy(plan);
  bp_workspace_destroy(w);
  return status;
}

/* The error of each element relative to its largest |v|; where u is the user's, v may cancel, so then to
 * |A||u|. */
static double error_of(const application *a, int64_t *where)
{
  const bp_problem *p = a->problem;
  if (!a->u_path)
    return bp_reference_error(p, 0, p->elements, a->v, a->reference, where);
  double *scale = bp_alloc_array((size_t)bp_problem_dofs(p), sizeof *scale);
  bp_reference_magnitude(p, 0, p->elements, a->u, scale);
  double error = bp_reference_error_to_scale(p, 0, p->elements, a->v, a->reference, scale, where);
  bp_free(scale);
  return error;
}

static bp_status verify(const application *a)
{
  const bp_problem *p = a->problem;
  int64_t where;
  double error = error_of(a, &where), tolerance = bp_reference_tolerance(p);
  char *options = a->is_reference ? bp_strdup("") : bp_choice_options(&a->c->choices[0]);
  bp_print(
      stdout,
      "%s, degree %d, lambda %g, %lld elements of %s\n%s%s%s on %s: error %.2g of %s, tolerance "
      "%.2g\n",
      p->op->name, p->basis.degree, p->lambda, (long long)p->elements, a->mesh->name,
      a->is_reference ? "reference" : a->c->choices[0].variant->name, *options ? " " : "", options,
      a->device->name, error, a->u_path ? "|A||u|" : "|v|", tolerance);
  bp_free(options);
  if (error <= tolerance)
    return BP_OK;
  fprintf(stderr, "bp apply: wrong: expected %.17g, found %.17g at index %lld of v\n",
          a->reference[where], a->v[where], (long long)where);
  return BP_WRONG;
}

static bp_status apply(application *a)
{
  bp_status status = BP_OK;
  bp_reference_apply(a->problem, 0, a->problem->elements, a->u, a->reference);
  if (a->is_reference)
    memcpy(a->v, a->reference, (size_t)bp_problem_dofs(a->problem) * sizeof *a->v);
  else
    status = apply_kernel(a);
  if (status == BP_WRONG) /* a guard was overwritten or a launch failed */
    fprintf(stderr, "bp apply: %s\n", bp_message());
  return status ? status : verify(a);
}

/* ---- files ---- */

static bp_status write_array(const application *a, const char *name, int rank, const double *data)
{
  int64_t shape[5];
  shape_of(a, shape);
  return bp_write_npy(a->prefix, name, BP_NPY_FLOAT64, rank, shape, data);
}

static bp_status write_arrays(const application *a)
{
  double *x = bp_alloc_array(3 * (size_t)bp_problem_dofs(a->problem), sizeof *x);
  bp_problem_nodes(a->mesh, a->problem->basis.degree, 0, a->mesh->elements, x);
  bp_status status = write_array(a, "x", 5, x);
  if (!status)
    status = write_array(a, "u", 4, a->u);
  if (!status)
    status = write_array(a, "v", 4, a->v);
  bp_free(x);
  return status;
}

/* A wrong v is written too, for whoever wants to know how it is wrong; the exit code tells. */
static bp_status apply_and_write(application *a)
{
  bp_status status = apply(a);
  if (status && status != BP_WRONG)
    return status;
  bp_status written = write_arrays(a);
  return written ? written : status;
}

bp_status bp_command_apply(const bp_arguments *arguments)
{
  const char *problem = bp_argument_string(arguments, "problem");
  const bp_bake_off *row = problem ? bp_bake_off_find(problem) : NULL;
  if (row)
    return bp_apply_assembled(arguments, row);
  application a = {.config = bp_config_default()};
  bp_status status = read_arguments(&a, arguments);
  if (!status)
    status = find_case(&a);
  if (!status)
    status = make_problem(&a);
  if (!status)
    status = make_vectors(&a);
  if (!status)
    status = apply_and_write(&a);
  bp_free(a.u);
  bp_free(a.v);
  bp_free(a.reference);
  bp_problem_destroy(a.problem);
  bp_mesh_destroy(a.box);
  bp_cases_destroy(a.cases);
  bp_device_destroy(a.device);
  bp_config_destroy(a.config);
  return status;
}
