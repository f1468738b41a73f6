/* pick.c -- which way between ranks is the fastest: each that works is timed. Ranks that MPI has
 * started may share memory where all are on one host: rank 0's, which has no name in the file
 * system. */
#include "comm/shm.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- shared memory of ranks of MPI ---- */

/* Begun and ended by MPI, and between that by shared memory. */
typedef struct {
  bp_comm base;
  bp_comm *mpi, *shm;
} joint;

static bp_comm *enter(bp_comm *comm)
{
  bp_comm *shm = ((joint *)comm)->shm;
  shm->patience = comm->patience;
  return shm;
}

static bp_status leave(bp_comm *comm, bp_status status)
{
  const bp_comm *shm = ((joint *)comm)->shm;
  comm->is_seen = shm->is_seen;
  return status && shm->lost ? bp_comm_lose(comm, "%s", shm->why) : status;
}

static bp_status begin(bp_comm *comm, const bp_part *sent, int sent_count, const bp_part *received,
                       int received_count)
{
  bp_comm *shm = enter(comm);
  return leave(comm, shm->transport->begin(shm, sent, sent_count, received, received_count));
}

static bp_status finish(bp_comm *comm)
{
  bp_comm *shm = enter(comm);
  return leave(comm, shm->transport->finish(shm));
}

static bp_status all(bp_comm *comm, const double *mine, int count, double *values)
{
  bp_comm *shm = enter(comm);
  return leave(comm, shm->transport->all(shm, mine, count, values));
}

static void end(bp_comm *comm, bp_status status, const char *why)
{
  joint *j = (joint *)comm;
  bp_comm *mpi = j->mpi;
  mpi->lost = comm->lost;
  mpi->is_seen = comm->is_seen;
  mpi->why = comm->why;
  j->shm->transport->close(j->shm, status, why);
  bp_free(j);
  mpi->transport->close(mpi, status, why);
}

static const bp_transport transport = {"shm", begin, finish, all, NULL, end};

static bool is_one_host(const bp_comm *comm)
{
  bool is = comm->process != NULL;
  for (int r = 0; r < comm->size && is; ++r)
    is = comm->process[r] != 0;
  return is;
}

/* Rank 0's memory, by the number of its file there. */
static bp_status share(bp_comm *mpi, bp_shm *shm)
{
  int64_t file = -1;
  bp_status status = BP_OK;
  if (mpi->rank == 0)
    status = bp_shm_create_file(mpi->size, shm, &file);
  status = bp_comm_agree(mpi, status);
  if (!status)
    status = bp_comm_broadcast(mpi, &file, sizeof file);
  if (status)
    return status;
  if (mpi->rank > 0) {
    char *path = bp_format("/proc/%lld/fd/%lld", (long long)mpi->process[0], (long long)file);
    status = bp_shm_open_file(path, mpi->size, shm);
    bp_free(path);
  }
  const bool is_mine = !status;
  status = bp_comm_agree(mpi, status);
  if (status && is_mine)
    bp_shm_destroy(shm);
  if (mpi->rank == 0)
    close((int)file);
  return status;
}

static bp_status join(bp_comm *mpi, bp_comm **comm)
{
  bp_shm shm;
  *comm = NULL;
  if (!is_one_host(mpi))
    return bp_fail(BP_ENVIRONMENT,
                   "communication: shm: expected all ranks on one host, found more");
  bp_status status = share(mpi, &shm);
  if (status)
    return status;
  joint *j = bp_alloc(1, sizeof *j);
  j->mpi = mpi;
  j->shm = bp_shm_comm(&shm, mpi->rank);
  j->shm->process = mpi->process;
  j->base = (bp_comm){
      .transport = &transport, .rank = mpi->rank, .size = mpi->size, .process = mpi->process};
  *comm = &j->base;
  return BP_OK;
}

