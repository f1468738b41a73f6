/* mailbox.c -- handles of memory go from rank to rank; then each writes something to each. */
#include "device/cuda/mailbox.h"

#include "kernels/abi/ranks.h"
#include <string.h>

enum { HANDLE_DOUBLES = sizeof(bp_cu_handle) / sizeof(double) };

typedef struct {
  const bp_cuda_calls *calls;
  bp_cuda_context *context;
  bp_comm *comm;
} opening;

bp_status bp_cuda_agree(bp_comm *comm, bp_cu_result result, const char *what)
{
  char text[200];
  return bp_comm_agree(comm, result ? bp_fail(BP_SKIPPED, "cuda: rank %d: %s: %s", comm->rank, what,
                                              bp_cuda_error(result, text))
                                    : BP_OK);
}

static bp_status agree(const opening *o, bp_cu_result result, const char *what)
{
  return bp_cuda_agree(o->comm, result, what);
}

static bp_status check_host(const opening *o)
{
  const int largest = (int)bp_comm_largest(o->comm, bp_comm_local_rank(o->comm));
  return largest + 1 == o->comm->size ? BP_OK : bp_fail(BP_SKIPPED, "cuda: ranks of several hosts");
}

/* Own memory, and everybody's handles. */
static bp_status share(const opening *o, int64_t bytes, bp_cu_handle *handles)
{
  double mine[HANDLE_DOUBLES], all[BP_RANKS_MAX * HANDLE_DOUBLES] = {0};
  bp_cu_handle handle = {{0}};
  bp_cu_pointer own;
  bp_status status = agree(o, o->calls->share(o->context, (size_t)bytes, &own, &handle),
                           "memory for other processes");
  memcpy(mine, &handle, sizeof handle);
  if (!status)
    status = bp_comm_all(o->comm, mine, HANDLE_DOUBLES, all);
  memcpy(handles, all, (size_t)o->comm->size * sizeof *handles);
  return status;
}

/* A number for each pair of ranks. */
static uint64_t token(int from, int to)
{
  return UINT64_C(0x6270000000000000) + (uint64_t)(from * BP_RANKS_MAX + to);
}

/* Each writes to each; then what has come is looked at, and taken away. */
static bp_status try_all(const opening *o, const uint64_t *boxes)
{
  const int own = o->comm->rank, size = o->comm->size;
  uint64_t come[BP_RANKS_MAX] = {0}, none[BP_RANKS_MAX] = {0};
  bp_cu_result result = 0;
  for (int r = 0; r < size && !result; ++r) {
    const uint64_t mine = token(own, r);
    result = o->calls->upload(o->context, boxes[r] + BP_BOX_PAP + 8 * (uint64_t)own, &mine, 8);
  }
  bp_status status = agree(o, result, "writing to another rank's memory");
  if (status)
    return status;
  result = o->calls->download(o->context, come, boxes[own] + BP_BOX_PAP, sizeof come);
  for (int r = 0; r < size && !result; ++r)
    result = come[r] == token(r, own) ? 0 : BP_CU_NOT_SUPPORTED;
  if (!result)
    result = o->calls->upload(o->context, boxes[own] + BP_BOX_PAP, none, sizeof none);
  return agree(o, result, "reading what another rank wrote");
}

bp_status bp_cuda_mailboxes_open(const bp_cuda_calls *calls, bp_cuda_context *context,
                                 bp_comm *comm, int64_t bytes, uint64_t *boxes)
{
  const opening o = {calls, context, comm};
  bp_cu_handle handles[BP_RANKS_MAX];
  bp_status status = check_host(&o);
  if (!status)
    status = share(&o, bytes, handles);
  if (!status)
    status = agree(&o, calls->join(context, handles, comm->size, comm->rank, boxes),
                   "opening another rank's memory");
  return status ? status : try_all(&o, boxes);
}

void bp_cuda_mailboxes_close(const bp_cuda_calls *calls, bp_cuda_context *context, bp_comm *comm)
{
  if (context)
    calls->leave(context);
  bp_comm_agree(comm, BP_OK);
  if (context)
    calls->unshare(context);
}
