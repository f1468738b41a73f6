/* piece.c -- cutting a mesh, and sending the pieces. */
#include "mesh/piece.h"

#include "base/memory.h"
#include <string.h>

/* ---- measuring ---- */

/* What is known of a face or vertex: the first rank seen, and whether another one came. */
typedef struct {
  int32_t rank;
  bool is_shared;
} shared_item;

static shared_item *list_items(int64_t count, int64_t slots, int per_element,
                               const int32_t *rank_of, const int32_t *vertex, const int64_t *face)
{
  shared_item *items = bp_alloc((size_t)count, sizeof *items);
  for (int64_t n = 0; n < count; ++n)
    items[n].rank = -1;
  for (int64_t slot = 0; slot < slots; ++slot) {
    int64_t number = vertex ? vertex[slot] : face ? face[slot] : 0;
    shared_item *item = &items[number];
    int32_t rank = rank_of[slot / per_element];
    item->is_shared = item->is_shared || (item->rank >= 0 && item->rank != rank);
    item->rank = item->rank >= 0 ? item->rank : rank;
  }
  return items;
}

/* Vertices by rank: at[rank * vertices + v] would be large; a rank's own are marked one rank after
 * the other. */
static void count_shared(const bp_connectivity *c, const int32_t *rank_of, int rank,
                         const shared_item *vertices, const shared_item *faces, bp_part_size *size)
{
  bool *is_own = bp_alloc((size_t)c->vertices, sizeof *is_own);
  bool is_neighbour[BP_RANKS_MAX] = {false};
  for (int64_t e = 0; e < c->elements; ++e)
    if (rank_of[e] == rank) {
      ++size->elements;
      for (int f = 0; f < 6; ++f)
        size->faces += faces[c->face[6 * e + f]].is_shared;
      for (int v = 0; v < 8; ++v)
        is_own[c->vertex[8 * e + v]] = true;
    }
  for (int64_t slot = 0; slot < 8 * c->elements; ++slot)
    if (is_own[c->vertex[slot]] && rank_of[slot / 8] != rank)
      is_neighbour[rank_of[slot / 8]] = true;
  for (int64_t v = 0; v < c->vertices; ++v)
    size->vertices += is_own[v] && vertices[v].is_shared;
  for (int r = 0; r < BP_RANKS_MAX; ++r)
    size->neighbours += is_neighbour[r];
  bp_free(is_own);
}

void bp_partition_measure(const bp_connectivity *connectivity, const int32_t *rank_of, int ranks,
                          bp_part_size *sizes)
{
  const bp_connectivity *c = connectivity;
  shared_item *vertices = list_items(c->vertices, 8 * c->elements, 8, rank_of, c->vertex, NULL);
  shared_item *faces = list_items(c->faces, 6 * c->elements, 6, rank_of, NULL, c->face);
  for (int r = 0; r < ranks; ++r) {
    sizes[r] = (bp_part_size){0};
    count_shared(c, rank_of, r, vertices, faces, &sizes[r]);
  }
  bp_free(vertices);
  bp_free(faces);
}

/* ---- cutting ---- */

/* What is known of every node of the mesh; of nodes that are joined, at the first of them. */
enum { OWN = 1, OTHERS = 2, OWN_VERTEX = 4 };

static uint8_t *look_at_nodes(const bp_mesh *mesh, const int32_t *rank_of, int rank)
{
  int64_t size = bp_mesh_element_nodes(mesh);
  uint8_t *seen = bp_alloc((size_t)mesh->nodes, sizeof *seen);
  for (int64_t e = 0; e < mesh->elements; ++e)
    for (int64_t n = 0; n < size; ++n) {
      const int32_t node = mesh->node[e * size + n];
      if (rank_of[e] == rank)
        seen[node] |= OWN;
      seen[bp_mesh_joined(mesh, node)] |= rank_of[e] == rank ? OWN_VERTEX : OTHERS;
    }
  return seen;
}

