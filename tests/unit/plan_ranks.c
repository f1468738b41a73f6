/* plan_ranks.c -- what a plan does between launches of ranks: on pretended GPUs, by NCCL and by the host. */
#include "gpu_bench.h"
#include "test.h"

#include "base/memory.h"
#include "comm/comm.h"
#include "fem/sharing.h"
#include "kernels/abi/ranks.h"
#include "solve/system.h"
#include <omp.h>
#include <stdlib.h>

enum { REPETITIONS = 3 };

/* Each has values of its own in its outbox, and parts of a sum; its kernel leaves them alone. */
static int write(const bp_plan *p, double *outbox, double *state)
{
  const int rank = p->device->comm->rank;
  for (int64_t n = 0; n < p->own[BP_OPERAND_outbox].count; ++n)
    outbox[n] = 1000 * rank + (double)n;
  for (int n = 0; n < BP_SOLVE_PARTS; ++n)
    state[BP_SOLVE_PAP + n] = rank + n + 1;
  return (bp_array_write(p->device, &p->own[BP_OPERAND_outbox], outbox) != BP_OK) +
         (bp_array_write(p->device, &p->own[BP_OPERAND_state], state) != BP_OK);
}

/* What the other one sent has come; the sum is of both, and of sums when it is made again. */
static int look(const bp_plan *p, double *inbox, double *state, int sums)
{
  const int other = 1 - p->device->comm->rank;
  int wrong = (bp_array_read(p->device, &p->own[BP_OPERAND_inbox], inbox) != BP_OK) +
              (bp_array_read(p->device, &p->own[BP_OPERAND_state], state) != BP_OK);
  for (int64_t n = 0; n < p->own[BP_OPERAND_inbox].count; ++n)
    wrong += inbox[n] != 1000 * other + (double)n;
  for (int n = 0; n < BP_SOLVE_PARTS; ++n)
    wrong += state[BP_SOLVE_PAP + n] != (2 * n + 3) * (1 << (sums - 1));
  return wrong;
}

static int run_plan(bp_plan *p)
{
  const bp_array *own = p->own;
  double *outbox = bp_alloc((size_t)own[BP_OPERAND_outbox].count, sizeof *outbox),
         *inbox = bp_alloc((size_t)own[BP_OPERAND_inbox].count, sizeof *inbox),
         *state = bp_alloc((size_t)own[BP_OPERAND_state].count, sizeof *state), seconds = 0;
  int wrong = (own[BP_OPERAND_outbox].count < 9) + write(p, outbox, state);
  wrong += bp_plan_apply(p) != BP_OK || look(p, inbox, state, 1);
  wrong += bp_plan_time(p, REPETITIONS, false, &seconds) != BP_OK || seconds <= 0;
  wrong += look(p, inbox, state, 1 + REPETITIONS);
  bp_free(outbox);
  bp_free(inbox);
  bp_free(state);
  return wrong;
}

static bp_status make_system(bp_comm *comm, bp_mesh **box, bp_system **system)
{
  const bp_bake_off *row = bp_bake_off_find("bp1");
  const bp_system_options options = {.row = row, .space = bp_bake_off_space(row, 2), .lambda = 1};
  bp_status status = comm->rank == 0 ? bp_mesh_box(3, 2, 2, 0.1, box) : BP_OK;
  return status ? status
                : bp_system_distribute(options, NULL, *box, BP_PARTITION_CYCLIC, comm, system);
}

static int by_way(bp_comm *comm, const char *way)
{
  const bp_device_options options = {.local_rank = bp_comm_local_rank(comm)};
  bp_device *device = NULL;
  bp_mesh *box = NULL;
  bp_system *system = NULL;
  bp_workspace *workspace = NULL;
  bp_plan *plan = NULL;
  test_kernel m;
  bp_choice choice = test_kernel_choice(&m, "empty", "", "64", "0");
  m.variant.launches[0].then = BP_THEN_EXCHANGE | BP_THEN_PAP;
  m.variant.operands_count = bp_operands_parse("u v copies outbox inbox state", m.variant.operands,
                                               BP_VARIANT_OPERANDS_MAX);
  comm->wanted = way;
  omp_set_num_threads(1); /* a fork has none of those that its parent had */
  int wrong = bp_device_create(&bp_backend_cuda, &options, &device) ||
              bp_device_join(device, comm) || make_system(comm, &box, &system) ||
              bp_workspace_create(device, system->problem, true, &workspace) ||
              bp_device_connect(device, 0) || bp_plan_create(workspace, &choice, &plan);
  wrong += wrong || strcmp(bp_device_way(device), way) != 0 ? 1 : run_plan(plan);
  bp_plan_destroy(plan);
  bp_workspace_destroy(workspace);
  bp_system_destroy(system);
  bp_mesh_destroy(box);
  test_kernel_destroy(&m);
  if (device)
    bp_device_destroy(device);
  return wrong;
}

static int by_nccl(bp_comm *comm)
{
  return by_way(comm, "nccl");
}

static int by_hosts(bp_comm *comm)
{
  return by_way(comm, "shm");
}

TEST(plan_ranks, what_launches_send_comes_by_any_way)
{
  if (!test_ranks_can_run())
    return;
  test_ranks_run(2, by_hosts);
  test_nccl_choose(true);
  test_ranks_run(2, by_nccl);
  test_nccl_choose(false);
}
