/* meshes.c -- small meshes on which little is regular. */
#include "check/solve.h"

#include "base/memory.h"
#include "base/random.h"
#include "mesh/curve.h"
#include <math.h>
#include <string.h>

/* A slab of two nearly equal sides. */
static bp_status make_slab(int64_t elements, bp_mesh **mesh)
{
  int64_t side = (int64_t)sqrt((double)elements + 0.5);
  while (elements % side)
    --side;
  return bp_mesh_box(elements / side, side, 1, 0, mesh);
}

/* Layers of a pentagon cut into five: node 0 of a layer is the centre, an odd one the middle of a side, an
 * even one a corner. More meet than in any box: 5 at an edge and 10 at a vertex. */
enum { SECTORS = 5, RING = 2 * SECTORS, LAYER = RING + 1 };

static void place_fan(bp_mesh *mesh, int64_t layers, bool is_affine)
{
  const double turn = 2 * 3.14159265358979323846 / RING;
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    const int64_t m = n % LAYER, layer = n / LAYER;
    const double corner = is_affine ? 2 * cos(turn) : 1.3, radius = m == 0 ? 0 : m % 2 ? 1 : corner;
    double *x = mesh->x + 3 * n;
    x[0] = radius * cos(turn * (double)m);
    x[1] = radius * sin(turn * (double)m);
    x[2] = (double)layer / (double)layers + (is_affine ? 0 : 0.1) * x[0] * x[1];
  }
}

/* A row of as many elements, whose nodes are others. */
static bp_status make_fan(int64_t elements, bool is_affine, bp_mesh **mesh)
{
  bp_status status = bp_mesh_box(elements, 1, 1, 0, mesh);
  if (status)
    return status;
  bp_mesh *m = *mesh;
  m->nodes = (elements / SECTORS + 1) * LAYER;
  bp_free(m->x);
  m->x = bp_alloc_array(3 * (size_t)m->nodes, sizeof *m->x);
  place_fan(m, elements / SECTORS, is_affine);
  for (int64_t e = 0; e < elements; ++e) {
    const int side =
        (int)(2 * (e % SECTORS)) + 1; /* from the centre; then a corner, the next side */
    const int corner[4] = {0, side, side == RING - 1 ? 1 : side + 2, side + 1};
    for (int c = 0; c < 8; ++c)
      m->node[8 * e + c] = (int32_t)((e / SECTORS + c / 4) * LAYER + corner[c % 4]);
  }
  return BP_OK;
}

/* To order 2: elements share their corners' nodes, and have the others for themselves. */
static void raise_order(bp_mesh *mesh)
{
  enum { W = 3, EACH = W * W * W };
  const int64_t count = mesh->elements * EACH;
  int32_t *node = bp_alloc_array((size_t)count, sizeof *node);
  double *x = bp_alloc(3 * (size_t)(mesh->nodes + count), sizeof *x);
  memcpy(x, mesh->x, 3 * (size_t)mesh->nodes * sizeof *x);
  for (int64_t n = 0; n < count; ++n) {
    const int at[3] = {(int)(n % W), (int)(n / W % W), (int)(n / W / W % W)};
    node[n] = (int32_t)(mesh->nodes + n);
    for (int v = 0; v < 8; ++v) {
      const int32_t corner = mesh->node[n / EACH * 8 + v];
      double part = 1;
      for (int d = 0; d < 3; ++d)
        part *= v >> d & 1 ? at[d] / 2.0 : 1 - at[d] / 2.0;
      for (int c = 0; c < 3; ++c)
        x[3 * (mesh->nodes + n) + c] += part * mesh->x[3 * corner + c];
      if (part == 1)
        node[n] = corner;
    }
  }
  bp_free(mesh->x);
  bp_free(mesh->node);
  mesh->x = x;
  mesh->node = node;
  mesh->nodes += count;
  mesh->order = 2;
}

/* So that no coefficient of an element's map is 0, or none that it may have. */
static void bend(bp_mesh *mesh, bp_element_geometry geometry)
{
  const double by = 0.15;
  for (double *x = mesh->x, *end = x + 3 * mesh->nodes; x < end; x += 3) {
    const double sum = x[0] + x[1] + x[2],
                 moved = by * (geometry == BP_AFFINE      ? sum
                               : geometry == BP_QUADRATIC ? sin(sum)
                                                          : x[0] * x[1] * x[2]);
    for (int d = 0; d < 3; ++d)
      x[d] += moved;
  }
}

/* Names the axes of every element anew: each of the 24 ways to turn a cube is quarter turns about t and steps
 * from r to s to t. */
static void turn_elements(bp_mesh *mesh)
{
  static const int quarter[8] = {1, 3, 0, 2, 5, 7, 4, 6}, next_axis[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  bp_random random = bp_random_start(1);
  for (int64_t e = 0; e < mesh->elements; ++e)
    for (uint64_t left = 4 + bp_random_below(&random, 8); left > 0; --left) {
      const int *from = bp_random_below(&random, 2) ? quarter : next_axis;
      int32_t old[8], *node = mesh->node + 8 * e;
      memcpy(old, node, sizeof old);
      for (int c = 0; c < 8; ++c)
        node[c] = old[from[c]];
    }
}

bp_status bp_check_mesh(int64_t elements, bp_element_geometry geometry, bp_mesh **mesh)
{
  const bool is_fan = elements == BP_CHECK_FAN || elements == BP_CHECK_SMALL_FAN,
             is_affine = geometry == BP_AFFINE;
  bp_status status = is_fan ? make_fan(elements, is_affine, mesh) : make_slab(elements, mesh);
  if (status)
    return status;
  if (is_fan || elements == BP_CHECK_TURNED)
    turn_elements(*mesh);
  if (geometry == BP_QUADRATIC)
    raise_order(*mesh);
  bend(*mesh, geometry);
  bp_mesh_sort(*mesh, NULL);
  return BP_OK;
}
