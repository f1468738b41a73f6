/* gradient.c -- generated meshes, shape functions of four shapes, and the reference. */
#include "fem/gradient.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

typedef long double real;

enum { NODES_MAX = 64, DIM_MAX = 3, LINE_MAX = BP_GRADIENT_DEGREE_MAX + 1 };

/* ---- generated meshes ---- */

int bp_grid_split(bp_cell shape)
{
  return shape == BP_TRIANGLE ? 2 : shape == BP_TETRAHEDRON ? 6 : 1;
}

bp_grid bp_grid_of(bp_cell shape, int64_t elements)
{
  bp_grid g = {.shape = shape, .elements = elements, .cells = {1, 1, 1}};
  int64_t split = bp_grid_split(shape), cells = (elements + split - 1) / split;
  double side = bp_cell_dim(shape) == 2 ? sqrt((double)cells) : cbrt((double)cells);
  g.cells[0] = (int64_t)(side + 1e-9);
  int64_t rest = (cells + g.cells[0] - 1) / g.cells[0];
  g.cells[1] = bp_cell_dim(shape) == 2 ? rest : (int64_t)(sqrt((double)rest) + 1e-9);
  g.cells[2] = (rest + g.cells[1] - 1) / g.cells[1];
  return g;
}

int64_t bp_grid_nodes(const bp_grid *grid, int degree)
{
  int64_t count = 1;
  for (int d = 0; d < bp_cell_dim(grid->shape); ++d)
    count *= degree * grid->cells[d] + 1;
  return count;
}

/* Indices (i, j, k) of node n, of those with n_line along an edge. */
static void indices_of(bp_cell shape, int line, int n, int index[DIM_MAX])
{
  int at = 0, dim = bp_cell_dim(shape);
  bool is_simplex = bp_cell_is_simplex(shape);
  for (int k = 0; k < (dim == 3 ? line : 1); ++k)
    for (int j = 0; j < line - (is_simplex ? k : 0); ++j)
      for (int i = 0; i < line - (is_simplex ? k + j : 0); ++i)
        if (at++ == n) {
          index[0] = i;
          index[1] = j;
          index[2] = k;
        }
}

/* A step of vertex v of simplex number `part` of a cell: along axes in the order of a permutation. */
static void corner_of(int dim, int part, int v, int corner[DIM_MAX])
{
  static const int orders[6][DIM_MAX] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int d = 0; d < DIM_MAX; ++d)
    corner[d] = 0;
  for (int step = 0; step < v && step < dim; ++step)
    corner[orders[part][step]] = 1;
}

/* Where node n of element `part` lies in the lattice of its cell. */
static void place_of(bp_cell shape, int degree, int part, int n, int place[DIM_MAX])
{
  int index[DIM_MAX] = {0}, dim = bp_cell_dim(shape), corner[DIM_MAX];
  indices_of(shape, degree + 1, n, index);
  if (!bp_cell_is_simplex(shape)) {
    memcpy(place, index, sizeof index);
    return;
  }
  memset(place, 0, DIM_MAX * sizeof *place);
  for (int v = 1; v <= dim; ++v) {
    corner_of(dim, part, v, corner);
    for (int d = 0; d < dim; ++d)
      place[d] += index[v - 1] * corner[d];
  }
}

void bp_grid_gather(const bp_grid *grid, int degree, int *gather)
{
  const int nodes = bp_cell_count(grid->shape, degree + 1), split = bp_grid_split(grid->shape);
  const int64_t *c = grid->cells, x = degree * c[0] + 1, y = degree * c[1] + 1;
  int64_t offset[6 * NODES_MAX] = {0};
  for (int part = 0; part < split; ++part)
    for (int n = 0; n < nodes; ++n) {
      int place[DIM_MAX];
      place_of(grid->shape, degree, part, n, place);
      offset[part * nodes + n] = (place[2] * y + place[1]) * x + place[0];
    }
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < grid->elements; ++e) {
    int64_t cell = e / split, i = cell % c[0], j = cell / c[0] % c[1], k = cell / c[0] / c[1];
    int64_t origin = degree * ((k * y + j) * x + i);
    for (int n = 0; n < nodes; ++n)
      gather[e * nodes + n] = (int)(origin + offset[(e % split) * nodes + n]);
  }
}

/* ---- meshes ---- */

/* Nodes inside an edge, a face in space, an element. */
typedef struct {
  int64_t edge, face, element;
} inner;

static inner inner_of(bp_cell shape, int degree)
{
  int64_t m = degree - 1, triangle = m * (m - 1) / 2;
  switch (shape) {
  case BP_TRIANGLE:
    return (inner){m, 0, triangle};
  case BP_QUADRILATERAL:
    return (inner){m, 0, m * m};
  case BP_TETRAHEDRON:
    return (inner){m, triangle, triangle * (m - 2) / 3};
  default:
    return (inner){m, m * m, m * m * m};
  }
}

