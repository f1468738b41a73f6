/* mapped.c -- a caller's numbers as kernels want them that use the caller's vectors. */
#include "lib/mapped.h"

#include "base/memory.h"
#include "lib/numbers.h"
#include "solve/scheme.h"
#include <string.h>

/* ---- unknowns of a map ---- */

enum { KINDS = 3, UNSEEN = -1 };

/* A caller's map: number[e][n] of all nodes, and which of an element's nodes lie inside and on its
 * surface. */
typedef struct {
  const int64_t *number;
  int64_t elements, count;
  int nodes, surface, inside; /* of an element */
  int *surface_place, *inside_place;
  uint8_t *copies; /* of each number, its nodes, up to MANY */
} map;

enum { MANY = 9 };

static void count_copies(map *m)
{
  m->copies = bp_alloc((size_t)m->count + 1, sizeof *m->copies);
  for (int64_t n = 0; n < m->elements * m->nodes; ++n)
    if (m->number[n] >= 0 && m->copies[m->number[n]] < MANY)
      ++m->copies[m->number[n]];
}

/* As many slots as a face's, an edge's, a vertex's unknowns have; more copies are in a list. */
static int kind_of(int copies)
{
  return copies <= 2 || copies == MANY ? 0 : copies <= 4 ? 1 : 2;
}

static bool is_alone(const map *m, int64_t e, int n)
{
  const int64_t number = m->number[e * m->nodes + m->inside_place[n]];
  return number >= 0 && m->copies[number] == 1;
}

/* inside[e] or inside[e][n]; NULL: an inner node is fixed or has another one's number. */
static int32_t *list_inside(const map *m, bool *runs)
{
  int is_own = 1, in_row = 1;
#pragma omp parallel for schedule(static) reduction(&& : is_own, in_row)
  for (int64_t e = 0; e < m->elements; ++e)
    for (int n = 0; n < m->inside; ++n) {
      const int64_t *number = m->number + e * m->nodes;
      is_own = is_own && is_alone(m, e, n);
      in_row = in_row && number[m->inside_place[n]] == number[m->inside_place[0]] + n;
    }
  *runs = in_row;
  if (!is_own)
    return NULL;
  const int each = *runs ? 1 : m->inside;
  int32_t *inside = bp_alloc_array((size_t)(m->elements * each), sizeof *inside);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < m->elements; ++e)
    for (int n = 0; n < each && n < m->inside; ++n)
      inside[e * each + n] = (int32_t)m->number[e * m->nodes + m->inside_place[n]];
  return inside;
}

static int64_t surface_number(const map *m, int64_t e, int n)
{
  return m->number[e * m->nodes + m->surface_place[n]];
}

/* Numbers of surfaces, kind after kind, each kind in the order in which elements have them first:
 * at[number] is the place. */
static int32_t *order_surface(const map *m, bp_unknowns *u)
{
  int32_t *at = bp_alloc_array((size_t)m->count + 1, sizeof *at), next[KINDS] = {0};
  memset(at, 0xff, (size_t)m->count * sizeof *at);
  for (int64_t e = 0; e < m->elements; ++e)
    for (int n = 0; n < m->surface; ++n) {
      const int64_t number = surface_number(m, e, n);
      if (number >= 0 && at[number] == UNSEEN)
        at[number] = next[kind_of(m->copies[number])]++;
    }
  const int32_t before[KINDS] = {0, next[0], next[0] + next[1]};
  for (int64_t n = 0; n < m->count; ++n)
    if (at[n] != UNSEEN)
      at[n] += before[kind_of(m->copies[n])];
  u->faces_end = u->inner + before[1];
  u->edges_end = u->inner + before[2];
  u->count = u->edges_end + next[2];
  return at;
}

static void list_surface(const map *m, const int32_t *at, bp_unknowns *u, int32_t *targets)
{
  const size_t all = (size_t)(m->elements * m->surface);
  u->ids = bp_alloc_array(all, sizeof *u->ids);
  u->starts = bp_alloc((size_t)(u->count - u->inner) + 2, sizeof *u->starts);
  u->copies = bp_alloc_array(all, sizeof *u->copies);
  uint32_t *next = u->starts + 1;
  for (size_t c = 0; c < all; ++c) {
    const int64_t number =
        surface_number(m, (int64_t)c / m->surface, (int)(c % (size_t)m->surface));
    u->ids[c] = number < 0 ? -1 : (int32_t)number;
    if (number >= 0) {
      targets[at[number]] = (int32_t)number;
      ++next[at[number] + 1];
    }
  }
  for (int64_t s = 0; s < u->count - u->inner; ++s)
    next[s + 1] += next[s];
  for (size_t c = 0; c < all; ++c)
    if (u->ids[c] >= 0)
      u->copies[next[at[u->ids[c]]]++] = (uint32_t)c;
}

