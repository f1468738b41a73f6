/* sharing.c -- finds what ranks share: each face, edge and vertex that may be shared has a rank,
 * by a hash of its
 * nodes, that hears of all its elements and tells all ranks that have one. */
#include "fem/entities.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One face, edge or vertex of an element. */
typedef struct {
  int64_t key[4];  /* its corners' nodes in the whole mesh, rising; -1 for those it has not */
  int64_t element; /* in the whole mesh */
  int32_t rank;
  uint8_t class, place, code, fixed;
} record;

typedef struct {
  record *items;
  int64_t count, capacity;
} list;

static void add(list *l, const record *r)
{
  if (l->count == l->capacity)
    l->items = bp_realloc(l->items, (size_t)(l->capacity = 2 * l->capacity + 64), sizeof *l->items);
  l->items[l->count++] = *r;
}

static int compare_numbers(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int compare_keys(const record *a, const record *b)
{
  for (int n = 0; n < 4; ++n)
    if (a->key[n] != b->key[n])
      return compare_numbers(a->key[n], b->key[n]);
  return 0;
}

/* In the order of the whole mesh's elements. */
static int compare_slots(const record *a, const record *b)
{
  int order = compare_numbers(a->element, b->element);
  order = order ? order : compare_numbers(a->class, b->class);
  return order ? order : compare_numbers(a->place, b->place);
}

static int by_key(const void *a, const void *b)
{
  int order = compare_keys(a, b);
  return order ? order : compare_slots(a, b);
}

/* Of messages: those of a rank lie together. */
static int by_rank(const void *a, const void *b)
{
  const record *x = a, *y = b;
  int order = compare_numbers(x->rank, y->rank);
  return order ? order : compare_slots(x, y);
}

/* ---- what may be shared ---- */

/* Corners of a face, edge or vertex of an element; how many. */
static int corners_of(int kind, int place, int corners[4])
{
  static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  int count = 0;
  for (int c = 0; c < 8; ++c) {
    int d = kind == BP_IN_FACE ? place / 2 : place / 4;
    bool is_there = kind == BP_AT_VERTEX ? c == place : (c >> d & 1) == (place & 1);
    if (kind == BP_IN_EDGE)
      is_there =
          (c >> others[d][0] & 1) == (place & 1) && (c >> others[d][1] & 1) == (place >> 1 & 1);
    if (is_there)
      corners[count++] = c;
  }
  return count;
}

/* Whether all its corners are shared; its key. */
static bool find_key(const bp_mesh *mesh, const bp_piece *piece, int64_t e, record *r)
{
  int corners[4], count = corners_of(r->class, r->place, corners);
  for (int n = 0; n < 4; ++n)
    r->key[n] = -1;
  for (int n = 0; n < count; ++n) {
    int32_t node = bp_mesh_corner(mesh, e, corners[n]);
    if (!piece->is_shared[node])
      return false;
    int at = n;
    for (; at > 0 && r->key[at - 1] > piece->node[node]; --at)
      r->key[at] = r->key[at - 1];
    r->key[at] = piece->node[node];
  }
  return true;
}

static int rank_of_key(const record *r, int size)
{
  uint64_t hash = 0;
  for (int n = 0; n < 4; ++n) {
    hash = (hash ^ (uint64_t)r->key[n]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return (int)(hash % (uint64_t)size);
}

static void list_candidates(const numbering *n, const bp_mesh *mesh, const bp_piece *piece,
                            const bp_comm *comm, list *to)
{
  for (int64_t e = 0; e < mesh->elements; ++e)
    for (int k = 0; k < BP_SURFACE_CLASSES; ++k)
      for (int f = 0; n->classes[k].size && f < n->classes[k].per_element; ++f) {
        int64_t slot = n->classes[k].per_element * e + f, id = id_at(n->connectivity, k, slot);
        record r = {.element = piece->element[e],
                    .rank = comm->rank,
                    .class = (uint8_t)k,
                    .place = (uint8_t)f,
                    .code = (uint8_t)code_at(n->connectivity, k, slot),
                    .fixed = n->classes[k].entities[id].fixed};
        if (find_key(mesh, piece, e, &r))
          add(&to[rank_of_key(&r, comm->size)], &r);
      }
}

/* ---- who has it ---- */

/* Sends lists, which are emptied, and brings those of all ranks in one. */
static list send_lists(bp_comm *comm, list *lists)
{
  void *data[BP_RANKS_MAX];
  int64_t counts[BP_RANKS_MAX], first[BP_RANKS_MAX + 1];
  char *received;
  for (int r = 0; r < comm->size; ++r) {
    data[r] = lists[r].items;
    counts[r] = lists[r].count * (int64_t)sizeof(record);
  }
  bp_status status = bp_comm_all_to_all(comm, data, counts, &received, first);
  list all = {0};
  int64_t count = status ? 0 : first[comm->size] / (int64_t)sizeof(record);
  for (int64_t n = 0; n < count; ++n)
    add(&all, (const record *)(void *)received + n);
  bp_free(received);
  for (int r = 0; r < comm->size; ++r) {
    bp_free(lists[r].items);
    lists[r] = (list){0};
  }
  return all;
}

/* How many records from `first` on are of the same entity. */
static int64_t group_at(const list *l, int64_t first)
{
  int64_t last = first + 1;
  while (last < l->count && compare_keys(&l->items[first], &l->items[last]) == 0)
    ++last;
  return last - first;
}

/* Tells every rank of a group all of it. */
static void tell_group(const record *group, int64_t count, list *to)
{
  bool is_told[BP_RANKS_MAX] = {false}, is_shared = false;
  for (int64_t n = 1; n < count; ++n)
    is_shared = is_shared || group[n].rank != group[0].rank;
  for (int64_t n = 0; n < count && is_shared; ++n) {
    if (is_told[group[n].rank])
      continue;
    is_told[group[n].rank] = true;
    for (int64_t m = 0; m < count; ++m)
      add(&to[group[n].rank], &group[m]);
  }
}

/* All records of what this rank shares, sorted by entities. */
static list find_shared(const numbering *n, const bp_mesh *mesh, const bp_piece *piece,
                        bp_comm *comm)
{
  list to[BP_RANKS_MAX] = {{0}};
  list_candidates(n, mesh, piece, comm, to);
  list heard = send_lists(comm, to);
  if (heard.count)
    qsort(heard.items, (size_t)heard.count, sizeof *heard.items, by_key);
  for (int64_t at = 0, count; at < heard.count; at += count) {
    count = group_at(&heard, at);
    tell_group(heard.items + at, count, to);
  }
  bp_free(heard.items);
  list shared = send_lists(comm, to);
  if (shared.count)
    qsort(shared.items, (size_t)shared.count, sizeof *shared.items, by_key);
  return shared;
}

/* ---- messages ---- */

static int64_t find_element(const bp_piece *piece, int64_t element)
{
  int64_t low = 0, high = piece->mesh->elements - 1;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (piece->element[middle] < element)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Its first node among an element's surface nodes. */
static int surface_place(const numbering *n, const record *r)
{
  const class *c = n->classes;
  int before = 0;
  for (int k = 0; k < r->class; ++k)
    before += c[k].per_element * c[k].size;
  return before + r->place * c[r->class].size;
}

/* What a rank has to know of a group besides its records. */
typedef struct {
  int64_t id;
  bool is_counted; /* here */
} own_entity;

static own_entity mark_group(numbering *n, const bp_piece *piece, const bp_comm *comm,
                             const record *group, int64_t count)
{
  own_entity own = {0, group[0].rank == comm->rank};
  class *c = &n->classes[group[0].class];
  bool fixed = false;
  for (int64_t m = 0; m < count; ++m) {
    fixed = fixed || group[m].fixed;
    if (group[m].rank == comm->rank)
      own.id = id_at(n->connectivity, group[m].class,
                     c->per_element * find_element(piece, group[m].element) + group[m].place);
  }
  c->entities[own.id].fixed = fixed;
  return own;
}

/* A slot in a message: an own one with the rank that gets it, a foreign one with the own entity as
 * its key. */
static void list_messages(const bp_comm *comm, const record *group, int64_t count, int64_t id,
                          list *sent, list *received)
{
  bool is_told[BP_RANKS_MAX] = {false};
  for (int64_t n = 0; n < count; ++n) {
    if (group[n].rank == comm->rank)
      continue;
    record foreign = group[n];
    foreign.key[0] = id;
    add(received, &foreign);
    if (is_told[group[n].rank])
      continue;
    is_told[group[n].rank] = true;
    for (int64_t m = 0; m < count; ++m)
      if (group[m].rank == comm->rank) {
        record own = group[m];
        own.rank = group[n].rank;
        add(sent, &own);
      }
  }
}

static int64_t count_nodes(const numbering *n, const list *l)
{
  int64_t count = 0;
  for (int64_t i = 0; i < l->count; ++i)
    count += n->classes[l->items[i].class].size;
  return count;
}

static void find_neighbours(bp_sharing *s, const list *sent)
{
  s->rank = bp_alloc((size_t)s->comm->size, sizeof *s->rank);
  s->sent_first = bp_alloc((size_t)s->comm->size + 1, sizeof *s->sent_first);
  s->received_first = bp_alloc((size_t)s->comm->size + 1, sizeof *s->received_first);
  for (int64_t i = 0; i < sent->count; ++i)
    if (i == 0 || sent->items[i].rank != sent->items[i - 1].rank)
      s->rank[s->neighbours++] = sent->items[i].rank;
}

static void fill_sent(bp_sharing *s, const numbering *n, int surface_nodes, const list *sent)
{
  int64_t at = 0;
  int neighbour = -1;
  s->sent = bp_alloc_array((size_t)count_nodes(n, sent), sizeof *s->sent);
  for (int64_t i = 0; i < sent->count; ++i) {
    const record *r = &sent->items[i];
    int64_t e = find_element(s->piece, r->element);
    if (i == 0 || r->rank != r[-1].rank)
      s->sent_first[++neighbour] = at;
    s->halo[e] = 1;
    for (int t = 0; t < n->classes[r->class].size; ++t)
      s->sent[at++] = (uint32_t)(e * surface_nodes + surface_place(n, r) + t);
  }
  s->sent_first[neighbour + 1] = at;
}

static void fill_received(bp_sharing *s, const numbering *n, int surface_nodes,
                          const list *received)
{
  int64_t at = 0;
  int neighbour = -1;
  s->received = count_nodes(n, received);
  s->received_id = bp_alloc_array((size_t)s->received, sizeof *s->received_id);
  s->received_place = bp_alloc_array((size_t)s->received, sizeof *s->received_place);
  for (int64_t i = 0; i < received->count; ++i) {
    const record *r = &received->items[i];
    const class *c = &n->classes[r->class];
    if (i == 0 || r->rank != r[-1].rank)
      s->received_first[++neighbour] = at;
    for (int t = 0; t < c->size; ++t, ++at) {
      s->received_id[at] = number_at(c, r->key[0], r->code, t);
      s->received_place[at] = r->element * surface_nodes + surface_place(n, r) + t;
    }
  }
  s->received_first[neighbour + 1] = at;
}

/* What this rank counts of what it shares, and what others do. */
typedef struct {
  int64_t elsewhere, fixed_elsewhere;
} counted;

static counted list_all(bp_sharing *s, numbering *n, const list *shared, list *sent, list *received)
{
  counted of = {0};
  for (int64_t at = 0, count; at < shared->count; at += count) {
    const record *group = shared->items + at;
    count = group_at(shared, at);
    own_entity own = mark_group(n, s->piece, s->comm, group, count);
    const class *c = &n->classes[group->class];
    bool fixed = c->entities[own.id].fixed;
    of.elsewhere += own.is_counted ? 0 : c->size;
    of.fixed_elsewhere += own.is_counted || !fixed ? 0 : c->size;
    if (!fixed)
      list_messages(s->comm, group, count, own.id, sent, received);
  }
  return of;
}

static void sort_list(list *l)
{
  if (l->count)
    qsort(l->items, (size_t)l->count, sizeof *l->items, by_rank);
}

bp_sharing *bp_sharing_create(numbering *n, const bp_mesh *mesh, const bp_piece *piece,
                              bp_comm *comm)
{
  bp_sharing *s = bp_alloc(1, sizeof *s);
  int nq = n->M + 2, surface_nodes = nq * nq * nq - n->M * n->M * n->M;
  s->comm = comm;
  s->piece = piece;
  s->halo = bp_alloc((size_t)mesh->elements, sizeof *s->halo);
  list shared = find_shared(n, mesh, piece, comm), sent = {0}, received = {0};
  counted of = list_all(s, n, &shared, &sent, &received);
  sort_list(&sent);
  sort_list(&received);
  find_neighbours(s, &sent);
  fill_sent(s, n, surface_nodes, &sent);
  fill_received(s, n, surface_nodes, &received);
  s->total = -of.elsewhere;
  s->total_fixed = -of.fixed_elsewhere;
  bp_free(shared.items);
  bp_free(sent.items);
  bp_free(received.items);
  return s;
}

int64_t bp_sharing_count(const bp_sharing *sharing, int64_t count)
{
  bool *is_shared = bp_alloc((size_t)count, sizeof *is_shared);
  int64_t shared = 0;
  for (int64_t n = 0; n < sharing->received; ++n)
    is_shared[sharing->received_id[n]] = true;
  for (int64_t n = 0; n < count; ++n)
    shared += is_shared[n];
  bp_free(is_shared);
  return shared;
}

void bp_sharing_destroy(bp_sharing *sharing)
{
  if (!sharing)
    return;
  bp_free(sharing->rank);
  bp_free(sharing->sent_first);
  bp_free(sharing->received_first);
  bp_free(sharing->sent);
  bp_free(sharing->received_id);
  bp_free(sharing->received_place);
  bp_free(sharing->halo);
  bp_free(sharing);
}

bp_status bp_sharing_exchange(const bp_sharing *sharing, int fields, const double *sent,
                              double *received)
{
  const bp_sharing *s = sharing;
  const int64_t each = fields * (int64_t)sizeof *sent;
  bp_part out[BP_RANKS_MAX], in[BP_RANKS_MAX];
  for (int n = 0; n < s->neighbours; ++n) {
    int64_t first = s->sent_first[n], from = s->received_first[n];
    out[n] = (bp_part){s->rank[n], (void *)(sent + first * fields),
                       (s->sent_first[n + 1] - first) * each};
    in[n] =
        (bp_part){s->rank[n], received + from * fields, (s->received_first[n + 1] - from) * each};
  }
  return bp_comm_exchange(s->comm, out, s->neighbours, in, s->neighbours);
}