static bp_piece *create_empty(const char *name, const char *format, int order, int64_t elements,
                              int64_t nodes, bool is_joined)
{
  bp_piece *p = bp_alloc(1, sizeof *p);
  bp_mesh *m = p->mesh = bp_alloc(1, sizeof *m);
  m->name = bp_strdup(name);
  m->format = bp_strdup(format);
  m->order = order;
  m->elements = elements;
  m->nodes = nodes;
  m->x = bp_alloc_array(3 * (size_t)nodes, sizeof *m->x);
  m->node = bp_alloc_array((size_t)(elements * bp_mesh_element_nodes(m)), sizeof *m->node);
  m->tag = bp_alloc_array((size_t)elements, sizeof *m->tag);
  if (is_joined)
    m->joined = bp_alloc_array((size_t)nodes, sizeof *m->joined);
  m->blocks = bp_alloc(1, sizeof *m->blocks);
  m->blocks[0].count = elements;
  m->blocks_count = 1;
  p->element = bp_alloc_array((size_t)elements, sizeof *p->element);
  p->node = bp_alloc_array((size_t)nodes, sizeof *p->node);
  p->is_shared = bp_alloc((size_t)nodes, sizeof *p->is_shared);
  p->marks = bp_alloc((size_t)elements, sizeof *p->marks);
  return p;
}

static void copy_nodes(const bp_mesh *mesh, const uint8_t *seen, int32_t *place, bp_piece *p)
{
  int32_t at = 0;
  for (int64_t n = 0; n < mesh->nodes; ++n)
    if (seen[n] & OWN) {
      memcpy(p->mesh->x + 3 * (int64_t)at, mesh->x + 3 * n, 3 * sizeof *mesh->x);
      p->node[at] = bp_mesh_joined(mesh, (int32_t)n);
      p->is_shared[at] = (seen[p->node[at]] & OTHERS) != 0;
      place[n] = at++;
    }
}

/* Vertices count in the order of the whole mesh, whichever of their nodes are here. */
static void copy_joined(const bp_mesh *mesh, const uint8_t *seen, bp_piece *p)
{
  int32_t *place = bp_alloc_array((size_t)mesh->nodes, sizeof *place), count = 0;
  for (int64_t n = 0; n < mesh->nodes; ++n)
    place[n] = seen[n] & OWN_VERTEX ? count++ : -1;
  for (int64_t n = 0; n < p->mesh->nodes; ++n)
    p->mesh->joined[n] = place[p->node[n]];
  p->mesh->wraps = mesh->wraps;
  bp_free(place);
}

static void copy_elements(const bp_mesh *mesh, const int32_t *rank_of, int rank,
                          const uint8_t *marks, const int32_t *place, bp_piece *p)
{
  int64_t size = bp_mesh_element_nodes(mesh), at = 0;
  for (int64_t e = 0; e < mesh->elements; ++e)
    if (rank_of[e] == rank) {
      for (int64_t n = 0; n < size; ++n)
        p->mesh->node[at * size + n] = place[mesh->node[e * size + n]];
      p->mesh->tag[at] = mesh->tag[e];
      p->marks[at] = marks[e];
      p->element[at++] = e;
    }
}

bp_piece *bp_piece_create(const bp_mesh *mesh, const int32_t *rank_of, int rank,
                          const uint8_t *marks)
{
  uint8_t *seen = look_at_nodes(mesh, rank_of, rank);
  int32_t *place = bp_alloc_array((size_t)mesh->nodes, sizeof *place);
  int64_t elements = 0, nodes = 0;
  for (int64_t e = 0; e < mesh->elements; ++e)
    elements += rank_of[e] == rank;
  for (int64_t n = 0; n < mesh->nodes; ++n)
    nodes += seen[n] & OWN;
  bp_piece *p = create_empty(mesh->name, mesh->format, mesh->order, elements, nodes, mesh->joined);
  p->elements = mesh->elements;
  copy_nodes(mesh, seen, place, p);
  if (mesh->joined)
    copy_joined(mesh, seen, p);
  copy_elements(mesh, rank_of, rank, marks, place, p);
  bp_free(seen);
  bp_free(place);
  return p;
}

