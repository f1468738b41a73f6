/* nccl.c -- libnccl by dlopen. */
#include "device/cuda/nccl.h"

#include "device/cuda/mailbox.h"
#include "device/jit/shared_library.h"
#include "kernels/abi/ranks.h"
#include <stdlib.h>

/* The values are NCCL's. */
enum { NCCL_CHAR = 0, NCCL_DOUBLE = 8, NCCL_SUM = 0 };

static struct {
  int (*GetUniqueId)(bp_nccl_id *);
  int (*CommInitRank)(bp_nccl_comm **, int, bp_nccl_id, int);
  int (*CommDestroy)(bp_nccl_comm *);
  int (*GroupStart)(void);
  int (*GroupEnd)(void);
  int (*Send)(const void *, size_t, int, int, bp_nccl_comm *, bp_cu_stream);
  int (*Recv)(void *, size_t, int, int, bp_nccl_comm *, bp_cu_stream);
  int (*AllReduce)(const void *, void *, size_t, int, int, bp_nccl_comm *, bp_cu_stream);
} nccl;

static bp_cu_result result_of(int result)
{
  return result ? BP_CUDA_NCCL_FAILED + result : 0;
}

/* Messages are small: multicast by NVLink gains nothing, takes memory and does not work everywhere. */
static bool open_library(void)
{
  static const char *const names[] = {"libnccl.so.2"};
  static const char *const folders[] = {"/usr/local/cuda*/lib64", "/usr/local/cuda*/lib"};
  const char *given = getenv("BP_NCCL");
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  void *library = given ? bp_library_open(given) : bp_library_find(names, 1, folders, 2);
  const bp_symbol symbols[] = {
      {"ncclGetUniqueId", &nccl.GetUniqueId},
      {"ncclCommInitRank", &nccl.CommInitRank},
      {"ncclCommDestroy", &nccl.CommDestroy},
      {"ncclGroupStart", &nccl.GroupStart},
      {"ncclGroupEnd", &nccl.GroupEnd},
      {"ncclSend", &nccl.Send},
      {"ncclRecv", &nccl.Recv},
      {"ncclAllReduce", &nccl.AllReduce},
  };
  return library && !bp_library_resolve(library, symbols, sizeof symbols / sizeof *symbols);
}

bp_cu_result bp_nccl_open(bp_nccl_id *id)
{
  static bool is_open;
  is_open = is_open || open_library();
  if (!is_open)
    return BP_CUDA_NO_NCCL;
  return id ? result_of(nccl.GetUniqueId(id)) : 0;
}

bp_cu_result bp_nccl_join(const bp_nccl_id *id, int rank, int size, bp_nccl_comm **comm)
{
  return result_of(nccl.CommInitRank(comm, size, *id, rank));
}

bp_cu_result bp_nccl_leave(bp_nccl_comm *comm)
{
  return result_of(nccl.CommDestroy(comm));
}

static void *pointer_of(bp_address address)
{
  return (void *)(uintptr_t)address;
}

static int swap(bp_nccl_comm *comm, const bp_step *s, bp_cu_stream stream)
{
  int result = 0;
  if (s->bytes)
    result = nccl.Send(pointer_of(s->from), (size_t)s->bytes, NCCL_CHAR, s->rank, comm, stream);
  if (!result && s->come)
    result = nccl.Recv(pointer_of(s->to), (size_t)s->come, NCCL_CHAR, s->rank, comm, stream);
  return result;
}

bp_cu_result bp_nccl_exchange(bp_nccl_comm *comm, const bp_step *swaps, int count,
                              bp_cu_stream stream)
{
  int result = nccl.GroupStart();
  for (int n = 0; n < count && !result; ++n)
    result = swap(comm, &swaps[n], stream);
  const int ended = nccl.GroupEnd();
  return result_of(result ? result : ended);
}

/* The parts are whole numbers of a unit, their sums have no rounding: NCCL's order is no matter. */
bp_cu_result bp_nccl_sum(bp_nccl_comm *comm, const bp_step *sum, bp_cu_stream stream)
{
  void *parts = pointer_of(sum->to);
  return result_of(nccl.AllReduce(parts, parts, (size_t)sum->bytes / sizeof(double), NCCL_DOUBLE,
                                  NCCL_SUM, comm, stream));
}

bp_status bp_nccl_connect(const bp_cuda_calls *calls, bp_cuda_context *context, bp_comm *comm)
{
  bp_nccl_id id = {{0}};
  bp_status status = bp_cuda_agree(comm, calls->open_nccl(context, comm->rank == 0, &id), "NCCL");
  if (!status)
    status = bp_comm_broadcast(comm, &id, sizeof id);
  return status ? status
                : bp_cuda_agree(comm, calls->join_nccl(context, &id, comm->rank, comm->size),
                                "joining the ranks of NCCL");
}
