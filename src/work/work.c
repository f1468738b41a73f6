/* work.c -- which row a problem has; cases, and what all stages have. */
#include "work/work.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/kershaw.h"
#include "fem/reference.h"
#include "mesh/curve.h"
#include <math.h>
#include <string.h>

/* A line for each. */
#define KINDS(X)      X(element) X(solve) X(wave) X(gradient) X(pair) X(wave2d)
#define DECLARE(name) extern const bp_kind bp_kind_##name;
#define ADDRESS(name) &bp_kind_##name,
KINDS(DECLARE)
static const bp_kind *const kinds[] = {KINDS(ADDRESS)};

const bp_stage_outcome bp_stage_unknown = {
    .error = NAN, .tolerance = NAN, .residual = NAN, .true_residual = NAN, .solution_error = NAN};

/* ---- cases ---- */

static const bp_kind *kind_of(const bp_operator *op, const bp_bake_off *solve)
{
  size_t n = 0;
  while (!kinds[n]->has(op, solve))
    ++n;
  return kinds[n];
}

bp_element_geometry bp_case_geometry(const bp_config *config)
{
  return bp_geometry_find(config->geometry);
}

bp_case bp_case_of(const bp_config *config, const char *problem, int degree, int beyond)
{
  bp_case c = {.solve = bp_bake_off_find(problem)};
  c.kind = kind_of(bp_operator_find(c.solve ? c.solve->operator : problem), c.solve);
  c.lambda = c.solve && !c.kind->has_mass ? 0 : bp_config_lambda(config, c.solve);
  c.op = c.solve ? bp_bake_off_operator(c.solve, c.lambda) : bp_operator_find(problem);
  c.space = c.solve ? bp_bake_off_space_with(c.solve, degree, beyond, config->rule)
                    : bp_operator_space_with(c.op, degree, beyond, config->rule);
  c.space.geometry = bp_case_geometry(config);
  c.space.precision = bp_precision_find(config->precision);
  c.space.jacobi = c.kind->is_solved && strcmp(config->preconditioner, "jacobi") == 0;
  c.space.multigrid = c.kind->is_solved && strcmp(config->preconditioner, "p-multigrid") == 0;
  c.space.double_cycle = c.space.multigrid && strcmp(config->multigrid.cycle, "double") == 0;
  c.is_refined = c.kind->is_solved && c.space.precision == BP_SINGLE && config->tolerance > 0;
  return c;
}

const char *bp_case_problem(const bp_case *c)
{
  return c->solve ? c->solve->name : c->op->name;
}

const char *bp_case_kernels(const bp_case *c)
{
  return c->solve ? c->solve->kernels : bp_operator_kernels(c->op);
}

int64_t bp_case_nodes(const bp_case *c)
{
  return c->elements * bp_operator_outputs(c->op, c->space);
}

static bp_kershaw kershaw_of(const bp_config *config, const bp_case *c)
{
  return bp_kershaw_of(c->box, config->kershaw, strcmp(config->kershaw_profile, "quintic") == 0,
                       c->space.degree);
}

char *bp_case_mesh_name(const bp_config *config, const bp_case *c)
{
  if (c->cells)
    return bp_strdup(c->cells->name);
  if (!c->kind->has_mesh)
    return bp_format("%lld %s", (long long)c->elements, c->kind->elements(c));
  if (!c->box[0])
    return bp_strdup(c->mesh->name);
  long long x = (long long)c->box[0], y = (long long)c->box[1], z = (long long)c->box[2];
  return config->kershaw > 0 ? bp_kershaw_name(c->box, kershaw_of(config, c))
                             : bp_format("box %lldx%lldx%lld", x, y, z);
}

