/* unknowns_vectors.c -- between vectors of unknowns and the nodes of elements. */
#include "base/memory.h"
#include "fem/entities.h"
#include "fem/geometry.h"
#include "fem/unknowns.h"

void bp_unknowns_places(int degree, int *place, int *inside)
{
  static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  int N = degree, nq = N + 1, M = N - 1, stride[3] = {1, nq, nq * nq};
  for (int f = 0; place && f < FACES_AT; ++f)
    for (int b = 1; b <= M; ++b)
      for (int a = 1; a <= M; ++a)
        *place++ = (f & 1) * N * stride[f / 2] + a * stride[others[f / 2][0]] +
                   b * stride[others[f / 2][1]];
  for (int q = 0; place && q < EDGES_AT; ++q)
    for (int a = 1; a <= M; ++a)
      *place++ = a * stride[q / 4] + (q & 1) * N * stride[others[q / 4][0]] +
                 (q >> 1 & 1) * N * stride[others[q / 4][1]];
  for (int c = 0; place && c < VERTICES_AT; ++c)
    *place++ = N * ((c & 1) * stride[0] + (c >> 1 & 1) * stride[1] + (c >> 2) * stride[2]);
  for (int k = 1; inside && k <= M; ++k)
    for (int j = 1; j <= M; ++j)
      for (int i = 1; i <= M; ++i)
        *inside++ = i + j * stride[1] + k * stride[2];
}

/* Where an element's nodes lie, for the loops below. */
typedef struct {
  int nodes, surface, inside;
  int *place, *inner; /* place[surface], inner[inside] */
} layout;

static layout layout_create(const bp_unknowns *u)
{
  int nq = u->degree + 1, nodes = nq * nq * nq;
  layout l = {.nodes = nodes, .surface = u->surface_nodes, .inside = nodes - u->surface_nodes};
  l.place = bp_alloc((size_t)nodes, sizeof *l.place);
  l.inner = l.place + l.surface;
  bp_unknowns_places(u->degree, l.place, l.inner);
  return l;
}

static int32_t number_of(int32_t id)
{
  return id < 0 ? ~id : id;
}

void bp_unknowns_number(const bp_unknowns *unknowns, int64_t first, int64_t last, int64_t *numbers)
{
  layout l = layout_create(unknowns);
#pragma omp parallel for schedule(static)
  for (int64_t e = first; e < last; ++e) {
    int64_t *to = numbers + (e - first) * l.nodes;
    for (int n = 0; n < l.inside; ++n)
      to[l.inner[n]] = e * l.inside + n;
    for (int m = 0; m < l.surface; ++m)
      to[l.place[m]] = number_of(unknowns->ids[e * l.surface + m]);
  }
  bp_free(l.place);
}

void bp_unknowns_fixed(const bp_unknowns *unknowns, uint8_t *is_fixed)
{
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < unknowns->count; ++n) {
    int64_t s = n - unknowns->inner;
    is_fixed[n] = s >= 0 && unknowns->starts[s] == unknowns->starts[s + 1];
  }
}

static int class_of(const bp_unknowns *u, int m)
{
  int M = u->degree - 1;
  return m < FACES_AT * M * M                  ? BP_IN_FACE
         : m < FACES_AT * M * M + EDGES_AT * M ? BP_IN_EDGE
                                               : BP_AT_VERTEX;
}

/* xyz[c][k][j][i] of element e to the unknowns that it owns. */
static void keep_nodes(const bp_unknowns *u, const layout *l, int64_t e, const double *xyz,
                       double *x)
{
  for (int n = 0; n < l->inside; ++n)
    for (int c = 0; c < 3; ++c)
      x[3 * (e * l->inside + n) + c] = xyz[c * l->nodes + l->inner[n]];
  for (int m = 0; m < l->surface; ++m) {
    int32_t id = number_of(u->ids[e * l->surface + m]);
    if (id >= u->first[BP_SURFACE_CLASSES * e + class_of(u, m)])
      for (int c = 0; c < 3; ++c)
        x[3 * (int64_t)id + c] = xyz[c * l->nodes + l->place[m]];
  }
}

