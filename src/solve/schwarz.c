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
  const int degree = s->problem->space.degree, nq = degree + 1, m = made->nodes;
  double *lengths = bp_alloc_array(3 * (size_t)s->mesh->elements, sizeof *lengths);
  find_lengths(s, lengths);
  made->boxes =
      bp_alloc_array((size_t)s->mesh->elements * 3 * (size_t)(m * m + m), sizeof *made->boxes);
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
      double *box = made->boxes + (3 * e + d) * (m * m + m);
      bp_schwarz_line(degree, made->layer, lengths[3 * e + d], beside[0], beside[1], fixed, box,
                      box + m * m);
    }
  bp_free(lengths);
}

/* Nodes of the two faces are matched by their numbers. */
static void find_beyond(const bp_system *s, const int64_t *neighbours, const int64_t *numbers,
                        const uint8_t *is_fixed, int *beyond)
{
  const int nq = s->problem->space.degree + 1, face_nodes = nq * nq, nodes = face_nodes * nq;
  const int step[3] = {1, nq, nq * nq};
#pragma omp parallel for schedule(static)
  for (int64_t slot = 0; slot < FACES * s->mesh->elements; ++slot) {
    const int64_t other = neighbours[slot];
    const int64_t *own = numbers + slot / FACES * nodes, *theirs = numbers + other / FACES * nodes;
    const int face = (int)(slot % FACES), their = (int)(other % FACES);
    for (int n = 0; n < face_nodes; ++n) {
      int *to = beyond + slot * face_nodes + n;
      *to = -1;
      for (int i = 0; i < face_nodes && other >= 0; ++i) {
        const int at = face_node(nq, their, i % nq, i / nq),
                  inner = at + (their % 2 ? -1 : 1) * step[their / 2];
        if (theirs[at] == own[face_node(nq, face, n % nq, n / nq)] && !is_fixed[theirs[inner]])
          *to = (int)theirs[inner];
      }
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
  make_boxes(system, neighbours, numbers, is_fixed, made);
  if (layer) {
    made->beyond = bp_alloc_array((size_t)(FACES * nq * nq) * (size_t)system->mesh->elements,
                                  sizeof *made->beyond);
    find_beyond(system, neighbours, numbers, is_fixed, made->beyond);
  }
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
  bp_free(schwarz->beyond);
  bp_free(schwarz);
}

/* ---- literally ---- */

/* out = box^-1 in, [k][j][i]: the sum over modes of their parts. */
static void invert(const bp_schwarz *s, const double *boxes, double lambda, const double *in,
                   double *out)
{
  const int m = s->nodes, count = m * m * m, each = m * m + m;
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
          sum += (long double)(back ? v[a * m + i] : v[i * m + a]) * u[n + (i - a) * step];
        out[n] = (double)sum;
      }
    }
    for (int n = 0; n < count && !back; ++n)
      out[n] /= boxes[m * m + n % m] + boxes[each + m * m + n / m % m] +
                boxes[2 * each + m * m + n / m / m] + lambda;
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
      memset(in, 0, size * sizeof *in);
      for (int n = 0; n < nodes; ++n) {
        const int64_t id = numbers[e * nodes + n];
        const int at = ((n / nq / nq + layer) * m + n / nq % nq + layer) * m + n % nq + layer;
        in[at] = is_fixed[id] ? 0 : from[id] / (layer ? 1 : sqrt(copies[id]));
      }
      for (int n = 0; n < FACES * nq * nq && layer; ++n) {
        const int face = n / nq / nq, a = n % nq, b = n / nq % nq, d = face / 2,
                  step[3] = {1, m, m * m}, id = schwarz->beyond[e * FACES * nq * nq + n],
                  at = face % 2 * (m - 1) * step[d] + (a + 1) * step[d == 0 ? 1 : 0] +
                       (b + 1) * step[d == 2 ? 1 : 2];
        in[at] = id < 0 ? 0 : from[id];
      }
      invert(schwarz, schwarz->boxes + e * 3 * (m * m + m), system->problem->lambda, in, out);
      for (int n = 0; n < nodes; ++n) {
        const int64_t id = numbers[e * nodes + n];
        const int at = ((n / nq / nq + layer) * m + n / nq % nq + layer) * m + n % nq + layer;
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
