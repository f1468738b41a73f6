/* boxes.c -- small meshes for tests. */
#include "boxes.h"

#include "base/memory.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

void test_bend(const double x[3], double y[3])
{
  y[0] = x[0] + 0.15 * x[1] * x[1] - 0.1 * x[2] * x[0];
  y[1] = 0.1 * sin(2 * x[0]) + 1.2 * x[1] + 0.1 * x[2] * x[2];
  y[2] = 0.2 * x[0] * x[1] + 0.9 * x[2] + 0.05 * cos(3 * x[2]);
}

void test_warp(const double x[3], double y[3])
{
  double bubble = 0.06 * sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]);
  y[0] = x[0] + bubble * cos(pi * x[1]);
  y[1] = x[1] - bubble * 1.5;
  y[2] = x[2] + bubble * sin(2 * pi * x[0]);
}

/* Nodes lie on a lattice of (n p + 1) points per direction, x fastest. */
static void fill_nodes(bp_mesh *mesh, const int64_t lattice[3], test_map *map)
{
  mesh->nodes = lattice[0] * lattice[1] * lattice[2];
  mesh->x = bp_alloc((size_t)mesh->nodes * 3, sizeof *mesh->x);
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    int64_t at[3] = {n % lattice[0], n / lattice[0] % lattice[1], n / lattice[0] / lattice[1]};
    double x[3], *y = mesh->x + 3 * n;
    for (int d = 0; d < 3; ++d)
      x[d] = (double)at[d] / (double)(lattice[d] - 1);
    if (map)
      map(x, y);
    else
      memcpy(y, x, sizeof x);
  }
}

static void fill_element(bp_mesh *mesh, int64_t e, const int n[3], const int64_t lattice[3])
{
  int64_t p = mesh->order, at[3] = {e % n[0] * p, e / n[0] % n[1] * p, e / n[0] / n[1] * p};
  int32_t *node = mesh->node + e * bp_mesh_element_nodes(mesh);
  for (int64_t k = 0; k <= p; ++k)
    for (int64_t j = 0; j <= p; ++j)
      for (int64_t i = 0; i <= p; ++i)
        *node++ = (int32_t)(((at[2] + k) * lattice[1] + at[1] + j) * lattice[0] + at[0] + i);
}

bp_mesh *test_box(const int n[3], int order, test_map *map)
{
  int64_t lattice[3] = {n[0] * order + 1, n[1] * order + 1, n[2] * order + 1};
  bp_mesh *mesh = bp_alloc(1, sizeof *mesh);
  mesh->name = bp_strdup("test box");
  mesh->order = order;
  mesh->elements = (int64_t)n[0] * n[1] * n[2];
  mesh->node = bp_alloc((size_t)(mesh->elements * bp_mesh_element_nodes(mesh)), sizeof *mesh->node);
  mesh->tag = bp_alloc((size_t)mesh->elements, sizeof *mesh->tag);
  fill_nodes(mesh, lattice, map);
  for (int64_t e = 0; e < mesh->elements; ++e) {
    mesh->tag[e] = 10 * e + 7;
    fill_element(mesh, e, n, lattice);
  }
  return mesh;
}

void test_box_destroy(bp_mesh *mesh)
{
  bp_free(mesh->name);
  bp_free(mesh->x);
  bp_free(mesh->node);
  bp_free(mesh->tag);
  bp_free(mesh);
}

/* Where point r of the unit cube goes in block b: 0 is the small cube, 1 + 2 d + side a hood, whose
 * axis away from the centre takes the place of d so that all blocks are right-handed. */
static void hood_point(int block, const double r[3], double x[3])
{
  double c[3] = {2 * r[0] - 1, 2 * r[1] - 1, 2 * r[2] - 1};
  if (block == 0) {
    for (int a = 0; a < 3; ++a)
      x[a] = 0.5 * c[a];
    return;
  }
  int d = (block - 1) / 2;
  double out = (block - 1) % 2 ? r[d] : 1 - r[d], size = 0.5 + 0.5 * out;
  for (int a = 0; a < 3; ++a)
    x[a] = a == d ? ((block - 1) % 2 ? size : -size) : size * c[a];
}

/* The number of the node at x, a new one where there is none yet. */
static int32_t find_or_add_node(bp_mesh *mesh, const double x[3])
{
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    const double *y = mesh->x + 3 * n;
    if (fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]) < 1e-9)
      return (int32_t)n;
  }
  memcpy(mesh->x + 3 * mesh->nodes, x, 3 * sizeof *x);
  return (int32_t)mesh->nodes++;
}

