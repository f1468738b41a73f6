/* connectivity.c -- vertices, edges and faces of a mesh of hexahedra.
 *
 * An edge belongs to its smaller vertex and a face to its smallest. All that belongs to one vertex
 * is collected from the elements around it and sorted, a dozen items at a time, so vertices are
 * worked on in parallel, and ids come out sorted by vertices however many threads there are. */
#include "mesh/connectivity.h"

#include "base/memory.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Ids are counted from 0 in each block of vertices first, and shifted when all blocks are known. */
enum { BLOCK_BITS = 12, BLOCK = 1 << BLOCK_BITS };

/* The elements around each vertex: corners[starts[v]..starts[v+1]-1], each 8 e + c. */
typedef struct {
  int64_t *starts, *corners;
} around;

/* An edge or a face at its smallest vertex: the other vertices, and where its id goes. */
typedef struct {
  uint64_t key;     /* an edge's other vertex, or a face's two neighbours of the smallest vertex */
  int32_t opposite; /* a face's fourth vertex */
  int64_t slot;     /* 12 e + q or 6 e + f */
} item;

typedef struct {
  item *items;
  int64_t count, capacity;
} bag;

static int32_t smaller(int32_t a, int32_t b)
{
  return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
  return a < b ? b : a;
}

/* The two directions other than d. */
static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};

/* The edge along d at corner c. */
static int edge_at(int c, int d)
{
  return 4 * d + (c >> others[d][0] & 1) + 2 * (c >> others[d][1] & 1);
}

/* Corner m = 2 b + a of face f, a and b along its axes. */
static int face_corner(int f, int m)
{
  int d = f / 2;
  return (f & 1) << d | (m & 1) << others[d][0] | (m >> 1) << others[d][1];
}

/* Which of a face's corners is its own origin: the first one with the smallest vertex. */
static int face_origin(const int32_t *vertex, int f)
{
  int origin = 0;
  for (int m = 1; m < 4; ++m)
    if (vertex[face_corner(f, m)] < vertex[face_corner(f, origin)])
      origin = m;
  return origin;
}

/* ---- vertices ---- */

/* Dense numbers for those nodes that are corners, in the order of the nodes. */
static void find_vertices(const bp_mesh *mesh, bp_connectivity *made)
{
  int32_t *dense = bp_alloc((size_t)mesh->nodes, sizeof *dense), count = 0;
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < 8 * mesh->elements; ++n) {
    made->vertex[n] = bp_mesh_vertex(mesh, n / 8, (int)(n % 8));
#pragma omp atomic write
    dense[made->vertex[n]] = 1;
  }
  for (int64_t n = 0; n < mesh->nodes; ++n)
    dense[n] = dense[n] ? count++ : -1;
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < 8 * mesh->elements; ++n)
    made->vertex[n] = dense[made->vertex[n]];
  made->vertices = count;
  bp_free(dense);
}

/* Each thread reads all corners and files those of its own vertices: no atomics, and the lists come
 * out in the order of the elements. */
static around around_create(const bp_connectivity *made)
{
  int64_t corners = 8 * made->elements, total = 0;
  around a = {.starts = bp_alloc((size_t)made->vertices + 2, sizeof *a.starts),
              .corners = bp_alloc_array((size_t)corners, sizeof *a.corners)};
  int64_t *next = a.starts + 1; /* next[v] becomes starts[v+1] as the list of v fills up */
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t first = made->vertices * thread / threads;
    uint64_t own = (uint64_t)(made->vertices * (thread + 1) / threads - first);
    for (int64_t n = 0; n < corners; ++n)
      if ((uint64_t)(made->vertex[n] - first) < own)
        ++next[made->vertex[n]];
#pragma omp barrier
#pragma omp single
    for (int64_t v = 0; v < made->vertices; ++v) {
      int64_t count = next[v];
      next[v] = total;
      total += count;
    }
    for (int64_t n = 0; n < corners; ++n)
      if ((uint64_t)(made->vertex[n] - first) < own)
        a.corners[next[made->vertex[n]]++] = n;
  }
  return a;
}

