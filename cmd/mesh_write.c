/* mesh_write.c -- `bp mesh box`, `bp mesh kershaw` and `bp mesh cells`: meshes that are made, not read. */
#include "cli/command.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/gradient.h"
#include "fem/kershaw.h"
#include <string.h>

typedef bp_status make_function(const bp_arguments *arguments, const int64_t n[3], bp_mesh **mesh);

static bp_status make(const bp_arguments *arguments, const char *command, make_function *function)
{
  int64_t n[3];
  bp_mesh *mesh;
  const char *path = bp_argument_string(arguments, "output");
  if (!bp_argument_box(arguments, "elements", n))
    return bp_fail(BP_BAD_INPUT, "bp %s: expected --elements AxBxC, found none", command);
  if (!path)
    return bp_fail(BP_BAD_INPUT, "bp %s: expected --output FILE.msh, found none", command);
  int version = strcmp(bp_argument_string(arguments, "version"), "2.2") == 0 ? 22 : 41;
  bp_status status = function(arguments, n, &mesh);
  if (status)
    return status;
  status = bp_mesh_write(mesh, path, version, bp_argument_has(arguments, "binary"));
  bp_mesh_destroy(mesh);
  return status;
}

static bp_status make_box(const bp_arguments *arguments, const int64_t n[3], bp_mesh **mesh)
{
  return bp_mesh_box(n[0], n[1], n[2], bp_argument_double(arguments, "warp"), mesh);
}

static bp_status make_kershaw(const bp_arguments *arguments, const int64_t n[3], bp_mesh **mesh)
{
  const bp_kershaw kershaw = {.epsilon = bp_argument_double(arguments, "epsilon"),
                              .quintic =
                                  strcmp(bp_argument_string(arguments, "profile"), "quintic") == 0,
                              .order = (int)bp_argument_int(arguments, "order")};
  return bp_kershaw_mesh(n, kershaw, mesh);
}

bp_status bp_command_mesh_box(const bp_arguments *arguments)
{
  return make(arguments, "mesh box", make_box);
}

bp_status bp_command_mesh_kershaw(const bp_arguments *arguments)
{
  return make(arguments, "mesh kershaw", make_kershaw);
}

/* ---- cells ---- */

static int32_t *number(int64_t count, bool at_random, uint64_t seed)
{
  int32_t *order = bp_alloc_array((size_t)count, sizeof *order);
  bp_random random = bp_random_start(seed);
  for (int64_t n = 0; n < count; ++n) {
    const int64_t m = at_random ? (int64_t)bp_random_below(&random, (uint64_t)n + 1) : n;
    order[n] = order[m];
    order[m] = (int32_t)n;
  }
  return order;
}

/* Node n of the grid is node[n] of the file. */
static double *place_nodes(const bp_grid *grid, const int32_t *node, int64_t nodes)
{
  double *x = bp_alloc(3 * (size_t)nodes, sizeof *x);
  const int64_t row = grid->cells[0] + 1, column = grid->cells[1] + 1;
  for (int64_t n = 0; n < nodes; ++n) {
    const int64_t at[3] = {n % row, n / row % column, n / row / column};
    for (int d = 0; d < 3 && d < bp_cell_dim(grid->shape); ++d)
      x[3 * (int64_t)node[n] + d] = (double)at[d] / (double)grid->cells[d];
  }
  return x;
}

/* Half of a cell's simplices are mirror images of the others; corners of a triangle have z = 0. */
static void make_right_handed(const double *x, int dim, int32_t *corner)
{
  double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int n = 0; n < dim; ++n)
    for (int d = 0; d < 3; ++d)
      a[n][d] = x[3 * (int64_t)corner[n + 1] + d] - x[3 * (int64_t)corner[0] + d];
  const double det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                     a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                     a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  const int32_t last = corner[dim];
  if (det < 0) {
    corner[dim] = corner[dim - 1];
    corner[dim - 1] = last;
  }
}

static bp_status write_cells(const bp_arguments *arguments, bp_grid grid, const char *name,
                             const char *path)
{
  const bool at_random = strcmp(bp_argument_string(arguments, "numbering"), "random") == 0;
  const int corners = bp_cell_corners(grid.shape);
  const int64_t nodes = bp_grid_nodes(&grid, 1);
  int *gather = bp_alloc_array((size_t)(grid.elements * corners), sizeof *gather);
  int32_t *corner = bp_alloc_array((size_t)(grid.elements * corners), sizeof *corner);
  int32_t *node = number(nodes, at_random, 1), *element = number(grid.elements, at_random, 2);
  double *x = place_nodes(&grid, node, nodes);
  bp_grid_gather(&grid, 1, gather);
  for (int64_t e = 0; e < grid.elements; ++e) {
    int32_t *to = corner + (int64_t)element[e] * corners;
    for (int c = 0; c < corners; ++c)
      to[c] = node[gather[e * corners + c]];
    if (bp_cell_is_simplex(grid.shape))
      make_right_handed(x, bp_cell_dim(grid.shape), to);
  }
  const bp_cells cells = {
      .name = (char *)name, .shape = grid.shape, .elements = grid.elements, .corner = corner};
  const int version = strcmp(bp_argument_string(arguments, "version"), "2.2") == 0 ? 22 : 41;
  bp_status status =
      bp_cells_write(&cells, nodes, x, path, version, bp_argument_has(arguments, "binary"));
  bp_free(gather);
  bp_free(corner);
  bp_free(node);
  bp_free(element);
  bp_free(x);
  return status;
}

bp_status bp_command_mesh_cells(const bp_arguments *arguments)
{
  static const struct {
    const char *name;
    bp_cell shape;
  } shapes[] = {{"tri", BP_TRIANGLE},
                {"quad", BP_QUADRILATERAL},
                {"tet", BP_TETRAHEDRON},
                {"hex", BP_HEXAHEDRON}};
  const char *shape = bp_argument_string(arguments, "shape");
  const char *path = bp_argument_string(arguments, "output");
  if (!shape)
    return bp_fail(BP_BAD_INPUT,
                   "bp mesh cells: expected --shape tri, quad, tet or hex, found none");
  if (!path)
    return bp_fail(BP_BAD_INPUT, "bp mesh cells: expected --output FILE.msh, found none");
  int n = 0;
  while (strcmp(shapes[n].name, shape) != 0)
    ++n;
  return write_cells(arguments, bp_grid_of(shapes[n].shape, bp_argument_int(arguments, "elements")),
                     shape, path);
}
