/* unknowns.c -- numbers faces, edges and vertices by first touch, then their nodes. */
#include "fem/unknowns.h"

#include "base/memory.h"
#include "fem/entities.h"
#include <stdlib.h>

/* Node t of a slot, as the face's (edge's) own axes count. */
static int canonical(int k, int M, int code, int t)
{
  if (k != BP_IN_FACE)
    return code & 1 ? M - 1 - t : t;
  int i = code & 1 ? M - 1 - t % M : t % M, j = code & 2 ? M - 1 - t / M : t / M;
  return code & 4 ? i * M + j : j * M + i;
}

static int *create_turned(int k, int M, const class *c)
{
  int *turned = bp_alloc((size_t)c->codes * (size_t)c->codes * (size_t)c->size, sizeof *turned);
  for (int owner = 0; owner < c->codes; ++owner)
    for (int own = 0; own < c->size; ++own)
      for (int code = 0; code < c->codes; ++code)
        for (int t = 0; t < c->size; ++t)
          if (canonical(k, M, code, t) == canonical(k, M, owner, own))
            turned[(owner * c->codes + code) * c->size + t] = own;
  return turned;
}

static numbering numbering_create(const bp_connectivity *connectivity, int degree)
{
  int M = degree - 1;
  numbering n = {.connectivity = connectivity, .M = M};
  n.classes[BP_IN_FACE] =
      (class){.per_element = FACES_AT, .codes = TURNS, .size = M * M, .total = connectivity->faces};
  n.classes[BP_IN_EDGE] =
      (class){.per_element = EDGES_AT, .codes = 2, .size = M, .total = connectivity->edges};
  n.classes[BP_AT_VERTEX] =
      (class){.per_element = VERTICES_AT, .codes = 1, .size = 1, .total = connectivity->vertices};
  int64_t begin = connectivity->elements * M * M * M;
  for (int k = 0; k < BP_SURFACE_CLASSES; ++k) {
    class *c = &n.classes[k];
    c->begin = begin;
    begin += c->size * c->total;
    c->total = c->size ? c->total : 0;
    c->entities = bp_alloc_array((size_t)c->total, sizeof *c->entities);
    c->turned = create_turned(k, M, c);
  }
  return n;
}

static void numbering_destroy(numbering *n)
{
  for (class *c = n->classes; c < n->classes + BP_SURFACE_CLASSES; ++c) {
    bp_free(c->entities);
    bp_free(c->turned);
  }
}

/* ---- who is first ---- */