/* The communicator by MPI again. */
static bp_comm *part(bp_comm *comm)
{
  joint *j = (joint *)comm;
  bp_comm *mpi = j->mpi;
  j->shm->transport->close(j->shm, BP_OK, "");
  bp_free(j);
  return mpi;
}

/* ---- timing ---- */

enum { SUMS = 200, EXCHANGES = 50, BYTES = BP_TRIAL_BYTES, WARM = 10 };

static double time_sums(bp_comm *comm)
{
  double values[3] = {1, 2, 3}, began = 0;
  for (int n = -WARM; n < SUMS; ++n) {
    if (n == 0)
      began = bp_clock();
    bp_comm_sum(comm, values, 3);
    values[0] = values[1] = values[2] = 1;
  }
  return (bp_clock() - began) / SUMS;
}

/* With the next rank and the one before, as neighbours along a curve. */
static double time_exchanges(bp_comm *comm)
{
  const int next = (comm->rank + 1) % comm->size,
            before = (comm->rank + comm->size - 1) % comm->size;
  const int count = next == before ? 1 : 2;
  char *data = bp_alloc(4, BYTES);
  const bp_part sent[2] = {{next, data, BYTES}, {before, data + BYTES, BYTES}};
  const bp_part received[2] = {{before, data + 2 * BYTES, BYTES}, {next, data + 3 * BYTES, BYTES}};
  double began = 0;
  for (int n = -WARM; n < EXCHANGES; ++n) {
    if (n == 0)
      began = bp_clock();
    bp_comm_exchange(comm, sent, count, received, count);
  }
  began = (bp_clock() - began) / EXCHANGES;
  bp_free(data);
  return began;
}

void bp_trial_add(bp_trial *trial, double sum_seconds, double exchange_seconds)
{
  const double iteration = 2 * sum_seconds + exchange_seconds;
  if (trial->turns == 0 || iteration < trial->low) {
    trial->low = iteration;
    trial->sum_seconds = sum_seconds;
    trial->exchange_seconds = exchange_seconds;
  }
  if (trial->turns++ == 0 || iteration > trial->high)
    trial->high = iteration;
}

bool bp_trial_is_faster(const bp_trial *trial, const bp_trial *better)
{
  return trial->high < better->low;
}

static void try(bp_comm *comm, bp_trial *trial)
{
  const double sum = bp_comm_largest(comm, time_sums(comm));
  trial->name = comm->transport->name;
  bp_trial_add(trial, sum, bp_comm_largest(comm, time_exchanges(comm)));
}

/* In turns, so that what disturbs one disturbs the other; returns how many ways there are. */
static int try_both(bp_comm *first, bp_comm *joined, bp_trial trials[2])
{
  for (int n = 0; n < BP_TRIAL_TURNS; ++n) {
    try(first, &trials[0]);
    if (joined)
      try(joined, &trials[1]);
  }
  return joined ? 2 : 1;
}

bp_status bp_comm_pick(bp_comm **comm, const char *wanted)
{
  bp_trial trials[2] = {{0}};
  bp_comm *joined = NULL, *first = *comm;
  const bool is_auto = strcmp(wanted, "shm") != 0 && strcmp(wanted, "mpi") != 0,
             is_mpi = strcmp(first->transport->name, "mpi") == 0;
  const bool wants_shm = is_auto || strcmp(wanted, "shm") == 0;
  int count = 0;
  if (first->size == 1)
    return BP_OK;
  bp_status status = BP_OK;
  if (is_mpi && wants_shm && (!is_auto || is_one_host(first)))
    status = join(first, &joined);
  if (is_auto)
    count = try_both(first, joined, trials);
  if (joined && is_auto &&
      bp_trial_is_faster(&trials[0], &trials[1])) { /* memory needs no messages */
    first = part(joined);
    joined = NULL;
  }
  *comm = joined ? joined : first;
  (*comm)->wanted = wanted;
  (*comm)->trials_count = count;
  memcpy((*comm)->trials, trials, (size_t)count * sizeof *trials);
  return is_auto ? bp_comm_check(*comm) : status;
}
