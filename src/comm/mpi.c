/* mpi.c -- the transport by MPI: libbp_mpi.so, opened beside the program. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "comm/mpi/bp_mpi.h"
#include "comm/watch.h"
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  bp_comm base;
  const bp_mpi *mpi;
} mpi_comm;

static const bp_mpi *mpi_of(bp_comm *comm)
{
  return ((mpi_comm *)comm)->mpi;
}

static bp_status judge(bp_comm *comm, int error)
{
  return error ? bp_comm_lose(comm, "MPI: error %d", error) : BP_OK;
}

static bp_status begin(bp_comm *comm, const bp_part *sent, int sent_count, const bp_part *received,
                       int received_count)
{
  return judge(comm, mpi_of(comm)->begin(sent, sent_count, received, received_count));
}

/* Calls test until it is done. */
static bp_status wait_for(bp_comm *comm, int (*test)(int *is_done))
{
  enum { TRIES = 1000, TURNS = 64 };
  int is_done = 0, error = 0;
  bp_wait wait = {0};
  bp_status status = BP_OK;
  for (int n = 0; !is_done && !error && !status; ++n) {
    error = test(&is_done);
    if (!is_done && n > TRIES)
      sched_yield();
    if (!is_done && n % TURNS == TURNS - 1)
      status = bp_wait_check(comm, &wait, NULL);
  }
  return status ? status : judge(comm, error);
}

static bp_status finish(bp_comm *comm)
{
  return wait_for(comm, mpi_of(comm)->test);
}

static bp_status try(bp_comm *comm, const bp_part *sent, int sent_count, const bp_part *received,
                     int received_count)
{
  const double patience = 3; /* seconds */
  const int error = mpi_of(comm)->try(sent, sent_count, received, received_count, patience);
  if (error == BP_MPI_SILENCE)
    return bp_fail(BP_SKIPPED, "rank %d: MPI: no answer", comm->rank);
  return error ? bp_fail(BP_SKIPPED, "rank %d: MPI: error %d", comm->rank, error) : BP_OK;
}

static bp_status all(bp_comm *comm, const double *mine, int count, double *values)
{
  bp_status status = judge(comm, mpi_of(comm)->all(mine, count, values));
  return status ? status : wait_for(comm, mpi_of(comm)->all_test);
}

/* Of the ranks here, but those that are no more, the first speaks of a loss. */
static bool is_speaker(const bp_comm *comm)
{
  for (int r = 0; comm->process && r < comm->rank; ++r)
    if (comm->process[r] && bp_process_look(comm->process[r]) == BP_RUNNING)
      return false;
  return true;
}

/* Ranks that fail together come here together, and rank 0 speaks for them. One that comes alone
 * says why, and ends all of them. */
static void end(bp_comm *comm, bp_status status, const char *why)
{
  const double patience = 2; /* seconds */
  char host[64];
  int are_all_here = 0, line = (int)strcspn(why, "\n");
  bool is_failure = status == BP_ENVIRONMENT || status == BP_BAD_INPUT || comm->lost;
  if (!is_failure) {
    mpi_of(comm)->end(status, 0);
  } else {
    if ((comm->is_seen && is_speaker(comm)) || mpi_of(comm)->meet(patience, &are_all_here))
      are_all_here = 0;
    bp_comm_host(host);
    if (comm->is_seen && is_speaker(comm))
      bp_tell("%s", comm->why);
    else if (*why && are_all_here && comm->rank == 0)
      bp_tell("%.*s", line, why);
    else if (*why && !are_all_here)
      bp_tell("rank %d of %d on %s: %.*s", comm->rank, comm->size, host, line, why);
    /* MPICH's mpirun ends ranks without having read what they have just said. */
    if (!are_all_here)
      nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    mpi_of(comm)->end(status, !are_all_here);
  }
  bp_free(comm->why);
  bp_free(comm->process);
  bp_free(comm);
}

static const bp_transport transport = {"mpi", begin, finish, all, try, end};

/* Beside the program, as after `make`, or in ../lib/bp, as after `make install`. */
static void *open_library(char *tried, size_t size)
{
  char program[4000];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(program, '/');
  if (slash)
    *slash = '\0';
  char *beside = bp_format("%s/libbp_mpi.so", program);
  char *installed = bp_format("%s/../lib/bp/libbp_mpi.so", program);
  void *library = dlopen(beside, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    library = dlopen(installed, RTLD_NOW | RTLD_GLOBAL);
  snprintf(tried, size, "%s", beside);
  bp_free(beside);
  bp_free(installed);
  return library;
}

/* Where numbers of processes mean the same: the host, and within it the container. */
static double hash_place(void)
{
  char text[256];
  bp_comm_host(text);
  size_t length = strlen(text);
  ssize_t more = readlink("/proc/self/ns/pid", text + length, sizeof text - length);
  return (double)(bp_hash_bytes(text, length + (size_t)(more > 0 ? more : 0)).word[0] >> 12);
}

/* Which processes of this host are ranks. */
static bp_status find_processes(bp_comm *comm)
{
  double *all_ranks = bp_alloc(2 * (size_t)comm->size, sizeof *all_ranks);
  const double mine[2] = {hash_place(), getpid()};
  bp_status status = bp_comm_all(comm, mine, 2, all_ranks);
  comm->process = bp_alloc((size_t)comm->size, sizeof *comm->process);
  for (int r = 0; r < comm->size && !status; ++r)
    comm->process[r] = all_ranks[2 * r] == mine[0] ? (int64_t)all_ranks[2 * r + 1] : 0;
  bp_free(all_ranks);
  return status;
}

bp_status bp_comm_mpi(bp_comm **comm)
{
  char tried[256];
  *comm = NULL;
  void *library = open_library(tried, sizeof tried);
  if (!library)
    return bp_fail(BP_ENVIRONMENT,
                   "communication: mpi: %s (make builds libbp_mpi.so where it finds mpicc)",
                   dlerror());
  bp_mpi_calls_type *calls;
  *(void **)&calls = dlsym(library, "bp_mpi_calls");
  if (!calls || calls()->version != BP_MPI_VERSION)
    return bp_fail(BP_ENVIRONMENT,
                   "communication: mpi: %s: expected that of this bp, found another", tried);
  mpi_comm *made = bp_alloc(1, sizeof *made);
  made->mpi = calls();
  made->base.transport = &transport;
  int error = made->mpi->start(&made->base.rank, &made->base.size);
  if (error || made->base.size > BP_RANKS_MAX) {
    int size = made->base.size;
    bp_free(made);
    return error ? bp_fail(BP_ENVIRONMENT, "communication: mpi: MPI_Init: error %d", error)
                 : bp_fail(BP_BAD_INPUT, "communication: mpi: expected at most %d ranks, found %d",
                           BP_RANKS_MAX, size);
  }
  made->base.takes_device = made->mpi->takes_device();
  *comm = &made->base;
  return find_processes(*comm);
}
