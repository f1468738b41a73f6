/* case.c -- what a case is called, moves, computes and needs. */
#include "bench/cases.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/gradient.h"
#include "mesh/curve.h"
#include "mesh/mesh.h"
#include <string.h>

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
                          .sms = cases->device->sms,
                          .language = cases->device->backend->language};
}

const bp_cells *bp_case_cells(const bp_cases *cases, const bp_case *c)
{
  return bp_operator_is_gradient(c->op) ? cases->cells[c->space.shape] : NULL;
}

/* ---- the model ---- */

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

bp_unknowns bp_case_unknowns(const bp_cases *cases, const bp_case *c)
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
  bp_unknowns u = bp_case_unknowns(cases, c);
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

/* More says no more of the rate, and memory is for the problem. On a CPU it is that of all ranks, so that as
 * many of them take no more than one. */
int64_t bp_case_copy_bytes(const bp_cases *cases, int64_t bytes)
{
  enum { TIMES_CACHE = 16 };
  const bp_device *d = cases->device;
  const int64_t least = (int64_t)(d->backend->language == BP_LANGUAGE_C ? 1 : 8) << 30;
  const int64_t beyond_caches = TIMES_CACHE * d->cache_bytes;
  const int64_t most = beyond_caches > least ? beyond_caches : least;
  return bytes > most ? most : bytes;
}

static int64_t lists_bytes(const bp_cases *cases, const bp_case *c)
{
  int64_t unique = bp_case_unique_dofs(cases, c);
  return bp_unknowns_bytes(c->space.degree, c->elements, unique / c->space.fields);
}

static int64_t inputs_bytes(const bp_case *c)
{
  return 8 * bp_operator_inputs(c->op, c->space) * c->elements;
}

/* u, v and the reference, of a solve its lists and copies. */
static int64_t host_bytes(const bp_cases *cases, const bp_case *c)
{
  enum { HOST = 3 };
  int64_t vector = 8 * bp_case_nodes(c);
  if (c->solve)
    return HOST * 8 * bp_case_unique_dofs(cases, c) + 2 * lists_bytes(cases, c);
  return HOST * (bp_case_has_mesh(c) ? vector : vector + inputs_bytes(c));
}

int64_t bp_case_device_bytes(const bp_cases *cases, const bp_case *c)
{
  enum { OF_SOLVE = 8 };
  int64_t vector = 8 * bp_case_nodes(c), bytes = 2 * vector;
  int64_t model = bp_operator_bytes(c->op, c->space) * c->elements;
  if (!bp_case_has_mesh(c))
    return vector + inputs_bytes(c);
  if (c->solve)
    bytes = OF_SOLVE * 8 * bp_case_unique_dofs(cases, c) +
            (1 + c->space.fields) * lists_bytes(cases, c);
  return bytes + count_orders(c) * bp_problem_bytes(c->op, c->space, c->elements) +
         bp_case_copy_bytes(cases, model);
}

int64_t bp_case_bytes(const bp_cases *cases, const bp_case *c)
{
  const bool is_cpu = cases->device->backend->language == BP_LANGUAGE_C;
  return host_bytes(cases, c) + (is_cpu ? bp_case_device_bytes(cases, c) : 0);
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
  return c->space.fields * bp_case_unknowns(cases, c).count;
}
