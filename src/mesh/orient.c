/* orient.c -- handedness at the corners, and nodes nobody uses. */
#include "mesh/orient.h"

#include "base/memory.h"
#include "mesh/lattice.h"
#include <math.h>
#include <string.h>

enum { POINTS_MAX = 3 * 1000 };

typedef struct {
  int right, left;
} hands;

/* A corner is flat when its determinant is so small beside the product of its tangents' lengths. */
static const double flat = 1e-12;

static void count_hand(const double *a, const double *b, const double *c, hands *h)
{
  double det = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
  double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  double bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  if (det * det > flat * flat * aa * bb * cc) {
    h->right += det > 0;
    h->left += det < 0;
  }
}

/* The derivative at corner `c` along direction `d`. */
static void tangent(const double *x, int p, const double *end, int c, int d, double *t)
{
  const int n = p + 1, stride[3] = {1, n, n * n};
  int corner = ((c & 1) + (c >> 1 & 1) * n + (c >> 2) * n * n) * p;
  int side = c >> d & 1, step = side ? -stride[d] : stride[d];
  t[0] = t[1] = t[2] = 0;
  for (int i = 0; i <= p; ++i)
    for (int k = 0; k < 3; ++k)
      t[k] += (side ? -end[i] : end[i]) * x[3 * (corner + i * step) + k]; /* NOLINT: all are set */
}

static hands look(const double *x, int p, const double *end)
{
  hands h = {0, 0};
  for (int c = 0; c < 8; ++c) {
    double t[3][3];
    for (int d = 0; d < 3; ++d)
      tangent(x, p, end, c, d, t[d]);
    count_hand(t[0], t[1], t[2], &h);
  }
  return h;
}

/* Two corners side by side, that share their edge along r. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_mask __attribute__((vector_size(16)));

static inline pair square(const pair a[3])
{
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/* The same for p = 1, pair by pair: q[n][d] holds coordinate d of corners 2n and 2n+1. */
static hands look_linear(const double *x, const int32_t *node)
{
  pair q[4][3];
  pair_mask right = {0, 0}, left = {0, 0};
  for (int n = 0; n < 4; ++n)
    for (int d = 0; d < 3; ++d)
      q[n][d] = (pair){x[3 * (int64_t)node[2 * n] + d], x[3 * (int64_t)node[2 * n + 1] + d]};
#pragma GCC unroll 4
  for (int n = 0; n < 4; ++n) {
    pair r[3], s[3], t[3];
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      double along = q[n][d][1] - q[n][d][0];
      r[d] = (pair){along, along};
      s[d] = q[n | 1][d] - q[n & 2][d];
      t[d] = q[n | 2][d] - q[n & 1][d];
    }
    pair det = r[0] * (s[1] * t[2] - s[2] * t[1]) - r[1] * (s[0] * t[2] - s[2] * t[0]) +
               r[2] * (s[0] * t[1] - s[1] * t[0]);
    pair_mask sure = det * det > square(r) * square(s) * square(t) * (flat * flat);
    right -= sure & (det > 0);
    left -= sure & (det < 0);
  }
  return (hands){(int)(right[0] + right[1]), (int)(left[0] + left[1])};
}

static double largest(const double *x, int count)
{
  double m = 0;
  for (int n = 0; n < count; ++n)
    m = fabs(x[n]) > m ? fabs(x[n]) : m; /* NOLINT: all are set */
  return m;
}

static void scale(double *x, int count)
{
  int exponent;
  frexp(largest(x, count), &exponent);
  for (int n = 0; n < count; ++n)
    x[n] = ldexp(x[n], -exponent);
}

/* Lengths far from 1 take squares and products out of range: once more, moved to 0 and scaled to 1.
 */
static void normalise(double *x, int nodes)
{
  scale(x, 3 * nodes);
  for (int n = 3 * nodes - 1; n >= 0; --n)
    x[n] -= x[n % 3]; /* NOLINT: all are set */
  scale(x, 3 * nodes);
}

