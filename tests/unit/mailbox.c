/* mailbox.c -- tests of ways between ranks' pretended GPUs: mailboxes in each other's memory, NCCL. */
#include "gpu_bench.h"
#include "test.h"

#include "comm/comm.h"
#include "kernels/abi/ranks.h"
#include <math.h>
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
  *wrong += bp_device_join(device, comm) != BP_OK;
  *wrong += bp_device_connect(device, bytes) != BP_OK;
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
  step.rank = comm->rank;
  step.ranks = comm->size;
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
  wrong += bp_device_connect(device, 2000) != BP_OK || device->boxes[comm->rank] != before;
  wrong += bp_device_connect(device, 5 << 20) != BP_OK || deliver(device, 5 << 20);
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

static int by_hosts(bp_comm *comm)
{
  comm->wanted = "shm";
  return without_mailboxes(comm);
}

TEST(mailbox, ranks_write_to_each_other)
{
  if (!test_ranks_can_run())
    return;
  for (int size = 2; size <= 4; ++size)
    test_ranks_run(size, with_mailboxes);
}

TEST(mailbox, without_them_hosts_exchange)
{
  if (!test_ranks_can_run())
    return;
  setenv("FAKE_CUDA_NO_IPC", "1", 1);
  test_ranks_run(2, without_mailboxes);
  unsetenv("FAKE_CUDA_NO_IPC");
  test_ranks_run(2, by_hosts);
}

/* ---- NCCL ---- */

/* To rank r go r + 1 numbers; of each of three sums all have their part. */
enum { EACH = 3 };

static int list_steps(bp_step *steps, const bp_comm *comm, bp_address memory)
{
  int count = 0;
  for (int r = 0; r < comm->size; ++r) {
    if (r == comm->rank)
      continue;
    bp_step_start(&steps[count], BP_STEP_SWAP);
    steps[count].rank = r;
    steps[count].from = memory;
    steps[count].bytes = 8 * (r + 1);
    steps[count].to = memory + 8 * (bp_address)(100 + 10 * r);
    steps[count++].come = 8 * (comm->rank + 1);
  }
  bp_step_start(&steps[count], BP_STEP_SUM);
  steps[count].bytes = BP_SOLVE_PARTS * (int64_t)sizeof(double);
  steps[count++].to = memory + 8 * 200;
  return count;
}

static int swap_and_sum(bp_device *device)
{
  const bp_comm *comm = device->comm;
  bp_step steps[BP_RANKS_MAX];
  bp_address memory = 0;
  double values[256] = {0};
  int wrong = device->backend->alloc(device, sizeof values, &memory) != BP_OK || !memory;
  for (int n = 0; n < 256; ++n)
    values[n] = 1000 * comm->rank + n;
  const bp_run run = {
      .steps = steps, .steps_count = list_steps(steps, comm, memory), .repetitions = 1};
  wrong += device->backend->write(device, memory, values, sizeof values) != BP_OK;
  if (device->backend->run(device, &run, "a test", NULL))
    return wrong + 1;
  wrong += device->backend->read(device, values, memory, sizeof values) != BP_OK;
  for (int r = 0; r < comm->size; ++r)
    for (int n = 0; n <= comm->rank && r != comm->rank; ++n)
      wrong += values[100 + 10 * r + n] != 1000 * r + n;
  for (int n = 200; n < 200 + EACH; ++n)
    wrong += values[n] != 1000 * comm->size * (comm->size - 1) / 2 + comm->size * n;
  return wrong;
}

static int by_nccl(bp_comm *comm)
{
  int wrong = 0;
  comm->wanted = "nccl";
  bp_device *device = open_device(comm, 1000, &wrong);
  if (!device)
    return 1;
  wrong += device->boxes || strcmp(bp_device_way(device), "nccl") != 0;
  wrong += wrong ? 0 : swap_and_sum(device) + swap_and_sum(device);
  bp_device_destroy(device);
  return wrong;
}

/* All know why; of a call that fails the rank that made it. */
static int refused(bp_comm *comm, const char *why)
{
  int wrong = 0;
  const bp_device_options options = {.local_rank = bp_comm_local_rank(comm)};
  bp_device *device = NULL;
  comm->wanted = "nccl";
  wrong += bp_device_create(&bp_backend_cuda, &options, &device) || bp_device_join(device, comm);
  wrong += bp_device_connect(device, 1000) != BP_ENVIRONMENT || strcmp(bp_message(), why) != 0;
  bp_device_destroy(device);
  return wrong;
}