static void lower(int64_t *smallest, int64_t value)
{
  int64_t seen = __atomic_load_n(smallest, __ATOMIC_RELAXED);
  while (value < seen && !__atomic_compare_exchange_n(smallest, &seen, value, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static void find_owners(numbering *n, int k)
{
  class *c = &n->classes[k];
  int64_t slots = c->size ? n->connectivity->elements * c->per_element : 0;
  c->owner = bp_alloc_array((size_t)c->total, sizeof *c->owner);
#pragma omp parallel for schedule(static)
  for (int64_t id = 0; id < c->total; ++id) {
    c->owner[id] = INT64_MAX;
    c->entities[id] = (entity){0};
  }
#pragma omp parallel for schedule(static)
  for (int64_t slot = 0; slot < slots; ++slot)
    lower(&c->owner[id_at(n->connectivity, k, slot)], slot);
}

/* How many of its faces (edges, vertices) element e owns. */
static int count_owned(const numbering *n, int k, int64_t e)
{
  const class *c = &n->classes[k];
  int count = 0;
  for (int64_t slot = c->per_element * e; c->size && slot < c->per_element * (e + 1); ++slot)
    count += c->owner[id_at(n->connectivity, k, slot)] == slot;
  return count;
}

/* Gives numbers from `number` on to those that element e owns. */
static void number_owned(const numbering *n, int k, int64_t e, int32_t number)
{
  const class *c = &n->classes[k];
  for (int64_t slot = c->per_element * e; c->size && slot < c->per_element * (e + 1); ++slot) {
    int64_t id = id_at(n->connectivity, k, slot);
    if (c->owner[id] != slot)
      continue;
    c->entities[id].number = number;
    c->entities[id].code = (uint8_t)code_at(n->connectivity, k, slot);
    number += c->size;
  }
}

static void number_class(numbering *n, int k, int32_t *first)
{
  class *c = &n->classes[k];
  int64_t elements = n->connectivity->elements, next = c->begin;
  find_owners(n, k);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < elements; ++e)
    first[BP_SURFACE_CLASSES * e + k] = c->size * count_owned(n, k, e);
  for (int64_t e = 0; e <= elements; ++e) {
    int64_t own = e < elements ? first[BP_SURFACE_CLASSES * e + k] : 0;
    first[BP_SURFACE_CLASSES * e + k] = (int32_t)next;
    next += own;
  }
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < elements; ++e)
    number_owned(n, k, e, first[BP_SURFACE_CLASSES * e + k]);
  bp_free(c->owner);
}

/* ---- what is fixed ---- */

static void mark(const numbering *n, int k, int64_t slot)
{
  const class *c = &n->classes[k];
  if (c->size)
    __atomic_store_n(&c->entities[id_at(n->connectivity, k, slot)].fixed, true, __ATOMIC_RELAXED);
}

/* Face f of element e with its edges and corners. */
static void mark_face(const numbering *n, int64_t e, int f)
{
  static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  int d = f / 2, side = f & 1;
  mark(n, BP_IN_FACE, FACES_AT * e + f);
  for (int q = 0; q < EDGES_AT; ++q) {
    int along = q / 4, which = others[along][0] == d ? 0 : 1;
    if (along != d && (q >> which & 1) == side)
      mark(n, BP_IN_EDGE, EDGES_AT * e + q);
  }
  for (int c = 0; c < VERTICES_AT; ++c)
    if ((c >> d & 1) == side)
      mark(n, BP_AT_VERTEX, VERTICES_AT * e + c);
}

static void mark_fixed(const numbering *n, bp_fixed fixed)
{
  const bp_connectivity *c = n->connectivity;
  if (fixed.kind == BP_FIXED_NONE)
    return;
#pragma omp parallel for schedule(static)
  for (int64_t slot = 0; slot < FACES_AT * c->elements; ++slot) {
    int64_t face = c->face[slot];
    if (fixed.kind == BP_FIXED_BOUNDARY ? c->face_sides[face] == 1 : fixed.faces[face])
      mark_face(n, slot / FACES_AT, (int)(slot % FACES_AT));
  }
}

static int64_t count_fixed(const numbering *n)
{
  int64_t count = 0;
  for (int k = 0; k < BP_SURFACE_CLASSES; ++k) {
    const class *c = &n->classes[k];
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t id = 0; id < c->total; ++id)
      count += c->entities[id].fixed ? c->size : 0;
  }
  return count;
}

/* ---- lists ---- */

/* The nodes of a slot, as its owner counts them; returns what is behind them. */
static int32_t *list_slot(const numbering *n, int k, int64_t slot, int32_t *ids)
{
  const class *c = &n->classes[k];
  int64_t found = id_at(n->connectivity, k, slot);
  int code = code_at(n->connectivity, k, slot);
  for (int t = 0; t < c->size; ++t) {
    int32_t id = number_at(c, found, code, t);
    *ids++ = c->entities[found].fixed ? ~id : id;
  }
  return ids;
}

static void list_ids(const numbering *n, bp_unknowns *u)
{
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < u->elements; ++e) {
    int32_t *ids = u->ids + e * u->surface_nodes;
    for (int k = 0; k < BP_SURFACE_CLASSES; ++k)
      for (int f = 0; n->classes[k].size && f < n->classes[k].per_element; ++f)
        ids = list_slot(n, k, n->classes[k].per_element * e + f, ids);
  }
}

/* How many copies each unknown has, and where its own begin. */
static void list_starts(bp_unknowns *u)
{
  int64_t surface = u->count - u->inner, copies = u->elements * u->surface_nodes;
  uint32_t total = 0;
#pragma omp parallel for schedule(static)
  for (int64_t s = 0; s <= surface; ++s)
    u->starts[s] = 0;
#pragma omp parallel for schedule(static)
  for (int64_t m = 0; m < copies; ++m)
    if (u->ids[m] >= 0)
      __atomic_fetch_add(&u->starts[u->ids[m] - u->inner], 1, __ATOMIC_RELAXED);
  for (int64_t n = 0; u->sharing && n < u->sharing->received; ++n)
    ++u->starts[u->sharing->received_id[n] - u->inner];
  for (int64_t s = 0; s <= surface; ++s) {
    uint32_t own = u->starts[s];
    u->starts[s] = total;
    total += own;
  }
}