static hands look_at(const bp_mesh *mesh, const int32_t *node, int nodes, const double *end)
{
  double x[POINTS_MAX];
  hands h = {0, 0};
  if (mesh->order == 1)
    h = look_linear(mesh->x, node);
  if (h.right == 8 || h.left == 8)
    return h;
  for (int n = 0; n < nodes; ++n)
    memcpy(&x[3 * n], &mesh->x[3 * (int64_t)node[n]], 3 * sizeof *x);
  if (mesh->order > 1)
    h = look(x, mesh->order, end);
  if (h.right == 8 || h.left == 8)
    return h;
  normalise(x, nodes);
  return look(x, mesh->order, end);
}

static void mirror(int32_t *node, int n)
{
  for (int32_t *row = node; row < node + n * n * n; row += n)
    for (int i = 0; i < n / 2; ++i) {
      int32_t swap = row[i];
      row[i] = row[n - 1 - i];
      row[n - 1 - i] = swap;
    }
}

/* Nodes that were one are it still, by the first of those that are left. */
static void renumber_joined(bp_mesh *mesh, const int32_t *number)
{
  if (!mesh->joined)
    return;
  int32_t *first = bp_alloc_array((size_t)mesh->nodes, sizeof *first);
  for (int64_t n = 0; n < mesh->nodes; ++n)
    first[n] = -1;
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    const int32_t was = mesh->joined[n];
    if (number[n] < 0)
      continue;
    if (first[was] < 0)
      first[was] = number[n];
    mesh->joined[number[n]] = first[was];
  }
  bp_free(first);
}

/* Renumbers the nodes that are used, in their order, and moves their coordinates down. */
static void keep_used(bp_mesh *mesh, const unsigned char *used)
{
  int64_t count = 0, entries = mesh->elements * bp_mesh_element_nodes(mesh);
  for (int64_t n = 0; n < mesh->nodes; ++n)
    count += used[n];
  if (count == mesh->nodes)
    return;
  int32_t *number = bp_alloc_array((size_t)mesh->nodes, sizeof *number);
  double *x = bp_alloc_array((size_t)count, 3 * sizeof *x);
  int32_t next = 0;
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    number[n] = used[n] ? next++ : -1;
    if (used[n])
      memcpy(&x[3 * (int64_t)number[n]], &mesh->x[3 * n], 3 * sizeof *x);
  }
#pragma omp parallel for if (entries > 100000)
  for (int64_t n = 0; n < entries; ++n)
    mesh->node[n] = number[mesh->node[n]];
  renumber_joined(mesh, number);
  for (int64_t n = 0; n < 4 * mesh->quads_count; ++n) {
    int32_t *corner = &mesh->quads[n / 4].corner[n % 4];
    *corner = *corner < 0 ? -1 : number[*corner];
  }
  bp_free(number);
  bp_free(mesh->x);
  mesh->x = x;
  mesh->nodes = count;
}

bp_orientation bp_orient(bp_mesh *mesh)
{
  const int nodes = (int)bp_mesh_element_nodes(mesh), n = mesh->order + 1;
  unsigned char *used = bp_alloc((size_t)mesh->nodes, 1);
  int64_t bad = mesh->elements, turned = 0;
  double end[BP_MESH_ORDER_MAX + 1];
  bp_lattice_derivative(mesh->order, end);
#pragma omp parallel for reduction(min : bad) reduction(+ : turned) \
    schedule(dynamic, 2048) if (mesh->elements > 5000)
  for (int64_t e = 0; e < mesh->elements; ++e) {
    int32_t *node = &mesh->node[e * nodes];
    hands h = look_at(mesh, node, nodes, end);
    if (h.left == 8) {
      mirror(node, n);
      ++turned;
    } else if (h.right != 8) {
      bad = e < bad ? e : bad;
    }
    for (int i = 0; i < nodes; ++i)
      __atomic_store_n(&used[node[i]], 1, __ATOMIC_RELAXED);
  }
  mesh->reoriented += turned;
  bp_orientation result = {.bad = -1};
  if (bad < mesh->elements) {
    hands h = look_at(mesh, &mesh->node[bad * nodes], nodes, end);
    result = (bp_orientation){bad, h.left && h.right};
  } else {
    keep_used(mesh, used);
  }
  bp_free(used);
  return result;
}