static void around_destroy(around *a)
{
  bp_free(a->starts);
  bp_free(a->corners);
}

/* ---- edges and faces at a vertex ---- */

static item *bag_add(bag *b)
{
  if (b->count == b->capacity) {
    b->capacity = b->capacity ? 2 * b->capacity : 64;
    b->items = bp_realloc(b->items, (size_t)b->capacity, sizeof *b->items);
  }
  return &b->items[b->count++];
}

static void collect_edges(const bp_connectivity *made, const around *a, int64_t v, bag *b)
{
  b->count = 0;
  for (int64_t n = a->starts[v]; n < a->starts[v + 1]; ++n) {
    int64_t e = a->corners[n] / 8;
    int c = (int)(a->corners[n] % 8);
    for (int d = 0; d < 3; ++d) {
      int32_t end = made->vertex[8 * e + (c ^ 1 << d)];
      if (end > v || (end == v && !(c >> d & 1)))
        *bag_add(b) = (item){.key = (uint64_t)end, .slot = 12 * e + edge_at(c, d)};
    }
  }
}

static void collect_faces(const bp_connectivity *made, const around *a, int64_t v, bag *b)
{
  b->count = 0;
  for (int64_t n = a->starts[v]; n < a->starts[v + 1]; ++n) {
    int64_t e = a->corners[n] / 8;
    int c = (int)(a->corners[n] % 8);
    const int32_t *vertex = made->vertex + 8 * e;
    for (int d = 0; d < 3; ++d) {
      int f = 2 * d + (c >> d & 1), x = 1 << others[d][0], y = 1 << others[d][1];
      int32_t first = vertex[c ^ x], second = vertex[c ^ y], opposite = vertex[c ^ x ^ y];
      int32_t least = smaller(smaller(first, second), opposite);
      if (least < v || (least == v && face_corner(f, face_origin(vertex, f)) != c))
        continue;
      *bag_add(b) =
          (item){.key = (uint64_t)smaller(first, second) << 32 | (uint64_t)larger(first, second),
                 .opposite = opposite,
                 .slot = 6 * e + f};
    }
  }
}

static bool is_same(const item *a, const item *b)
{
  return a->key == b->key && a->opposite == b->opposite;
}

static bool is_before(const item *a, const item *b)
{
  return a->key < b->key || (a->key == b->key && a->opposite < b->opposite);
}