/* Faces, edges and vertices of the case's mesh. */
static void count_entities(const bp_case *c, int64_t *faces, int64_t *edges, int64_t *vertices)
{
  const int64_t x = c->box[0], y = c->box[1], z = c->box[2];
  const bp_connectivity *all = c->connectivity;
  *faces = x ? (x + 1) * y * z + x * (y + 1) * z + x * y * (z + 1) : all->faces;
  *edges = x ? x * (y + 1) * (z + 1) + (x + 1) * y * (z + 1) + (x + 1) * (y + 1) * z : all->edges;
  *vertices = x ? (x + 1) * (y + 1) * (z + 1) : all->vertices;
}

bp_unknowns bp_case_unknowns(const bp_case *c)
{
  int64_t faces, edges, vertices, n = c->space.degree, m = n - 1;
  count_entities(c, &faces, &edges, &vertices);
  bp_unknowns u = {.degree = (int)n,
                   .elements = c->elements,
                   .surface_nodes = (int)((n + 1) * (n + 1) * (n + 1) - m * m * m),
                   .inner = c->elements * m * m * m};
  u.faces_end = u.inner + faces * m * m;
  u.edges_end = u.faces_end + edges * m;
  u.count = u.edges_end + vertices;
  u.pairs = bp_unknowns_pairs((int)n, c->elements, faces, edges, vertices);
  return u;
}

int64_t bp_case_mesh_unique(const bp_case *c)
{
  return c->space.fields * bp_case_unknowns(c).count;
}

/* ---- memory ---- */

static int count_orders(const bp_case *c)
{
  int orders = 0;
  for (int a = 0; a < c->choices_count; ++a) {
    bool is_new = true;
    for (int b = 0; b < a; ++b)
      is_new =
          is_new && strcmp(c->choices[a].variant->factors, c->choices[b].variant->factors) != 0;
    orders += is_new;
  }
  return orders;
}

/* More says no more of the rate, and memory is for the problem. On a CPU it is that of all ranks, so that as
 * many of them take no more than one. */
int64_t bp_case_copy_bytes(const bp_device *device, int64_t bytes)
{
  enum { TIMES_CACHE = 16 };
  const int64_t least = (int64_t)(device->backend->language == BP_LANGUAGE_C ? 1 : 8) << 30;
  const int64_t beyond_caches = TIMES_CACHE * device->cache_bytes;
  const int64_t most = beyond_caches > least ? beyond_caches : least;
  return bytes > most ? most : bytes;
}

/* The double operator on elements, its u and v, and what the iterations in double have. */
static int64_t bytes_around(const bp_case *c)
{
  bp_case around = *c;
  around.space.precision = BP_DOUBLE;
  return !c->is_refined ? 0
                        : c->kind->vectors(&around, true) +
                              bp_problem_bytes(c->op, around.space, c->elements) +
                              2 * (int64_t)sizeof(double) * c->space.fields * bp_case_nodes(c);
}

int64_t bp_case_device_bytes(const bp_case *c, const bp_device *device)
{
  const int64_t vectors = c->kind->vectors(c, true) + bytes_around(c);
  if (!c->kind->has_mesh)
    return vectors;
  return vectors + count_orders(c) * bp_problem_bytes(c->op, c->space, c->elements) +
         bp_case_copy_bytes(device, bp_operator_bytes(c->op, c->space) * c->elements);
}

int64_t bp_case_host_bytes(const bp_case *c, const bp_device *device)
{
  const bool is_cpu = device->backend->language == BP_LANGUAGE_C;
  return c->kind->vectors(c, false) + (is_cpu ? bp_case_device_bytes(c, device) : 0);
}

static bp_status check_memory(const bp_stage *s)
{
  const bp_case *c = s->c;
  int64_t needed = bp_case_host_bytes(c, s->device) / s->comm->size * bp_comm_local_size(s->comm);
  int64_t available = bp_memory_available();
  char a[32], b[32];
  if (needed <= available)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT, "%s N=%d on %lld elements needs %s of memory; %s are available",
                 bp_case_problem(c), bp_operator_degree(c->op, c->space), (long long)c->elements,
                 bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
}

