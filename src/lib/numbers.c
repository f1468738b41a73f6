/* numbers.c -- vectors of unknowns to and from elements. */
#include "lib/numbers.h"

#include "base/memory.h"
#include <inttypes.h>
#include <string.h>

/* ---- looking at them ---- */

bp_status libbp_numbers_check(const int64_t *number, int64_t elements, int64_t nodes, int64_t count,
                              int64_t most)
{
  if (count < 0 || count >= INT32_MAX || elements * nodes >= most)
    return bp_fail(BP_BAD_INPUT,
                   "map: expected a count below %d and below %" PRId64 " nodes, found %" PRId64
                   " and %" PRId64,
                   INT32_MAX, most, count, elements * nodes);
  for (int64_t n = 0; n < elements * nodes; ++n)
    if (number[n] >= count)
      return bp_fail(BP_BAD_INPUT,
                     "map: expected numbers below %" PRId64 ", found %" PRId64
                     " in element %" PRId64,
                     count, number[n], n / nodes);
  return BP_OK;
}

typedef enum { FIXED, APART, FIRST, AGAIN } kind;

static inline kind kind_of(const libbp_numbers *m, uint32_t at)
{
  const uint32_t k = at & ~LIBBP_FIRST;
  return k < m->count ? at & LIBBP_FIRST ? FIRST : AGAIN : k == LIBBP_FIXED ? FIXED : APART;
}

/* Which part of the elements has a number; several. */
enum { NONE = -1, SEVERAL = -2 };

static int32_t *find_parts(const bp_device *device, const bp_batches *batches,
                           const int64_t *number, const libbp_numbers *m)
{
  int32_t *part = bp_alloc_array((size_t)m->count, sizeof *part);
  memset(part, 0xff, (size_t)m->count * sizeof *part);
  for (int p = 0; p < device->sms; ++p) {
    int64_t first, last;
    bp_batches_part(device, batches, m->elements, p, &first, &last);
    for (int64_t n = first * m->nodes; n < last * m->nodes; ++n)
      if (number[n] >= 0 && part[number[n]] != p)
        part[number[n]] = part[number[n]] == NONE ? p : SEVERAL;
  }
  return part;
}

static void count_apart(libbp_numbers *m, const int64_t *number, const int32_t *part)
{
  for (int64_t n = 0; n < m->count; ++n)
    m->shared += part[n] == SEVERAL;
  for (int64_t n = 0; n < m->elements * m->nodes; ++n) {
    m->apart += number[n] >= 0 && part[number[n]] == SEVERAL;
    m->fixed += number[n] < 0;
  }
}

/* Writes `at`; part[] becomes the place among the shared, and NONE where a number was seen. */
static void mark(libbp_numbers *m, const int64_t *number, int32_t *part)
{
  uint32_t apart = 0;
  for (int64_t n = 0; n < m->elements * m->nodes; ++n) {
    const int64_t to = number[n];
    if (to < 0) {
      m->at[n] = LIBBP_FIXED;
    } else if (part[to] == SEVERAL) {
      m->number[apart] = (uint32_t)to;
      m->at[n] = (uint32_t)m->count + apart++;
    } else {
      m->at[n] = (uint32_t)to | (part[to] == NONE ? 0 : LIBBP_FIRST);
      part[to] = NONE;
    }
  }
}

/* The nodes kept apart by their numbers. */
static void sort(libbp_numbers *m, int32_t *part)
{
  int32_t *place = part, next = 0;
  for (int64_t n = 0; n < m->count; ++n)
    if (part[n] == SEVERAL)
      place[n] = next++;
  for (int64_t n = 0; n < m->apart; ++n)
    ++m->starts[place[m->number[n]] + 1];
  for (int64_t s = 0; s < m->shared; ++s)
    m->starts[s + 1] += m->starts[s];
  for (int64_t n = 0; n < m->apart; ++n)
    m->order[m->starts[place[m->number[n]]]++] = (uint32_t)n;
  for (int64_t s = m->shared; s > 0; --s)
    m->starts[s] = m->starts[s - 1];
  m->starts[0] = 0;
}

