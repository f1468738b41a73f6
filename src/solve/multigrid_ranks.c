/* multigrid_ranks.c -- what ranks do together in a cycle, on CPUs: their steps are calls in this process.
 *
 * A level's arrays by element have room behind the rank's own elements, where other ranks' copies come: copy
 * E S + n (fem/unknowns.h) is node n % S of element E + n / S. So kernels add up all copies in the order of the whole
 * mesh, as one rank does. N = 1 of all ranks is the first one's. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "kernels/abi/multigrid.h"
#include <string.h>

/* Of a level. */
struct bp_level_ranks {
  bp_multigrid *m;
  const bp_elements_level *level;
  const bp_sharing *sharing;
  int nodes, surface, *place;
  int64_t item, fields;  /* bytes of a number */
  char *sent, *received; /* messages: fields side by side */
  /* Of the last level, on the first rank: the numbers that unknowns of rank r have there, number[r][n]. */
  int64_t counts[BP_RANKS_MAX];
  int32_t *number[BP_RANKS_MAX];
};
typedef struct bp_level_ranks level_ranks;

bool bp_multigrid_has_ranks(const bp_multigrid *m)
{
  return m->scheme->system->comm->size > 1;
}

static int64_t most_of(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

bp_status bp_multigrid_make_ranks(bp_multigrid *m, bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  if (!bp_multigrid_has_ranks(m))
    return BP_OK;
  const int64_t nodes = bp_space_nodes(l->assembled.space), surface = u->surface_nodes,
                far = bp_schwarz_far(u), most = most_of(u->sharing->received, far),
                behind = most_of((u->sharing->received + surface - 1) / surface,
                                 (far + nodes - 1) / nodes);
  level_ranks *r = l->ranks = bp_alloc(1, sizeof *r);
  *r = (level_ranks){.m = m,
                     .level = l,
                     .sharing = u->sharing,
                     .nodes = (int)nodes,
                     .surface = (int)surface,
                     .item = bp_real_bytes(l->separate->space),
                     .fields = l->assembled.space.fields};
  r->place = bp_alloc((size_t)surface, sizeof *r->place);
  bp_unknowns_places(u->degree, r->place, NULL);
  r->sent = bp_alloc(
      (size_t)(most_of(u->sharing->sent_first[u->sharing->neighbours], far) * r->fields * r->item) +
          1,
      1);
  r->received = bp_alloc((size_t)(most * r->fields * r->item) + 1, 1);
  m->all_elements = most_of(m->all_elements, u->elements + behind);
  return BP_OK;
}

void bp_multigrid_destroy_ranks(bp_elements_level *l)
{
  if (!l->ranks)
    return;
  for (int n = 0; n < BP_RANKS_MAX; ++n)
    bp_free(l->ranks->number[n]);
  bp_free(l->ranks->place);
  bp_free(l->ranks->sent);
  bp_free(l->ranks->received);
  bp_free(l->ranks);
}

/* ---- messages ---- */

/* A number from array to message or back. */
static void move(int64_t item, void *to, const void *from)
{
  if (item == sizeof(float))
    memcpy(to, from, sizeof(float));
  else
    memcpy(to, from, sizeof(double));
}

/* Counts of what goes to each neighbour and comes from it. */
static bp_status swap(const level_ranks *r, const int64_t *sent_first,
                      const int64_t *received_first)
{
  const int64_t each = r->fields * r->item;
  bp_part sent[BP_RANKS_MAX], received[BP_RANKS_MAX];
  for (int b = 0; b < r->sharing->neighbours; ++b) {
    sent[b] = (bp_part){r->sharing->rank[b], r->sent + sent_first[b] * each,
                        (sent_first[b + 1] - sent_first[b]) * each};
    received[b] = (bp_part){r->sharing->rank[b], r->received + received_first[b] * each,
                            (received_first[b + 1] - received_first[b]) * each};
  }
  return bp_comm_exchange(r->sharing->comm, sent, r->sharing->neighbours, received,
                          r->sharing->neighbours);
}

static int64_t field_of(const level_ranks *r)
{
  return BP_MG_ELEMENTS(r->m->all_elements) * r->nodes;
}

/* Of own elements from `from`, which is by element, to behind them. */
static bp_status exchange_copies(bp_device *device, const bp_step *step)
{
  const level_ranks *r = (const level_ranks *)(uintptr_t)step->sharing;
  const bp_sharing *s = r->sharing;
  char *at = device->backend->map(device, step->from);
  const int64_t field = field_of(r), own = r->level->system->unknowns->elements;
  for (int64_t n = 0; n < s->sent_first[s->neighbours]; ++n)
    for (int64_t f = 0; f < r->fields; ++f)
      move(r->item, r->sent + (n * r->fields + f) * r->item,
           at + (f * field + s->sent[n] / (uint32_t)r->surface * (int64_t)r->nodes +
                 r->place[s->sent[n] % (uint32_t)r->surface]) *
                    r->item);
  bp_status status = swap(r, s->sent_first, s->received_first);
  for (int64_t n = 0; n < s->received && !status; ++n)
    for (int64_t f = 0; f < r->fields; ++f)
      move(r->item,
           at +
               (f * field + (own + n / r->surface) * r->nodes + r->place[n % r->surface]) * r->item,
           r->received + (n * r->fields + f) * r->item);
  return status;
}

/* The same; and unknowns that other ranks have first take these copies. */
static bp_status share_first(bp_device *device, const bp_step *step)
{
  const level_ranks *r = (const level_ranks *)(uintptr_t)step->sharing;
  const bp_unknowns *u = r->level->system->unknowns;
  bp_status status = exchange_copies(device, step);
  const float *at = device->backend->map(device, step->from);
  float *to = device->backend->map(device, step->to);
  const int64_t stride = bp_unknowns_stride(u), own = u->elements * u->surface_nodes;
  for (int64_t n = 0; n < r->sharing->received && !status; ++n) {
    const int64_t id = r->sharing->received_id[n], s = id - u->inner;
    if (u->copies[u->starts[s]] == (uint32_t)(own + n))
      for (int64_t f = 0; f < r->fields; ++f)
        to[f * stride + id] = at[f * field_of(r) + (u->elements + n / r->surface) * r->nodes +
                                 r->place[n % r->surface]];
  }
  return status;
}

/* r of nodes beyond faces, to behind own elements of `to`. */
static bp_status reach(bp_device *device, const bp_step *step)
{
  const level_ranks *r = (const level_ranks *)(uintptr_t)step->sharing;
  const bp_unknowns *u = r->level->system->unknowns;
  const bp_schwarz *s = r->level->schwarz;
  const float *from = device->backend->map(device, step->from);
  float *to = device->backend->map(device, step->to), *sent = (float *)(void *)r->sent,
        *received = (float *)(void *)r->received;
  const int64_t stride = bp_unknowns_stride(u);
  const int neighbours = r->sharing->neighbours;
  for (int64_t n = 0; n < s->sent_first[neighbours]; ++n)
    for (int64_t f = 0; f < r->fields; ++f)
      sent[n * r->fields + f] = s->sent[n] < 0 ? 0 : from[f * stride + s->sent[n]];
  bp_status status = swap(r, s->sent_first, s->received_first);
  for (int64_t n = 0; n < s->received_first[neighbours] && !status; ++n)
    for (int64_t f = 0; f < r->fields; ++f)
      to[f * field_of(r) + u->elements * r->nodes + n] = received[n * r->fields + f];
  return status;
}

/* ---- N = 1 ---- */

/* The first rank is told which nodes of the whole mesh's elements a rank's unknowns are at. */
static bp_status tell(const level_ranks *r, const int64_t *places, int64_t count)
{
  bp_comm *comm = r->sharing->comm;
  const bp_part part = {0, (void *)(uintptr_t)places, count * (int64_t)sizeof *places};
  return bp_comm_exchange(comm, &part, 1, NULL, 0);
}

static bp_status hear(level_ranks *r, int rank)
{
  const bp_unknowns *whole = r->m->whole->unknowns;
  const int64_t count = r->counts[rank];
  int64_t *places = bp_alloc_array((size_t)count + 1, sizeof *places);
  const bp_part part = {rank, places, count * (int64_t)sizeof *places};
  bp_status status = bp_comm_exchange(r->sharing->comm, NULL, 0, &part, 1);
  r->number[rank] = bp_alloc_array((size_t)count + 1, sizeof *r->number[rank]);
  for (int64_t n = 0; n < count && !status; ++n) {
    const int32_t id = whole->ids[places[n]];
    r->number[rank][n] = id < 0 ? ~id : id;
  }
  bp_free(places);
  return status;
}

/* All unknowns of N = 1 are at corners. */
static int64_t *places_of(const bp_system *system)
{
  const bp_unknowns *u = system->unknowns;
  int64_t *places = bp_alloc_array((size_t)u->count + 1, sizeof *places);
  for (int64_t e = 0; e < u->elements; ++e)
    for (int m = 0; m < u->surface_nodes; ++m) {
      const int32_t id = u->ids[e * u->surface_nodes + m];
      places[id < 0 ? ~id : id] = system->piece->element[e] * u->surface_nodes + m;
    }
  return places;
}

bp_status bp_multigrid_tell_last(bp_multigrid *m)
{
  level_ranks *r = m->levels[m->count - 1].ranks;
  const bp_system *system = r->level->system;
  bp_comm *comm = system->comm;
  double counts[BP_RANKS_MAX], mine = (double)system->unknowns->count;
  bp_status status = bp_comm_all(comm, &mine, 1, counts);
  int64_t *places = places_of(system);
  if (!status && comm->rank > 0)
    status = tell(r, places, system->unknowns->count);
  for (int n = 0; n < comm->size && !status && comm->rank == 0; ++n) {
    r->counts[n] = (int64_t)counts[n];
    if (n > 0)
      status = hear(r, n);
  }
  if (!status && comm->rank == 0) {
    r->number[0] = bp_alloc_array((size_t)r->counts[0] + 1, sizeof *r->number[0]);
    for (int64_t n = 0; n < r->counts[0]; ++n) {
      const int32_t id = m->whole->unknowns->ids[places[n]];
      r->number[0][n] = id < 0 ? ~id : id;
    }
  }
  bp_free(places);
  return bp_comm_agree(comm, status);
}

/* Between a rank's vector and that of all. */
static void place_in_all(const level_ranks *r, int rank, int64_t stride, const float *from,
                         float *all)
{
  const bp_level_vectors *at = &r->m->rows->at;
  for (int64_t f = 0; f < r->fields; ++f)
    for (int64_t n = 0; n < r->counts[rank]; ++n)
      all[f * at->stride + r->number[rank][n]] = from[f * stride + n];
}

static void take_from_all(const level_ranks *r, int rank, int64_t stride, const float *all,
                          float *to)
{
  const bp_level_vectors *at = &r->m->rows->at;
  for (int64_t f = 0; f < r->fields; ++f)
    for (int64_t n = 0; n < r->counts[rank]; ++n)
      to[f * stride + n] = all[f * at->stride + r->number[rank][n]];
}

static int64_t stride_of(const level_ranks *r, int rank)
{
  enum { ALIGN = 16 };
  const int64_t count = r->counts[rank];
  return count ? (count + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

/* What is at `from` of every rank, to `to` of the first; or back. A message has all fields, padded. */
static bp_status collect_or_spread(bp_device *device, const bp_step *step, bool is_back)
{
  const level_ranks *r = (const level_ranks *)(uintptr_t)step->sharing;
  bp_comm *comm = r->sharing->comm;
  float *own = device->backend->map(device, is_back ? step->to : step->from);
  const int64_t each = r->fields * (int64_t)sizeof *own,
                stride = bp_unknowns_stride(r->level->system->unknowns);
  bp_part parts[BP_RANKS_MAX] = {{0, own, stride * each}};
  if (comm->rank > 0)
    return bp_comm_exchange(comm, parts, !is_back, parts, is_back);
  float *all = device->backend->map(device, is_back ? step->from : step->to);
  int count = 0;
  for (int n = 1; n < comm->size; ++n, ++count) {
    const int64_t bytes = stride_of(r, n) * each;
    parts[count] = (bp_part){n, bp_alloc_array((size_t)bytes, 1), bytes};
    if (is_back)
      take_from_all(r, n, stride_of(r, n), all, parts[count].data);
  }
  bp_status status = bp_comm_exchange(comm, parts, is_back ? count : 0, parts, is_back ? 0 : count);
  for (int n = 0; n < count; ++n) {
    if (!is_back && !status)
      place_in_all(r, n + 1, stride_of(r, n + 1), parts[n].data, all);
    bp_free(parts[n].data);
  }
  if (is_back)
    take_from_all(r, 0, stride, all, own);
  else
    place_in_all(r, 0, stride, own, all);
  return status;
}

static bp_status collect(bp_device *device, const bp_step *step)
{
  return collect_or_spread(device, step, false);
}

static bp_status spread(bp_device *device, const bp_step *step)
{
  return collect_or_spread(device, step, true);
}

/* ---- steps ---- */

static void add(const bp_multigrid_maker *k, const level_ranks *r, bp_step_call *call,
                bp_address from, bp_address to)
{
  if (!r)
    return;
  bp_step *step = bp_program_add(k->program, BP_STEP_CALL);
  step->function = (bp_function)(uintptr_t)call;
  step->sharing = (uint64_t)(uintptr_t)r;
  step->from = from;
  step->to = to;
}

void bp_multigrid_exchange(const bp_multigrid_maker *maker, const bp_elements_level *l)
{
  add(maker, l->ranks, exchange_copies, l->v, 0);
}

void bp_multigrid_unify(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector)
{
  add(maker, l->ranks, share_first, l->u, vector);
}

void bp_multigrid_reach(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector)
{
  add(maker, l->ranks, reach, vector, l->u);
}

void bp_multigrid_collect(const bp_multigrid_maker *maker)
{
  const bp_elements_level *l = &maker->m->levels[maker->m->count - 1];
  add(maker, l->ranks, collect, bp_multigrid_vectors(l).b, maker->m->rows->at.b);
}

void bp_multigrid_spread(const bp_multigrid_maker *maker)
{
  const bp_elements_level *l = &maker->m->levels[maker->m->count - 1];
  add(maker, l->ranks, spread, maker->m->rows->at.x, bp_multigrid_vectors(l).x);
}
