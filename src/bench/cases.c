/* cases.c -- expanding a config into cases. */
#include "bench/cases.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/open_device.h"
#include "device/machine.h"
#include "mesh/curve.h"
#include "mesh/mesh.h"
#include "solve/load.h"
#include "solve/multigrid.h"
#include "solve/system.h"
#include <string.h>

/* ---- expanding ---- */

/* With its size; false where the config asks for fewer. */
static bool make_case(const bp_cases *cases, const char *problem, int degree, int beyond, int size,
                      bp_case *c)
{
  *c = bp_case_of(cases->config, problem, degree, beyond);
  c->mesh = cases->mesh;
  c->former = cases->former;
  c->connectivity = cases->connectivity;
  c->cells = c->kind->has_cells ? cases->cells[c->space.shape] : NULL;
  return bp_case_size(cases, size, c);
}

bp_best_wanted bp_case_wanted(const bp_cases *cases, const bp_case *c)
{
  return (bp_best_wanted){.device = cases->device->name,
                          .problem = bp_case_problem(c),
                          .degree = c->space.degree,
                          .points = bp_operator_other_points(c->op, c->space),
                          .elements = c->elements,
                          .sms = cases->device->sms,
                          .limits = bp_device_best_limits(cases->device),
                          .op = c->op,
                          .space = c->space,
                          .language = cases->device->backend->language};
}

/* With its choices; it is not added where no variant fits. */
static bp_status add_case(bp_cases *cases, const bp_sweep *sweeps, bp_case new)
{
  const bp_config *c = cases->config;
  new.elements = new.box[0] ? new.box[0] * new.box[1] * new.box[2] : cases->mesh->elements;
  bp_selection selection = {
      .problem = bp_case_kernels(&new),
      .asked = bp_case_problem(&new),
      .degree = new.space.degree,
      .points = bp_operator_other_points(new.op, new.space),
      .elements = new.elements / cases->comm->size,
      .language = cases->device->backend->language,
      .device = cases->device->name,
      .sms = cases->device->sms,
      .limits = bp_device_best_limits(cases->device),
      .op = new.op,
      .space = new.space,
      .for_ranks = new.solve && cases->comm->size > 1,
      .is_tuned = cases->is_tuned,
      .patterns = (const char *const *)c->variants.items,
      .patterns_count = c->variants.count,
      .sweeps = sweeps,
      .sweeps_count = c->options.count,
  };
  bp_status status;
  new.choices_count = bp_select(&selection, &new.choices, &status);
  if (status || new.choices_count == 0) {
    bp_free(new.choices);
    return status;
  }
  new.quadrature = bp_operator_quadrature(bp_operator_find(new.op->name), new.space);
  cases->items = bp_realloc(cases->items, (size_t)cases->count + 1, sizeof *cases->items);
  cases->items[cases->count++] = new;
  return BP_OK;
}

/* What has no choice of points is told, rather than run with its own. */
static bp_status check_quadrature(const bp_config *c, const char *problem)
{
  const int beyond = c->quadrature.count ? (int)c->quadrature.items[0] : 0;
  const char *place = bp_config_where(c, beyond ? "quadrature" : "rule");
  return bp_bake_off_check_points(problem, beyond, c->rule, place ? place : "quadrature");
}

/* A problem that has no kernels for the geometry or the precision asked for would be left out in silence. */
static bp_status check_space(const bp_cases *cases, const char *problem, bp_space space)
{
  const char *key = space.geometry ? "geometry" : "precision",
             *place = bp_config_where(cases->config, key);
  if (!space.geometry && !space.precision)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected a problem with kernels of backend %s for %s%s%s%s%s, found %s (see "
                 "docs/fewer-bytes.md)",
                 place ? place : key, cases->device->backend->name, bp_space_geometry(space),
                 space.geometry ? " elements" : "",
                 space.geometry && space.precision ? " and " : "",
                 space.precision ? cases->config->precision : "",
                 space.precision ? " precision" : "", problem);
}

