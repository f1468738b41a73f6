/* schwarz.c -- boxes from elements, and their inverses. */
#include "solve/schwarz.h"

#include "base/memory.h"
#include "fem/basis.h"
#include <math.h>
#include <string.h>

enum { MOST = BP_POINTS_MAX + 2, FACES = 6 };

/* ---- one direction ---- */

/* Eigenvectors of a symmetric matrix, by Jacobi's rotations; its diagonal becomes the eigenvalues. */
static void diagonalise(int n, double *a, double *v)
{
  enum { SWEEPS = 40 };
  for (int i = 0; i < n * n; ++i)
    v[i] = i / n == i % n;
  for (int sweep = 0; sweep < SWEEPS; ++sweep)
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (fabs(a[p * n + q]) <= 1e-17 * sqrt(fabs(a[p * n + p] * a[q * n + q])))
          continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]),
                     t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
                     c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = a[p * n + k], y = a[q * n + k], u = v[k * n + p], w = v[k * n + q];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
          v[k * n + p] = c * u - s * w;
          v[k * n + q] = s * u + c * w;
        }
      }
}

/* What the neighbour at one end adds: `end` is that node, `next` the node of the layer; seen from it the
 * shared node is `shared`, and `inner` the one after it. */
typedef struct {
  int end, next, shared, inner;
} side;

static void add_neighbour(int degree, int layer, int m, double h, const double *weights,
                          const double *stiffness, side s, double *a, double *b)
{
  const int nq = degree + 1;
  a[s.end * m + s.end] += 2 / h * stiffness[s.shared * nq + s.shared];
  b[s.end] += h / 2 * weights[s.shared];
  if (!layer)
    return;
  a[s.next * m + s.next] = 2 / h * stiffness[s.inner * nq + s.inner];
  a[s.next * m + s.end] = a[s.end * m + s.next] = 2 / h * stiffness[s.inner * nq + s.shared];
  b[s.next] = h / 2 * weights[s.inner];
}

static void fix(int m, int n, double *a, double *b)
{
  for (int i = 0; i < m; ++i)
    a[n * m + i] = a[i * m + n] = 0;
  a[n * m + n] = b[n] = 1;
}

static void find_stiffness(int nq, const double *points, const double *weights, double *stiffness)
{
  double d[MOST * MOST];
  bp_basis_differentiate(nq, points, nq, points, d);
  for (int i = 0; i < nq * nq; ++i) {
    stiffness[i] = 0;
    for (int k = 0; k < nq; ++k)
      stiffness[i] += d[k * nq + i / nq] * weights[k] * d[k * nq + i % nq];
  }
}

void bp_schwarz_line(int degree, int layer, double h, double before, double after,
                     const bool is_fixed[2], double *vectors, double *values)
{
  const int nq = degree + 1, m = nq + 2 * layer, last = layer + degree;
  double points[BP_POINTS_MAX], weights[BP_POINTS_MAX], stiffness[MOST * MOST],
      a[MOST * MOST] = {0}, b[MOST] = {0};
  bool is_out[MOST] = {false};
  bp_quadrature_lobatto(nq, points, weights);
  find_stiffness(nq, points, weights, stiffness);
  for (int i = 0; i < nq; ++i) {
    b[layer + i] = h / 2 * weights[i];
    for (int j = 0; j < nq; ++j)
      a[(layer + i) * m + layer + j] = 2 / h * stiffness[i * nq + j];
  }
  if (before > 0)
    add_neighbour(degree, layer, m, before, weights, stiffness,
                  (side){layer, 0, degree, degree - 1}, a, b);
  if (after > 0)
    add_neighbour(degree, layer, m, after, weights, stiffness, (side){last, m - 1, 0, 1}, a, b);
  is_out[0] = layer && !(before > 0);
  is_out[m - 1] = layer && !(after > 0);
  is_out[layer] = is_out[layer] || is_fixed[0];
  is_out[last] = is_out[last] || is_fixed[1];
  for (int i = 0; i < m; ++i)
    if (is_out[i])
      fix(m, i, a, b);
  for (int i = 0; i < m * m; ++i)
    a[i] /= sqrt(b[i / m] * b[i % m]);
  diagonalise(m, a, vectors);
  for (int i = 0; i < m * m; ++i)
    vectors[i] = is_out[i / m] ? 0 : vectors[i] / sqrt(b[i / m]);
  for (int i = 0; i < m; ++i)
    values[i] = a[i * m + i];
}

