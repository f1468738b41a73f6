/* numbering.c -- ids of nodes, boundary, gather and scatter. */
#include "numbering.h"

#include "base/memory.h"
#include <omp.h>
#include <string.h>

static int64_t power(int64_t base, int exponent)
{
  int64_t result = 1;
  while (exponent-- > 0)
    result *= base;
  return result;
}

/* First ids of each kind of node. */
typedef struct {
  int64_t edges, faces, elements, end;
} starts;

static starts starts_of(const bp_connectivity *c, int degree)
{
  int64_t inner = degree - 1;
  starts s = {.edges = c->vertices};
  s.faces = s.edges + c->edges * inner;
  s.elements = s.faces + c->faces * inner * inner;
  s.end = s.elements + c->elements * inner * inner * inner;
  return s;
}

/* Strides of the directions in an element's array of nq^3. */
typedef struct {
  int degree;
  int64_t stride[3];
} grid;

static grid grid_of(int degree)
{
  int64_t nq = degree + 1;
  return (grid){.degree = degree, .stride = {1, nq, nq * nq}};
}

/* The two directions other than d. */
static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};

static void number_vertices(const int32_t *vertex, const grid *g, int64_t *ids)
{
  for (int c = 0; c < 8; ++c) {
    int64_t at = 0;
    for (int d = 0; d < 3; ++d)
      at += (c >> d & 1) * g->degree * g->stride[d];
    ids[at] = vertex[c];
  }
}

static void number_edge(int q, bool flip, int64_t first, const grid *g, int64_t *ids)
{
  int d = q / 4, N = g->degree;
  int64_t at = ((q & 1) * g->stride[others[d][0]] + (q >> 1 & 1) * g->stride[others[d][1]]) * N;
  for (int i = 1; i < N; ++i)
    ids[at + i * g->stride[d]] = first + (flip ? N - 1 - i : i - 1);
}

static void number_face(int f, int turn, int64_t first, const grid *g, int64_t *ids)
{
  int d = f / 2, N = g->degree, inner = N - 1;
  int64_t at = (f & 1) * N * g->stride[d], x = g->stride[others[d][0]], y = g->stride[others[d][1]];
  int64_t along_x = turn & 4 ? inner : 1, along_y = turn & 4 ? 1 : inner;
  for (int j = 1; j < N; ++j)
    for (int i = 1; i < N; ++i) {
      int own_i = turn & 1 ? N - 1 - i : i - 1, own_j = turn & 2 ? N - 1 - j : j - 1;
      ids[at + i * x + j * y] = first + own_i * along_x + own_j * along_y;
    }
}

static void number_inside(int64_t first, const grid *g, int64_t *ids)
{
  int N = g->degree;
  for (int k = 1; k < N; ++k)
    for (int j = 1; j < N; ++j)
      for (int i = 1; i < N; ++i)
        ids[i + j * g->stride[1] + k * g->stride[2]] = first++;
}

static void number_element(const bp_connectivity *c, const starts *s, const grid *g, int64_t e,
                           int64_t *ids)
{
  int64_t inner = g->degree - 1;
  number_vertices(c->vertex + 8 * e, g, ids);
  for (int q = 0; q < 12; ++q)
    number_edge(q, c->edge_flip[e] >> q & 1, s->edges + c->edge[12 * e + q] * inner, g, ids);
  for (int f = 0; f < 6; ++f)
    number_face(f, c->face_turn[6 * e + f], s->faces + c->face[6 * e + f] * inner * inner, g, ids);
  number_inside(s->elements + e * inner * inner * inner, g, ids);
}

void bp_connectivity_number(const bp_connectivity *connectivity, int degree, int64_t first,
                            int64_t last, int64_t *ids)
{
  starts s = starts_of(connectivity, degree);
  grid g = grid_of(degree);
  int64_t nodes = power(degree + 1, 3);
#pragma omp parallel for schedule(static)
  for (int64_t e = first; e < last; ++e)
    number_element(connectivity, &s, &g, e, ids + (e - first) * nodes);
}

/* All nodes of face f, rim included, are on the boundary. */
static void mark_face(int f, const grid *g, const int64_t *ids, bool *is_boundary)
{
  int d = f / 2, N = g->degree;
  const int64_t *face = ids + (f & 1) * N * g->stride[d];
  for (int j = 0; j <= N; ++j)
    for (int i = 0; i <= N; ++i) {
      int64_t id = face[i * g->stride[others[d][0]] + j * g->stride[others[d][1]]];
#pragma omp atomic write
      is_boundary[id] = true;
    }
}

void bp_connectivity_boundary(const bp_connectivity *connectivity, int degree, bool *is_boundary)
{
  starts s = starts_of(connectivity, degree);
  grid g = grid_of(degree);
  memset(is_boundary, 0, (size_t)s.end * sizeof *is_boundary);
#pragma omp parallel
  {
    int64_t *ids = bp_alloc((size_t)power(degree + 1, 3), sizeof *ids);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < connectivity->elements; ++e) {
      bool is_numbered = false;
      for (int f = 0; f < 6; ++f) {
        if (connectivity->face_sides[connectivity->face[6 * e + f]] != 1)
          continue;
        if (!is_numbered)
          number_element(connectivity, &s, &g, e, ids);
        is_numbered = true;
        mark_face(f, &g, ids, is_boundary);
      }
    }
    bp_free(ids);
  }
}

/* Each thread reads all values and adds up those of its own nodes, in the order of the elements. */
void bp_gather(const bp_connectivity *connectivity, int degree, const int64_t *ids,
               const double *local, double *global)
{
  int64_t unique = bp_connectivity_unique(connectivity, degree);
  int64_t count = connectivity->elements * power(degree + 1, 3);
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t first = unique * thread / threads, last = unique * (thread + 1) / threads;
    uint64_t own = (uint64_t)(last - first);
    memset(global + first, 0, own * sizeof *global);
    for (int64_t n = 0; n < count; ++n)
      if ((uint64_t)(ids[n] - first) < own)
        global[ids[n]] += local[n];
  }
}

void bp_scatter(const bp_connectivity *connectivity, int degree, const int64_t *ids,
                const double *global, double *local)
{
  int64_t count = connectivity->elements * power(degree + 1, 3);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n)
    local[n] = global[ids[n]];
}