static bp_status add_cases(bp_cases *cases, const bp_sweep *sweeps, const char *problem)
{
  const bp_config *c = cases->config;
  const int before = cases->count;
  const int64_t own = 0, *beyond = c->quadrature.count ? c->quadrature.items : &own;
  bp_case one, new;
  bp_status status = check_quadrature(c, problem);
  if (!status && cases->comm->size > 1 && !bp_case_of(c, problem, 1, 0).kind->has_mesh)
    status = bp_fail(BP_BAD_INPUT, "problem: expected one whose elements ranks can share, found %s",
                     problem);
  for (int s = 0; !status && make_case(cases, problem, 1, 0, s, &one); ++s) {
    const bp_config_numbers *degrees = one.kind->by_species ? &c->species : &c->degrees;
    for (int d = 0; d < degrees->count; ++d)
      for (int q = 0; q < (c->quadrature.count ? c->quadrature.count : 1) && !status; ++q) {
        if (one.kind->highest && degrees->items[d] > one.kind->highest)
          continue;
        make_case(cases, problem, (int)degrees->items[d], (int)beyond[q], s, &new);
        status = add_case(cases, sweeps, new);
      }
  }
  if (!status && cases->count == before)
    status = check_space(cases, problem, bp_case_of(c, problem, 1, 0).space);
  return status;
}

static bp_language other_language(const bp_cases *cases)
{
  return cases->device->backend->language == BP_LANGUAGE_C ? BP_LANGUAGE_CUDA : BP_LANGUAGE_C;
}

/* Whether the n-th pattern means variants of a language, by one rank; with an option, unless that is NULL. */
static bool means(const bp_cases *cases, int n, const char *problem, bp_language language,
                  const char *option)
{
  const bp_config *c = cases->config;
  bp_choice *choices = NULL;
  bp_status status;
  bool found = false;
  bp_selection selection = {.problem = problem,
                            .degree = (int)c->degrees.items[0],
                            .language = language,
                            .device = cases->device->name,
                            .patterns = (const char *const *)&c->variants.items[n],
                            .patterns_count = 1};
  const int count = bp_select(&selection, &choices, &status);
  for (int i = 0; i < count && !found; ++i)
    found = !option || bp_choice_has(choices[i].variant, option);
  bp_free(choices);
  return found;
}

/* The first such pattern; NULL: none. */
static const char *pattern_in(const bp_cases *cases, const char *problem, bp_language language)
{
  for (int n = 0; n < cases->config->variants.count; ++n)
    if (means(cases, n, problem, language, NULL))
      return cases->config->variants.items[n];
  return NULL;
}

/* Why nothing was selected. */
static bp_status nothing_fits(const bp_cases *cases, const char *place)
{
  const bp_backend *backend = cases->device->backend;
  const bp_case first = bp_case_of(cases->config, cases->config->problems.items[0], 1, 0);
  const char *problem = bp_case_kernels(&first);
  const char *other = pattern_in(cases, problem, other_language(cases));
  const char *instead = backend->language != BP_LANGUAGE_C ? "the CPU's: --backend cpu"
                        : cases->config->options.count
                            ? "CUDA's: --backend cuda or emulate"
                            : "CUDA's: --backend cuda or emulate, or --variants best";
  if (!other)
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected a variant that backend %s can run, found those of another problem "
                   "or degree",
                   place, backend->name);
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected a variant that backend %s can run, found '%s', which is %s", place,
                 backend->name, other, instead);
}

/* Whether variants that this backend passes over have it. */
static bool is_passed_over(const bp_cases *cases, const char *option)
{
  const bp_config *c = cases->config;
  for (int p = 0; p < c->problems.count; ++p) {
    const bp_case one = bp_case_of(c, c->problems.items[p], 1, 0);
    const char *problem = bp_case_kernels(&one);
    for (int n = 0; n < c->variants.count; ++n)
      if (means(cases, n, problem, other_language(cases), option) &&
          !means(cases, n, problem, cases->device->backend->language, NULL))
        return true;
  }
  return false;
}