int64_t bp_cells_nodes(const bp_cells *c, int degree)
{
  inner i = inner_of(c->shape, degree);
  return c->vertices + c->edges * i.edge + c->faces * i.face + c->elements * i.element;
}

static int edge_between(bp_cell shape, int a, int b)
{
  int pair[2];
  for (int n = 0; n < bp_cell_edges(shape); ++n) {
    bp_cell_edge(shape, n, pair);
    if (pair[0] + pair[1] == a + b && (pair[0] == a || pair[0] == b))
      return n;
  }
  return -1;
}

/* Node of a simplex by its weights at the corners: counted along an edge from the lower vertex. Of degree 3
 * the one node of a face, or of a triangle, has no order. */
static int64_t simplex_node(const bp_cells *c, int degree, int64_t e, const int *index)
{
  const inner i = inner_of(c->shape, degree);
  const int dim = bp_cell_dim(c->shape), corners = dim + 1;
  const int32_t *own = c->corner + e * corners;
  int weight[4] = {degree}, with[4], count = 0, missing = 0;
  for (int d = 0; d < dim; ++d) {
    weight[d + 1] = index[d];
    weight[0] -= index[d];
  }
  for (int v = 0; v < corners; ++v)
    if (weight[v])
      with[count++] = v;
    else
      missing = v;
  if (count == 1)
    return own[with[0]];
  int64_t first = c->vertices;
  if (count == 2) {
    int a = with[0], b = with[1], n = edge_between(c->shape, a, b);
    return first + c->edge[e * bp_cell_edges(c->shape) + n] * i.edge +
           weight[own[a] < own[b] ? b : a] - 1;
  }
  first += c->edges * i.edge;
  return c->shape == BP_TRIANGLE ? first + e * i.element
                                 : first + c->face[e * bp_cell_faces(c->shape) + missing] * i.face;
}

/* Inside a face of a hexahedron: from its lowest vertex, first along the side to the lower neighbour. */
static int64_t place_in_face(const int32_t *own, int degree, int direction, const int *index)
{
  const int d[2] = {direction == 0, direction == 2 ? 1 : 2};
  const int base = index[direction] ? 1 << direction : 0;
  int origin = base, at[2];
  for (int n = 1; n < 4; ++n) {
    int corner = base | (n & 1) << d[0] | n >> 1 << d[1];
    origin = own[corner] < own[origin] ? corner : origin;
  }
  for (int n = 0; n < 2; ++n)
    at[n] = origin >> d[n] & 1 ? degree - index[d[n]] : index[d[n]];
  bool is_first = own[origin ^ 1 << d[0]] < own[origin ^ 1 << d[1]];
  return (int64_t)(at[is_first] - 1) * (degree - 1) + at[!is_first] - 1;
}

static int64_t tensor_node(const bp_cells *c, int degree, int64_t e, const int *index)
{
  const inner i = inner_of(c->shape, degree);
  const int dim = bp_cell_dim(c->shape);
  const int32_t *own = c->corner + e * bp_cell_corners(c->shape);
  int corner = 0, along = 0, across = 0, count = 0;
  int64_t first = c->vertices, inside = 0;
  for (int d = dim - 1; d >= 0; --d) {
    bool is_inner = index[d] > 0 && index[d] < degree;
    count += is_inner;
    along = is_inner ? d : along;
    across = is_inner ? across : d;
    corner |= index[d] == degree ? 1 << d : 0;
    inside = inside * (degree - 1) + index[d] - 1;
  }
  if (count == 0)
    return own[corner];
  if (count == 1) {
    int other = corner | 1 << along, n = edge_between(c->shape, corner, other);
    int step = own[corner] < own[other] ? index[along] : degree - index[along];
    return first + c->edge[e * bp_cell_edges(c->shape) + n] * i.edge + step - 1;
  }
  first += c->edges * i.edge;
  if (count < dim)
    return first +
           c->face[e * bp_cell_faces(c->shape) + 2 * across + (index[across] > 0)] * i.face +
           place_in_face(own, degree, across, index);
  return first + c->faces * i.face + e * i.element + inside;
}

void bp_cells_gather(const bp_cells *cells, int degree, int *gather)
{
  const int nodes = bp_cell_count(cells->shape, degree + 1);
  int index[NODES_MAX][DIM_MAX] = {{0}};
  for (int n = 0; n < nodes; ++n)
    indices_of(cells->shape, degree + 1, n, index[n]);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < cells->elements; ++e)
    for (int n = 0; n < nodes; ++n)
      gather[e * nodes + n] = (int)(bp_cell_is_simplex(cells->shape) ? simplex_node : tensor_node)(
          cells, degree, e, index[n]);
}

/* ---- nodes and points ---- */

