/* comm.c -- what is made of a transport's calls; and the transport of one rank. */
#include "comm/comm.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- one rank ---- */

static bp_status begin_alone(bp_comm *comm, const bp_part *sent, int sent_count,
                             const bp_part *received, int received_count)
{
  (void)comm;
  BP_ASSERT(sent_count == received_count);
  for (int n = 0; n < sent_count; ++n) {
    BP_ASSERT(sent[n].bytes == received[n].bytes);
    memcpy(received[n].data, sent[n].data, (size_t)sent[n].bytes);
  }
  return BP_OK;
}

static bp_status finish_alone(bp_comm *comm)
{
  (void)comm;
  return BP_OK;
}

static bp_status all_alone(bp_comm *comm, const double *mine, int count, double *all)
{
  (void)comm;
  memcpy(all, mine, (size_t)count * sizeof *all);
  return BP_OK;
}

static const bp_transport alone = {"self", begin_alone, finish_alone, all_alone, NULL, NULL};

bp_comm *bp_comm_self(void)
{
  static bp_comm self = {.transport = &alone, .size = 1};
  return &self;
}

void bp_comm_host(char name[64])
{
  if (gethostname(name, 64))
    strcpy(name, "this host");
  name[63] = '\0';
}

/* ---- losing ranks ---- */

bp_status bp_comm_lose(bp_comm *comm, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!comm->lost) {
    comm->lost = BP_ENVIRONMENT;
    comm->why = bp_strdup(text);
  }
  return bp_comm_check(comm);
}

bp_status bp_comm_check(const bp_comm *comm)
{
  return comm->lost ? bp_fail(comm->lost, "%s", comm->why) : BP_OK;
}

bp_status bp_comm_quit(bp_comm *comm)
{
  char *why = bp_strdup(bp_message());
  comm->is_cause = comm->is_cause || !comm->lost;
  bp_status status = bp_comm_lose(comm, "%s", why);
  bp_free(why);
  return status;
}

bp_status bp_comm_close(bp_comm *comm, bp_status status)
{
  status = comm->is_cause ? BP_ENVIRONMENT : status;
  bool is_told = status == BP_BAD_INPUT || status == BP_ENVIRONMENT;
  if (comm == bp_comm_self())
    return status;
  char *why = bp_strdup(comm->is_cause ? comm->why : is_told && !comm->lost ? bp_message() : "");
  fflush(NULL);
  comm->transport->close(comm, status, why);
  bp_free(why);
  if (is_told)
    bp_fail(status, "%s", "");
  return status;
}

/* ---- patience ---- */

static const double PATIENCE = 6,
                    TIMES = 10; /* seconds, and so many times what a rank itself took */

void bp_comm_limit(bp_comm *comm, bool is_limited)
{
  comm->is_limited = is_limited;
  comm->patience = comm->busy = 0;
  comm->last = bp_clock();
}

/* Around every call of a transport. Returns the time. */
static double enter(bp_comm *comm)
{
  const double now = bp_clock(), own = now - comm->last;
  if (comm->is_limited) {
    comm->busy = own > comm->busy ? own : comm->busy;
    comm->patience =
        (comm->least_patience > 0 ? comm->least_patience : PATIENCE) + TIMES * comm->busy;
  }
  return now;
}

/* One that is alone belongs to all threads of a library's caller, and never waits. */
static void leave(bp_comm *comm, double entered)
{
  if (comm->size == 1)
    return;
  comm->last = bp_clock();
  comm->waiting += comm->last - entered;
}

/* ---- together ---- */

bp_status bp_comm_exchange(bp_comm *comm, const bp_part *sent, int sent_count,
                           const bp_part *received, int received_count)
{
  bp_status status = bp_comm_check(comm);
  double entered = enter(comm);
  if (!status)
    status = comm->transport->begin(comm, sent, sent_count, received, received_count);
  if (!status)
    status = comm->transport->finish(comm);
  leave(comm, entered);
  return status;
}

bp_status bp_comm_all(bp_comm *comm, const double *mine, int count, double *all)
{
  BP_ASSERT(count <= BP_COMM_VALUES_MAX);
  bp_status status = bp_comm_check(comm);
  if (status)
    memset(all, 0, (size_t)(comm->size * count) * sizeof *all);
  double entered = enter(comm);
  if (!status)
    status = comm->transport->all(comm, mine, count, all);
  leave(comm, entered);
  return status;
}

/* As many at once as a transport takes. */
static bp_status combine(bp_comm *comm, double *values, int count, bool is_sum)
{
  double all[BP_RANKS_MAX * BP_COMM_VALUES_MAX] = {0};
  bp_status status = bp_comm_all(comm, values, count, all);
  for (int r = 0; r < comm->size && !status; ++r)
    for (int n = 0; n < count; ++n) {
      double value = all[r * count + n];
      if (r == 0)
        values[n] = value;
      else if (is_sum)
        values[n] += value;
      else if (!(value <= values[n]))
        values[n] = value;
    }
  return status;
}