static int compare_copies(const void *a, const void *b)
{
  const uint32_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* A dozen in any usual mesh; where all elements of a strange one share a vertex, millions. */
static void sort_copies(uint32_t *list, uint32_t count)
{
  enum { FEW = 48 };
  if (count > FEW) {
    qsort(list, count, sizeof *list, compare_copies);
    return;
  }
  for (uint32_t n = 1; n < count; ++n) {
    uint32_t inserted = list[n], m = n;
    for (; m > 0 && inserted < list[m - 1]; --m)
      list[m] = list[m - 1];
    list[m] = inserted;
  }
}

/* Where a copy is in the whole mesh. */
static int64_t place_of(const bp_unknowns *u, uint32_t copy)
{
  int64_t own = u->elements * u->surface_nodes, e = copy / (uint32_t)u->surface_nodes;
  return copy < own
             ? u->sharing->piece->element[e] * u->surface_nodes + copy % (uint32_t)u->surface_nodes
             : u->sharing->received_place[copy - own];
}

/* Copies of a shared unknown, as the whole mesh's elements come. They are few, and mostly in order. */
static void order_copies(bp_unknowns *u, int64_t s)
{
  uint32_t *list = u->copies + u->starts[s], count = u->starts[s + 1] - u->starts[s];
  for (uint32_t n = 1; n < count; ++n) {
    uint32_t inserted = list[n], m = n;
    for (; m > 0 && place_of(u, inserted) < place_of(u, list[m - 1]); --m)
      list[m] = list[m - 1];
    list[m] = inserted;
  }
}

/* Each copy takes the next free row of its unknown; starts[] move up by one unknown meanwhile. */
static void list_copies(bp_unknowns *u)
{
  int64_t surface = u->count - u->inner, copies = u->elements * u->surface_nodes;
#pragma omp parallel for schedule(static)
  for (int64_t m = 0; m < copies; ++m)
    if (u->ids[m] >= 0)
      u->copies[__atomic_fetch_add(&u->starts[u->ids[m] - u->inner], 1, __ATOMIC_RELAXED)] =
          (uint32_t)m;
  for (int64_t n = 0; u->sharing && n < u->sharing->received; ++n)
    u->copies[u->starts[u->sharing->received_id[n] - u->inner]++] = (uint32_t)(copies + n);
  for (int64_t s = surface; s > 0; --s)
    u->starts[s] = u->starts[s - 1];
  u->starts[0] = 0;
#pragma omp parallel for schedule(static)
  for (int64_t s = 0; s < surface; ++s)
    sort_copies(u->copies + u->starts[s], u->starts[s + 1] - u->starts[s]);
  for (int64_t n = 0; u->sharing && n < u->sharing->received; ++n)
    order_copies(u, u->sharing->received_id[n] - u->inner);
}

/* ---- all of it ---- */

static int surface_nodes(int degree)
{
  int nq = degree + 1, M = degree - 1;
  return nq * nq * nq - M * M * M;
}

bp_status bp_unknowns_check(const char *mesh, int degree, int64_t elements, int64_t unique)
{
  if (unique > INT32_MAX)
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected fewer than 2^31 unknowns, found %lld (degree %d, %lld elements)",
                   mesh, (long long)unique, degree, (long long)elements);
  int64_t copies = elements * surface_nodes(degree);
  if (copies > UINT32_MAX)
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected fewer than 2^32 nodes on the surfaces of elements, found %lld "
                   "(degree %d, %lld elements)",
                   mesh, (long long)copies, degree, (long long)elements);
  return BP_OK;
}

/* Together: what belongs to the whole mesh. */
static void add_totals(bp_unknowns *u, int64_t fixed)
{
  bp_sharing *s = u->sharing;
  double totals[2], most = 0;
  totals[0] = (double)(s->total + u->count);
  totals[1] = (double)(s->total_fixed + fixed);
  for (int64_t n = 0; n < u->count - u->inner; ++n)
    most = u->starts[n + 1] - u->starts[n] > most ? u->starts[n + 1] - u->starts[n] : most;
  bp_comm_sum(s->comm, totals, 2);
  s->total = (int64_t)totals[0];
  s->total_fixed = (int64_t)totals[1];
  s->most_copies = (int64_t)bp_comm_largest(s->comm, most);
}