/* ---- elements ---- */

static int face_node(int nq, int face, int a, int b)
{
  const int step[3] = {1, nq, nq * nq}, d = face / 2, low = d == 0 ? 1 : 0, high = d == 2 ? 1 : 2;
  return face % 2 * (nq - 1) * step[d] + a * step[low] + b * step[high];
}

/* The mean distance between opposite faces of an element's nodes x[k][j][i][3]. */
static double length_of(int nq, const double *x, const double *weights, int d)
{
  double sum = 0;
  for (int a = 0; a < nq; ++a)
    for (int b = 0; b < nq; ++b) {
      const double *p = x + 3 * face_node(nq, 2 * d, a, b),
                   *q = x + 3 * face_node(nq, 2 * d + 1, a, b);
      sum += weights[a] * weights[b] / 4 *
             sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
    }
  return sum;
}

static void find_lengths(const bp_system *s, double *lengths)
{
  enum { CHUNK = 64 };
  const int degree = s->problem->space.degree, nq = degree + 1;
  double points[BP_POINTS_MAX], weights[BP_POINTS_MAX];
  double *x = bp_alloc_array((size_t)3 * CHUNK * (size_t)(nq * nq) * (size_t)nq, sizeof *x);
  bp_quadrature_lobatto(nq, points, weights);
  for (int64_t first = 0; first < s->mesh->elements; first += CHUNK) {
    const int64_t left = s->mesh->elements - first, here = left < CHUNK ? left : CHUNK;
    bp_problem_nodes(s->mesh, degree, first, first + here, x);
    for (int64_t e = 0; e < here; ++e)
      for (int d = 0; d < 3; ++d)
        lengths[3 * (first + e) + d] = length_of(nq, x + 3 * e * nq * nq * nq, weights, d);
  }
  bp_free(x);
}

/* neighbours[6 e + f]: the slot 6 e' + f' of the same face, -1 for none. */
static int64_t *find_neighbours(const bp_connectivity *c)
{
  int64_t *neighbours = bp_alloc_array(FACES * (size_t)c->elements + 1, sizeof *neighbours),
          *seen = bp_alloc((size_t)c->faces + 1, sizeof *seen);
  for (int64_t slot = 0; slot < FACES * c->elements; ++slot) {
    int64_t *other = &seen[c->face[slot]];
    neighbours[slot] = *other - 1;
    if (*other)
      neighbours[*other - 1] = slot;
    *other = slot + 1;
  }
  bp_free(seen);
  return neighbours;
}

static void make_boxes(const bp_system *s, const int64_t *neighbours, const int64_t *numbers,
                       const uint8_t *is_fixed, bp_schwarz *made)
{
  const int degree = s->problem->space.degree, nq = degree + 1, m = made->nodes,
            each = (m + 1) * made->pitch;
  double *lengths = bp_alloc_array(3 * (size_t)s->mesh->elements, sizeof *lengths);
  find_lengths(s, lengths);
  made->boxes = bp_alloc((size_t)s->mesh->elements * 3 * (size_t)each, sizeof *made->boxes);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < s->mesh->elements; ++e)
    for (int d = 0; d < 3; ++d) {
      double beside[2];
      bool fixed[2], *const ends = fixed;
      for (int f = 0; f < 2; ++f) {
        const int64_t other = neighbours[FACES * e + 2 * d + f];
        const int node = face_node(nq, 2 * d + f, degree / 2, degree / 2);
        beside[f] = other < 0 ? 0 : lengths[3 * (other / FACES) + other % FACES / 2];
        ends[f] = is_fixed[numbers[e * nq * nq * nq + node]];
      }
      double *box = made->boxes + (3 * e + d) * each, vectors[MOST * MOST];
      bp_schwarz_line(degree, made->layer, lengths[3 * e + d], beside[0], beside[1], fixed, vectors,
                      box + m * made->pitch);
      for (int i = 0; i < m; ++i)
        memcpy(box + i * made->pitch, vectors + i * m, (size_t)m * sizeof *box);
    }
  bp_free(lengths);
}

