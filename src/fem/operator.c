/* operator.c -- the operators, and the bytes and flops of one element. */
#include "fem/operator.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "fem/gradient.h"
#include "fem/map.h"
#include <stddef.h>
#include <string.h>

const char *const bp_geometries[BP_GEOMETRIES + 1] = {"stored", "affine", "trilinear", "quadratic",
                                                      NULL};
const char *const bp_precisions[BP_PRECISIONS + 1] = {"double", "mixed", "single", NULL};

static int find(const char *const *names, const char *name)
{
  int n = 0;
  while (names[n] && strcmp(names[n], name) != 0)
    ++n;
  return n;
}

bp_element_geometry bp_geometry_find(const char *name)
{
  return (bp_element_geometry)find(bp_geometries, name);
}

bp_precision bp_precision_find(const char *name)
{
  return (bp_precision)find(bp_precisions, name);
}

#define ROW(name, title, rule, points_beyond, components)                                          \
  {name, title, BP_##rule, points_beyond, components, BP_HEXAHEDRON, 0, NULL},
const bp_operator bp_operators[BP_OPERATORS] = {BP_OPERATOR_ROWS(ROW)};
#undef ROW

static int64_t gradient_inputs(bp_space space)
{
  return bp_space_nodes(space) * space.fields;
}

static int64_t gradient_outputs(bp_space space)
{
  return bp_space_points(space) * space.fields * bp_cell_dim(space.shape);
}

/* A simplex by its table; else direction by direction. */
static int64_t gradient_flops(bp_space space)
{
  int64_t q = space.degree + 1, g = space.points, dim = bp_cell_dim(space.shape);
  if (bp_cell_is_simplex(space.shape))
    return 2 * dim * bp_space_points(space) * bp_space_nodes(space) * space.fields;
  if (dim == 2)
    return 4 * (g * q * q + g * g * q) * space.fields;
  return (4 * g * q * q * q + 6 * g * g * q * q + 6 * g * g * g * q) * space.fields;
}

static const bp_own_operator gradient = {.inputs = gradient_inputs,
                                         .outputs = gradient_outputs,
                                         .flops = gradient_flops,
                                         .reference = bp_gradient_reference};

const bp_operator bp_operator_gradients[BP_GRADIENTS] = {
    {"gradient-tri", "gradient on triangles", BP_GAUSS, 1, 0, BP_TRIANGLE, 1, &gradient},
    {"gradient-quad", "gradient on quadrilaterals", BP_GAUSS, 1, 0, BP_QUADRILATERAL, 1, &gradient},
    {"gradient-tet", "gradient on tetrahedra", BP_GAUSS, 1, 0, BP_TETRAHEDRON, 1, &gradient},
    {"gradient-hex", "gradient on hexahedra", BP_GAUSS, 1, 0, BP_HEXAHEDRON, 1, &gradient},
    {"gradient-tri-vector", "gradient on triangles, vector", BP_GAUSS, 1, 0, BP_TRIANGLE, 2,
     &gradient},
    {"gradient-quad-vector", "gradient on quadrilaterals, vector", BP_GAUSS, 1, 0, BP_QUADRILATERAL,
     2, &gradient},
    {"gradient-tet-vector", "gradient on tetrahedra, vector", BP_GAUSS, 1, 0, BP_TETRAHEDRON, 3,
     &gradient},
    {"gradient-hex-vector", "gradient on hexahedra, vector", BP_GAUSS, 1, 0, BP_HEXAHEDRON, 3,
     &gradient},
};

/* A line for each kernel of another code. */
#define OTHERS(X)     X(pair) X(wave2d)
#define DECLARE(name) extern const bp_operator bp_operator_##name;
#define ADDRESS(name) &bp_operator_##name,
OTHERS(DECLARE)
static const bp_operator *const others[] = {OTHERS(ADDRESS) NULL};

static bool is_by_fields(const bp_operator *op)
{
  return op->own && op->own->by_fields;
}

bool bp_operator_is_gradient(const bp_operator *op)
{
  return op >= bp_operator_gradients && op < bp_operator_gradients + BP_GRADIENTS;
}

const char *bp_operator_kernels(const bp_operator *op)
{
  return bp_operator_is_gradient(op) ? "gradient" : op->name;
}

const bp_operator *bp_operator_of_kernels(const char *folder, int n)
{
  if (strcmp(folder, "gradient") == 0)
    return n < BP_GRADIENTS ? &bp_operator_gradients[n] : NULL;
  return n == 0 ? bp_operator_find(folder) : NULL;
}

const bp_operator *bp_operator_at(int n)
{
  return n < BP_OPERATORS                  ? &bp_operators[n]
         : n < BP_OPERATORS + BP_GRADIENTS ? &bp_operator_gradients[n - BP_OPERATORS]
                                           : others[n - BP_OPERATORS - BP_GRADIENTS];
}

const bp_operator *bp_operator_find(const char *name)
{
  const bp_operator *op;
  for (int n = 0; (op = bp_operator_at(n)) && strcmp(op->name, name) != 0;)
    ++n;
  return op;
}

const bp_operator *bp_operator_without_mass(const bp_operator *op)
{
  static bp_operator without[BP_OPERATORS];
  int n = (int)(op - bp_operators);
  if (op->components != 7)
    return op;
  BP_ASSERT(n >= 0 && n < BP_OPERATORS);
  without[n] = *op;
  without[n].title = "Poisson";
  without[n].components = 6;
  return &without[n];
}

bp_space bp_operator_space(const bp_operator *op, int degree)
{
  if (is_by_fields(op))
    return (bp_space){.degree = 1, .points = 2, .rule = op->rule, .fields = degree};
  return (bp_space){.degree = degree,
                    .points = degree + op->points_beyond,
                    .rule = op->rule,
                    .fields = op->fields ? op->fields : 1,
                    .shape = op->shape};
}

int bp_operator_degree(const bp_operator *op, bp_space space)
{
  return is_by_fields(op) ? space.fields : space.degree;
}

bp_space bp_operator_space_with(const bp_operator *op, int degree, int beyond, const char *rule)
{
  bp_space space = bp_operator_space(op, degree);
  BP_ASSERT(beyond >= 0 && beyond <= BP_POINTS_BEYOND_MAX);
  if (beyond)
    space.points = space.degree + beyond;
  if (strcmp(rule, "own") != 0)
    space.rule = strcmp(rule, "gauss") == 0 ? BP_GAUSS : BP_LOBATTO;
  return space;
}

bool bp_operator_is_collocated(const bp_operator *op)
{
  return bp_space_is_collocated(bp_operator_space(op, 1));
}

char *bp_operator_quadrature(const bp_operator *op, bp_space space)
{
  bp_space own = bp_operator_space(op, bp_operator_degree(op, space));
  if (own.points == space.points && own.rule == space.rule)
    return bp_strdup("");
  return bp_format("N+%d %s", space.points - space.degree,
                   space.rule == BP_GAUSS ? "gauss" : "lobatto");
}

int bp_operator_other_points(const bp_operator *op, bp_space space)
{
  int own = bp_operator_space(op, bp_operator_degree(op, space)).points;
  return space.points == own ? 0 : space.points;
}

static int64_t cube(int64_t n)
{
  return n * n * n;
}

int64_t bp_operator_inputs(const bp_operator *op, bp_space space)
{
  return op && op->own ? op->own->inputs(space) : cube(space.degree + 1);
}

int64_t bp_operator_outputs(const bp_operator *op, bp_space space)
{
  return op && op->own ? op->own->outputs(space) : cube(space.degree + 1);
}

int64_t bp_operator_factors(const bp_operator *op, bp_space space)
{
  if (space.geometry && op->components > 0)
    return bp_map_numbers(space.geometry, op->components);
  return op->components * cube(space.points);
}

int64_t bp_operator_doubles_read(const bp_operator *op, bp_space space)
{
  return bp_operator_inputs(op, space) + bp_operator_factors(op, space);
}

int64_t bp_operator_doubles_written(const bp_operator *op, bp_space space)
{
  return bp_operator_outputs(op, space);
}

int64_t bp_operator_bytes(const bp_operator *op, bp_space space)
{
  return bp_real_bytes(space) * (bp_operator_inputs(op, space) + bp_operator_outputs(op, space)) +
         bp_stored_bytes(space) * bp_operator_factors(op, space);
}

/* Multiplications and additions of the sum-factorised operator. At a point, the metric takes 15;
 * the mass term's product and sum are counted with bp3.0 (19 with the interpolated value's) and, by
 * the authors' convention, not with bp3.5. */
int64_t bp_operator_flops(const bp_operator *op, bp_space space)
{
  int64_t q = space.degree + 1, g = space.points;
  if (op->own)
    return op->own->flops(space);
  bool collocated = bp_space_is_collocated(space);
  int64_t geometry = space.geometry ? bp_map_flops(space.geometry, space.points) : 0;
  int64_t interpolate = collocated ? 0 : 4 * (g * cube(q) + g * g * q * q + cube(g) * q);
  if (op->components == 1)
    return interpolate + geometry + cube(g);
  return interpolate + geometry + 12 * cube(g) * g + (collocated ? 15 : 19) * cube(g);
}
