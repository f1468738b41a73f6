/* lattice.c -- raising elements: incomplete ones are completed, complete ones interpolated. */
#include "mesh/lattice.h"

#include "base/memory.h"
#include <string.h>

enum { LINE_MAX = 10, POINTS_MAX = BP_HEXAHEDRON_NODES_MAX };

/* The product over nodes c other than a (and skip) of (x - c), in units of 1/q. */
static double product(int q, int a, int skip, double x)
{
  double value = 1;
  for (int c = 0; c <= q; ++c)
    if (c != a && c != skip)
      value *= x - c;
  return value;
}

void bp_lattice_derivative(int p, double *weight)
{
  for (int a = 0; a <= p; ++a) {
    double sum = 0;
    for (int c = 0; c <= p; ++c)
      if (c != a)
        sum += product(p, a, c, 0);
    weight[a] = p * sum / product(p, a, -1, a);
  }
}

void bp_lattice_interpolate(int q, int p, double *m)
{
  for (int b = 0; b <= p; ++b)
    for (int a = 0; a <= q; ++a)
      m[b * (q + 1) + a] = product(q, a, -1, (double)(b * q) / p) / product(q, a, -1, a);
}

/* What the twelve edges span: the three blends between opposite edges, less twice that of the
 * corners. x[k][j][i][3], of which corners and edges are known. */
static void complete(int q, double *x)
{
  const int n = q + 1;
  for (int at = 0; at < n * n * n; ++at) {
    const int i[3] = {at % n, at / n % n, at / n / n};
    int inner = 0;
    for (int d = 0; d < 3; ++d)
      inner += i[d] > 0 && i[d] < q;
    if (inner < 2)
      continue;
    double sum[3] = {0, 0, 0};
    for (int c = 0; c < 8; ++c) {
      const int side[3] = {c & 1, c >> 1 & 1, c >> 2};
      double w[3];
      for (int d = 0; d < 3; ++d)
        w[d] = (side[d] ? i[d] : q - i[d]) / (double)q;
      for (int d = 0; d < 4; ++d) { /* along edges of direction d; 3: the corner itself */
        if (d < 3 && side[d])
          continue;
        int from = 0;
        double weight = d < 3 ? 1 : -2;
        for (int k = 2; k >= 0; --k) {
          from = from * n + (k == d ? i[k] : side[k] * q);
          weight *= k == d ? 1 : w[k];
        }
        for (int k = 0; k < 3; ++k)
          sum[k] += weight * x[3 * from + k];
      }
    }
    memcpy(&x[3 * at], sum, sizeof sum);
  }
}

/* out[..][b][in] = sum over a of m[b][a] in[..][a][in]: one direction at a time. */
static void contract(const double *m, int from, int to, int outer, int inner, const double *x,
                     double *y)
{
  for (int o = 0; o < outer; ++o)
    for (int b = 0; b < to; ++b)
      for (int n = 0; n < inner; ++n) {
        double sum = 0;
        for (int a = 0; a < from; ++a)
          sum += m[b * from + a] * x[(o * from + a) * inner + n];
        y[(o * to + b) * inner + n] = sum;
      }
}

static void interpolate(int q, int p, const double *x, double *y)
{
  double m[LINE_MAX * LINE_MAX], one[3 * POINTS_MAX], two[3 * POINTS_MAX];
  bp_lattice_interpolate(q, p, m);
  contract(m, q + 1, p + 1, (q + 1) * (q + 1), 3, x, one);
  contract(m, q + 1, p + 1, q + 1, 3 * (p + 1), one, two);
  contract(m, q + 1, p + 1, 1, 3 * (p + 1) * (p + 1), two, y);
}

static int32_t add_node(bp_lattice *lattice, const double *x)
{
  if (lattice->nodes == lattice->capacity) {
    int64_t capacity = 2 * lattice->capacity;
    double *grown = bp_alloc_array((size_t)capacity, 3 * sizeof *grown);
    memcpy(grown, lattice->x, (size_t)lattice->nodes * 3 * sizeof *grown);
    bp_free(lattice->x);
    lattice->x = grown;
    lattice->capacity = capacity;
  }
  memcpy(&lattice->x[3 * lattice->nodes], x, 3 * sizeof *x);
  return (int32_t)lattice->nodes++;
}

/* The nodes of the element where bp keeps them, -1 where an incomplete one has none, and their
 * points. */
static void spread(const bp_lattice *lattice, const bp_hexahedron *kind, const int32_t *from,
                   int32_t *id, double *x)
{
  int n = kind->order + 1, place[POINTS_MAX];
  if (!kind->complete)
    bp_hexahedron_places(kind, place);
  memset(id, 0xff, (size_t)(n * n * n) * sizeof *id);
  for (int i = 0; i < kind->nodes; ++i) {
    int at = kind->complete ? i : place[i];
    id[at] = from[i];
    memcpy(&x[3 * at], &lattice->x[3 * (int64_t)from[i]], 3 * sizeof *x);
  }
}

void bp_lattice_raise(bp_lattice *lattice, const bp_hexahedron *kind, const int32_t *from, int p,
                      int32_t *to)
{
  const int q = kind->order, n = p + 1;
  int32_t id[POINTS_MAX];
  double x[3 * POINTS_MAX], y[3 * POINTS_MAX];
  spread(lattice, kind, from, id, x);
  if (!kind->complete)
    complete(q, x);
  interpolate(q, p, x, y);
  for (int at = 0; at < n * n * n; ++at) {
    const int i[3] = {at % n * q, at / n % n * q, at / n / n * q};
    bool shared = i[0] % p == 0 && i[1] % p == 0 && i[2] % p == 0;
    int same = ((i[2] / p) * (q + 1) + i[1] / p) * (q + 1) + i[0] / p;
    to[at] =
        shared && id[same] >= 0 ? id[same] : add_node(lattice, shared ? &x[3 * same] : &y[3 * at]);
  }
}
