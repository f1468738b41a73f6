/* ranks.c -- from keys to ranks, and their processors. */
#include "ranks.h"

#include "base/memory.h"
#include "base/text.h"
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What mpirun of MPICH and of Open MPI, and srun, say to the processes that they start. */
static bool is_started_by_mpi(void)
{
  static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    if (getenv(names[n]))
      return true;
  return false;
}

/* Each rank has a run of the processors that this process may use; with more ranks than
 * processors, none is told where to run. */
static void share_processors(const bp_comm *comm)
{
  cpu_set_t all, own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof all, &all))
    return;
  int count = CPU_COUNT(&all), first = count * comm->rank / comm->size,
      last = count * (comm->rank + 1) / comm->size;
  for (int n = 0, seen = 0; n < CPU_SETSIZE; ++n)
    if (CPU_ISSET(n, &all)) {
      if (seen >= first && seen < last)
        CPU_SET(n, &own);
      ++seen;
    }
  if (last > first)
    sched_setaffinity(0, sizeof own, &own);
}

/* Ranks of this host, as far as it is known. */
static int ranks_here(const bp_comm *comm)
{
  static const char *const names[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"};
  if (strcmp(comm->transport->name, "shm") == 0)
    return comm->size;
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
    const char *value = getenv(names[n]);
    if (value && atoi(value) > 0)
      return atoi(value);
  }
  return 1;
}

/* What started the ranks may have bound each of them to its processors. */
static bool is_bound(void)
{
  cpu_set_t all;
  CPU_ZERO(&all);
  return sched_getaffinity(0, sizeof all, &all) == 0 &&
         CPU_COUNT(&all) < sysconf(_SC_NPROCESSORS_ONLN);
}

static int share_of_threads(const bp_comm *comm)
{
  int all = omp_get_max_threads(), ranks = ranks_here(comm);
  if (is_started_by_mpi() && is_bound())
    return all;
  return all > ranks ? all / ranks : 1;
}

/* Rank 0 alone prints results. */
static bp_comm *hush(bp_comm *comm)
{
  int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout);
  dup2(nothing, STDOUT_FILENO);
  close(nothing);
  return comm;
}

/* A starter of another MPI than bp was built with starts as many programs that know nothing of each other. */
static bp_status check_starter(const bp_comm *comm)
{
  static const struct {
    const char *variable, *compiler;
  } starters[] = {{"OMPI_COMM_WORLD_SIZE", "mpicc.openmpi"}, {"PMI_SIZE", "mpicc.mpich"}};
  for (size_t n = 0; n < sizeof starters / sizeof *starters; ++n) {
    const char *value = getenv(starters[n].variable);
    if (value && comm->size == 1 && atoi(value) > 1)
      return bp_fail(BP_ENVIRONMENT,
                     "MPI: expected %s ranks, as mpirun has started, found 1: bp was built with "
                     "another MPI; `make clean all MPICC=%s` takes this one",
                     value, starters[n].compiler);
  }
  return BP_OK;
}

/* Who rank 0 alone is heard of. */
static bp_comm *start_mpi(bp_comm *comm)
{
  return comm->rank > 0 ? hush(comm) : comm;
}

static bp_status check_size(const bp_config *config, const bp_comm *comm)
{
  const char *place = bp_config_where(config, "ranks");
  if (!place || config->ranks == comm->size)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "%s: expected the %d ranks of MPI, found %d", place, comm->size,
                 (int)config->ranks);
}

/* Ranks by fork are one program with one config. */
static bp_status check_same(const bp_config *config, const char *what, bp_comm *comm)
{
  bp_text text = {0};
  bp_text_appendf(&text, "%s\n", what);
  bp_config_print(config, &text);
  bp_status status = bp_comm_check_same(comm, bp_text_string(&text));
  bp_text_destroy(&text);
  return status ? status : bp_comm_agree(comm, check_size(config, comm));
}

static bp_status start_forked(const bp_config *config, bp_comm **comm)
{
  if (config->ranks == 1)
    return BP_OK;
  bp_status status = bp_comm_fork((int)config->ranks, comm);
  if (*comm)
    status = bp_comm_pick(comm, config->communication);
  return status;
}

/* Ranks that are counted and share memory are none of MPI's, as in a shell that srun has started. */
static bool wants_mpi(const bp_config *config)
{
  bool is_shm = strcmp(config->communication, "shm") == 0;
  return strcmp(config->communication, "mpi") == 0 ||
         (is_started_by_mpi() && !(is_shm && bp_config_where(config, "ranks")));
}

static bp_status start(const bp_config *config, const char *what, bp_comm **comm)
{
  if (!wants_mpi(config))
    return start_forked(config, comm);
  *comm = NULL;
  bp_status status = bp_comm_mpi(comm);
  if (status)
    return status;
  *comm = start_mpi(*comm);
  status = check_starter(*comm);
  if (!status)
    status = check_same(config, what, *comm);
  if (!status)
    status = bp_comm_pick(comm, config->communication);
  if (status) {
    status = bp_comm_close(*comm, status);
    *comm = NULL;
  }
  return status;
}

bp_status bp_ranks_give_up(bp_status status)
{
  bp_comm *comm;
  if (!is_started_by_mpi())
    return status;
  char *message = bp_strdup(bp_message());
  bool is_open = bp_comm_mpi(&comm) == BP_OK;
  bp_fail(status, "%s", message);
  bp_free(message);
  return is_open ? bp_comm_close(start_mpi(comm), status) : status;
}

bp_status bp_ranks_open(bp_config *config, const char *what, bp_comm **comm)
{
  *comm = bp_comm_self();
  bp_status status = start(config, what, comm);
  if (status || !*comm || (*comm)->size == 1)
    return status;
  config->ranks = (*comm)->size;
  bp_alloc_thriftily();
  if (config->threads == 0) {
    config->threads = share_of_threads(*comm);
    if (!is_started_by_mpi())
      share_processors(*comm);
  }
  omp_set_num_threads((int)config->threads);
  return BP_OK;
}

/* The words of a command line, a line each. */
static char *words_of(const bp_arguments *arguments)
{
  bp_text text = {0};
  for (int n = 1; n < bp_arguments_argc(arguments); ++n)
    bp_text_appendf(&text, "%s\n", bp_arguments_argv(arguments)[n]);
  bp_text_append(&text, "");
  return text.data;
}

bp_status bp_ranks_open_arguments(const bp_arguments *arguments, bp_config **config, bp_comm **comm)
{
  *config = bp_config_default();
  *comm = NULL;
  bp_status status = bp_arguments_to_config(arguments, *config);
  char *words = words_of(arguments);
  status = status ? bp_ranks_give_up(status) : bp_ranks_open(*config, words, comm);
  bp_free(words);
  return status;
}