static void place_tensor(bp_space space, const double *line, int count, real *x)
{
  int dim = bp_cell_dim(space.shape), index[DIM_MAX] = {0};
  for (int n = 0; n < bp_cell_count(space.shape, count); ++n) {
    indices_of(space.shape, count, n, index);
    for (int d = 0; d < dim; ++d)
      x[n * dim + d] = line[index[d]];
  }
}

/* Barycentric coordinate of a node from its index: 0, that of Lobatto along an edge, else equal shares. */
static real share_of(const double *line, int degree, int index, int others)
{
  if (index == 0)
    return 0;
  return others == 2 ? (1 + (real)line[index]) / 2 : others == 1 ? 1 : (real)index / degree;
}

void bp_gradient_nodes(bp_space space, real *x)
{
  double line[LINE_MAX], unused[LINE_MAX];
  int dim = bp_cell_dim(space.shape), index[DIM_MAX] = {0};
  bp_quadrature_lobatto(space.degree + 1, line, unused);
  if (!bp_cell_is_simplex(space.shape)) {
    place_tensor(space, line, space.degree + 1, x);
    return;
  }
  for (int n = 0; n < bp_space_nodes(space); ++n) {
    int rest = space.degree, others = 0;
    indices_of(space.shape, space.degree + 1, n, index);
    for (int d = 0; d < dim; ++d) {
      rest -= index[d];
      others += index[d] > 0;
    }
    others += rest > 0;
    for (int d = 0; d < dim; ++d)
      x[n * dim + d] = share_of(line, space.degree, index[d], others);
  }
}

void bp_gradient_points(bp_space space, real *x)
{
  const real inwards =
      1.0L / 3; /* of the distance of nodes: 3 points at 1/6 and 2/3 of a triangle */
  double line[LINE_MAX], unused[LINE_MAX];
  int dim = bp_cell_dim(space.shape), index[DIM_MAX] = {0};
  bp_quadrature_gauss(space.points, line, unused);
  if (!bp_cell_is_simplex(space.shape)) {
    place_tensor(space, line, space.points, x);
    return;
  }
  for (int n = 0; n < bp_space_points(space); ++n) {
    indices_of(space.shape, space.points, n, index);
    for (int d = 0; d < dim; ++d)
      x[n * dim + d] = (index[d] + inwards) / (space.points - 1 + (dim + 1) * inwards);
  }
}

/* ---- shape functions ---- */

/* Value, or derivative, at x of the polynomial that is 1 at node a of a line and 0 at the others. */
static real lagrange(const double *node, int count, int a, real x)
{
  real value = 1;
  for (int b = 0; b < count; ++b)
    value *= b == a ? 1 : (x - node[b]) / ((real)node[a] - node[b]);
  return value;
}

static real lagrange_slope(const double *node, int count, int a, real x)
{
  real slope = 0;
  for (int b = 0; b < count; ++b) {
    real product = b == a ? 0 : 1 / ((real)node[a] - node[b]);
    for (int c = 0; c < count; ++c)
      product *= c == a || c == b ? 1 : (x - node[c]) / ((real)node[a] - node[c]);
    slope += product;
  }
  return slope;
}

static void table_of_tensor(bp_space space, real *table)
{
  double line[LINE_MAX], unused[LINE_MAX];
  real x[NODES_MAX * DIM_MAX];
  int dim = bp_cell_dim(space.shape), nodes = bp_space_nodes(space), count = space.degree + 1;
  bp_quadrature_lobatto(count, line, unused);
  bp_gradient_points(space, x);
  for (int q = 0; q < bp_space_points(space); ++q)
    for (int d = 0; d < dim; ++d)
      for (int n = 0; n < nodes; ++n) {
        int index[DIM_MAX] = {0};
        real value = 1;
        indices_of(space.shape, count, n, index);
        for (int b = 0; b < dim; ++b)
          value *= (b == d ? lagrange_slope : lagrange)(line, count, index[b], x[q * dim + b]);
        table[(q * dim + d) * nodes + n] = value;
      }
}

/* x^i y^j z^k, or its derivative along `along`; -1: none. */
static real monomial(const int *index, int dim, const real *x, int along)
{
  real value = 1;
  for (int d = 0; d < dim; ++d) {
    int power = index[d];
    if (d == along)
      value *= power--;
    for (; power > 0; --power)
      value *= x[d];
  }
  return value;
}