/* An option that no selected variant has would change nothing. */
static bp_status check_sweep(const bp_cases *cases, const char *option)
{
  for (int n = 0; n < cases->count; ++n)
    for (int i = 0; i < cases->items[n].choices_count; ++i)
      if (bp_choice_has(cases->items[n].choices[i].variant, option))
        return BP_OK;
  if (is_passed_over(cases, option))
    return BP_OK;
  const char *place = bp_config_where(cases->config, "options");
  return bp_fail(
      BP_BAD_INPUT,
      "%s: expected options of the selected variants, found '%s', which none of them has",
      place ? place : "options", option);
}

static bool has_solve_of(const bp_config *c)
{
  bool has = false;
  for (int p = 0; p < c->problems.count; ++p)
    has = has || bp_case_of(c, c->problems.items[p], 1, 0).kind->is_solved;
  return has;
}

/* Of p-multigrid and of precision. */
static bp_status check_multigrid(const bp_cases *cases)
{
  const bp_config *c = cases->config;
  bp_status status = BP_OK;
  for (int d = 0; d < c->degrees.count && !status; ++d) {
    int degrees[BP_MULTIGRID_LEVELS], count;
    status = bp_multigrid_levels(c->multigrid.levels, (int)c->degrees.items[d], degrees, &count);
  }
  for (int p = 0; p < c->problems.count && !status; ++p)
    if (strcmp(bp_bake_off_kernels(c->problems.items[p]), "bp1") == 0 &&
        strcmp(c->multigrid.smoother, "jacobi") != 0)
      status = bp_fail(BP_BAD_INPUT,
                       "smoother: expected jacobi for %s, which has no stiffness, found %s",
                       c->problems.items[p], c->multigrid.smoother);
  if (!status && strcmp(c->preconditioner, "p-multigrid") == 0 &&
      strcmp(c->precision, "double") != 0)
    status = bp_fail(BP_BAD_INPUT,
                     "precision: expected double with p-multigrid, whose cycles are in single "
                     "precision unless `cycle` says double, found %s",
                     c->precision);
  if (!status && c->ranks > 1 && strcmp(c->precision, "single") == 0 && c->tolerance > 0 &&
      has_solve_of(c))
    status = bp_fail(BP_BAD_INPUT,
                     "tolerance: expected 0 for ranks in single precision, as "
                     "iterations in double around it have none, found %g",
                     c->tolerance);
  return status;
}

/* A key of solves alone where there are none; a whole configuration has it, with what changes nothing. */
static bp_status check_solve_keys(const bp_cases *cases)
{
  const bp_config *c = cases->config;
  const char *key = strcmp(c->rhs, "manufactured") != 0      ? "rhs"
                    : c->tolerance > 0                       ? "tolerance"
                    : strcmp(c->preconditioner, "none") != 0 ? "preconditioner"
                                                             : NULL;
  const bp_status status = check_multigrid(cases);
  if (has_solve_of(c))
    return status ? status : bp_load_check(c->rhs);
  if (!key)
    return BP_OK;
  const char *place = bp_config_where(c, key);
  return bp_fail(BP_BAD_INPUT, "%s: expected one of bp1 to bp6, which are solved, found %s",
                 place ? place : key, c->problems.items[0]);
}

static bp_status expand(bp_cases *cases, const bp_sweep *sweeps)
{
  const bp_config *c = cases->config;
  const char *place = bp_config_where(c, "variants");
  place = place ? place : "variants";
  bp_status status = bp_select_check(place, (const char *const *)c->variants.items,
                                     c->variants.count, sweeps, c->options.count);
  if (!status)
    status = check_solve_keys(cases);
  for (int p = 0; p < c->problems.count && !status; ++p)
    status = add_cases(cases, sweeps, c->problems.items[p]);
  if (!status && cases->count == 0)
    status = nothing_fits(cases, place);
  for (int n = 0; n < c->options.count && !status; ++n)
    status = check_sweep(cases, c->options.items[n].name);
  return status;
}

/* ---- solves ---- */

