/* device_mpi.c -- a library to preload: says that the MPI takes device pointers, as it does those of the
 * driver that pretends. FAKE_MPI_DEVICE=error, wrong, silent: messages of any but the world's communicator
 * fail on rank 1, bring other bytes, never go. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
  return 1;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  static char zeros[1 << 20];
  const char *way = getenv("FAKE_MPI_DEVICE");
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (comm == MPI_COMM_WORLD || !way || !*way)
    return PMPI_Isend(data, count, type, to, tag, comm, request);
  *request = MPI_REQUEST_NULL;
  if (strcmp(way, "silent") == 0)
    return MPI_SUCCESS;
  if (strcmp(way, "error") == 0 && rank == 1)
    return MPI_ERR_OTHER;
  return PMPI_Isend(strcmp(way, "wrong") == 0 ? zeros : data, count, type, to, tag, comm, request);
}