static int compare_items(const void *a, const void *b)
{
  const item *x = a, *y = b;
  if (!is_same(x, y))
    return is_before(x, y) ? -1 : 1;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

/* A vertex of a usual mesh has a dozen items; one that all elements of a strange mesh share,
 * millions. */
static void bag_sort(bag *b)
{
  enum { FEW = 48 };
  if (b->count > FEW) {
    qsort(b->items, (size_t)b->count, sizeof *b->items, compare_items);
    return;
  }
  for (int64_t n = 1; n < b->count; ++n) {
    item inserted = b->items[n];
    int64_t m = n;
    for (; m > 0 && is_before(&inserted, &b->items[m - 1]); --m)
      b->items[m] = b->items[m - 1];
    b->items[m] = inserted;
  }
}

/* Numbers the items of a sorted bag from *next on, equal keys alike; returns the most alike. */
static int64_t bag_number(const bag *b, int64_t *next, int64_t *ids)
{
  int64_t most = 0, alike = 0;
  for (int64_t n = 0; n < b->count; ++n) {
    bool is_new = n == 0 || !is_same(&b->items[n - 1], &b->items[n]);
    alike = is_new ? 1 : alike + 1;
    most = alike > most ? alike : most;
    *next += is_new;
    ids[b->items[n].slot] = *next - 1;
  }
  return most;
}

/* ---- all of them ---- */

/* Counts of each block of vertices; later, the ids that the blocks before it have used. */
typedef struct {
  int64_t count, *edges, *faces;
} blocks;

static void number_block(bp_connectivity *made, const around *a, int64_t block, blocks *counts,
                         bag *b, int64_t *crowded)
{
  int64_t first = block << BLOCK_BITS, last = first + BLOCK;
  last = last < made->vertices ? last : made->vertices;
  for (int64_t v = first; v < last; ++v) {
    collect_edges(made, a, v, b);
    bag_sort(b);
    bag_number(b, &counts->edges[block], made->edge);
    collect_faces(made, a, v, b);
    bag_sort(b);
    if (bag_number(b, &counts->faces[block], made->face) > 2 && v < *crowded)
      *crowded = v;
  }
}

/* Returns the first vertex with a face that more than two elements share, or the number of
 * vertices. */
static int64_t number_blocks(bp_connectivity *made, const around *a, blocks *counts)
{
  int64_t crowded = made->vertices;
#pragma omp parallel reduction(min : crowded)
  {
    bag b = {0};
#pragma omp for schedule(dynamic)
    for (int64_t block = 0; block < counts->count; ++block)
      number_block(made, a, block, counts, &b, &crowded);
    bp_free(b.items);
  }
  return crowded;
}

static int64_t shift(int64_t count, int64_t *counts)
{
  int64_t total = 0;
  for (int64_t n = 0; n < count; ++n) {
    int64_t own = counts[n];
    counts[n] = total;
    total += own;
  }
  return total;
}

static void finish_edges(bp_connectivity *made, const blocks *offsets, int64_t e)
{
  const int32_t *vertex = made->vertex + 8 * e;
  int flips = 0;
  for (int c = 0; c < 8; ++c)
    for (int d = 0; d < 3; ++d) {
      if (c >> d & 1)
        continue;
      int q = edge_at(c, d);
      int32_t low = vertex[c], high = vertex[c | 1 << d];
      made->edge[12 * e + q] += offsets->edges[smaller(low, high) >> BLOCK_BITS];
      flips |= (low > high) << q;
    }
  made->edge_flip[e] = (uint16_t)flips;
}

static void finish_faces(bp_connectivity *made, const blocks *offsets, int64_t e)
{
  const int32_t *vertex = made->vertex + 8 * e;
  for (int f = 0; f < 6; ++f) {
    int origin = face_origin(vertex, f);
    int32_t first = vertex[face_corner(f, origin ^ 1)], second = vertex[face_corner(f, origin ^ 2)];
    int64_t face = made->face[6 * e + f] +=
        offsets->faces[vertex[face_corner(f, origin)] >> BLOCK_BITS];
    made->face_turn[6 * e + f] = (uint8_t)(origin | (second < first) << 2);
#pragma omp atomic
    ++made->face_sides[face];
  }
}

/* Of a mesh that its joined nodes make what it is not. */
static bp_status fail_joined(const bp_mesh *mesh, int64_t e)
{
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected at least three elements from periodic side to side and no node on "
                 "both, found otherwise at element %lld",
                 mesh->name, (long long)mesh->tag[e]);
}

/* Names three elements at the first face of vertex v that has so many. */
static bp_status refuse_face(const bp_mesh *mesh, const bp_connectivity *made, const around *a,
                             int64_t v)
{
  bag b = {0};
  int64_t n = 0;
  collect_faces(made, a, v, &b);
  bag_sort(&b);
  BP_ASSERT(b.items != NULL);
  while (!is_same(&b.items[n], &b.items[n + 2]))
    ++n;
  const item *at = b.items + n;
  bp_status status =
      mesh->joined
          ? fail_joined(mesh, at[0].slot / 6)
          : bp_fail(
                BP_BAD_INPUT,
                "%s: expected at most two elements at a face, found elements %lld, %lld and %lld",
                mesh->name, (long long)mesh->tag[at[0].slot / 6],
                (long long)mesh->tag[at[1].slot / 6], (long long)mesh->tag[at[2].slot / 6]);
  bp_free(b.items);
  return status;
}

