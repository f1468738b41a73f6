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

/* ---- faces of several ranks ---- */

/* Own slots of faces that other ranks have, too: in the order of these elements, to go; in that of theirs, to
 * come. A face is known by its first node; fixed ones are none. */
typedef struct {
  int64_t *sent, *received, *sent_first, *received_first;
} far_faces;

static bool is_first_in_face(int M, int64_t m)
{
  return m < FACES * M * M && m % (M * M) == 0;
}

static far_faces find_far(const bp_unknowns *u)
{
  const bp_sharing *s = u->sharing;
  const int neighbours = s ? s->neighbours : 0, M = u->degree - 1, surface = u->surface_nodes;
  const int64_t sent = s ? s->sent_first[neighbours] : 0, received = s ? s->received : 0;
  far_faces far = {bp_alloc((size_t)sent + 1, sizeof *far.sent),
                   bp_alloc((size_t)received + 1, sizeof *far.received),
                   bp_alloc((size_t)neighbours + 1, sizeof *far.sent_first),
                   bp_alloc((size_t)neighbours + 1, sizeof *far.received_first)};
  int64_t out = 0, in = 0;
  for (int b = 0; b < neighbours; ++b) {
    for (int64_t n = s->sent_first[b]; n < s->sent_first[b + 1]; ++n)
      if (is_first_in_face(M, s->sent[n] % surface))
        far.sent[out++] = s->sent[n] / surface * FACES + s->sent[n] % surface / (M * M);
    for (int64_t n = s->received_first[b]; n < s->received_first[b + 1]; ++n)
      if (is_first_in_face(M, s->received_place[n] % surface)) {
        const uint32_t *copies = u->copies + u->starts[s->received_id[n] - u->inner],
                       own = copies[copies[0] >= u->elements * surface];
        far.received[in++] = own / surface * FACES + own % surface / (M * M);
      }
    far.sent_first[b + 1] = out;
    far.received_first[b + 1] = in;
  }
  return far;
}

static void far_destroy(far_faces *far)
{
  bp_free(far->sent);
  bp_free(far->received);
  bp_free(far->sent_first);
  bp_free(far->received_first);
}

int64_t bp_schwarz_far(const bp_unknowns *unknowns)
{
  const int64_t nq = unknowns->degree + 1;
  if (!unknowns->sharing || unknowns->degree < 2)
    return 0;
  far_faces far = find_far(unknowns);
  const int64_t count = far.received_first[unknowns->sharing->neighbours];
  far_destroy(&far);
  return count * nq * nq;
}

/* beside[slot]: the length of another rank's element there; else 0. */
static bp_status exchange_lengths(const bp_sharing *s, const far_faces *far, const double *lengths,
                                  double *beside)
{
  const int neighbours = s->neighbours;
  double *sent = bp_alloc((size_t)far->sent_first[neighbours] + 1, sizeof *sent),
         *received = bp_alloc((size_t)far->received_first[neighbours] + 1, sizeof *received);
  bp_part out[BP_RANKS_MAX], in[BP_RANKS_MAX];
  for (int64_t n = 0; n < far->sent_first[neighbours]; ++n)
    sent[n] = lengths[3 * (far->sent[n] / FACES) + far->sent[n] % FACES / 2];
  for (int b = 0; b < neighbours; ++b) {
    const int64_t from = far->sent_first[b], to = far->received_first[b],
                  each = (int64_t)sizeof *sent;
    out[b] = (bp_part){s->rank[b], sent + from, (far->sent_first[b + 1] - from) * each};
    in[b] = (bp_part){s->rank[b], received + to, (far->received_first[b + 1] - to) * each};
  }
  bp_status status = bp_comm_exchange(s->comm, out, neighbours, in, neighbours);
  for (int64_t n = 0; n < far->received_first[neighbours]; ++n)
    beside[far->received[n]] = received[n];
  bp_free(sent);
  bp_free(received);
  return status;
}

/* Nodes b nq + a of a face in an order that both its elements know: from the corner whose node in the whole
 * mesh has the lowest number, first towards the neighbour that has the lower one. */
static void order_face(const bp_system *s, int64_t slot, int *order)
{
  const int nq = s->problem->space.degree + 1, face = (int)(slot % FACES), d = face / 2,
            low = 1 << (d == 0), high = 1 << (d == 2 ? 1 : 2);
  int64_t node[2][2];
  int a0 = 0, b0 = 0;
  for (int b = 0; b < 2; ++b)
    for (int a = 0; a < 2; ++a) {
      const int corner = face % 2 * (1 << d) + a * low + b * high;
      node[b][a] = s->piece->node[bp_mesh_corner(s->mesh, slot / FACES, corner)];
      if (node[b][a] < node[b0][a0]) {
        a0 = a;
        b0 = b;
      }
    }
  const bool is_a_first = node[b0][!a0] < node[!b0][a0];
  for (int n = 0; n < nq * nq; ++n) {
    const int i = is_a_first ? n % nq : n / nq, j = is_a_first ? n / nq : n % nq;
    order[n] = (b0 ? nq - 1 - j : j) * nq + (a0 ? nq - 1 - i : i);
  }
}

/* The node of an element after one of its face. */
static int next_node(int nq, int face, int n)
{
  const int step[3] = {1, nq, nq * nq};
  return face_node(nq, face, n % nq, n / nq) + (face % 2 ? -1 : 1) * step[face / 2];
}

/* Where node (i, j, k) of an element lies in its box; -1 and nq are those beyond. */
static int in_box(const bp_schwarz *s, int i, int j, int k)
{
  return ((k + s->layer) * s->nodes + j + s->layer) * s->nodes + i + s->layer;
}