static int without_nccl(bp_comm *comm)
{
  return refused(comm,
                 "communication: nccl: cuda: rank 0: NCCL: libnccl.so.2 was not found, or lacks "
                 "something; BP_NCCL names another one");
}

static int one_gpu_for_two(bp_comm *comm)
{
  return refused(comm,
                 "communication: nccl: cuda: ranks 0 and 2 have one GPU, and NCCL takes one for "
                 "each rank");
}

static int cannot_join(bp_comm *comm)
{
  return refused(
      comm, "communication: nccl: cuda: rank 1: joining the ranks of NCCL: NCCL: internal error");
}

static int fails(bp_comm *comm)
{
  int wrong = 0;
  comm->wanted = "nccl";
  bp_device *device = open_device(comm, 1000, &wrong);
  bp_step steps[2];
  list_steps(steps, comm, 0);
  steps[0].bytes = steps[0].come = 0;
  const bp_run run = {.steps = steps, .steps_count = 1 + (comm->rank == 1), .repetitions = 1};
  bp_status status = device->backend->run(device, &run, "a test", NULL);
  wrong += comm->rank == 1 && (status != BP_ENVIRONMENT ||
                               strcmp(bp_message(), "cuda: a test: NCCL: internal error") != 0);
  bp_device_destroy(device);
  return wrong;
}

/* The faster way stays. The pretended clock runs in kernels alone: of which either way has two, and one more
 * before a sum by NCCL. */
static int by_the_faster(bp_comm *comm, bp_way way)
{
  int wrong = 0;
  comm->wanted = "auto";
  bp_device *device = open_device(comm, 1000, &wrong);
  if (!device)
    return 1;
  const bp_trial *ipc = &comm->trials[0], *nccl = &comm->trials[1];
  const double late = way == BP_WAY_NCCL ? 1e-5 : 0, launch = 2e-6, little = 1e-9;
  wrong += comm->trials_count != 2 || strcmp(ipc->name, "ipc") != 0;
  wrong += fabs(ipc->exchange_seconds - (2 * launch + late)) > little ||
           fabs(nccl->exchange_seconds - 2 * launch) > little;
  wrong += fabs(ipc->sum_seconds - (2 * launch + late)) > little ||
           fabs(nccl->sum_seconds - 3 * launch) > little;
  wrong += device->way != way || !device->boxes != (way == BP_WAY_NCCL);
  wrong += way == BP_WAY_NCCL ? swap_and_sum(device) : deliver(device, 1000);
  bp_device_destroy(device);
  return wrong;
}

static int by_ipc(bp_comm *comm)
{
  return by_the_faster(comm, BP_WAY_IPC);
}

static int with_late_mail(bp_comm *comm)
{
  return by_the_faster(comm, BP_WAY_NCCL);
}

/* One that fails on trial is closed. */
static int by_what_is_left(bp_comm *comm)
{
  int wrong = 0;
  comm->wanted = "auto";
  bp_device *device = open_device(comm, 1000, &wrong);
  if (!device)
    return 1;
  wrong += comm->trials_count != 1 || device->way != BP_WAY_IPC || deliver(device, 1000);
  bp_device_destroy(device);
  return wrong;
}

TEST(mailbox, nccl_exchanges_and_sums)
{
  if (!test_ranks_can_run())
    return;
  test_nccl_choose(true);
  test_ranks_run(2, by_nccl);
  test_ranks_run(3, one_gpu_for_two);
  test_ranks_run(2, by_ipc);
  setenv("FAKE_MAIL_IS_LATE", "1", 1);
  test_ranks_run(2, with_late_mail);
  unsetenv("FAKE_MAIL_IS_LATE");
  setenv("FAKE_NCCL_FAILS", "ncclCommInitRank", 1);
  test_ranks_run(2, cannot_join);
  setenv("FAKE_NCCL_FAILS", "ncclAllReduce", 1);
  test_ranks_run(2, fails);
  unsetenv("FAKE_NCCL_FAILS");
  setenv("FAKE_NCCL_LACKS", "ncclRecv", 1);
  test_ranks_run(2, by_what_is_left);
  unsetenv("FAKE_NCCL_LACKS");
  test_nccl_choose(false);
  test_ranks_run(2, without_nccl);
}
