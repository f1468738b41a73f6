/* bp_mpi.c -- libbp_mpi.so: the calls of a transport by MPI. */
#include "comm/mpi/bp_mpi.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

enum { TAG = 1, CHUNK = 1 << 30 }; /* a count of MPI is an int */

static MPI_Request *requests;
static int requests_count, capacity;
static MPI_Request all_request;
static MPI_Comm last; /* for the end alone: a rank that ends early meets nobody's other calls */
static MPI_Comm trial =
    MPI_COMM_NULL; /* of `try`, until one fails: then messages may still come to it */

static MPI_Request *next_request(void)
{
  if (requests_count == capacity) {
    capacity = 2 * capacity + 64;
    requests = realloc(requests, (size_t)capacity * sizeof *requests);
    if (!requests)
      MPI_Abort(MPI_COMM_WORLD, BP_ENVIRONMENT);
  }
  return &requests[requests_count++];
}

static int start(int *rank, int *size)
{
  int level, error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  if (!error)
    error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  if (!error)
    error = MPI_Comm_dup(MPI_COMM_WORLD, &last);
  return error ? error : MPI_Comm_size(MPI_COMM_WORLD, size);
}

/* One message of a part after the other: MPI keeps their order. */
static int post(const bp_part *part, int is_sent, MPI_Comm comm)
{
  int error = 0;
  for (int64_t at = 0; at < part->bytes && !error; at += CHUNK) {
    int bytes = (int)(part->bytes - at < CHUNK ? part->bytes - at : CHUNK);
    char *data = (char *)part->data + at;
    error = is_sent ? MPI_Isend(data, bytes, MPI_BYTE, part->rank, TAG, comm, next_request())
                    : MPI_Irecv(data, bytes, MPI_BYTE, part->rank, TAG, comm, next_request());
  }
  return error;
}

static int begin_on(MPI_Comm comm, const bp_part *sent, int sent_count, const bp_part *received,
                    int received_count)
{
  int error = 0;
  requests_count = 0;
  for (int n = 0; n < received_count && !error; ++n)
    error = post(&received[n], 0, comm);
  for (int n = 0; n < sent_count && !error; ++n)
    error = post(&sent[n], 1, comm);
  return error;
}

static int begin(const bp_part *sent, int sent_count, const bp_part *received, int received_count)
{
  return begin_on(MPI_COMM_WORLD, sent, sent_count, received, received_count);
}

static int test(int *is_done)
{
  return MPI_Testall(requests_count, requests, is_done, MPI_STATUSES_IGNORE);
}

static int all(const double *mine, int count, double *values)
{
  return MPI_Iallgather(mine, count, MPI_DOUBLE, values, count, MPI_DOUBLE, MPI_COMM_WORLD,
                        &all_request);
}

static int all_test(int *is_done)
{
  return MPI_Test(&all_request, is_done, MPI_STATUS_IGNORE);
}

/* Open MPI, MPICH and others have this call; what has none takes the host's memory alone. */
static int takes_device(void)
{
  int (*query)(void);
  *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  return query && query() == 1;
}

static int try(const bp_part *sent, int sent_count, const bp_part *received, int received_count,
               double seconds)
{
  int error = trial == MPI_COMM_NULL ? MPI_Comm_dup(MPI_COMM_WORLD, &trial) : 0, is_done = 0;
  if (!error)
    error = MPI_Comm_set_errhandler(trial, MPI_ERRORS_RETURN);
  if (!error)
    error = begin_on(trial, sent, sent_count, received, received_count);
  const double end = MPI_Wtime() + seconds;
  while (!error && !is_done && MPI_Wtime() < end)
    error = test(&is_done);
  for (int n = 0; n < requests_count && !is_done; ++n)
    if (requests[n] != MPI_REQUEST_NULL) { /* of a message that never went, or comes too late */
      MPI_Cancel(&requests[n]);
      MPI_Request_free(&requests[n]);
    }
  requests_count = 0;
  if (!is_done)
    trial = MPI_COMM_NULL;
  return error ? error : is_done ? 0 : BP_MPI_SILENCE;
}

static int meet(double seconds, int *is_done)
{
  MPI_Request request;
  double end = MPI_Wtime() + seconds;
  int error = MPI_Ibarrier(last, &request);
  *is_done = 0;
  while (!error && !*is_done && MPI_Wtime() < end)
    error = MPI_Test(&request, is_done, MPI_STATUS_IGNORE);
  return error;
}

static void end(int code, int is_abort)
{
  if (is_abort)
    MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Comm_free(&last);
  if (trial != MPI_COMM_NULL)
    MPI_Comm_free(&trial);
  MPI_Finalize();
  free(requests);
  requests = NULL;
  capacity = requests_count = 0;
}

bp_mpi_calls_type bp_mpi_calls;
const bp_mpi *bp_mpi_calls(void)
{
  static const bp_mpi calls = {BP_MPI_VERSION, start,        begin, test, all,
                               all_test,       takes_device, try,   meet, end};
  return &calls;
}
