/* cases.c -- expanding a config into cases. */
#include "bench/cases.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/open.h"
#include "fem/gradient.h"
#include "mesh/curve.h"
#include "mesh/mesh.h"
#include "solve/system.h"
#include <math.h>
#include <string.h>

/* ---- sizes ---- */

/* Factors nx <= ny <= nz of `elements`, as near to each other as they can be. */
static void near_cube(int64_t elements, int64_t box[3])
{
  int64_t a = (int64_t)floor(cbrt((double)elements) + 1e-9);
  while (a > 1 && elements % a)
    --a;
  int64_t rest = elements / a, b = (int64_t)floor(sqrt((double)rest) + 1e-9);
  while (b > 1 && rest % b)
    --b;
  box[0] = a;
  box[1] = b;
  box[2] = rest / b;
}

/* A box of about `dofs` numbers where an element has `own` of them; at least one element. */
static void box_of_dofs(int64_t dofs, int64_t own, int64_t box[3])
{
  int64_t elements = dofs / own > 1 ? dofs / own : 1;
  box[0] = (int64_t)fmax(1, floor(cbrt((double)elements)));
  box[1] = (int64_t)fmax(1, floor(sqrt((double)elements / (double)box[0])));
  box[2] = (int64_t)fmax(1, round((double)elements / (double)(box[0] * box[1])));
}

/* Six layers along x; about as many elements as before. */
static void make_layers(int64_t box[3])
{
  const double layers = 6, elements = (double)box[0] * (double)box[1] * (double)box[2];
  box[0] = (int64_t)(layers * fmax(1, round((double)box[0] / layers)));
  box[1] = (int64_t)fmax(1, floor(sqrt(elements / (double)box[0])));
  box[2] = (int64_t)fmax(1, round(elements / (double)(box[0] * box[1])));
}

/* So many elements of a gradient's own mesh, else the published number; or those of the file. */
static bool find_elements(const bp_cases *cases, int n, bp_case *of)
{
  const int64_t published = 1000000;
  const bp_config *c = cases->config;
  const bp_cells *cells = bp_case_cells(cases, of);
  if (cells) {
    of->box[0] = cells->elements;
    of->box[1] = of->box[2] = 1;
    return n == 0;
  }
  of->box[0] = n < c->elements.count ? c->elements.items[n] : published;
  of->box[1] = of->box[2] = 1;
  return n < (c->elements.count ? c->elements.count : 1);
}

/* As many points as the config says, or as many as are beyond the last cache. */
static bool find_points(const bp_cases *cases, int n, bp_case *of)
{
  const bp_config *c = cases->config;
  of->target_dofs = -1;
  if (bp_operator_is_gradient(of->op))
    return find_elements(cases, n, of);
  of->box[1] = of->box[2] = 1;
  of->box[0] = n < c->points.count ? c->points.items[n] : 0;
  if (of->box[0] || n > 0 || c->points.count)
    return of->box[0] > 0;
  int64_t bytes = bp_operator_bytes(of->op, of->space), last = cases->device->cache_bytes;
  bool is_cpu = cases->device->backend->language == BP_LANGUAGE_C;
  double most = is_cpu ? fmin(2 * (double)last, (double)bp_memory_available() / 8) : 2e9;
  of->box[0] = (int64_t)fmax(64, floor(most / (double)bytes / 64) * 64);
  return true;
}

/* Nodes of an element; of a solve, unknowns that it adds. */
static int64_t own_dofs(const bp_case *c)
{
  int64_t n = c->space.degree + !c->solve;
  return n * n * n * c->space.fields;
}

/* Least bytes of one node's data, over all degrees: what decides when a cache is too small. */
static double bytes_per_node(const bp_case *c)
{
  double least = INFINITY;
  if (c->solve)
    return 7 * sizeof(double);
  for (int degree = 1; degree <= BP_CONFIG_DEGREE_MAX; ++degree) {
    double n = degree + 1;
    bp_space space = bp_operator_space(c->op, degree);
    least = fmin(least, (double)bp_operator_bytes(c->op, space) / (n * n * n));
  }
  return least;
}