/* inverse = matrix^-1, n x n, by elimination with the largest pivot of a column. */
static void invert(int n, real *matrix, real *inverse)
{
  for (int a = 0; a < n * n; ++a)
    inverse[a] = a / n == a % n;
  for (int a = 0; a < n; ++a) {
    int pivot = a;
    for (int b = a; b < n; ++b)
      if (fabsl(matrix[b * n + a]) > fabsl(matrix[pivot * n + a]))
        pivot = b;
    for (int c = 0; c < n; ++c) {
      real m = matrix[a * n + c], i = inverse[a * n + c];
      matrix[a * n + c] = matrix[pivot * n + c];
      inverse[a * n + c] = inverse[pivot * n + c];
      matrix[pivot * n + c] = m;
      inverse[pivot * n + c] = i;
    }
    real scale = 1 / matrix[a * n + a];
    for (int c = 0; c < n; ++c) {
      matrix[a * n + c] *= scale;
      inverse[a * n + c] *= scale;
    }
    for (int b = 0; b < n; ++b) {
      real factor = b == a ? 0 : matrix[b * n + a];
      for (int c = 0; c < n; ++c) {
        matrix[b * n + c] -= factor * matrix[a * n + c];
        inverse[b * n + c] -= factor * inverse[a * n + c];
      }
    }
  }
}

static void table_of_simplex(bp_space space, real *table)
{
  enum { MOST = 20 };
  real x[MOST * DIM_MAX], values[MOST * MOST], inverse[MOST * MOST];
  int dim = bp_cell_dim(space.shape), nodes = bp_space_nodes(space), index[MOST][DIM_MAX] = {{0}};
  bp_gradient_nodes(space, x);
  for (int m = 0; m < nodes; ++m)
    indices_of(space.shape, space.degree + 1, m, index[m]);
  for (int n = 0; n < nodes; ++n)
    for (int m = 0; m < nodes; ++m)
      values[n * nodes + m] = monomial(index[m], dim, x + n * dim, -1);
  invert(nodes, values, inverse);
  bp_gradient_points(space, x);
  for (int q = 0; q < bp_space_points(space); ++q)
    for (int d = 0; d < dim; ++d)
      for (int n = 0; n < nodes; ++n) {
        real sum = 0;
        for (int m = 0; m < nodes; ++m)
          sum += inverse[m * nodes + n] * monomial(index[m], dim, x + q * dim, d);
        table[(q * dim + d) * nodes + n] = sum;
      }
}

void bp_gradient_table(bp_space space, real *table)
{
  if (bp_cell_is_simplex(space.shape))
    table_of_simplex(space, table);
  else
    table_of_tensor(space, table);
}

int bp_gradient_table_count(bp_space space)
{
  if (bp_cell_is_simplex(space.shape))
    return bp_space_points(space) * bp_cell_dim(space.shape) * bp_space_nodes(space);
  return space.points * (space.degree + 1);
}

void bp_gradient_kernel_table(bp_space space, double *table)
{
  int count = bp_gradient_table_count(space), line = space.degree + 1;
  double node[LINE_MAX], point[LINE_MAX], unused[LINE_MAX];
  real wide[NODES_MAX * NODES_MAX * DIM_MAX];
  if (bp_cell_is_simplex(space.shape)) {
    bp_gradient_table(space, wide);
    for (int n = 0; n < count; ++n)
      table[n] = (double)wide[n];
    return;
  }
  bp_quadrature_lobatto(line, node, unused);
  bp_quadrature_gauss(space.points, point, unused);
  for (int n = 0; n < count; ++n)
    table[n] = (double)lagrange_slope(node, line, n % line, point[n / line]);
}

/* ---- reference ---- */

static void take_table(const bp_problem *problem, const real *table, int64_t first, int64_t last,
                       const double *u, double *v)
{
  const bp_space space = problem->space;
  const int dim = bp_cell_dim(space.shape), nodes = bp_space_nodes(space), fields = space.fields,
            points = bp_space_points(space);
#pragma omp parallel for schedule(static)
  for (int64_t e = first; e < last; ++e)
    for (int q = 0; q < points; ++q)
      for (int f = 0; f < fields; ++f)
        for (int d = 0; d < dim; ++d) {
          const int *gather = problem->gather + e * nodes;
          const real *row = table + (q * dim + d) * nodes;
          real sum = 0;
          for (int n = 0; n < nodes; ++n)
            sum += row[n] * u[(int64_t)gather[n] * fields + f];
          v[((e * points + q) * fields + f) * dim + d] = (double)sum;
        }
}

static real *table_of(bp_space space, int *count)
{
  *count = bp_space_points(space) * bp_cell_dim(space.shape) * bp_space_nodes(space);
  real *table = bp_alloc((size_t)*count, sizeof *table);
  bp_gradient_table(space, table);
  return table;
}

void bp_gradient_reference(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                           double *v)
{
  int count;
  real *table = table_of(problem->space, &count);
  take_table(problem, table, first, last, u, v);
  bp_free(table);
}

void bp_gradient_magnitude(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                           double *v)
{
  int count;
  real *table = table_of(problem->space, &count);
  for (int n = 0; n < count; ++n)
    table[n] = fabsl(table[n]);
  take_table(problem, table, first, last, u, v);
  bp_free(table);
}
