/* kershaw.c -- a straight box whose nodes are moved in y and z. */
#include "fem/kershaw.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/basis.h"
#include <inttypes.h>
#include <stdio.h>

enum { LAYERS = 6 };

/* From `first` sixth of x to `last`, the profile goes from `from` to `to`; 0 is left, 1 right. */
static const struct {
  int first, last;
  double from, to;
} parts[] = {{0, 1, 0, 0}, {1, 2, 0, 1}, {2, 4, 1, 0}, {4, 5, 0, 1}, {5, 6, 1, 1}};

/* 0 to 1 with two derivatives that vanish at both ends. */
static double smooth_step(double t)
{
  return t * t * t * (t * (6 * t - 15) + 10);
}

/* Which profile, between left and right, the plane at x has. */
static double profile_at(bool quintic, double x)
{
  int n = 0;
  while (n < (int)(sizeof parts / sizeof *parts) - 1 && x * LAYERS >= parts[n].last)
    ++n;
  double t = (x * LAYERS - parts[n].first) / (parts[n].last - parts[n].first);
  return parts[n].from + (parts[n].to - parts[n].from) * (quintic ? smooth_step(t) : t);
}

/* Slope 2 - epsilon in the lower half, epsilon in the upper one. */
static double right(double epsilon, double y)
{
  return y <= 0.5 ? (2 - epsilon) * y : 1 - epsilon * (1 - y);
}

static double left(double epsilon, double y)
{
  return 1 - right(epsilon, 1 - y);
}

static bp_status check(const int64_t n[3], bp_kershaw k)
{
  if (!(k.epsilon > 0 && k.epsilon <= 1))
    return bp_fail(BP_BAD_INPUT, "kershaw: expected an epsilon above 0 and at most 1, found %g",
                   k.epsilon);
  if (k.quintic && n[0] % LAYERS)
    return bp_fail(BP_BAD_INPUT,
                   "kershaw: expected a multiple of 6 elements along x for quintic, found %" PRId64,
                   n[0]);
  if (k.quintic && k.order > 1)
    return bp_fail(BP_BAD_INPUT, "kershaw: expected order 1 for quintic, found %d", k.order);
  if (k.order > 1 && (n[1] % 2 || n[2] % 2))
    return bp_fail(BP_BAD_INPUT,
                   "kershaw: expected even numbers of elements along y and z for order %d, found "
                   "%" PRId64 " and %" PRId64,
                   k.order, n[1], n[2]);
  return BP_OK;
}

/* The polynomials that have f's values at Lobatto points of `cells` cells, at their equispaced nodes: order *
 * cells + 1 values. */
typedef double profile(bp_kershaw kershaw, double x);

static double *interpolate(bp_kershaw k, int64_t cells, profile *f)
{
  const int p = k.order;
  double lobatto[BP_POINTS_MAX], weights[BP_POINTS_MAX], even[BP_POINTS_MAX];
  double m[BP_POINTS_MAX * BP_POINTS_MAX];
  double *values = bp_alloc_array((size_t)(cells * p + 1), sizeof *values);
  bp_quadrature_lobatto(p + 1, lobatto, weights);
  for (int a = 0; a <= p; ++a)
    even[a] = (2.0 * a - p) / p;
  bp_basis_interpolate(p + 1, lobatto, p + 1, even, m);
  for (int64_t c = 0; c < cells; ++c)
    for (int a = 0; a <= p; ++a) {
      double sum = 0;
      for (int b = 0; b <= p; ++b)
        sum += m[a * (p + 1) + b] * f(k, ((double)c + 0.5 * (1 + lobatto[b])) / (double)cells);
      values[c * p + a] = sum;
    }
  return values;
}

static double of_x(bp_kershaw k, double x)
{
  return profile_at(k.quintic, x);
}

static double of_left(bp_kershaw k, double y)
{
  return left(k.epsilon, y);
}

static double of_right(bp_kershaw k, double y)
{
  return right(k.epsilon, y);
}

/* The map is (1 - share(x)) left(y) + share(x) right(y), so that lines are all it needs. */
static void move(bp_mesh *m, const int64_t n[3], bp_kershaw k)
{
  const int64_t row = k.order * n[0] + 1, column = k.order * n[1] + 1;
  double *share = interpolate(k, n[0], of_x), *low[3], *high[3];
  for (int d = 1; d < 3; ++d) {
    low[d] = interpolate(k, n[d], of_left);
    high[d] = interpolate(k, n[d], of_right);
  }
#pragma omp parallel for schedule(static)
  for (int64_t node = 0; node < m->nodes; ++node) {
    const double s = share[node % row];
    const int64_t at[3] = {0, node / row % column, node / row / column};
    for (int d = 1; d < 3; ++d)
      m->x[3 * node + d] = (1 - s) * low[d][at[d]] + s * high[d][at[d]];
  }
  bp_free(share);
  for (int d = 1; d < 3; ++d) {
    bp_free(low[d]);
    bp_free(high[d]);
  }
}

/* Of a box of `order` times as many elements each way, its vertices become the nodes. */
static void coarsen(bp_mesh *m, const int64_t n[3], int order)
{
  const int64_t p = order, q = p + 1, row = p * n[0] + 1, layer = row * (p * n[1] + 1);
  const int64_t elements = n[0] * n[1] * n[2];
  int32_t *node = bp_alloc_array((size_t)(elements * q * q * q), sizeof *node);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < elements; ++e) {
    const int64_t first = p * (e % n[0] + e / n[0] % n[1] * row + e / n[0] / n[1] * layer);
    for (int64_t a = 0; a < q * q * q; ++a)
      node[e * q * q * q + a] = (int32_t)(first + a % q + a / q % q * row + a / q / q * layer);
  }
  bp_free(m->node);
  m->node = node;
  m->order = order;
  m->elements = m->blocks[0].count = elements;
}

bp_status bp_kershaw_mesh(const int64_t n[3], bp_kershaw kershaw, bp_mesh **mesh)
{
  const int64_t p = kershaw.order;
  *mesh = NULL;
  bp_status status = check(n, kershaw);
  if (!status)
    status = bp_mesh_box(p * n[0], p * n[1], p * n[2], 0, mesh);
  if (status)
    return status;
  bp_mesh *m = *mesh;
  bp_free(m->name);
  bp_free(m->format);
  m->name = bp_kershaw_name(n, kershaw);
  m->format = bp_strdup("Kershaw box");
  move(m, n, kershaw);
  if (p > 1)
    coarsen(m, n, kershaw.order);
  return BP_OK;
}

bp_kershaw bp_kershaw_of(const int64_t n[3], double epsilon, bool quintic, int degree)
{
  const bool is_exact = quintic || n[0] % LAYERS == 0;
  const int most = degree < BP_MESH_ORDER_MAX ? degree : BP_MESH_ORDER_MAX;
  return (bp_kershaw){epsilon, quintic, is_exact ? 1 : most};
}

char *bp_kershaw_name(const int64_t n[3], bp_kershaw k)
{
  char order[24] = "";
  if (k.order > 1)
    snprintf(order, sizeof order, ", order %d", k.order);
  return bp_format("kershaw %" PRId64 "x%" PRId64 "x%" PRId64 ", %s, epsilon %g%s", n[0], n[1],
                   n[2], k.quintic ? "quintic" : "linear", k.epsilon, order);
}