/* And the node beyond node n of a face. */
static int beyond_in_box(const bp_schwarz *s, int face, int n)
{
  const int nq = s->nodes - 2 * s->layer, d = face / 2;
  int at[3];
  at[d] = face % 2 ? nq : -1;
  at[d == 0] = n % nq;
  at[d == 2 ? 1 : 2] = n / nq;
  return in_box(s, at[0], at[1], at[2]);
}

static void list_far(const bp_system *s, far_faces *far, const int64_t *numbers,
                     const uint8_t *is_fixed, bp_schwarz *made)
{
  const int nq = s->problem->space.degree + 1, each = nq * nq,
            count = made->nodes * made->nodes * made->nodes,
            neighbours = s->unknowns->sharing->neighbours;
  const int64_t stride = bp_unknowns_stride(s->unknowns);
  int order[BP_POINTS_MAX * BP_POINTS_MAX];
  made->sent = bp_alloc((size_t)(far->sent_first[neighbours] * each) + 1, sizeof *made->sent);
  for (int64_t f = 0; f < far->sent_first[neighbours]; ++f) {
    order_face(s, far->sent[f], order);
    for (int n = 0; n < each; ++n) {
      const int64_t id = numbers[far->sent[f] / FACES * each * nq +
                                 next_node(nq, (int)(far->sent[f] % FACES), order[n])];
      made->sent[f * each + n] = is_fixed[id] ? -1 : (int)id;
    }
  }
  for (int64_t f = 0; f < far->received_first[neighbours]; ++f) {
    order_face(s, far->received[f], order);
    for (int n = 0; n < each; ++n)
      made->unknowns[far->received[f] / FACES * count +
                     beyond_in_box(made, (int)(far->received[f] % FACES), order[n])] =
          (int)(stride + f * each + n);
  }
  for (int b = 0; b <= neighbours; ++b) {
    far->sent_first[b] *= each;
    far->received_first[b] *= each;
  }
  made->sent_first = far->sent_first;
  made->received_first = far->received_first;
  far->sent_first = far->received_first = NULL;
}

static bp_status make_boxes(const bp_system *s, const int64_t *neighbours, const far_faces *far,
                            const int64_t *numbers, const uint8_t *is_fixed, bp_schwarz *made)
{
  const int degree = s->problem->space.degree, nq = degree + 1, m = made->nodes,
            each = (m + 1) * made->pitch;
  double *lengths = bp_alloc_array(3 * (size_t)s->mesh->elements, sizeof *lengths),
         *elsewhere = bp_alloc(FACES * (size_t)s->mesh->elements + 1, sizeof *elsewhere);
  find_lengths(s, lengths);
  bp_status status = s->unknowns->sharing
                         ? exchange_lengths(s->unknowns->sharing, far, lengths, elsewhere)
                         : BP_OK;
  made->boxes = bp_alloc((size_t)s->mesh->elements * 3 * (size_t)each, sizeof *made->boxes);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < s->mesh->elements; ++e)
    for (int d = 0; d < 3; ++d) {
      double beside[2];
      bool fixed[2], *const ends = fixed;
      for (int f = 0; f < 2; ++f) {
        const int64_t other = neighbours[FACES * e + 2 * d + f];
        const int node = face_node(nq, 2 * d + f, degree / 2, degree / 2);
        beside[f] = other < 0 ? elsewhere[FACES * e + 2 * d + f]
                              : lengths[3 * (other / FACES) + other % FACES / 2];
        ends[f] = is_fixed[numbers[e * nq * nq * nq + node]];
      }
      double *box = made->boxes + (3 * e + d) * each, vectors[MOST * MOST];
      bp_schwarz_line(degree, made->layer, lengths[3 * e + d], beside[0], beside[1], fixed, vectors,
                      box + m * made->pitch);
      for (int i = 0; i < m; ++i)
        memcpy(box + i * made->pitch, vectors + i * m, (size_t)m * sizeof *box);
    }
  bp_free(lengths);
  bp_free(elsewhere);
  return status;
}

/* The neighbour's next node behind node n of a face, which is matched by its number; -1: none. */
static int64_t find_beyond(int nq, const int64_t *own, int face, int n, const int64_t *theirs,
                           int their)
{
  for (int i = 0; i < nq * nq; ++i)
    if (theirs[face_node(nq, their, i % nq, i / nq)] == own[face_node(nq, face, n % nq, n / nq)])
      return theirs[next_node(nq, their, i)];
  return -1;
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
      const int face = n / face_nodes;
      const int64_t other = neighbours[FACES * e + face],
                    id = other < 0
                             ? -1
                             : find_beyond(nq, own, face, n % face_nodes,
                                           numbers + other / FACES * nodes, (int)(other % FACES));
      if (id >= 0 && !is_fixed[id])
        unknowns[beyond_in_box(made, face, n % face_nodes)] = (int)id;
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
  far_faces far = find_far(system->unknowns);
  made->layer = layer;
  made->nodes = nq + 2 * layer;
  made->pitch = (made->nodes + 3) / 4 * 4;
  status = make_boxes(system, neighbours, &far, numbers, is_fixed, made);
  find_unknowns(system, neighbours, numbers, is_fixed, made);
  if (layer && system->unknowns->sharing)
    list_far(system, &far, numbers, is_fixed, made);
  far_destroy(&far);
  bp_free(neighbours);
  bp_free(numbers);
  bp_free(is_fixed);
  bp_connectivity_destroy(connectivity);
  *schwarz = made;
  return status;
}

void bp_schwarz_destroy(bp_schwarz *schwarz)
{
  if (!schwarz)
    return;
  bp_free(schwarz->boxes);
  bp_free(schwarz->unknowns);
  bp_free(schwarz->sent);
  bp_free(schwarz->sent_first);
  bp_free(schwarz->received_first);
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