/* The neighbour's next node behind node n of a face, which is matched by its number; -1: none. */
static int64_t find_beyond(int nq, const int64_t *own, int face, int n, const int64_t *theirs,
                           int their)
{
  const int step[3] = {1, nq, nq * nq};
  for (int i = 0; i < nq * nq; ++i) {
    const int at = face_node(nq, their, i % nq, i / nq);
    if (theirs[at] == own[face_node(nq, face, n % nq, n / nq)])
      return theirs[at + (their % 2 ? -1 : 1) * step[their / 2]];
  }
  return -1;
}

/* Where node (i, j, k) of an element lies in its box; -1 and nq are those beyond. */
static int in_box(const bp_schwarz *s, int i, int j, int k)
{
  return ((k + s->layer) * s->nodes + j + s->layer) * s->nodes + i + s->layer;
}

static void find_unknowns(const bp_system *s, const int64_t *neighbours, const int64_t *numbers,
                          const uint8_t *is_fixed, bp_schwarz *made)
{
  const int nq = s->problem->space.degree + 1, face_nodes = nq * nq, nodes = face_nodes * nq,
            count = made->nodes * made->nodes * made->nodes;
  made->unknowns =
      bp_alloc_array((size_t)s->mesh->elements * (size_t)count, sizeof *made->unknowns);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < s->mesh->elements; ++e) {
    const int64_t *own = numbers + e * nodes;
    int *unknowns = made->unknowns + e * count;
    for (int n = 0; n < count; ++n)
      unknowns[n] = -1;
    for (int n = 0; n < nodes; ++n)
      if (!is_fixed[own[n]])
        unknowns[in_box(made, n % nq, n / nq % nq, n / face_nodes)] = (int)own[n];
    for (int n = 0; n < FACES * face_nodes && made->layer; ++n) {
      const int face = n / face_nodes, d = face / 2, low = d == 0, high = d == 2 ? 1 : 2;
      const int64_t other = neighbours[FACES * e + face],
                    id = other < 0
                             ? -1
                             : find_beyond(nq, own, face, n % face_nodes,
                                           numbers + other / FACES * nodes, (int)(other % FACES));
      int at[3];
      at[d] = face % 2 ? nq : -1;
      at[low] = n % nq;
      at[high] = n / nq % nq;
      if (id >= 0 && !is_fixed[id])
        unknowns[in_box(made, at[0], at[1], at[2])] = (int)id;
    }
  }
}

static int64_t *numbers_of(const bp_unknowns *u)
{
  const int64_t nq = u->degree + 1;
  int64_t *numbers = bp_alloc_array((size_t)(u->elements * nq * nq * nq), sizeof *numbers);
  bp_unknowns_number(u, 0, u->elements, numbers);
  return numbers;
}

bp_status bp_schwarz_create(const bp_system *system, int layer, bp_schwarz **schwarz)
{
  bp_connectivity *connectivity;
  const int nq = system->problem->space.degree + 1;
  bp_status status = bp_connectivity_create(system->mesh, &connectivity);
  *schwarz = NULL;
  if (status)
    return status;
  bp_schwarz *made = bp_alloc(1, sizeof *made);
  int64_t *neighbours = find_neighbours(connectivity), *numbers = numbers_of(system->unknowns);
  uint8_t *is_fixed = bp_alloc((size_t)system->unknowns->count, sizeof *is_fixed);
  bp_unknowns_fixed(system->unknowns, is_fixed);
  made->layer = layer;
  made->nodes = nq + 2 * layer;
  made->pitch = (made->nodes + 3) / 4 * 4;
  make_boxes(system, neighbours, numbers, is_fixed, made);
  find_unknowns(system, neighbours, numbers, is_fixed, made);
  bp_free(neighbours);
  bp_free(numbers);
  bp_free(is_fixed);
  bp_connectivity_destroy(connectivity);
  *schwarz = made;
  return BP_OK;
}