/* A row as ends and what is between, if that has one step. */
static bool row_of(const libbp_numbers *m, const uint32_t *at, libbp_row *row)
{
  const int last = m->nq - 1;
  *row = (libbp_row){at[0], at[1], at[last], m->nq > 3 ? (int32_t)(at[2] - at[1]) : 1};
  bool is_one = true;
  for (int i = 1; i < last; ++i)
    is_one &=
        at[i] == at[1] + (uint32_t)((i - 1) * row->step) && kind_of(m, at[i]) == kind_of(m, at[1]);
  return is_one;
}

/* Instead of single nodes, where all rows can be so and a row is no longer than its nodes. */
static void make_rows(libbp_numbers *m)
{
  const int64_t count = m->elements * m->nodes / m->nq;
  int is_one = m->nq > 3;
  if (!is_one)
    return;
  m->rows = bp_alloc_array((size_t)count, sizeof *m->rows);
#pragma omp parallel for num_threads(m->threads) schedule(static) reduction(&& : is_one)
  for (int64_t r = 0; r < count; ++r)
    is_one = row_of(m, m->at + r * m->nq, &m->rows[r]) && is_one;
  if (!is_one) {
    bp_free(m->rows);
    m->rows = NULL;
  } else {
    bp_free(m->at);
    m->at = NULL;
  }
}

bp_status libbp_numbers_create(const bp_device *device, const bp_batches *batches,
                               const int64_t *number, int64_t elements, int nq, int64_t count,
                               libbp_numbers **numbers)
{
  const int64_t nodes = nq * nq * nq;
  *numbers = NULL;
  bp_status status = libbp_numbers_check(number, elements, nodes, count, UINT32_MAX);
  if (status)
    return status;
  libbp_numbers *m = bp_alloc(1, sizeof *m);
  *m = (libbp_numbers){
      .nodes = nodes, .nq = nq, .elements = elements, .count = count, .threads = device->sms};
  int32_t *part = find_parts(device, batches, number, m);
  count_apart(m, number, part);
  if (count + m->apart >= LIBBP_FIXED) {
    status = bp_fail(BP_BAD_INPUT,
                     "map: expected a count below %u, found %" PRId64 " and %" PRId64
                     " that threads share",
                     LIBBP_FIXED, count, m->apart);
    bp_free(part);
    libbp_numbers_destroy(m);
    return status;
  }
  m->at = bp_alloc_array((size_t)(elements * nodes), sizeof *m->at);
  m->number = bp_alloc((size_t)m->apart, sizeof *m->number);
  m->order = bp_alloc((size_t)m->apart, sizeof *m->order);
  m->starts = bp_alloc((size_t)m->shared + 2, sizeof *m->starts);
  m->parts = bp_alloc((size_t)(m->apart * batches->fields), sizeof *m->parts);
  mark(m, number, part);
  sort(m, part);
  bp_free(part);
  make_rows(m);
  *numbers = m;
  return BP_OK;
}

void libbp_numbers_destroy(libbp_numbers *numbers)
{
  if (!numbers)
    return;
  bp_free(numbers->at);
  bp_free(numbers->rows);
  bp_free(numbers->number);
  bp_free(numbers->order);
  bp_free(numbers->starts);
  bp_free(numbers->parts);
  bp_free(numbers);
}

/* ---- using them ---- */

/* So many rows, or nodes, ahead what is needed is asked for: where it is only the map knows. */
enum { ROWS_AHEAD = 24, NODES_AHEAD = 96 };

static inline void take_run(const libbp_numbers *m, uint32_t at, int64_t step, int length,
                            const double *from, double *u)
{
  const uint32_t k = at & ~LIBBP_FIRST;
  if (kind_of(m, at) == FIXED)
    for (int i = 0; i < length; ++i)
      u[i] = 0;
  else if (kind_of(m, at) == APART)
    for (int i = 0; i < length; ++i)
      u[i] = from[m->number[k - (uint32_t)m->count + (uint32_t)i]];
  else if (step == 1)
    for (int i = 0; i < length; ++i)
      u[i] = from[k + i];
  else
    for (int i = 0; i < length; ++i)
      u[i] = from[k + i * step];
}