/* Two digits are enough. */
static int64_t round_up(double count)
{
  double unit = pow(10, floor(log10(count)) - 1);
  return (int64_t)(ceil(count / unit) * unit);
}

/* So many that data and its copy are twice what the last cache holds, at every degree; never so many that a
 * case takes more than an eighth of the memory. Enough to keep a GPU busy, whose caches are small. */
static int64_t automatic_dofs(const bp_cases *cases, const bp_case *c)
{
  const double least = 2e6, gpu = 20e6, times_cache = 2;
  if (cases->device->backend->language != BP_LANGUAGE_C)
    return (int64_t)gpu;
  double bytes =
      fmin(times_cache * (double)cases->device->cache_bytes, (double)bp_memory_available() / 8);
  return round_up(fmax(least, bytes / bytes_per_node(c)));
}

/* The n-th size that the config asks for, for this case; false when there are fewer. */
static bool find_size(const bp_cases *cases, int n, bp_case *of)
{
  const bp_config *c = cases->config;
  int64_t *box = of->box, *target = &of->target_dofs;
  if (!bp_case_has_mesh(of))
    return find_points(cases, n, of);
  box[0] = box[1] = box[2] = 0;
  *target = -1;
  if (c->mesh)
    return n == 0;
  if (c->box[0]) {
    memcpy(box, c->box, sizeof c->box);
    return n == 0;
  }
  if (c->elements.count) {
    if (n < c->elements.count)
      near_cube(c->elements.items[n], box);
    if (n < c->elements.count && c->kershaw > 0)
      make_layers(box);
    return n < c->elements.count;
  }
  if (n < c->dofs.count || (c->dofs.count == 0 && n == 0)) {
    *target = c->dofs.count ? c->dofs.items[n] : 0;
    *target = *target ? *target : automatic_dofs(cases, of);
    box_of_dofs(*target, own_dofs(of), box);
    if (c->kershaw > 0)
      make_layers(box);
    return true;
  }
  return false;
}

/* ---- expanding ---- */

/* Of a problem at a degree, without size and choices. */
static bp_case case_of(const bp_config *config, const char *problem, int degree, int beyond)
{
  bp_case c = {.solve = bp_bake_off_find(problem)};
  const bool has_mass_term = !c.solve || !bp_bake_off_is_wave(c.solve);
  c.lambda = has_mass_term ? bp_config_lambda(config, c.solve) : 0;
  c.op = c.solve ? bp_bake_off_operator(c.solve, c.lambda) : bp_operator_find(problem);
  c.space = c.solve ? bp_bake_off_space(c.solve, degree)
                    : bp_operator_space_with(c.op, degree, beyond, config->rule);
  c.space.jacobi = c.solve && strcmp(config->preconditioner, "jacobi") == 0;
  return c;
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
      .for_ranks = new.solve && cases->comm->size > 1,
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
  const bool is_other = c->quadrature.count || strcmp(c->rule, "own") != 0;
  const bp_operator *op = bp_operator_find(problem);
  const char *place = bp_config_where(c, c->quadrature.count ? "quadrature" : "rule");
  if (!is_other || (op && !bp_operator_is_collocated(op)))
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "%s: expected bp1.0 or bp3.0, whose points are free, found %s",
                 place ? place : "quadrature", problem);
}

static bp_status add_cases(bp_cases *cases, const bp_sweep *sweeps, const char *problem)
{
  const bp_config *c = cases->config;
  const int64_t own = 0, *beyond = c->quadrature.count ? c->quadrature.items : &own;
  bp_case one = case_of(c, problem, 1, 0);
  const bp_config_numbers *degrees = one.op == &bp_operator_pair ? &c->species : &c->degrees;
  bp_status status = check_quadrature(c, problem);
  for (int s = 0; !status && find_size(cases, s, &one); ++s)
    for (int d = 0; d < degrees->count; ++d)
      for (int q = 0; q < (c->quadrature.count ? c->quadrature.count : 1) && !status; ++q) {
        if (bp_operator_is_gradient(one.op) && degrees->items[d] > BP_GRADIENT_DEGREE_MAX)
          continue;
        bp_case new = case_of(c, problem, (int)degrees->items[d], (int)beyond[q]);
        find_size(cases, s, &new);
        status = add_case(cases, sweeps, new);
      }
  return status;
}