void bp_piece_destroy(bp_piece *piece)
{
  if (!piece)
    return;
  bp_mesh_destroy(piece->mesh);
  bp_free(piece->element);
  bp_free(piece->node);
  bp_free(piece->is_shared);
  bp_free(piece->marks);
  bp_free(piece);
}

/* ---- sending ---- */

enum { NAME = 256, FORMAT = 64, ARRAYS = 8 };

typedef struct {
  int64_t elements, nodes, order, all;
  int32_t is_joined, wraps;
  char name[NAME], format[FORMAT];
} header;

typedef struct {
  void *data;
  int64_t bytes;
} array;

static void list_arrays(const bp_piece *p, array arrays[ARRAYS])
{
  const bp_mesh *m = p->mesh;
  int64_t size = bp_mesh_element_nodes(m);
  const array all[ARRAYS] = {{m->x, 24 * m->nodes},     {m->node, 4 * size * m->elements},
                             {m->tag, 8 * m->elements}, {p->element, 8 * m->elements},
                             {p->node, 8 * m->nodes},   {p->is_shared, m->nodes},
                             {p->marks, m->elements},   {m->joined, m->joined ? 4 * m->nodes : 0}};
  memcpy(arrays, all, sizeof all);
}

static bp_status send(bp_comm *comm, int rank, const bp_piece *p)
{
  array arrays[ARRAYS];
  const bp_mesh *m = p->mesh;
  header h = {m->elements, m->nodes, m->order, p->elements, m->joined != NULL, m->wraps, "", ""};
  strncpy(h.name, p->mesh->name, NAME - 1);
  strncpy(h.format, p->mesh->format, FORMAT - 1);
  const bp_part first = {rank, &h, sizeof h};
  list_arrays(p, arrays);
  bp_status status = bp_comm_exchange(comm, &first, 1, NULL, 0);
  for (int n = 0; n < ARRAYS && !status; ++n) {
    const bp_part part = {rank, arrays[n].data, arrays[n].bytes};
    status = bp_comm_exchange(comm, &part, 1, NULL, 0);
  }
  return status;
}

static bp_status receive(bp_comm *comm, bp_piece **piece)
{
  array arrays[ARRAYS];
  header h = {.order = 1};
  const bp_part first = {0, &h, sizeof h};
  bp_status status = bp_comm_exchange(comm, NULL, 0, &first, 1);
  if (status)
    h = (header){.order = 1};
  bp_piece *p = *piece =
      create_empty(h.name, h.format, (int)h.order, h.elements, h.nodes, h.is_joined);
  p->mesh->wraps = h.wraps;
  p->elements = h.all;
  list_arrays(p, arrays);
  for (int n = 0; n < ARRAYS && !status; ++n) {
    const bp_part part = {0, arrays[n].data, arrays[n].bytes};
    status = bp_comm_exchange(comm, NULL, 0, &part, 1);
  }
  return status;
}

bp_status bp_piece_distribute(bp_comm *comm, const bp_mesh *mesh, const int32_t *rank_of,
                              const uint8_t *marks, bp_piece **piece)
{
  bp_status status = BP_OK;
  if (comm->rank > 0) {
    status = receive(comm, piece);
  } else {
    for (int r = 1; r < comm->size && !status; ++r) {
      bp_piece *p = bp_piece_create(mesh, rank_of, r, marks);
      status = send(comm, r, p);
      bp_piece_destroy(p);
    }
    *piece = bp_piece_create(mesh, rank_of, 0, marks);
  }
  if (status) {
    bp_piece_destroy(*piece);
    *piece = NULL;
  }
  return status;
}
