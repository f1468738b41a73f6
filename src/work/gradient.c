/* gradient.c -- derivatives at points on elements of four shapes (fem/gradient.h). */
#include "fem/gradient.h"
#include "work/applied.h"

#include "base/memory.h"
#include <string.h>

static bool has(const bp_operator *op, const bp_bake_off *solve)
{
  return !solve && bp_operator_is_gradient(op);
}

static const char *elements(const bp_case *c)
{
  static const char *const shapes[] = {[BP_TRIANGLE] = "triangles",
                                       [BP_QUADRILATERAL] = "quadrilaterals",
                                       [BP_TETRAHEDRON] = "tetrahedra",
                                       [BP_HEXAHEDRON] = "hexahedra"};
  return shapes[c->space.shape];
}

/* So many elements of a mesh of its own, else the published number; or those of the file. */
static bool size(const bp_config *config, const bp_device *device, int n, bp_case *c)
{
  const int64_t published = 1000000;
  const bp_config_numbers *asked = &config->elements;
  (void)device;
  c->box[0] = c->cells ? c->cells->elements : n < asked->count ? asked->items[n] : published;
  return n < (c->cells || asked->count == 0 ? 1 : asked->count);
}

static int64_t nodes_of(const bp_case *c)
{
  const bp_grid grid = bp_grid_of(c->space.shape, c->elements);
  return c->cells ? bp_cells_nodes(c->cells, c->space.degree)
                  : bp_grid_nodes(&grid, c->space.degree);
}

static int64_t unique(const bp_case *c)
{
  return nodes_of(c) * c->space.fields;
}

/* It reads where an element's nodes are, and each node's values once. */
static int64_t bytes(const bp_case *c, const bp_choice *choice, const bp_device *device)
{
  (void)choice, (void)device;
  int64_t values = bp_operator_outputs(c->op, c->space) * c->elements + unique(c);
  return (int64_t)sizeof(int) * c->elements * bp_space_nodes(c->space) +
         (int64_t)sizeof(double) * values;
}

/* u[node][field], v[e][point][field][direction]; of one field without that. */
static int shape_of(const bp_stage *s, bool is_output, int64_t shape[BP_NPY_RANK_MAX])
{
  const bp_space space = s->problem->space;
  int rank = 0;
  shape[rank++] = is_output ? s->problem->elements : s->problem->mesh_nodes;
  if (is_output)
    shape[rank++] = bp_space_points(space);
  if (space.fields > 1)
    shape[rank++] = space.fields;
  if (is_output)
    shape[rank++] = bp_cell_dim(space.shape);
  return rank;
}

static bp_status create(bp_stage *s)
{
  const bp_case *c = s->c;
  if (!c->cells)
    return bp_applied_create(s);
  bp_status status = bp_problem_on_cells(c->op, c->space, c->cells, &s->problem);
  return status ? status : bp_applied_begin(s);
}

static bp_status write_rounded(const bp_files *to, const char *name, int rank, const int64_t *shape,
                               int64_t count, const long double *values)
{
  double *rounded = bp_alloc_array((size_t)count, sizeof *rounded);
  for (int64_t n = 0; n < count; ++n)
    rounded[n] = (double)values[n];
  bp_status status = to->write(to->context, name, BP_NPY_FLOAT64, rank, shape, rounded);
  bp_free(rounded);
  return status;
}

/* Where nodes and points are in the reference element, and derivatives of the shape functions there. */
static bp_status write_element(bp_space space, const bp_files *to)
{
  const int64_t dim = bp_cell_dim(space.shape), nodes = bp_space_nodes(space),
                points = bp_space_points(space), count = points * dim * nodes;
  long double *values = bp_alloc_array((size_t)count, sizeof *values);
  bp_gradient_nodes(space, values);
  bp_status status =
      write_rounded(to, "nodes", 2, (const int64_t[]){nodes, dim}, nodes * dim, values);
  bp_gradient_points(space, values);
  if (!status)
    status = write_rounded(to, "points", 2, (const int64_t[]){points, dim}, points * dim, values);
  bp_gradient_table(space, values);
  if (!status)
    status = write_rounded(to, "table", 3, (const int64_t[]){points, dim, nodes}, count, values);
  bp_free(values);
  return status;
}

static bp_status write_gather(const bp_problem *p, const bp_files *to)
{
  const int64_t shape[] = {p->elements, bp_space_nodes(p->space)}, count = shape[0] * shape[1];
  int64_t *gather = bp_alloc_array((size_t)count, sizeof *gather);
  for (int64_t n = 0; n < count; ++n)
    gather[n] = p->gather[n];
  bp_status status = to->write(to->context, "gather", BP_NPY_INT64, 2, shape, gather);
  bp_free(gather);
  return status;
}

static bp_status files(bp_stage *s, const bp_files *to)
{
  bp_status status = write_element(s->problem->space, to);
  if (!status)
    status = write_gather(s->problem, to);
  return status ? status : bp_applied_files(s, to);
}

const bp_kind bp_kind_gradient = {.name = "gradient",
                                  .has = has,
                                  .has_cells = true,
                                  .highest = BP_GRADIENT_DEGREE_MAX,
                                  .elements = elements,
                                  .size = size,
                                  .unique = unique,
                                  .bytes = bytes,
                                  .flops = bp_applied_flops,
                                  .vectors = bp_applied_vectors,
                                  .create = create,
                                  .plan = bp_applied_plan,
                                  .judge = bp_applied_judge,
                                  .compare = bp_applied_compare,
                                  .shape = shape_of,
                                  .files = files};