/* The first pattern that means variants of a language, by one rank; NULL: none does. */
static const char *pattern_in(const bp_cases *cases, const char *problem, bp_language language)
{
  const bp_config *c = cases->config;
  const char *found = NULL;
  for (int n = 0; n < c->variants.count && !found; ++n) {
    bp_choice *choices = NULL;
    bp_status status;
    bp_selection selection = {.problem = problem,
                              .degree = (int)c->degrees.items[0],
                              .language = language,
                              .device = cases->device->name,
                              .patterns = (const char *const *)&c->variants.items[n],
                              .patterns_count = 1};
    if (bp_select(&selection, &choices, &status) > 0)
      found = c->variants.items[n];
    bp_free(choices);
  }
  return found;
}

/* Why nothing was selected. */
static bp_status nothing_fits(const bp_cases *cases, const char *place)
{
  const bp_backend *backend = cases->device->backend;
  const bp_case first = case_of(cases->config, cases->config->problems.items[0], 1, 0);
  const bool is_c = backend->language == BP_LANGUAGE_C;
  const char *problem = bp_case_kernels(&first), *ranks = bp_config_where(cases->config, "ranks");
  const char *other = pattern_in(cases, problem, is_c ? BP_LANGUAGE_CUDA : BP_LANGUAGE_C);
  if (first.solve && cases->comm->size > 1 && pattern_in(cases, problem, backend->language))
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected 1 for %s, N=%d, whose variants are made for one rank, found %d",
                   ranks ? ranks : "ranks", bp_case_problem(&first),
                   (int)cases->config->degrees.items[0], cases->comm->size);
  if (!other)
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected a variant that backend %s can run, found those of another problem "
                   "or degree",
                   place, backend->name);
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected a variant that backend %s can run, found '%s', which is %s", place,
                 backend->name, other,
                 is_c ? "CUDA's: --backend cuda or emulate" : "the CPU's: --backend cpu");
}

/* An option that no selected variant has would change nothing. */
static bp_status check_sweep(const bp_cases *cases, const char *option)
{
  for (int n = 0; n < cases->count; ++n)
    for (int i = 0; i < cases->items[n].choices_count; ++i)
      if (bp_choice_has(cases->items[n].choices[i].variant, option))
        return BP_OK;
  const char *place = bp_config_where(cases->config, "options");
  return bp_fail(
      BP_BAD_INPUT,
      "%s: expected options of the selected variants, found '%s', which none of them has",
      place ? place : "options", option);
}

/* A key of solves alone where there are none. */
static bp_status check_solve_keys(const bp_config *c)
{
  static const char *const keys[] = {"rhs", "tolerance"};
  bool has_solve = false;
  for (int p = 0; p < c->problems.count; ++p) {
    const bp_bake_off *row = bp_bake_off_find(c->problems.items[p]);
    has_solve = has_solve || (row && !bp_bake_off_is_wave(row));
  }
  for (size_t k = 0; k < sizeof keys / sizeof *keys && !has_solve; ++k) {
    const char *place = bp_config_where(c, keys[k]);
    if (place)
      return bp_fail(BP_BAD_INPUT, "%s: expected one of bp1 to bp6, which are solved, found %s",
                     place, c->problems.items[0]);
  }
  return BP_OK;
}

static bp_status expand(bp_cases *cases, const bp_sweep *sweeps)
{
  const bp_config *c = cases->config;
  const char *place = bp_config_where(c, "variants");
  place = place ? place : "variants";
  bp_status status = bp_select_check(place, (const char *const *)c->variants.items,
                                     c->variants.count, sweeps, c->options.count);
  if (!status)
    status = check_solve_keys(c);
  for (int p = 0; p < c->problems.count && !status; ++p)
    status = add_cases(cases, sweeps, c->problems.items[p]);
  if (!status && cases->count == 0)
    status = nothing_fits(cases, place);
  for (int n = 0; n < c->options.count && !status; ++n)
    status = check_sweep(cases, c->options.items[n].name);
  return status;
}

/* ---- solves ---- */

