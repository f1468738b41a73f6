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

/* Of three tangents: flat when the determinant is within rounding of their lengths' product. */
static void count_hand(const double *a, const double *b, const double *c, hands *h)
{
  const double flat = 1e-12;
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
      t[k] += (side ? -end[i] : end[i]) * x[3 * (corner + i * step) + k];
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

/* The same for p = 1: twelve edges, eight corners. */
static hands look_linear(const double *x)
{
  double r[4][3], s[4][3], t[4][3];
  hands h = {0, 0};
  for (int d = 0; d < 3; ++d)
    for (int n = 0; n < 4; ++n) {
      int rs = 6 * n, ss = (n & 1) * 3 + (n >> 1) * 12, ts = 3 * n;
      r[n][d] = x[rs + 3 + d] - x[rs + d];
      s[n][d] = x[ss + 6 + d] - x[ss + d];
      t[n][d] = x[ts + 12 + d] - x[ts + d];
    }
  for (int c = 0; c < 8; ++c)
    count_hand(r[c >> 1], s[(c & 1) + (c >> 2) * 2], t[c & 3], &h);
  return h;
}

static double largest(const double *x, int count)
{
  double m = 0;
  for (int n = 0; n < count; ++n)
    m = fabs(x[n]) > m ? fabs(x[n]) : m;
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
    x[n] -= x[n % 3];
  scale(x, 3 * nodes);
}

static hands look_at(const bp_mesh *mesh, const int32_t *node, int nodes, const double *end)
{
  double x[POINTS_MAX];
  for (int n = 0; n < nodes; ++n)
    memcpy(&x[3 * n], &mesh->x[3 * (int64_t)node[n]], 3 * sizeof *x);
  hands h = mesh->order == 1 ? look_linear(x) : look(x, mesh->order, end);
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
  for (int64_t n = 0; n < mesh->nodes; ++n)
    if (used[n]) {
      memcpy(&x[3 * (int64_t)next], &mesh->x[3 * n], 3 * sizeof *x);
      number[n] = next++;
    }
#pragma omp parallel for if (entries > 100000)
  for (int64_t n = 0; n < entries; ++n)
    mesh->node[n] = number[mesh->node[n]];
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
#pragma omp parallel for reduction(min : bad) reduction(+ : turned) if (mesh->elements > 5000)
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