bp_mesh *test_hoods(int n, int order)
{
  bp_mesh *mesh = test_box((int[3]){7 * n, n, n}, order, NULL); /* for its arrays, large enough */
  int count = (int)bp_mesh_element_nodes(mesh), m = order + 1;
  mesh->nodes = 0;
  for (int64_t e = 0; e < mesh->elements; ++e) {
    int block = (int)e / (n * n * n), at[3] = {(int)e % n, (int)e / n % n, (int)e / n / n % n};
    for (int q = 0; q < count; ++q) {
      int node[3] = {q % m, q / m % m, q / m / m};
      double r[3], x[3];
      for (int d = 0; d < 3; ++d)
        r[d] = (at[d] + (double)node[d] / order) / n;
      hood_point(block, r, x);
      mesh->node[e * count + q] = find_or_add_node(mesh, x);
    }
  }
  return mesh;
}

bp_mesh *test_torus(const int n[3])
{
  bp_mesh *mesh = test_box(n, 1, NULL);
  for (int64_t q = 0; q < 8 * mesh->elements; ++q) {
    int32_t node = mesh->node[q];
    int at[3] = {node % (n[0] + 1), node / (n[0] + 1) % (n[1] + 1), node / (n[0] + 1) / (n[1] + 1)};
    mesh->node[q] = (at[2] % n[2] * n[1] + at[1] % n[1]) * n[0] + at[0] % n[0];
  }
  mesh->nodes = (int64_t)n[0] * n[1] * n[2];
  return mesh;
}

void test_drop_element(bp_mesh *mesh, int64_t e)
{
  int64_t count = bp_mesh_element_nodes(mesh), after = --mesh->elements - e;
  memmove(mesh->node + e * count, mesh->node + (e + 1) * count,
          (size_t)(after * count) * sizeof *mesh->node);
  memmove(mesh->tag + e, mesh->tag + e + 1, (size_t)after * sizeof *mesh->tag);
}

/* Six orders of the axes times eight flips; half of them are mirror images and left out: the flip
 * of the last axis follows from the others. */
test_rotation test_rotation_of(int number)
{
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  int order = number / 4, odd = order >= 3, a = number & 1, b = number >> 1 & 1;
  test_rotation rotation = {.flip = {a, b, a ^ b ^ odd}};
  memcpy(rotation.axis, orders[order], sizeof rotation.axis);
  return rotation;
}

int test_rotated(test_rotation rotation, int n, int i, int j, int k)
{
  int turned[3] = {i, j, k}, old[3];
  for (int d = 0; d < 3; ++d)
    old[rotation.axis[d]] = rotation.flip[d] ? n - 1 - turned[d] : turned[d];
  return (old[2] * n + old[1]) * n + old[0];
}

void test_rotate_element(bp_mesh *mesh, int64_t e, test_rotation rotation)
{
  int n = mesh->order + 1;
  int64_t count = bp_mesh_element_nodes(mesh);
  int32_t *node = mesh->node + e * count,
          old[(BP_MESH_ORDER_MAX + 1) * (BP_MESH_ORDER_MAX + 1) * (BP_MESH_ORDER_MAX + 1)];
  memcpy(old, node, (size_t)count * sizeof *node);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        *node++ = old[test_rotated(rotation, n, i, j, k)];
}

void test_rotate_all(bp_mesh *mesh, bp_random *random)
{
  for (int64_t e = 0; e < mesh->elements; ++e)
    test_rotate_element(mesh, e, test_rotation_of((int)bp_random_below(random, TEST_ROTATIONS)));
}

void test_shuffle_elements(bp_mesh *mesh, bp_random *random, int64_t *order)
{
  int64_t count = bp_mesh_element_nodes(mesh);
  size_t bytes = (size_t)(mesh->elements * count) * sizeof *mesh->node;
  int32_t *old = bp_alloc(bytes, 1);
  memcpy(old, mesh->node, bytes);
  for (int64_t e = 0; e < mesh->elements; ++e) {
    int64_t other = (int64_t)bp_random_below(random, (uint64_t)e + 1);
    order[e] = order[other];
    order[other] = e;
  }
  for (int64_t e = 0; e < mesh->elements; ++e) {
    memcpy(mesh->node + e * count, old + order[e] * count, (size_t)count * sizeof *old);
    mesh->tag[e] = 10 * order[e] + 7;
  }
  bp_free(old);
}