/* Faces, edges and vertices of the case's mesh. */
static void count_entities(const bp_cases *cases, const bp_case *c, int64_t *faces, int64_t *edges,
                           int64_t *vertices)
{
  const int64_t x = c->box[0], y = c->box[1], z = c->box[2];
  const bp_connectivity *all = cases->connectivity;
  *faces = x ? (x + 1) * y * z + x * (y + 1) * z + x * y * (z + 1) : all->faces;
  *edges = x ? x * (y + 1) * (z + 1) + (x + 1) * y * (z + 1) + (x + 1) * (y + 1) * z : all->edges;
  *vertices = x ? (x + 1) * (y + 1) * (z + 1) : all->vertices;
}

/* As many as there will be, without any list. */
static bp_unknowns count_unknowns(const bp_cases *cases, const bp_case *c)
{
  int64_t faces, edges, vertices, n = c->space.degree, m = n - 1;
  count_entities(cases, c, &faces, &edges, &vertices);
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

/* As a box of one element has it, what is fixed in a box holds for every box. */
static bp_status check_box(const bp_cases *cases, const bp_case *c, bp_system_options options)
{
  bp_mesh *one = NULL;
  bp_connectivity *connectivity = NULL;
  bp_status status = bp_mesh_box(1, 1, 1, 0, &one);
  if (!status) {
    bp_free(one->name);
    one->name = bp_case_mesh_name(cases, c);
    status =
        bp_unknowns_check(one->name, options.degree, c->elements, count_unknowns(cases, c).count);
  }
  if (!status)
    status = bp_connectivity_create(one, &connectivity);
  if (!status)
    status = bp_system_check_fixed(options, cases->config->fixed, one, connectivity);
  bp_connectivity_destroy(connectivity);
  bp_mesh_destroy(one);
  return status;
}

/* What no machine could solve is told before anything runs. */
static bp_status check_solve(const bp_cases *cases, const bp_case *c)
{
  const bp_system_options options = {
      .row = c->solve, .degree = c->space.degree, .lambda = c->lambda};
  if (c->box[0])
    return check_box(cases, c, options);
  return bp_system_check_fixed(options, cases->config->fixed, cases->mesh, cases->connectivity);
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
  bp_status status = bp_mesh_open(cases->config->mesh, cases->config->group, &cases->mesh);
  if (!status && (has_solves(cases->config) || cases->comm->size > 1))
    bp_mesh_sort(cases->mesh, NULL);
  double end = bp_clock();
  cases->read_seconds = end - begin;
  if (!status)
    status = bp_connectivity_create(cases->mesh, &cases->connectivity);
  cases->connect_seconds = bp_clock() - end;
  return status;
}

/* Whether a problem of the config needs the mesh's geometry; gradients do not. */
static bool needs_mesh(const bp_config *config)
{
  for (int n = 0; n < config->problems.count; ++n) {
    const bp_operator *op = bp_operator_find(config->problems.items[n]);
    if (!op || !bp_operator_is_gradient(op))
      return true;
  }
  return config->problems.count == 0;
}

static bp_status read_cells(bp_cases *cases)
{
  const bp_config *c = cases->config;
  bp_status status = BP_OK;
  for (int n = 0; n < c->problems.count && !status; ++n) {
    const bp_operator *op = bp_operator_find(c->problems.items[n]);
    if (op && bp_operator_is_gradient(op) && !cases->cells[op->shape])
      status = bp_cells_open(c->mesh, c->group, op->shape, &cases->cells[op->shape]);
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

bp_status bp_cases_create(const bp_config *config, bp_device *device, bp_cases **cases)
{
  bp_cases *c = bp_alloc(1, sizeof *c);
  bp_sweep *sweeps = bp_alloc((size_t)config->options.count, sizeof *sweeps);
  bp_bench_sweeps(config, sweeps);
  c->config = config;
  c->device = device;
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
  bp_connectivity_destroy(cases->connectivity);
  bp_mesh_destroy(cases->mesh);
  bp_free(cases);
}

/* ---- the model ---- */

bool bp_case_has_mesh(const bp_case *c)
{
  return c->op != &bp_operator_pair && !bp_operator_is_gradient(c->op);
}

const char *bp_case_problem(const bp_case *c)
{
  return c->solve ? c->solve->name : c->op->name;
}

const char *bp_case_kernels(const bp_case *c)
{
  return c->solve ? c->solve->kernels : bp_operator_kernels(c->op);
}

bp_best_wanted bp_case_wanted(const bp_cases *cases, const bp_case *c)
{
  return (bp_best_wanted){.device = cases->device->name,
                          .problem = bp_case_problem(c),
                          .degree = c->space.degree,
                          .points = bp_operator_other_points(c->op, c->space),
                          .elements = c->elements,
                          .language = cases->device->backend->language};
}

const bp_cells *bp_case_cells(const bp_cases *cases, const bp_case *c)
{
  return bp_operator_is_gradient(c->op) ? cases->cells[c->space.shape] : NULL;
}

static int64_t gradient_nodes(const bp_cases *cases, const bp_case *c)
{
  const bp_cells *cells = bp_case_cells(cases, c);
  const bp_grid grid = bp_grid_of(c->space.shape, c->elements);
  return cells ? bp_cells_nodes(cells, c->space.degree) : bp_grid_nodes(&grid, c->space.degree);
}

/* A gradient reads where an element's nodes are, and each node's values once. */
static int64_t operator_bytes(const bp_cases *cases, const bp_case *c)
{
  if (!bp_operator_is_gradient(c->op))
    return bp_operator_bytes(c->op, c->space) * c->elements;
  int64_t values = bp_operator_outputs(c->op, c->space) * c->elements +
                   gradient_nodes(cases, c) * c->space.fields;
  return (int64_t)sizeof(int) * c->elements * bp_space_nodes(c->space) +
         (int64_t)sizeof(double) * values;
}

int64_t bp_case_model_bytes(const bp_cases *cases, const bp_case *c, const bp_choice *choice)
{
  bp_name names[BP_NAMES_MAX];
  int64_t bytes = 0;
  if (!c->solve)
    return operator_bytes(cases, c);
  bp_unknowns u = count_unknowns(cases, c);
  bp_choice_names(choice, c->op, c->space, c->elements, cases->device->lanes, cases->device->sms,
                  names);
  bp_unknowns_names(&u, names);
  if (choice->variant->bytes)
    BP_ASSERT(bp_expression_evaluate(choice->variant->bytes, names, &bytes) == BP_OK);
  return bytes;
}

static int64_t factors_bytes(const bp_case *c)
{
  int64_t points = (int64_t)c->space.points * c->space.points * c->space.points;
  return (int64_t)sizeof(double) * c->elements * c->op->components * points;
}

int64_t bp_case_least_bytes(const bp_cases *cases, const bp_case *c)
{
  enum { NUMBERS = 7 }; /* r, p and A p read and written, x every other iteration */
  enum { OF_WAVE = 4 }; /* now, before and the mass read, next written */
  bool is_wave = c->solve && bp_bake_off_is_wave(c->solve);
  int64_t numbers = (is_wave ? OF_WAVE : NUMBERS) * bp_case_unique_dofs(cases, c);
  return c->solve ? (int64_t)sizeof(double) * numbers + factors_bytes(c) : operator_bytes(cases, c);
}

int64_t bp_case_flops(const bp_cases *cases, const bp_case *c)
{
  enum { VECTORS = 10 }; /* two sums of products, three vectors updated */
  enum { OF_WAVE = 4 };
  int64_t fields = bp_case_has_mesh(c) ? c->space.fields : 1;
  int64_t flops = bp_operator_flops(c->op, c->space) * c->elements * fields;
  int64_t each = !c->solve ? 0 : bp_bake_off_is_wave(c->solve) ? OF_WAVE : VECTORS;
  return flops + each * bp_case_unique_dofs(cases, c);
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

/* Of all ranks, so that as many of them take no more than one. */
int64_t bp_case_copy_bytes(const bp_cases *cases, int64_t bytes)
{
  enum { LEAST = 1 << 30, TIMES_CACHE = 16 };
  const bp_device *d = cases->device;
  const int64_t beyond_caches = TIMES_CACHE * d->cache_bytes;
  const int64_t most = beyond_caches > LEAST ? beyond_caches : LEAST;
  return d->backend->language == BP_LANGUAGE_C && bytes > most ? most : bytes;
}

/* On the host: u, v and the reference, of a solve its lists and copies; on the CPU also the
 * workspace's vectors, the factors in each order that the choices want, and the copy's buffers. */
int64_t bp_case_bytes(const bp_cases *cases, const bp_case *c)
{
  enum { HOST = 3, OF_SOLVE = 8 };
  bool is_cpu = cases->device->backend->language == BP_LANGUAGE_C;
  int64_t vector = 8 * bp_case_nodes(c), inputs = 8 * bp_operator_inputs(c->op, c->space);
  if (!bp_case_has_mesh(c))
    return (is_cpu ? 4 : 3) * (vector + inputs * c->elements);
  int64_t unique = bp_case_unique_dofs(cases, c), host = HOST * vector, device = 2 * vector;
  int64_t model = bp_operator_bytes(c->op, c->space) * c->elements;
  if (c->solve) {
    int64_t lists = bp_unknowns_bytes(c->space.degree, c->elements, unique / c->space.fields);
    host = HOST * 8 * unique + 2 * lists;
    device = OF_SOLVE * 8 * unique + (1 + c->space.fields) * lists;
  }
  device += count_orders(c) * bp_problem_bytes(c->op, c->space, c->elements) +
            bp_case_copy_bytes(cases, model);
  return is_cpu ? host + device : host;
}

int64_t bp_case_nodes(const bp_case *c)
{
  return c->elements * bp_operator_outputs(c->op, c->space);
}

char *bp_case_mesh_name(const bp_cases *cases, const bp_case *c)
{
  static const char *const shapes[] = {[BP_TRIANGLE] = "triangles",
                                       [BP_QUADRILATERAL] = "quadrilaterals",
                                       [BP_TETRAHEDRON] = "tetrahedra",
                                       [BP_HEXAHEDRON] = "hexahedra"};
  if (bp_case_cells(cases, c))
    return bp_strdup(bp_case_cells(cases, c)->name);
  if (!bp_case_has_mesh(c))
    return bp_format("%lld %s", (long long)c->elements,
                     bp_operator_is_gradient(c->op) ? shapes[c->space.shape] : "points");
  if (!c->box[0])
    return bp_strdup(cases->mesh->name);
  long long x = (long long)c->box[0], y = (long long)c->box[1], z = (long long)c->box[2];
  double epsilon = cases->config->kershaw;
  return epsilon > 0 ? bp_format("kershaw %lldx%lldx%lld, epsilon %g", x, y, z, epsilon)
                     : bp_format("box %lldx%lldx%lld", x, y, z);
}

bp_status bp_case_box(const bp_cases *cases, const bp_case *c, bp_mesh **mesh)
{
  const bp_config *config = cases->config;
  const int64_t *n = c->box;
  bp_status status = config->kershaw > 0 ? bp_mesh_kershaw(n[0], n[1], n[2], config->kershaw, mesh)
                                         : bp_mesh_box(n[0], n[1], n[2], config->warp, mesh);
  if (status)
    return status;
  bp_free((*mesh)->name);
  (*mesh)->name = bp_case_mesh_name(cases, c);
  if (c->solve || cases->comm->size > 1)
    bp_mesh_sort(*mesh, NULL);
  return BP_OK;
}

int64_t bp_case_unique_dofs(const bp_cases *cases, const bp_case *c)
{
  if (bp_operator_is_gradient(c->op))
    return gradient_nodes(cases, c) * c->space.fields;
  if (!bp_case_has_mesh(c))
    return bp_case_nodes(c);
  return c->space.fields * count_unknowns(cases, c).count;
}

void bp_cases_build(const bp_cases *cases)
{
  size_t count = 0;
  for (int n = 0; n < cases->count; ++n)
    count += (size_t)cases->items[n].choices_count;
  bp_build *builds = bp_alloc(count, sizeof *builds);
  count = 0;
  for (int n = 0; n < cases->count; ++n)
    for (int i = 0; i < cases->items[n].choices_count; ++i)
      builds[count++] =
          (bp_build){cases->items[n].choices[i], cases->items[n].op, cases->items[n].space};
  bp_plans_build(cases->device, builds, (int)count);
  bp_free(builds);
}