static bp_status find_edges_and_faces(const bp_mesh *mesh, bp_connectivity *made)
{
  bp_status status = BP_OK;
  around a = around_create(made);
  blocks counts = {.count = (made->vertices + BLOCK - 1) >> BLOCK_BITS};
  counts.edges = bp_alloc((size_t)counts.count, sizeof *counts.edges);
  counts.faces = bp_alloc((size_t)counts.count, sizeof *counts.faces);
  int64_t crowded = number_blocks(made, &a, &counts);
  if (crowded < made->vertices) {
    status = refuse_face(mesh, made, &a, crowded);
    goto done;
  }
  made->edges = shift(counts.count, counts.edges);
  made->faces = shift(counts.count, counts.faces);
  made->face_sides = bp_alloc((size_t)made->faces, sizeof *made->face_sides);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < made->elements; ++e) {
    finish_edges(made, &counts, e);
    finish_faces(made, &counts, e);
  }
done:
  around_destroy(&a);
  bp_free(counts.edges);
  bp_free(counts.faces);
  return status;
}

/* ---- joined nodes ---- */

/* The end that two edges' nodes have in common, though the edges are not the same. */
static bool meet(const int32_t a[2], const int32_t b[2])
{
  const bool same = (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
  return !same && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]);
}

/* Two edges that follow each other around a mesh of one or two elements join the same vertices, and would
 * count as one. Of all that count as one, such two are among the first one's neighbours. */
static bp_status check_joined(const bp_mesh *mesh, const bp_connectivity *made)
{
  static const int lower[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
  int32_t(*first)[2] = bp_alloc((size_t)made->edges, sizeof *first);
  int64_t bad = -1;
  for (int64_t slot = 0; slot < 12 * mesh->elements && bad < 0; ++slot) {
    const int64_t e = slot / 12;
    const int low = lower[slot % 12], high = low | 1 << slot % 12 / 4;
    const int32_t ends[2] = {bp_mesh_corner(mesh, e, low), bp_mesh_corner(mesh, e, high)};
    int32_t *known = first[made->edge[slot]];
    if (known[0] == known[1])
      memcpy(known, ends, sizeof ends);
    if (meet(known, ends) || made->vertex[8 * e + low] == made->vertex[8 * e + high])
      bad = e;
  }
  bp_free(first);
  return bad < 0 ? BP_OK : fail_joined(mesh, bad);
}

bp_status bp_connectivity_create(const bp_mesh *mesh, bp_connectivity **connectivity)
{
  size_t elements = (size_t)mesh->elements;
  bp_connectivity *made = bp_alloc(1, sizeof *made);
  made->elements = mesh->elements;
  made->vertex = bp_alloc_array(8 * elements, sizeof *made->vertex);
  made->edge = bp_alloc_array(12 * elements, sizeof *made->edge);
  made->face = bp_alloc_array(6 * elements, sizeof *made->face);
  made->edge_flip = bp_alloc_array(elements, sizeof *made->edge_flip);
  made->face_turn = bp_alloc_array(6 * elements, sizeof *made->face_turn);
  find_vertices(mesh, made);
  bp_status status = find_edges_and_faces(mesh, made);
  if (!status && mesh->joined)
    status = check_joined(mesh, made);
  if (status)
    bp_connectivity_destroy(made);
  *connectivity = status ? NULL : made;
  return status;
}

void bp_connectivity_destroy(bp_connectivity *connectivity)
{
  if (!connectivity)
    return;
  bp_free(connectivity->vertex);
  bp_free(connectivity->edge);
  bp_free(connectivity->face);
  bp_free(connectivity->edge_flip);
  bp_free(connectivity->face_turn);
  bp_free(connectivity->face_sides);
  bp_free(connectivity);
}

int64_t bp_connectivity_unique(const bp_connectivity *connectivity, int degree)
{
  const bp_connectivity *c = connectivity;
  int64_t inner = degree - 1;
  return c->vertices + inner * (c->edges + inner * (c->faces + inner * c->elements));
}
