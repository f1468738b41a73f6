/* mailbox.c -- tests of mailboxes: ranks whose pretended GPUs see each other's memory. */
#include "gpu_bench.h"
#include "test.h"

#include "comm/comm.h"
#include "kernels/abi/ranks.h"
#include <stdlib.h>
#include <unistd.h>

/* A rank's device, with mailboxes of `bytes` bytes. */
static bp_device *open_device(bp_comm *comm, int64_t bytes, int *wrong)
{
  const bp_device_options options = {.local_rank = bp_comm_local_rank(comm)};
  bp_device *device = NULL;
  *wrong += bp_device_create(&bp_backend_cuda, &options, &device) != BP_OK;
  if (!device)
    return NULL;
  device->comm = comm;
  *wrong += device->backend->connect(device, bytes) != BP_OK;
  return device;
}

/* Each leaves its number with each, at the end of what there is. */
static int deliver(bp_device *device, int64_t bytes)
{
  bp_comm *comm = device->comm;
  int wrong = !device->boxes;
  const bp_address end = BP_BOX_COPIES + (bp_address)bytes - 64 - 8 * (bp_address)comm->rank;
  for (int r = 0; r < comm->size && !wrong; ++r) {
    const double mine = 100 * comm->rank + r;
    wrong += device->backend->write(device, device->boxes[r] + end, &mine, sizeof mine) != BP_OK;
  }
  bp_comm_agree(comm, BP_OK);
  for (int r = 0; r < comm->size && !wrong; ++r) {
    const bp_address at = device->boxes[comm->rank] + end + 8 * (bp_address)comm->rank;
    double come = 0;
    wrong += device->backend->read(device, &come, at - 8 * (bp_address)r, sizeof come) != BP_OK;
    wrong += come != 100 * r + comm->rank;
  }
  return wrong;
}

/* The stream goes on when the others have posted. */
static int wait_for_posts(bp_device *device)
{
  bp_comm *comm = device->comm;
  bp_step step;
  bp_step_start(&step, BP_STEP_WAIT);
  step.to = device->boxes[comm->rank];
  step.launch = comm->rank;
  step.parts = comm->size;
  const bp_run run = {.steps = &step, .steps_count = 1, .repetitions = 1};
  int wrong = 0;
  for (uint32_t posts = 1; posts <= 3; ++posts) {
    usleep(1000 * (useconds_t)comm->rank);
    for (int r = 0; r < comm->size; ++r) {
      const bp_address flag = device->boxes[r] + BP_BOX_FLAGS + 4 * (bp_address)comm->rank;
      wrong += device->backend->write(device, flag, &posts, sizeof posts) != BP_OK;
    }
    wrong += device->backend->run(device, &run, "a wait", NULL) != BP_OK;
  }
  return wrong;
}

static int with_mailboxes(bp_comm *comm)
{
  int wrong = 0;
  bp_device *device = open_device(comm, 1000, &wrong);
  if (!device)
    return 1;
  wrong += deliver(device, 1000) + wait_for_posts(device);
  wrong += device->kernels_wait != (comm->size <= 2); /* there are two pretended GPUs */
  const bp_address before = device->boxes[comm->rank];
  wrong += device->backend->connect(device, 2000) != BP_OK || device->boxes[comm->rank] != before;
  wrong += device->backend->connect(device, 5 << 20) != BP_OK || deliver(device, 5 << 20);
  bp_device_destroy(device);
  return wrong;
}

static int without_mailboxes(bp_comm *comm)
{
  int wrong = 0;
  bp_device *device = open_device(comm, 1000, &wrong);
  wrong += !device || device->boxes || device->kernels_wait;
  bp_device_destroy(device);
  return wrong;
}

static void run_ranks(int size, int (*work)(bp_comm *))
{
  bp_comm *comm;
  bp_status status = bp_comm_fork(size, &comm);
  if (comm) {
    int wrong = work(comm);
    _exit(bp_comm_close(
        comm, wrong ? bp_fail(BP_ENVIRONMENT, "%d wrong, last: %s", wrong, bp_message()) : BP_OK));
  }
  CHECK(status == BP_OK, "%d ranks: %s", size, bp_message());
}

/* Not on a GPU, nor without NVRTC. */
static bool can_run(void)
{
  bp_device *device = test_gpu_is_pretended() ? test_gpu_open(false) : NULL;
  const bool opened = device != NULL;
  bp_device_destroy(device);
  return opened;
}

TEST(mailbox, ranks_write_to_each_other)
{
  if (!can_run())
    return;
  for (int size = 2; size <= 4; ++size)
    run_ranks(size, with_mailboxes);
}

TEST(mailbox, without_them_hosts_exchange)
{
  if (!can_run())
    return;
  setenv("FAKE_CUDA_NO_IPC", "1", 1);
  run_ranks(2, without_mailboxes);
  unsetenv("FAKE_CUDA_NO_IPC");
  setenv("BP_CUDA_MAILBOXES", "0", 1);
  run_ranks(2, without_mailboxes);
  unsetenv("BP_CUDA_MAILBOXES");
}