static inline void ask_for(uint32_t at, const double *from, const double *to)
{
  __builtin_prefetch(from + (at & ~LIBBP_FIRST));
  __builtin_prefetch(to + (at & ~LIBBP_FIRST), 1);
}

void libbp_numbers_take(const libbp_numbers *numbers, int64_t first, int64_t last,
                        const double *from, const double *to, double *u)
{
  const libbp_numbers *m = numbers;
  const int64_t begin = first * m->nodes, end = last * m->nodes, all = m->elements * m->nodes;
  if (!m->rows) {
    for (int64_t n = begin; n < end; ++n) {
      if (n + NODES_AHEAD < all)
        ask_for(m->at[n + NODES_AHEAD], from, to);
      take_run(m, m->at[n], 0, 1, from, u + n - begin);
    }
    return;
  }
  const int between = m->nq - 2;
  for (int64_t r = begin / m->nq; r < end / m->nq; ++r, u += m->nq) {
    const libbp_row row = m->rows[r];
    if (r + ROWS_AHEAD < all / m->nq) {
      ask_for(m->rows[r + ROWS_AHEAD].left, from, to);
      ask_for(m->rows[r + ROWS_AHEAD].middle, from, to);
      ask_for(m->rows[r + ROWS_AHEAD].right, from, to);
    }
    take_run(m, row.left, 0, 1, from, u);
    take_run(m, row.middle, row.step, between, from, u + 1);
    take_run(m, row.right, 0, 1, from, u + 1 + between);
  }
}

static inline double sum_of(double beta, double before, double x)
{
  return beta == 0 ? x : beta * before + x;
}

static inline void add_run(const libbp_numbers *m, uint32_t at, int64_t step, int length,
                           double alpha, const double *v, double beta, double *to, double *parts)
{
  const uint32_t k = at & ~LIBBP_FIRST;
  if (kind_of(m, at) == APART)
    for (int i = 0; i < length; ++i)
      parts[k - (uint32_t)m->count + (uint32_t)i] = alpha * v[i];
  else if (kind_of(m, at) == FIRST)
    for (int i = 0; i < length; ++i)
      to[k + i * step] = sum_of(beta, to[k + i * step], alpha * v[i]);
  else if (kind_of(m, at) == AGAIN)
    for (int i = 0; i < length; ++i)
      to[k + i * step] += alpha * v[i];
}

void libbp_numbers_add(const libbp_numbers *numbers, int field, int64_t first, int64_t last,
                       double alpha, const double *v, double beta, double *to)
{
  const libbp_numbers *m = numbers;
  const int64_t begin = first * m->nodes, end = last * m->nodes;
  const int between = m->nq - 2;
  double *parts = m->parts + field * m->apart;
  for (int64_t n = begin; !m->rows && n < end; ++n)
    add_run(m, m->at[n], 0, 1, alpha, v + n - begin, beta, to, parts);
  for (int64_t r = begin / m->nq; m->rows && r < end / m->nq; ++r, v += m->nq) {
    const libbp_row row = m->rows[r];
    add_run(m, row.left, 0, 1, alpha, v, beta, to, parts);
    if (row.step == 1)
      add_run(m, row.middle, 1, between, alpha, v + 1, beta, to, parts);
    else
      add_run(m, row.middle, row.step, between, alpha, v + 1, beta, to, parts);
    add_run(m, row.right, 0, 1, alpha, v + 1 + between, beta, to, parts);
  }
}

void libbp_numbers_join(const libbp_numbers *numbers, int field, double beta, double *to)
{
  const libbp_numbers *m = numbers;
  const double *parts = m->parts + field * m->apart;
#pragma omp parallel for num_threads(m->threads) schedule(static)
  for (int64_t s = 0; s < m->shared; ++s) {
    const uint32_t *n = m->order + m->starts[s], *end = m->order + m->starts[s + 1];
    double *at = to + m->number[*n], sum = sum_of(beta, *at, parts[*n]);
    while (++n < end)
      sum += parts[*n];
    *at = sum;
  }
}
