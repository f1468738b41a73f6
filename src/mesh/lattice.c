/* lattice.c -- raising elements: incomplete ones are completed, complete ones interpolated. */
#include "mesh/lattice.h"

#include "base/memory.h"
#include "mesh/msh/tag_map.h"
#include <stdbool.h>
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
          sum += m[b * from + a] * x[(o * from + a) * inner + n]; /* NOLINT: all of x is set */
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

/* ---- nodes that raised elements share ---- */

/* Where node i of the lattice lies on an edge or a face, as every element there says it; false inside the
 * element and for corners. corner[c] are the element's. */
static bool find_place(const int32_t *corner, int p, const int i[3], bp_lattice_shared *key)
{
  int along[3], free = 0, first = 0;
  for (int d = 0; d < 3; ++d) {
    if (i[d] > 0 && i[d] < p)
      along[free++] = d;
    else
      first |= (i[d] == p) << d;
  }
  if (free == 0 || free == 3)
    return false;
  int at[2] = {i[along[0]], free == 2 ? i[along[1]] : 0};
  int origin = first;
  for (int c = 1; c < 1 << free; ++c) { /* the corner with the smallest id is the origin */
    int other = first | (c & 1) << along[0] | (c >> 1) << along[free - 1];
    origin = corner[other] < corner[origin] ? other : origin;
  }
  int32_t end[2] = {-1, -1};
  for (int d = 0; d < free; ++d) {
    at[d] = origin >> along[d] & 1 ? p - at[d] : at[d];
    end[d] = corner[origin ^ 1 << along[d]];
  }
  int swap = free == 2 && end[1] < end[0];
  *key = (bp_lattice_shared){.corner = {corner[origin], end[swap], end[!swap]},
                             .u = (int16_t)at[swap],
                             .v = (int16_t)at[!swap]};
  return true;
}

static bp_lattice_shared *find_entry(const bp_lattice *lattice, const bp_lattice_shared *key)
{
  uint64_t hash = (uint64_t)(uint32_t)key->corner[0] << 32 | (uint32_t)key->corner[1];
  hash = bp_tag_hash(hash, (uint64_t)(uint32_t)key->corner[2] << 32 | (uint64_t)key->u << 16 |
                               (uint64_t)key->v);
  for (int64_t at = (int64_t)(hash % (uint64_t)lattice->shared_size);;
       at = at + 1 == lattice->shared_size ? 0 : at + 1) {
    bp_lattice_shared *entry = &lattice->shared[at];
    if (entry->node < 0 || (memcmp(entry->corner, key->corner, sizeof key->corner) == 0 &&
                            entry->u == key->u && entry->v == key->v))
      return entry;
  }
}

static void make_room(bp_lattice *lattice)
{
  bp_lattice old = *lattice;
  if (2 * old.shared_count < old.shared_size)
    return;
  lattice->shared_size = 4 * old.shared_size + 64;
  lattice->shared = bp_alloc_array((size_t)lattice->shared_size, sizeof *lattice->shared);
  memset(lattice->shared, 0xff, (size_t)lattice->shared_size * sizeof *lattice->shared);
  for (int64_t n = 0; n < old.shared_size; ++n)
    if (old.shared[n].node >= 0)
      *find_entry(lattice, &old.shared[n]) = old.shared[n];
  bp_free(old.shared);
}

/* The node at `i`, which is added unless an element before has done so. */
static int32_t find_or_add(bp_lattice *lattice, const int32_t *corner, int p, const int i[3],
                           const double *x)
{
  bp_lattice_shared key;
  if (!find_place(corner, p, i, &key))
    return add_node(lattice, x);
  make_room(lattice);
  bp_lattice_shared *entry = find_entry(lattice, &key);
  if (entry->node < 0) {
    key.node = add_node(lattice, x);
    *entry = key;
    ++lattice->shared_count;
  }
  return entry->node;
}

void bp_lattice_destroy(bp_lattice *lattice)
{
  bp_free(lattice->shared);
  lattice->shared = NULL;
}

/* ---- one element ---- */

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
  int32_t corner[8];
  for (int c = 0; c < 8; ++c)
    corner[c] = id[(((c >> 2) * (q + 1) + (c >> 1 & 1)) * (q + 1) + (c & 1)) * q];
  for (int at = 0; at < n * n * n; ++at) {
    const int i[3] = {at % n, at / n % n, at / n / n};
    bool coincide = i[0] * q % p == 0 && i[1] * q % p == 0 && i[2] * q % p == 0;
    int same = ((i[2] * q / p) * (q + 1) + i[1] * q / p) * (q + 1) + i[0] * q / p;
    to[at] = coincide && id[same] >= 0
                 ? id[same]
                 : find_or_add(lattice, corner, p, i, coincide ? &x[3 * same] : &y[3 * at]);
  }
}