void bp_schwarz_destroy(bp_schwarz *schwarz)
{
  if (!schwarz)
    return;
  bp_free(schwarz->boxes);
  bp_free(schwarz->unknowns);
  bp_free(schwarz);
}

/* ---- literally ---- */

/* out = box^-1 in, [k][j][i]: the sum over modes of their parts. */
static void invert(const bp_schwarz *s, const double *boxes, double lambda, const double *in,
                   double *out)
{
  const int m = s->nodes, count = m * m * m, each = (m + 1) * s->pitch, values = m * s->pitch;
  double *u = bp_alloc_array((size_t)count, sizeof *u);
  memcpy(out, in, (size_t)count * sizeof *out);
  for (int back = 0; back < 2; ++back) {
    for (int d = 0, step = 1; d < 3; ++d, step *= m) {
      const double *v = boxes + d * each;
      memcpy(u, out, (size_t)count * sizeof *u);
      for (int n = 0; n < count; ++n) {
        const int a = n / step % m;
        long double sum = 0;
        for (int i = 0; i < m; ++i)
          sum += (long double)(back ? v[a * s->pitch + i] : v[i * s->pitch + a]) *
                 u[n + (i - a) * step];
        out[n] = (double)sum;
      }
    }
    for (int n = 0; n < count && !back; ++n)
      out[n] /= boxes[values + n % m] + boxes[each + values + n / m % m] +
                boxes[2 * each + values + n / m / m] + lambda;
  }
  bp_free(u);
}

void bp_schwarz_apply(const bp_system *system, const bp_schwarz *schwarz, const double *r,
                      double *z)
{
  const bp_unknowns *u = system->unknowns;
  const int layer = schwarz->layer, nq = u->degree + 1, m = schwarz->nodes, nodes = nq * nq * nq;
  const size_t size = (size_t)(m * m) * (size_t)m;
  int64_t *numbers = numbers_of(u);
  int *copies = bp_alloc((size_t)u->count, sizeof *copies);
  uint8_t *is_fixed = bp_alloc((size_t)u->count, sizeof *is_fixed);
  double *in = bp_alloc_array(size, sizeof *in), *out = bp_alloc_array(size, sizeof *out);
  bp_unknowns_fixed(u, is_fixed);
  for (int64_t n = 0; n < u->elements * nodes; ++n)
    ++copies[numbers[n]];
  memset(z, 0, (size_t)bp_system_size(system) * sizeof *z);
  for (int64_t f = 0; f < system->row->components; ++f)
    for (int64_t e = 0; e < u->elements; ++e) {
      const double *from = r + f * u->count;
      for (size_t n = 0; n < size; ++n) {
        const int id = schwarz->unknowns[(size_t)e * size + n];
        in[n] = id < 0 ? 0 : from[id] / (layer ? 1 : sqrt(copies[id]));
      }
      invert(schwarz, schwarz->boxes + e * 3 * (m + 1) * schwarz->pitch, system->problem->lambda,
             in, out);
      for (int n = 0; n < nodes; ++n) {
        const int64_t id = numbers[e * nodes + n];
        const int at = in_box(schwarz, n % nq, n / nq % nq, n / nq / nq);
        if (!is_fixed[id])
          z[f * u->count + id] += out[at] / (layer ? copies[id] : sqrt(copies[id]));
      }
    }
  bp_free(numbers);
  bp_free(copies);
  bp_free(is_fixed);
  bp_free(in);
  bp_free(out);
}
