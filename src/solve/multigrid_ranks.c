/* multigrid_ranks.c -- what ranks tell each other in a cycle: numbers at some places of an array go to
 * places of another rank's.
 *
 * On CPUs a level's arrays by element have room behind the rank's own elements, where other ranks' copies come: copy
 * E S + n (fem/unknowns.h) is node n % S of element E + n / S. On GPUs kernels find it where messages come. So they add
 * up all copies in the order of the whole mesh, as one rank does. N = 1 of all ranks is the first one's. On CPUs a
 * message is a call in this process, on GPUs a kernel packs it (kernels/lib/solve/multigrid_ranks.h). */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "kernels/abi/multigrid.h"
#include <string.h>

enum { NOWHERE = -1 }; /* a place: what is sent is 0; what comes is left */

/* From which places to which, in the order of messages; each array has so much from field to field. */
typedef struct {
  bp_sharing ways; /* how many go to whom, and come; its lists are own */
  uint32_t *from, *to;
  int64_t from_field, to_field, item;
  int fields;
  bp_array sent, received, outbox, inbox, mail; /* of GPUs */
} messages;

/* Of a level. */
struct bp_level_ranks {
  messages copies, first, beyond, /* see multigrid_levels.h */
      collected, spread;          /* of the last level */
  bp_array far;                   /* what comes from beyond faces */
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

/* ---- messages ---- */

static int64_t sent_of(const messages *s)
{
  return s->ways.sent_first[s->ways.neighbours];
}

/* With those neighbours; counts of what goes to each and comes. */
static messages start_messages(const bp_elements_level *l, const bp_comm *comm, int neighbours,
                               const int *rank, const int64_t *sent, const int64_t *received)
{
  messages s = {.item = bp_real_bytes(l->separate->space), .fields = l->assembled.space.fields};
  const size_t count = (size_t)neighbours + 1;
  s.ways.comm = (bp_comm *)(uintptr_t)comm;
  s.ways.neighbours = neighbours;
  s.ways.rank = bp_alloc(count, sizeof *rank);
  s.ways.sent_first = bp_alloc(count, sizeof *sent);
  s.ways.received_first = bp_alloc(count, sizeof *received);
  for (int b = 0; b < neighbours; ++b) {
    s.ways.rank[b] = rank[b];
    s.ways.sent_first[b + 1] = s.ways.sent_first[b] + sent[b];
    s.ways.received_first[b + 1] = s.ways.received_first[b] + received[b];
  }
  s.ways.received = s.ways.received_first[neighbours];
  s.from = bp_alloc((size_t)sent_of(&s) + 1, sizeof *s.from);
  s.to = bp_alloc((size_t)s.ways.received + 1, sizeof *s.to);
  return s;
}

/* The same neighbours, by where each begins. */
static messages start_like(const bp_elements_level *l, const int64_t *sent_first,
                           const int64_t *received_first)
{
  const bp_sharing *sharing = l->system->unknowns->sharing;
  int64_t sent[BP_RANKS_MAX], received[BP_RANKS_MAX];
  for (int b = 0; b < sharing->neighbours; ++b) {
    sent[b] = sent_first[b + 1] - sent_first[b];
    received[b] = received_first[b + 1] - received_first[b];
  }
  return start_messages(l, sharing->comm, sharing->neighbours, sharing->rank, sent, received);
}

static void destroy_messages(bp_device *device, messages *s)
{
  bp_array *const arrays[] = {&s->sent, &s->received, &s->outbox, &s->inbox, &s->mail};
  for (size_t n = 0; n < sizeof arrays / sizeof *arrays; ++n)
    bp_array_destroy(device, arrays[n]);
  bp_free(s->ways.rank);
  bp_free(s->ways.sent_first);
  bp_free(s->ways.received_first);
  bp_free(s->from);
  bp_free(s->to);
}

/* What kernels want of it. */
static bp_status upload(bp_multigrid *m, messages *s)
{
  const int64_t sent = sent_of(s), received = s->ways.received, each = s->fields;
  int64_t mail[BP_MAIL_LENGTH] = {0};
  if (!bp_multigrid_is_on_gpu(m))
    return BP_OK;
  bp_status status = bp_multigrid_upload(m, "places of messages", sent, s->from, false, &s->sent);
  if (!status)
    status = bp_multigrid_upload(m, "places of messages", received, s->to, false, &s->received);
  if (!status)
    status = bp_array_create(m->device, "messages that go", sent * each + 1, sizeof(double), false,
                             &s->outbox);
  if (!status)
    status = bp_array_create(m->device, "messages that come", received * each + 1, sizeof(double),
                             false, &s->inbox);
  if (!status)
    status = bp_array_create(m->device, "mailboxes", BP_MAIL_LENGTH, sizeof *mail, false, &s->mail);
  status = bp_comm_agree(s->ways.comm, status);
  if (!status)
    status = bp_mail_fill(m->device, &s->ways, each * (int64_t)sizeof(double), m->half_bytes, mail);
  return status ? status : bp_array_write(m->device, &s->mail, mail);
}

/* Where the host maps all memory. */
static bp_status call(bp_device *device, const bp_step *step)
{
  const messages *s = (const messages *)(uintptr_t)step->sharing;
  const void *from = device->backend->map(device, step->from);
  void *to = device->backend->map(device, step->to);
  const bool is_single = s->item == sizeof(float);
  const int64_t sent_count = sent_of(s), received_count = s->ways.received;
  double *sent = bp_alloc_array((size_t)(sent_count * s->fields) + 1, sizeof *sent),
         *received = bp_alloc_array((size_t)(received_count * s->fields) + 1, sizeof *received);
  for (int64_t n = 0; n < sent_count; ++n)
    for (int f = 0; f < s->fields; ++f) {
      const int64_t at = f * s->from_field + s->from[n];
      sent[n * s->fields + f] = s->from[n] == (uint32_t)NOWHERE ? 0
                                : is_single                     ? ((const float *)from)[at]
                                                                : ((const double *)from)[at];
    }
  bp_status status = bp_sharing_exchange(&s->ways, s->fields, sent, received);
  for (int64_t n = 0; n < received_count && !status; ++n)
    for (int f = 0; f < s->fields && s->to[n] != (uint32_t)NOWHERE; ++f) {
      const int64_t at = f * s->to_field + s->to[n];
      if (is_single)
        ((float *)to)[at] = (float)received[n * s->fields + f];
      else
        ((double *)to)[at] = received[n * s->fields + f];
    }
  bp_free(sent);
  bp_free(received);
  return status;
}

static bp_step *add_kernel(const bp_multigrid_maker *k, const bp_elements_level *l,
                           const char *kernel, const messages *s, const bp_array *list,
                           int64_t count)
{
  enum { EACH = 256, BLOCKS = 512 };
  const int64_t blocks = (count * s->fields + EACH - 1) / EACH;
  bp_step *step = bp_multigrid_add(k, l, kernel);
  step->share = 0;
  step->shape.blocks = blocks < 1 ? 1 : blocks > BLOCKS ? BLOCKS : blocks;
  bp_multigrid_bind(step, BP_OPERAND_sent, list->data);
  bp_multigrid_bind(step, BP_OPERAND_sent_count, (uint64_t)count);
  bp_multigrid_bind(step, BP_OPERAND_outbox, s->outbox.data);
  bp_multigrid_bind(step, BP_OPERAND_inbox, s->inbox.data);
  bp_multigrid_bind(step, BP_OPERAND_mail, s->mail.data);
  return step;
}

static void add(const bp_multigrid_maker *k, const bp_elements_level *l, const messages *s,
                bp_address from, bp_address to)
{
  bp_step *step;
  if (!bp_multigrid_is_on_gpu(k->m)) {
    step = bp_program_add(k->program, BP_STEP_CALL);
    step->function = (bp_function)(uintptr_t)(bp_step_call *)call;
    step->sharing = (uint64_t)(uintptr_t)s;
    step->from = from;
    step->to = to;
    return;
  }
  step = add_kernel(k, l, "pack", s, &s->sent, sent_of(s));
  bp_multigrid_bind(step, BP_OPERAND_sparse_in, from);
  bp_multigrid_bind(step, BP_OPERAND_stride, (uint64_t)s->from_field);
  bp_program_exchange(k->program, k->m->device, &s->ways, s->fields, s->outbox.data, s->inbox.data);
  if (!to)
    return;
  step = add_kernel(k, l, "unpack", s, &s->received, s->ways.received);
  bp_multigrid_bind(step, BP_OPERAND_sparse_out, to);
  bp_multigrid_bind(step, BP_OPERAND_stride, (uint64_t)s->to_field);
}

/* ---- a level ---- */

/* The place of surface node n of the element after so many others. */
static uint32_t place_of(const bp_elements_level *l, const int *place, int64_t copy)
{
  const int64_t surface = l->system->unknowns->surface_nodes;
  return (uint32_t)(copy / surface * bp_space_nodes(l->separate->space) + place[copy % surface]);
}

/* Whose first copy of all ranks' is that one. */
static bool is_first(const bp_unknowns *u, int64_t n)
{
  const int64_t s = u->sharing->received_id[n] - u->inner;
  return u->copies[u->starts[s]] == (uint32_t)(u->elements * u->surface_nodes + n);
}

static void list_copies(const bp_multigrid *m, bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  const bp_sharing *sharing = u->sharing;
  messages *s = &l->ranks->copies;
  int *place = bp_alloc((size_t)u->surface_nodes, sizeof *place);
  bp_unknowns_places(u->degree, place, NULL);
  *s = start_like(l, sharing->sent_first, sharing->received_first);
  s->from_field = s->to_field = bp_multigrid_is_on_gpu(m) ? u->elements * u->surface_nodes
                                                          : BP_MG_ELEMENTS(m->all_elements) *
                                                                bp_space_nodes(l->separate->space);
  for (int64_t n = 0; n < sent_of(s); ++n)
    s->from[n] =
        bp_multigrid_is_on_gpu(m) ? sharing->sent[n] : place_of(l, place, sharing->sent[n]);
  for (int64_t n = 0; n < sharing->received; ++n)
    s->to[n] = place_of(l, place, u->elements * u->surface_nodes + n);
  bp_free(place);
}

static void list_first(bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  const bp_sharing *sharing = u->sharing;
  messages *s = &l->ranks->first;
  *s = start_like(l, sharing->sent_first, sharing->received_first);
  s->from_field = s->to_field = bp_unknowns_stride(u);
  for (int64_t n = 0; n < sent_of(s); ++n)
    s->from[n] = (uint32_t)u->ids[sharing->sent[n]];
  for (int64_t n = 0; n < sharing->received; ++n)
    s->to[n] = is_first(u, n) ? (uint32_t)sharing->received_id[n] : (uint32_t)NOWHERE;
}

int64_t bp_multigrid_behind(const bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  return u->sharing ? (u->sharing->received + u->surface_nodes - 1) / u->surface_nodes : 0;
}

int64_t bp_multigrid_message_bytes(const bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  return most_of(u->sharing->received, bp_schwarz_far(u)) * l->assembled.space.fields *
         (int64_t)sizeof(double);
}

bp_status bp_multigrid_make_ranks(bp_multigrid *m, bp_elements_level *l)
{
  if (!bp_multigrid_has_ranks(m))
    return BP_OK;
  l->ranks = bp_alloc(1, sizeof *l->ranks);
  list_copies(m, l);
  list_first(l);
  bp_status status = upload(m, &l->ranks->copies);
  return status ? status : upload(m, &l->ranks->first);
}

bp_status bp_multigrid_make_far(bp_multigrid *m, bp_elements_level *l)
{
  const bp_schwarz *s = l->schwarz;
  if (!l->ranks || !s->layer)
    return BP_OK;
  messages *beyond = &l->ranks->beyond;
  *beyond = start_like(l, s->sent_first, s->received_first);
  beyond->from_field = bp_unknowns_stride(l->system->unknowns);
  beyond->to_field = beyond->ways.received;
  for (int64_t n = 0; n < sent_of(beyond); ++n)
    beyond->from[n] = (uint32_t)s->sent[n];
  for (int64_t n = 0; n < beyond->ways.received; ++n)
    beyond->to[n] = (uint32_t)n;
  bp_status status =
      bp_array_create(m->device, "nodes beyond faces", beyond->fields * beyond->to_field + 1,
                      beyond->item, false, &l->ranks->far);
  status = bp_comm_agree(beyond->ways.comm, status);
  return status ? status : upload(m, beyond);
}

void bp_multigrid_destroy_ranks(bp_device *device, bp_elements_level *l)
{
  level_ranks *r = l->ranks;
  if (!r)
    return;
  messages *const all[] = {&r->copies, &r->first, &r->beyond, &r->collected, &r->spread};
  for (size_t n = 0; n < sizeof all / sizeof *all; ++n)
    destroy_messages(device, all[n]);
  bp_array_destroy(device, &r->far);
  bp_free(r);
}

/* ---- N = 1 ---- */

/* All unknowns of N = 1 are at corners: the place of each in the whole mesh. */
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

/* The first rank is told which unknowns of the whole mesh a rank has: in numbers[], rank after rank. */
static bp_status tell(const bp_multigrid *m, const bp_system *system, const int64_t *first,
                      uint32_t *numbers)
{
  bp_comm *comm = system->comm;
  int64_t *own = places_of(system),
          *all = bp_alloc_array((size_t)first[comm->size] + 1, sizeof *all);
  bp_part sent = {0, own, system->unknowns->count * (int64_t)sizeof *own}, received[BP_RANKS_MAX];
  for (int r = 0; r < comm->size; ++r)
    received[r] = (bp_part){r, all + first[r], (first[r + 1] - first[r]) * (int64_t)sizeof *all};
  bp_status status = bp_comm_exchange(comm, &sent, 1, received, comm->rank == 0 ? comm->size : 0);
  for (int64_t n = 0; n < first[comm->size] && comm->rank == 0 && !status; ++n) {
    const int32_t id = m->whole->unknowns->ids[all[n]];
    numbers[n] = (uint32_t)(id < 0 ? ~id : id);
  }
  bp_free(own);
  bp_free(all);
  return status;
}

/* The first rank has all as neighbours, itself, too; each of the others the first one. */
bp_status bp_multigrid_tell_last(bp_multigrid *m)
{
  const bp_elements_level *l = &m->levels[m->count - 1];
  const bp_system *system = l->system;
  bp_comm *comm = system->comm;
  double counts[BP_RANKS_MAX], mine = (double)system->unknowns->count;
  int64_t first[BP_RANKS_MAX + 1] = {0}, all[BP_RANKS_MAX], own[BP_RANKS_MAX] = {0};
  int rank[BP_RANKS_MAX];
  bp_status status = bp_comm_all(comm, &mine, 1, counts);
  for (int r = 0; r < comm->size; ++r) {
    rank[r] = r;
    all[r] = comm->rank == 0 ? (int64_t)counts[r] : 0;
    first[r + 1] = first[r] + (int64_t)counts[r];
  }
  own[0] = system->unknowns->count;
  const int neighbours = comm->rank == 0 ? comm->size : 1;
  messages *in = &l->ranks->collected, *out = &l->ranks->spread;
  *in = start_messages(l, comm, neighbours, rank, own, all);
  *out = start_messages(l, comm, neighbours, rank, all, own);
  in->from_field = out->to_field = bp_unknowns_stride(system->unknowns);
  in->to_field = out->from_field = m->rows->at.stride;
  for (int64_t n = 0; n < own[0]; ++n)
    in->from[n] = out->to[n] = (uint32_t)n;
  if (!status)
    status = tell(m, system, first, in->to);
  memcpy(out->from, in->to, (size_t)in->ways.received * sizeof *in->to);
  status = bp_comm_agree(comm, status);
  if (!status)
    status = upload(m, in);
  return status ? status : upload(m, out);
}

/* ---- steps ---- */

/* Kernels read copies where they come. */
void bp_multigrid_bind_messages(bp_step *step, const bp_elements_level *l)
{
  if (!l->ranks)
    return;
  bp_multigrid_bind(step, BP_OPERAND_inbox, l->ranks->copies.inbox.data);
  bp_multigrid_bind(step, BP_OPERAND_mail, l->ranks->copies.mail.data);
}

void bp_multigrid_exchange(const bp_multigrid_maker *maker, const bp_elements_level *l)
{
  if (l->ranks)
    add(maker, l, &l->ranks->copies, l->copies ? l->copies : l->v, l->copies ? 0 : l->v);
}

void bp_multigrid_unify(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector)
{
  if (l->ranks)
    add(maker, l, &l->ranks->first, vector, vector);
}

bp_address bp_multigrid_reach(const bp_multigrid_maker *maker, const bp_elements_level *l,
                              bp_address vector, int64_t *field)
{
  *field = 0;
  if (!l->ranks || !l->schwarz->layer)
    return 0;
  *field = l->ranks->beyond.to_field;
  add(maker, l, &l->ranks->beyond, vector, l->ranks->far.data);
  return l->ranks->far.data;
}

void bp_multigrid_collect(const bp_multigrid_maker *maker)
{
  const bp_elements_level *l = &maker->m->levels[maker->m->count - 1];
  if (l->ranks)
    add(maker, l, &l->ranks->collected, bp_multigrid_vectors(l).b, maker->m->rows->at.b);
}

void bp_multigrid_spread(const bp_multigrid_maker *maker)
{
  const bp_elements_level *l = &maker->m->levels[maker->m->count - 1];
  if (l->ranks)
    add(maker, l, &l->ranks->spread, maker->m->rows->at.x, bp_multigrid_vectors(l).x);
}