/* As a box of one element has it, what is fixed in a box holds for every box. */
static bp_status check_box(const bp_cases *cases, const bp_case *c, bp_system_options options)
{
  bp_mesh *one = NULL;
  bp_connectivity *connectivity = NULL;
  bp_status status = bp_mesh_box(1, 1, 1, 0, &one);
  if (!status) {
    bp_free(one->name);
    one->name = bp_case_mesh_name(cases->config, c);
    if (options.ranks == 1) /* of several, each looks at its own */
      status = bp_unknowns_check(one->name, options.space.degree, c->elements,
                                 bp_case_unknowns(c).count);
  }
  if (!status)
    status = bp_connectivity_create(one, &connectivity);
  if (!status)
    status = bp_system_check_fixed(options, cases->config->fixed, one, connectivity);
  bp_connectivity_destroy(connectivity);
  bp_mesh_destroy(one);
  return status;
}

/* Kernels of GPUs have the number of a copy in an int. */
static bp_status check_copies(const bp_cases *cases, const bp_case *c)
{
  const bp_unknowns u = bp_case_unknowns(c);
  const int64_t copies = u.elements * u.surface_nodes;
  if (cases->device->backend->language == BP_LANGUAGE_C || cases->comm->size > 1 ||
      copies <= INT32_MAX)
    return BP_OK;
  return bp_fail(
      BP_BAD_INPUT,
      "%s: expected fewer than 2^31 nodes on surfaces of elements for kernels of GPUs, found "
      "%lld (degree %d, %lld elements)",
      bp_case_problem(c), (long long)copies, c->space.degree, (long long)c->elements);
}

/* What no machine could solve is told before anything runs. */
static bp_status check_solve(const bp_cases *cases, const bp_case *c)
{
  const bp_system_options options = {
      .row = c->solve, .space = c->space, .lambda = c->lambda, .ranks = cases->comm->size};
  const bp_status status = c->box[0] ? check_box(cases, c, options)
                                     : bp_system_check_fixed(options, cases->config->fixed,
                                                             cases->mesh, cases->connectivity);
  return status ? status : check_copies(cases, c);
}

static bp_status check_solves(const bp_cases *cases)
{
  bp_status status = BP_OK;
  for (int n = 0; n < cases->count && !status; ++n)
    if (cases->items[n].solve)
      status = check_solve(cases, &cases->items[n]);
  return status;
}

static bool has_solves(const bp_config *config)
{
  for (int n = 0; n < config->problems.count; ++n)
    if (bp_bake_off_find(config->problems.items[n]))
      return true;
  return false;
}

/* Solves and ranks want neighbours near to each other in memory. */
static bp_status read_mesh(bp_cases *cases)
{
  double begin = bp_clock();
  bp_status status = bp_mesh_open(cases->config->mesh, cases->config->group,
                                  cases->config->periodic, &cases->mesh);
  if (!status)
    bp_mesh_tell(cases->mesh);
  if (!status && (has_solves(cases->config) || cases->comm->size > 1)) {
    cases->former = bp_alloc_array((size_t)cases->mesh->elements, sizeof *cases->former);
    bp_mesh_sort(cases->mesh, cases->former);
  }
  double end = bp_clock();
  cases->read_seconds = end - begin;
  if (!status)
    status = bp_connectivity_create(cases->mesh, &cases->connectivity);
  cases->connect_seconds = bp_clock() - end;
  return status;
}

/* Whether a problem of the config needs the mesh's geometry. */
static bool needs_mesh(const bp_config *config)
{
  for (int n = 0; n < config->problems.count; ++n)
    if (bp_case_of(config, config->problems.items[n], 1, 0).kind->has_mesh)
      return true;
  return config->problems.count == 0;
}

/* What else has elements in the file has them without geometry. */
static bp_status read_cells(bp_cases *cases)
{
  const bp_config *c = cases->config;
  bp_status status = BP_OK;
  for (int n = 0; n < c->problems.count && !status; ++n) {
    const bp_case one = bp_case_of(c, c->problems.items[n], 1, 0);
    if (one.kind->has_cells && !cases->cells[one.space.shape])
      status = bp_cells_open(c->mesh, c->group, one.space.shape, &cases->cells[one.space.shape]);
  }
  return status;
}

/* What ranks must know of the mesh that rank 0 has read. */
typedef struct {
  char name[256], format[64];
  int64_t elements, vertices, edges, faces;
} mesh_facts;

