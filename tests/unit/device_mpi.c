/* device_mpi.c -- test of MPI and NCCL between pretended GPUs: two ranks that tests/cli/ranks.sh starts. */
#include "gpu_bench.h"
#include "test.h"

#include "comm/comm.h"
#include "fem/sharing.h"
#include <stdlib.h>

enum { COPIES = 100 };

/* Copies go from memory to memory; where MPI has the pointers nothing comes by the host, whose memory is not
 * locked. */
static int exchange(bp_device *device)
{
  int other = 1 - device->comm->rank, wrong = 0;
  int64_t first[2] = {0, COPIES};
  bp_sharing sharing = {.comm = device->comm,
                        .neighbours = 1,
                        .rank = &other,
                        .sent_first = first,
                        .received_first = first,
                        .received = COPIES};
  double values[2 * COPIES];
  bp_step step;
  bp_address memory = 0;
  bp_step_start(&step, BP_STEP_EXCHANGE);
  for (int n = 0; n < COPIES; ++n)
    values[n] = 1000 * device->comm->rank + n;
  wrong += device->backend->alloc(device, sizeof values, &memory) || !memory;
  wrong += device->backend->write(device, memory, values, sizeof values / 2) != BP_OK;
  step.fields = 1;
  step.sharing = (uint64_t)(uintptr_t)&sharing;
  step.from = memory;
  step.to = memory + sizeof values / 2;
  if (device->way == BP_WAY_MPI)
    setenv("FAKE_CUDA_PINNED", "1", 1);
  wrong += bp_step_communicate(device, &step) != BP_OK;
  unsetenv("FAKE_CUDA_PINNED");
  wrong += device->backend->read(device, values, memory, sizeof values) != BP_OK;
  for (int n = 0; n < COPIES; ++n)
    wrong += values[COPIES + n] != 1000 * other + n;
  return wrong;
}

static int by_way(bp_comm *comm, const char *expected)
{
  const bp_device_options options = {.local_rank = bp_comm_local_rank(comm),
                                     .in_process = comm->takes_device};
  bp_device *device = NULL;
  comm->wanted = strcmp(expected, "nccl") == 0 ? "auto" : "mpi";
  int wrong = bp_device_create(&bp_backend_cuda, &options, &device) || bp_device_join(device, comm);
  if (wrong)
    return wrong;
  wrong += bp_device_connect(device, 1000) != BP_OK;
  wrong += strcmp(bp_device_way(device), expected) != 0;
  wrong += exchange(device);
  bp_device_destroy(device);
  return wrong;
}

TEST(device_mpi, takes_pointers_where_a_trial_shows_it)
{
  const char *expected = getenv("BP_TEST_MPI");
  bp_comm *comm;
  bp_device *device = expected && test_gpu_is_pretended() ? test_gpu_open(false) : NULL;
  if (!device)
    return;
  bp_device_destroy(device);
  CU_ASSERT_FATAL(bp_comm_mpi(&comm) == BP_OK && comm->size == 2);
  const int wrong = by_way(comm, expected);
  CHECK(wrong == 0, "%d wrong, last: %s", wrong, bp_message());
  bp_comm_close(comm, BP_OK);
}