/* False: mapped kernels cannot have it. */
static bool take_map(libbp_mapped *mapped, map *m, int degree, int32_t **inside)
{
  m->nodes = (degree + 1) * (degree + 1) * (degree + 1);
  m->inside = (degree - 1) * (degree - 1) * (degree - 1);
  m->surface = m->nodes - m->inside;
  m->surface_place = bp_alloc((size_t)m->surface, sizeof *m->surface_place);
  m->inside_place = bp_alloc((size_t)m->inside + 1, sizeof *m->inside_place);
  bp_unknowns_places(degree, m->surface_place, m->inside_place);
  count_copies(m);
  *inside = list_inside(m, &mapped->runs);
  if (*inside) {
    bp_unknowns *u = mapped->unknowns = bp_alloc(1, sizeof *u);
    *u = (bp_unknowns){.degree = degree,
                       .surface_nodes = m->surface,
                       .elements = m->elements,
                       .inner = m->elements * m->inside};
    int32_t *at = order_surface(m, u);
    mapped->targets = bp_alloc((size_t)(u->count - u->inner) + 1, sizeof *mapped->targets);
    list_surface(m, at, u, mapped->targets);
    for (int64_t c = 0; c < m->elements * m->surface; ++c)
      mapped->fixed += u->ids[c] < 0;
    bp_free(at);
  }
  bp_free(m->copies);
  bp_free(m->surface_place);
  bp_free(m->inside_place);
  return *inside;
}

/* ---- libbp's own ---- */

static void take_own(libbp_mapped *mapped, const bp_unknowns *u, int32_t **inside)
{
  const int64_t each = u->inner / u->elements;
  mapped->runs = true;
  mapped->fixed = u->fixed;
  mapped->targets = bp_alloc((size_t)(u->count - u->inner) + 1, sizeof *mapped->targets);
  *inside = bp_alloc_array((size_t)u->elements, sizeof **inside);
  for (int64_t n = u->inner; n < u->count; ++n)
    mapped->targets[n - u->inner] = (int32_t)n;
  for (int64_t e = 0; e < u->elements; ++e)
    (*inside)[e] = (int32_t)(e * each);
}

bp_status libbp_mapped_create(bp_device *device, const bp_unknowns *own, const int64_t *number,
                              int64_t elements, int degree, int64_t count, libbp_mapped **mapped)
{
  const int64_t nq = degree + 1, inside_each = (nq - 2) * (nq - 2) * (nq - 2);
  map m = {.number = number, .elements = elements, .count = count};
  int32_t *inside = NULL;
  *mapped = NULL;
  bp_status status =
      own ? BP_OK : libbp_numbers_check(number, elements, nq * nq * nq, count, (int64_t)UINT32_MAX);
  if (status || elements * (nq * nq * nq - inside_each) > INT32_MAX)
    return status;
  libbp_mapped *made = bp_alloc(1, sizeof *made);
  if (own)
    take_own(made, own, &inside);
  else if (!take_map(made, &m, degree, &inside)) {
    bp_free(made);
    return BP_OK;
  }
  made->slots = bp_scheme_slots(own ? own : made->unknowns);
  status =
      bp_array_create(device, "numbers inside elements", elements * (made->runs ? 1 : inside_each),
                      sizeof *inside, false, &made->inside);
  if (!status)
    status = bp_array_write(device, &made->inside, inside);
  bp_free(inside);
  if (status)
    libbp_mapped_destroy(device, made);
  else
    *mapped = made;
  return status;
}

void libbp_mapped_destroy(bp_device *device, libbp_mapped *mapped)
{
  if (!mapped)
    return;
  bp_array_destroy(device, &mapped->inside);
  bp_unknowns_destroy(mapped->unknowns);
  bp_free(mapped->targets);
  bp_free(mapped->slots);
  bp_free(mapped);
}

/* ---- which kernel ---- */

bool libbp_mapped_is_mma(const char *problem, int degree)
{
  return (strcmp(problem, "bp3") == 0 && degree >= 9) ||
         (strcmp(problem, "bp5") == 0 && degree >= 13);
}

bool libbp_mapped_is_fast(const libbp_mapped *mapped, const char *problem, int degree)
{
  const bool is_bp3 = strcmp(problem, "bp3") == 0;
  if (mapped->runs)
    return !is_bp3 || degree < 9 || degree > 10;
  return is_bp3 ? degree < 5 : strcmp(problem, "bp5") == 0 && degree < 13;
}

void libbp_mapped_set(const libbp_mapped *mapped, bp_choice *choice)
{
  bp_status status = bp_choice_set(choice, "runs", mapped->runs);
  if (!status)
    status = bp_choice_set(choice, "atomic", mapped->atomic);
  BP_ASSERT(!status);
}