static bp_unknowns *make(const bp_connectivity *c, int degree, bp_fixed fixed, const bp_mesh *mesh,
                         const bp_piece *piece, bp_comm *comm)
{
  numbering n = numbering_create(c, degree);
  bp_unknowns *u = bp_alloc(1, sizeof *u);
  int64_t M = n.M;
  *u = (bp_unknowns){.degree = degree,
                     .surface_nodes = surface_nodes(degree),
                     .elements = c->elements,
                     .count = bp_connectivity_unique(c, degree),
                     .inner = c->elements * M * M * M,
                     .faces_end = n.classes[BP_IN_EDGE].begin,
                     .edges_end = n.classes[BP_AT_VERTEX].begin,
                     .pairs =
                         bp_unknowns_pairs(degree, c->elements, c->faces, c->edges, c->vertices)};
  u->first = bp_alloc_array((size_t)(BP_SURFACE_CLASSES * (u->elements + 1)), sizeof *u->first);
  for (int k = 0; k < BP_SURFACE_CLASSES; ++k)
    number_class(&n, k, u->first);
  mark_fixed(&n, fixed);
  if (piece)
    u->sharing = bp_sharing_create(&n, mesh, piece, comm);
  u->fixed = count_fixed(&n);
  u->ids = bp_alloc_array((size_t)(u->elements * u->surface_nodes), sizeof *u->ids);
  list_ids(&n, u);
  u->starts = bp_alloc_array((size_t)(u->count - u->inner + 1), sizeof *u->starts);
  list_starts(u);
  u->copies = bp_alloc_array(u->starts[u->count - u->inner], sizeof *u->copies);
  list_copies(u);
  numbering_destroy(&n);
  if (piece)
    add_totals(u, u->fixed);
  return u;
}

bp_status bp_unknowns_create(const bp_mesh *mesh, const bp_connectivity *connectivity, int degree,
                             bp_fixed fixed, bp_unknowns **unknowns)
{
  bp_status status = bp_unknowns_check(mesh->name, degree, connectivity->elements,
                                       bp_connectivity_unique(connectivity, degree));
  *unknowns = status ? NULL : make(connectivity, degree, fixed, mesh, NULL, NULL);
  return status;
}

bp_status bp_unknowns_create_shared(const bp_piece *piece, const bp_connectivity *connectivity,
                                    int degree, bp_fixed fixed, bp_comm *comm,
                                    bp_unknowns **unknowns)
{
  bp_status status =
      bp_comm_agree(comm, bp_unknowns_check(piece->mesh->name, degree, connectivity->elements,
                                            bp_connectivity_unique(connectivity, degree)));
  *unknowns = status ? NULL : make(connectivity, degree, fixed, piece->mesh, piece, comm);
  return status;
}

/* A pair belongs to the smallest of vertices, edges, faces and elements that has both. Along each of its
 * directions that is any pair of nodes but twice the same end. */
int64_t bp_unknowns_pairs(int degree, int64_t elements, int64_t faces, int64_t edges,
                          int64_t vertices)
{
  int64_t along = (degree + 1) * (degree + 1) - 2;
  return ((elements * along + faces) * along + edges) * along + vertices;
}

void bp_unknowns_destroy(bp_unknowns *unknowns)
{
  if (!unknowns)
    return;
  bp_free(unknowns->ids);
  bp_free(unknowns->first);
  bp_free(unknowns->starts);
  bp_free(unknowns->copies);
  bp_sharing_destroy(unknowns->sharing);
  bp_free(unknowns);
}

int64_t bp_unknowns_stride(const bp_unknowns *unknowns)
{
  enum { ALIGN = 16 };
  return unknowns->count ? (unknowns->count + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

int64_t bp_unknowns_bytes(int degree, int64_t elements, int64_t unique)
{
  int64_t M = degree - 1, S = surface_nodes(degree), surface = unique - elements * M * M * M;
  return 8 * elements * S + 4 * surface + 12 * elements;
}