void bp_unknowns_nodes(const bp_unknowns *unknowns, const bp_mesh *mesh, double *x)
{
  bp_geometry geometry;
  double node[BP_POINTS_MAX], unused[BP_POINTS_MAX];
  layout l = layout_create(unknowns);
  bp_quadrature_lobatto(unknowns->degree + 1, node, unused);
  bp_geometry_create(&geometry, mesh->order, unknowns->degree + 1, node);
#pragma omp parallel
  {
    double *xyz = bp_alloc((size_t)(3 * l.nodes + bp_geometry_scratch(&geometry)), sizeof *xyz);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < unknowns->elements; ++e) {
      bp_geometry_positions(&geometry, mesh, e, xyz + 3 * l.nodes, xyz);
      keep_nodes(unknowns, &l, e, xyz, x);
    }
    bp_free(xyz);
  }
  bp_free(l.place);
}

void bp_unknowns_scatter(const bp_unknowns *unknowns, int64_t first, int64_t last,
                         const double *global, double *local)
{
  layout l = layout_create(unknowns);
#pragma omp parallel for schedule(static)
  for (int64_t e = first; e < last; ++e) {
    double *to = local + (e - first) * l.nodes;
    const int32_t *ids = unknowns->ids + e * l.surface;
    for (int n = 0; n < l.inside; ++n)
      to[l.inner[n]] = global[e * l.inside + n];
    for (int m = 0; m < l.surface; ++m)
      to[l.place[m]] = ids[m] < 0 ? 0 : global[ids[m]];
  }
  bp_free(l.place);
}

void bp_unknowns_keep(const bp_unknowns *unknowns, int64_t first, int64_t last, const double *local,
                      double *global, double *copies)
{
  layout l = layout_create(unknowns);
#pragma omp parallel for schedule(static)
  for (int64_t e = first; e < last; ++e) {
    const double *from = local + (e - first) * l.nodes;
    for (int n = 0; n < l.inside; ++n)
      global[e * l.inside + n] = from[l.inner[n]];
    for (int m = 0; m < l.surface; ++m)
      copies[e * l.surface + m] = from[l.place[m]];
  }
  bp_free(l.place);
}

/* What other ranks have of shared unknowns; free it. NULL where there are no other ranks. */
static double *receive_copies(const bp_unknowns *u, const double *copies)
{
  const bp_sharing *s = u->sharing;
  if (!s)
    return NULL;
  int64_t count = s->sent_first[s->neighbours];
  double *sent = bp_alloc_array((size_t)count, sizeof *sent);
  double *received = bp_alloc((size_t)s->received, sizeof *received);
  for (int64_t n = 0; n < count; ++n)
    sent[n] = copies[s->sent[n]];
  bp_sharing_exchange(s, 1, sent, received); /* bp_comm_check tells of a failure */
  bp_free(sent);
  return received;
}

void bp_unknowns_add_copies(const bp_unknowns *unknowns, const double *copies, double *global)
{
  const bp_unknowns *u = unknowns;
  const int64_t own = u->elements * u->surface_nodes;
  double *received = receive_copies(u, copies);
#pragma omp parallel for schedule(static)
  for (int64_t s = 0; s < u->count - u->inner; ++s) {
    double sum = 0;
    for (uint32_t n = u->starts[s]; n < u->starts[s + 1]; ++n)
      sum += u->copies[n] < own ? copies[u->copies[n]] : received[u->copies[n] - own];
    global[u->inner + s] = sum;
  }
  bp_free(received);
}

void bp_unknowns_gather(const bp_unknowns *unknowns, const double *local, double *global)
{
  const size_t count = (size_t)(unknowns->elements * unknowns->surface_nodes);
  double *copies = bp_alloc_array(count, sizeof *copies);
  bp_unknowns_keep(unknowns, 0, unknowns->elements, local, global, copies);
  bp_unknowns_add_copies(unknowns, copies, global);
  bp_free(copies);
}

void bp_unknowns_share(const bp_unknowns *unknowns, double *global)
{
  const bp_unknowns *u = unknowns;
  const int64_t own = u->elements * u->surface_nodes;
  double *copies = bp_alloc_array((size_t)own, sizeof *copies);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < own; ++n)
    copies[n] = 0;
#pragma omp parallel for schedule(static)
  for (int64_t s = 0; s < u->count - u->inner; ++s)
    if (u->starts[s] < u->starts[s + 1] && u->copies[u->starts[s]] < own)
      copies[u->copies[u->starts[s]]] = global[u->inner + s];
  bp_unknowns_add_copies(u, copies, global);
  bp_free(copies);
}