bp_status bp_comm_sum(bp_comm *comm, double *values, int count)
{
  return combine(comm, values, count, true);
}

bp_status bp_comm_max(bp_comm *comm, double *values, int count)
{
  return combine(comm, values, count, false);
}

double bp_comm_largest(bp_comm *comm, double value)
{
  bp_comm_max(comm, &value, 1);
  return value;
}

/* Hosts by their names. */
int bp_comm_local_size(const bp_comm *comm)
{
  int count = 0;
  for (int r = 0; comm->process && r < comm->size; ++r)
    count += comm->process[r] != 0;
  return comm->process ? count : comm->size;
}

int bp_comm_local_rank(bp_comm *comm)
{
  char name[256] = "";
  double hosts[BP_RANKS_MAX] = {0};
  int below = 0;
  gethostname(name, sizeof name - 1);
  const bp_hash hash = bp_hash_bytes(name, strlen(name));
  const double mine = (double)(hash.word[0] >> 12); /* a whole number below 2^52 */
  if (bp_comm_all(comm, &mine, 1, hosts))
    return 0;
  for (int r = 0; r < comm->rank; ++r)
    below += hosts[r] == mine;
  return below;
}

bp_status bp_comm_broadcast(bp_comm *comm, void *data, int64_t bytes)
{
  bp_part parts[BP_RANKS_MAX];
  const bp_part from = {0, data, bytes};
  int count = 0;
  for (int r = 1; r < comm->size && comm->rank == 0; ++r)
    parts[count++] = (bp_part){r, data, bytes};
  return bp_comm_exchange(comm, parts, count, &from, comm->rank != 0);
}

/* The first rank with the worst status tells its message. */
static void pass_message(bp_comm *comm, int from, bp_status status)
{
  char text[512] = "";
  if (comm->rank == from)
    snprintf(text, sizeof text, "%s", bp_message());
  bp_part parts[BP_RANKS_MAX];
  const bp_part received = {from, text, sizeof text};
  int count = 0;
  for (int r = 0; r < comm->size && comm->rank == from; ++r)
    if (r != from)
      parts[count++] = (bp_part){r, text, sizeof text};
  if (!bp_comm_exchange(comm, parts, count, &received, comm->rank != from))
    bp_fail(status, "%s", text);
}

bp_status bp_comm_agree(bp_comm *comm, bp_status status)
{
  double all[2 * BP_RANKS_MAX] = {0};
  const double mine[2] = {status, comm->signal ? *comm->signal : 0};
  if (comm->size == 1) {
    if (comm->signal)
      comm->interrupted = *comm->signal;
    return status;
  }
  bp_status lost = bp_comm_all(comm, mine, 2, all);
  if (lost)
    return lost;
  int worst = 0, signal = 0;
  for (int r = 0; r < comm->size; ++r) {
    worst = all[2 * r] > all[2 * worst] ? r : worst;
    signal = all[2 * r + 1] > signal ? (int)all[2 * r + 1] : signal;
  }
  bp_status agreed = (bp_status)all[2 * worst];
  comm->interrupted = signal;
  if (agreed)
    pass_message(comm, worst, agreed);
  return comm->lost ? bp_comm_check(comm) : agreed;
}

/* ---- any to any ---- */

/* lengths[r]: what rank r has for this one. */
static bp_status exchange_lengths(bp_comm *comm, const int64_t *counts, int64_t *lengths)
{
  bp_part sent[BP_RANKS_MAX], received[BP_RANKS_MAX];
  for (int r = 0; r < comm->size; ++r) {
    sent[r] = (bp_part){r, (void *)(counts + r), sizeof *counts};
    received[r] = (bp_part){r, lengths + r, sizeof *lengths};
  }
  return bp_comm_exchange(comm, sent, comm->size, received, comm->size);
}

bp_status bp_comm_all_to_all(bp_comm *comm, void *const *to, const int64_t *counts, char **received,
                             int64_t *first)
{
  int64_t lengths[BP_RANKS_MAX] = {0};
  bp_part out[BP_RANKS_MAX], in[BP_RANKS_MAX];
  bp_status status = exchange_lengths(comm, counts, lengths);
  first[0] = 0;
  for (int r = 0; r < comm->size; ++r)
    first[r + 1] = first[r] + (status ? 0 : lengths[r]);
  *received = bp_alloc_array((size_t)first[comm->size], 1);
  for (int r = 0; r < comm->size; ++r) {
    out[r] = (bp_part){r, to[r], counts[r]};
    in[r] = (bp_part){r, *received + first[r], first[r + 1] - first[r]};
  }
  return status ? status : bp_comm_exchange(comm, out, comm->size, in, comm->size);
}
