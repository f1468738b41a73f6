/* cells.c -- tests of meshes of any shape: nodes that elements share have one number and one place, however
 * elements are turned. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/gradient.h"
#include "mesh/cells.h"
#include <math.h>
#include <string.h>

enum { SHAPES = BP_CELLS, CORNERS = 8, NODES = 64 };

static const int64_t counts[SHAPES] = {
    [BP_HEXAHEDRON] = 24, [BP_TRIANGLE] = 40, [BP_QUADRILATERAL] = 30, [BP_TETRAHEDRON] = 48};

static void shuffle(bp_random *random, int *list, int count)
{
  for (int n = count - 1; n > 0; --n) {
    int m = (int)bp_random_below(random, (uint64_t)n + 1), other = list[m];
    list[m] = list[n];
    list[n] = other;
  }
}

/* Another order of an element's corners: any of a simplex; directions exchanged and turned round else. */
static void turn(bp_cell shape, bp_random *random, int32_t *corner)
{
  int order[CORNERS] = {0, 1, 2, 3}, dim = bp_cell_dim(shape), flip = 0;
  int32_t old[CORNERS] = {0};
  int count = bp_cell_corners(shape);
  memcpy(old, corner, (size_t)count * sizeof *old);
  shuffle(random, order, bp_cell_is_simplex(shape) ? count : dim);
  flip = (int)bp_random_below(random, 8);
  for (int c = 0; c < count; ++c) {
    int from = 0;
    for (int d = 0; d < dim; ++d)
      from |= (c >> d & 1) << order[d];
    corner[c] = old[bp_cell_is_simplex(shape) ? order[c] : (from ^ flip) & (count - 1)];
  }
}

/* The corners of a generated mesh of that shape, turned at random; free with bp_free. */
static int32_t *corners_of(const bp_grid *grid)
{
  const int count = bp_cell_corners(grid->shape);
  int *gather = bp_alloc((size_t)(grid->elements * count), sizeof *gather);
  int32_t *corners = bp_alloc((size_t)(grid->elements * count), sizeof *corners);
  bp_random random = bp_random_start(7);
  bp_grid_gather(grid, 1, gather);
  for (int64_t n = 0; n < grid->elements * count; ++n)
    corners[n] = gather[n];
  for (int64_t e = 0; e < grid->elements; ++e)
    turn(grid->shape, &random, corners + e * count);
  bp_free(gather);
  return corners;
}

/* Where vertex `number` of the generated mesh lies; a little aside, so that no two sides look alike. */
static void place_of_vertex(const bp_grid *grid, int32_t number, double place[3])
{
  const int64_t x = grid->cells[0] + 1, y = grid->cells[1] + 1;
  const double at[3] = {(double)(number % x), (double)(number / x % y), (double)(number / x / y)};
  place[0] = at[0] + 0.1 * sin(at[1] + 2 * at[2]);
  place[1] = at[1] + 0.1 * sin(at[2] + 3 * at[0]);
  place[2] = at[2] + 0.1 * sin(at[0] + 5 * at[1]);
}

/* Where a point x of the reference element lies: by shape functions of degree 1. */
static void map_point(const bp_grid *grid, const int32_t *corner, const long double *x,
                      double place[3])
{
  const int dim = bp_cell_dim(grid->shape);
  for (int b = 0; b < 3; ++b)
    place[b] = 0;
  for (int c = 0; c < bp_cell_corners(grid->shape); ++c) {
    double weight = 1, vertex[3];
    if (bp_cell_is_simplex(grid->shape)) {
      weight = c ? (double)x[c - 1] : 1;
      for (int d = 0; d < dim && c == 0; ++d)
        weight -= (double)x[d];
    } else {
      for (int d = 0; d < dim; ++d)
        weight *= (double)(c >> d & 1 ? 1 + x[d] : 1 - x[d]) / 2;
    }
    place_of_vertex(grid, corner[c], vertex);
    for (int b = 0; b < 3; ++b)
      place[b] += weight * vertex[b];
  }
}

/* How many node numbers name two places, and how many places have two numbers. */
static int count_wrong(const bp_grid *grid, int degree, const int32_t *corners, const int *gather,
                       int64_t total)
{
  const int nodes = bp_cell_count(grid->shape, degree + 1), own = bp_cell_corners(grid->shape);
  const bp_space space = {.degree = degree, .points = degree + 1, .shape = grid->shape};
  long double x[NODES * 3];
  double(*place)[3] = bp_alloc((size_t)total, sizeof *place);
  char *used = bp_alloc((size_t)total, 1);
  int wrong = 0;
  bp_gradient_nodes(space, x);
  for (int64_t e = 0; e < grid->elements; ++e)
    for (int n = 0; n < nodes; ++n) {
      int64_t id = gather[e * nodes + n];
      double at[3];
      if (id < 0 || id >= total) {
        ++wrong;
        continue;
      }
      map_point(grid, corners + e * own, x + n * bp_cell_dim(grid->shape), at);
      if (!used[id])
        memcpy(place[id], at, sizeof at);
      used[id] = 1;
      for (int b = 0; b < 3; ++b)
        wrong += fabs(at[b] - place[id][b]) > 1e-12;
    }
  for (int64_t a = 0; a < total; ++a) {
    wrong += !used[a];
    for (int64_t b = 0; b < a; ++b)
      wrong += fabs(place[a][0] - place[b][0]) + fabs(place[a][1] - place[b][1]) +
                   fabs(place[a][2] - place[b][2]) <
               1e-9;
  }
  bp_free(place);
  bp_free(used);
  return wrong;
}

TEST(cells, nodes_that_elements_share_have_one_number_and_one_place)
{
  for (int shape = 0; shape < SHAPES; ++shape) {
    const bp_grid grid = bp_grid_of((bp_cell)shape, counts[shape]);
    int32_t *corners = corners_of(&grid);
    bp_cells *cells =
        bp_cells_create("turned", grid.shape, grid.elements, corners, bp_grid_nodes(&grid, 1));
    CU_ASSERT_EQUAL(cells->vertices, bp_grid_nodes(&grid, 1));
    for (int degree = 1; degree <= BP_GRADIENT_DEGREE_MAX; ++degree) {
      const int64_t total = bp_cells_nodes(cells, degree);
      int *gather = bp_alloc((size_t)(grid.elements * NODES), sizeof *gather);
      bp_cells_gather(cells, degree, gather);
      CU_ASSERT_EQUAL(total, bp_grid_nodes(&grid, degree));
      int wrong = count_wrong(&grid, degree, corners, gather, total);
      CHECK(wrong == 0, "shape %d N=%d: %d wrong", shape, degree, wrong);
      bp_free(gather);
    }
    bp_cells_destroy(cells);
    bp_free(corners);
  }
}
