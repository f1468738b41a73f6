/* device_mpi.c -- a library to preload: says that the MPI takes device pointers, as it does those of the
 * driver that pretends. FAKE_MPI_DEVICE=error, wrong, silent: messages of any but the world's communicator
 * fail on rank 1, bring other bytes, never go; hosts: it says nothing, and tests/unit finds each rank on a
 * host of its own. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_way(const char *name)
{
  const char *way = getenv("FAKE_MPI_DEVICE");
  return way && strcmp(way, name) == 0;
}

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
  return !is_way("hosts");
}

int gethostname(char *name, size_t size)
{
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  Dl_info caller;
  rank = rank ? rank : getenv("PMI_RANK");
  if (!is_way("hosts") || !rank || !dladdr(__builtin_return_address(0), &caller) ||
      !strstr(caller.dli_fname, "unit"))
    return ((int (*)(char *, size_t))dlsym(RTLD_NEXT, "gethostname"))(name, size);
  return snprintf(name, size, "host%s", rank) < 0;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  static char zeros[1 << 20];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *request = MPI_REQUEST_NULL;
  if (comm != MPI_COMM_WORLD && is_way("silent"))
    return MPI_SUCCESS;
  if (comm != MPI_COMM_WORLD && is_way("error") && rank == 1)
    return MPI_ERR_OTHER;
  const void *sent = comm != MPI_COMM_WORLD && is_way("wrong") ? zeros : data;
  return PMPI_Isend(sent, count, type, to, tag, comm, request);
}