static void tell_facts(const bp_cases *cases, mesh_facts *facts)
{
  const bp_connectivity *c = cases->connectivity;
  *facts = (mesh_facts){
      .elements = c->elements, .vertices = c->vertices, .edges = c->edges, .faces = c->faces};
  strncpy(facts->name, cases->mesh->name, sizeof facts->name - 1);
  strncpy(facts->format, cases->mesh->format, sizeof facts->format - 1);
}

static void hear_facts(bp_cases *cases, const mesh_facts *facts)
{
  cases->mesh = bp_alloc(1, sizeof *cases->mesh);
  cases->mesh->name = bp_strdup(facts->name);
  cases->mesh->format = bp_strdup(facts->format);
  cases->mesh->elements = facts->elements;
  cases->connectivity = bp_alloc(1, sizeof *cases->connectivity);
  *cases->connectivity = (bp_connectivity){.elements = facts->elements,
                                           .vertices = facts->vertices,
                                           .edges = facts->edges,
                                           .faces = facts->faces};
}

static bp_status share_mesh(bp_cases *cases)
{
  mesh_facts facts = {.elements = 0};
  bp_status status = bp_comm_agree(cases->comm, cases->comm->rank == 0 ? read_mesh(cases) : BP_OK);
  if (status)
    return status;
  if (cases->comm->rank == 0)
    tell_facts(cases, &facts);
  status = bp_comm_broadcast(cases->comm, &facts, sizeof facts);
  if (!status && cases->comm->rank > 0)
    hear_facts(cases, &facts);
  return status;
}

bp_status bp_cases_create(const bp_config *config, bp_device *device, bool is_tuned,
                          bp_cases **cases)
{
  bp_cases *c = bp_alloc(1, sizeof *c);
  bp_sweep *sweeps = bp_alloc((size_t)config->options.count, sizeof *sweeps);
  bp_bench_sweeps(config, sweeps);
  c->config = config;
  c->device = device;
  c->is_tuned = is_tuned;
  c->comm = device->comm ? device->comm : bp_comm_self();
  bp_status status = config->mesh && needs_mesh(config) ? share_mesh(c) : BP_OK;
  if (!status && config->mesh)
    status = read_cells(c);
  if (!status)
    status = expand(c, sweeps);
  if (!status && c->comm->rank == 0)
    status = check_solves(c);
  status = bp_comm_agree(c->comm, status);
  if (status) {
    bp_cases_destroy(c);
    c = NULL;
  }
  bp_free(sweeps);
  *cases = c;
  return status;
}

void bp_cases_destroy(bp_cases *cases)
{
  if (!cases)
    return;
  for (int n = 0; n < cases->count; ++n) {
    bp_free(cases->items[n].choices);
    bp_free(cases->items[n].quadrature);
  }
  for (int shape = 0; shape < BP_CELLS; ++shape)
    bp_cells_destroy(cases->cells[shape]);
  bp_free(cases->items);
  bp_free(cases->former);
  bp_connectivity_destroy(cases->connectivity);
  bp_mesh_destroy(cases->mesh);
  bp_free(cases);
}

bool bp_cases_have(const bp_cases *cases, bool cold)
{
  const char *cache = cases->config->measure.cache;
  return strcmp(cache, "both") == 0 || strcmp(cache, cold ? "cold" : "hot") == 0;
}

void bp_cases_build(const bp_cases *cases)
{
  size_t count = BP_MACHINE_BUILDS_MAX;
  for (int n = 0; n < cases->count; ++n)
    count += (size_t)cases->items[n].choices_count;
  bp_build *builds = bp_alloc(count, sizeof *builds);
  count = (size_t)bp_machine_builds(cases->device, builds);
  for (int n = 0; n < cases->count; ++n)
    for (int i = 0; i < cases->items[n].choices_count; ++i)
      builds[count++] =
          (bp_build){cases->items[n].choices[i], cases->items[n].op, cases->items[n].space};
  bp_plans_build(cases->device, builds, (int)count);
  bp_free(builds);
}