/* ---- stages ---- */

/* Neighbours are to be near to each other in memory where they share unknowns or belong to ranks. */
static bp_status make_box(bp_stage *s)
{
  const bp_config *config = s->config;
  const int64_t *n = s->c->box;
  bp_status status = config->kershaw > 0 ? bp_kershaw_mesh(n, kershaw_of(config, s->c), &s->box)
                                         : bp_mesh_box(n[0], n[1], n[2], config->warp, &s->box);
  if (status)
    return status;
  bp_free(s->box->name);
  s->box->name = bp_case_mesh_name(config, s->c);
  s->mesh = s->box;
  if (s->c->solve || s->comm->size > 1) {
    s->box_former = bp_alloc_array((size_t)s->box->elements, sizeof *s->box_former);
    bp_mesh_sort(s->box, s->box_former);
    s->former = s->box_former;
  }
  return BP_OK;
}

static bp_status make_mesh(bp_stage *s)
{
  if (!s->c->kind->has_mesh || s->comm->rank > 0)
    return BP_OK;
  if (s->c->box[0])
    return make_box(s);
  s->mesh = s->c->mesh;
  s->former = s->c->former;
  return BP_OK;
}

bp_status bp_stage_create(const bp_case *c, const bp_config *config, bp_device *device,
                          bp_stage_options options, bp_stage **stage)
{
  const size_t bytes = c->kind->stage_bytes;
  bp_stage *s = *stage = bp_alloc(1, bytes ? bytes : sizeof *s);
  *s = (bp_stage){.c = c,
                  .config = config,
                  .device = device,
                  .comm = device->comm ? device->comm : bp_comm_self(),
                  .options = options};
  bp_status status = options.measured ? check_memory(s) : BP_OK;
  double begin = bp_clock();
  if (!status)
    status = make_mesh(s);
  s->mesh_seconds = bp_clock_lap(&begin);
  status = bp_comm_agree(s->comm, status);
  if (!status)
    status = bp_comm_agree(s->comm, c->kind->create(s));
  if (!status && c->space.precision == BP_MIXED && s->problem)
    s->rounding = bp_comm_largest(s->comm, bp_problem_rounding(s->problem));
  return status;
}

void bp_stage_destroy(bp_stage *stage)
{
  if (!stage)
    return;
  if (stage->c->kind->destroy)
    stage->c->kind->destroy(stage);
  bp_workspace_destroy(stage->workspace);
  if (!stage->system)
    bp_problem_destroy(stage->problem);
  bp_system_destroy(stage->system);
  bp_unknowns_destroy(stage->whole);
  bp_piece_destroy(stage->piece);
  bp_mesh_destroy(stage->box);
  bp_free(stage->box_former);
  bp_free(stage->u);
  bp_free(stage->v);
  bp_free(stage->reference);
  bp_free(stage->scale);
  bp_free(stage->residuals);
  bp_free(stage);
}

int bp_stage_iterations(const bp_config *config)
{
  enum { TO_TOLERANCE = 10000 };
  bool is_limit = config->tolerance > 0 && !bp_config_where(config, "iterations");
  return is_limit ? TO_TOLERANCE : (int)config->iterations;
}

bp_status bp_stage_plan(bp_stage *stage, const bp_choice *choice, int iterations, bp_plan **plan)
{
  *plan = NULL;
  return stage->c->kind->plan(stage, choice, iterations, plan);
}

bp_status bp_stage_judge(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome)
{
  if (plan)
    return stage->c->kind->judge(stage, plan, outcome);
  if (stage->options.v)
    return stage->c->kind->compare(stage, outcome);
  double *v = stage->v; /* the reference becomes it */
  stage->v = stage->reference;
  stage->reference = v;
  *outcome = bp_stage_unknown;
  outcome->error = 0;
  outcome->tolerance = bp_reference_tolerance(stage->problem);
  return BP_OK;
}
