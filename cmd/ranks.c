/* ranks.c -- from keys to ranks, and their processors. */
#include "ranks.h"

#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each rank has a run of the processors that this process may use; with more ranks than processors, none is
 * told where to run. */
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
  bool is_shm = strcmp(comm->transport->name, "shm") == 0;
  if (!is_shm && is_bound())
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

/* What mpirun of MPICH and of Open MPI, and srun, say to the processes that they start. */
static bool is_started_by_mpi(void)
{
  static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    if (getenv(names[n]))
      return true;
  return false;
}

static bp_status start(const bp_config *config, bp_comm **comm)
{
  bool is_auto = strcmp(config->communication, "auto") == 0;
  bool is_mpi = strcmp(config->communication, "mpi") == 0 || (is_auto && is_started_by_mpi());
  if (!is_mpi)
    return config->ranks == 1 ? BP_OK : bp_comm_fork((int)config->ranks, comm);
  *comm = NULL;
  bp_status status = bp_comm_mpi(comm);
  if (!status && bp_config_where(config, "ranks") && config->ranks != (*comm)->size)
    status = bp_comm_close(
        *comm, bp_fail(BP_BAD_INPUT, "%s: expected the %d ranks of MPI, found %d",
                       bp_config_where(config, "ranks"), (*comm)->size, (int)config->ranks));
  if (status)
    *comm = NULL;
  else if ((*comm)->rank > 0)
    *comm = hush(*comm);
  return status;
}

bp_status bp_ranks_open(bp_config *config, bp_comm **comm)
{
  *comm = bp_comm_self();
  bp_status status = start(config, comm);
  if (status || !*comm || (*comm)->size == 1)
    return status;
  config->ranks = (*comm)->size;
  if (config->threads == 0) {
    config->threads = share_of_threads(*comm);
    if (strcmp((*comm)->transport->name, "shm") == 0)
      share_processors(*comm);
  }
  omp_set_num_threads((int)config->threads);
  return BP_OK;
}

bp_status bp_ranks_open_arguments(const bp_arguments *arguments, bp_config **config, bp_comm **comm)
{
  *config = bp_config_default();
  *comm = NULL;
  bp_status status = bp_arguments_to_config(arguments, *config);
  return status ? status : bp_ranks_open(*config, comm);
}

bp_status bp_ranks_name(const bp_comm *comm, bp_status status)
{
  char host[64] = "", place[128];
  if (!status || comm->size == 1)
    return status;
  gethostname(host, sizeof host - 1);
  snprintf(place, sizeof place, "rank %d of %d on %s", comm->rank, comm->size, host);
  return bp_fail_at(status, place);
}
