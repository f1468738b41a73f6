/* ways.c -- how ranks' devices reach each other: as is wanted, or the fastest way that works. */
#include "device/plan.h"

#include "base/memory.h"
#include "base/text.h"
#include "kernels/abi/ranks.h"
#include <string.h>

static const char *const names[] = {"", "ipc", "nccl", "mpi-device"};

static bp_way wanted_of(const bp_device *device)
{
  const char *wanted = device->comm->wanted;
  for (int way = BP_WAY_IPC; way <= BP_WAY_NCCL && wanted; ++way)
    if (strcmp(wanted, names[way]) == 0)
      return (bp_way)way;
  return BP_WAY_HOSTS;
}

static bool is_auto(const bp_device *device)
{
  return !device->comm->wanted || strcmp(device->comm->wanted, "auto") == 0;
}

bp_status bp_device_join(bp_device *device, bp_comm *comm)
{
  device->comm = comm;
  const bp_way wanted = wanted_of(device);
  if (wanted && !device->backend->connect)
    return bp_fail(BP_BAD_INPUT, "communication: %s: expected GPUs (backend cuda), found %s",
                   names[wanted], device->backend->name);
  return BP_OK;
}

const char *bp_device_way(const bp_device *device)
{
  return device->way ? names[device->way] : device->comm->transport->name;
}

/* ---- timing: the same work as comm/pick.c, which has it for hosts ---- */

enum {
  SUMS = 200,
  EXCHANGES = 50,
  BYTES = BP_TRIAL_BYTES,
  BOX = 8 * BP_MAIL_LENGTH,
  OUTBOX = BOX + BP_BOX_COPIES + 2 * BYTES,
  DOUBLES = (OUTBOX + 2 * BYTES) / 8
};

typedef struct {
  int count, rank[2]; /* neighbours */
} ring;

static ring ring_of(const bp_comm *comm)
{
  const int next = (comm->rank + 1) % comm->size,
            before = (comm->rank + comm->size - 1) % comm->size;
  return (ring){next == before ? 1 : 2, {next, before}};
}

static bp_status time_steps(bp_device *device, const bp_step *steps, int count, int repetitions,
                            double *seconds)
{
  const bp_run run = {
      .steps = steps, .steps_count = count, .repetitions = repetitions, .graph = true};
  bp_status status = device->backend->run(device, &run, "a trial", NULL); /* makes connections */
  if (!status)
    status = device->backend->run(device, &run, "a trial", seconds);
  if (!status)
    status = device->backend->run(device, &run, "a trial", seconds);
  status = bp_comm_agree(device->comm, status);
  *seconds = bp_comm_largest(device->comm, *seconds);
  return status;
}

/* What kernels find in mail[] (kernels/abi/ranks.h). With NCCL they are alone, with a mailbox and an outbox
 * behind mail[] in the same memory. */
static void fill_mail(const bp_device *device, bp_way way, bp_address memory, int64_t *mail)
{
  const bp_comm *comm = device->comm;
  const ring r = ring_of(comm);
  const bool is_ipc = way == BP_WAY_IPC;
  mail[BP_MAIL_RANKS] = is_ipc ? comm->size : 1;
  mail[BP_MAIL_RANK] = is_ipc ? comm->rank : 0;
  mail[BP_MAIL_NEIGHBOURS] = r.count;
  mail[BP_MAIL_WAITS] = is_ipc;
  for (int n = 0; n < mail[BP_MAIL_RANKS]; ++n)
    mail[BP_MAIL_BOXES + n] = (int64_t)(is_ipc ? device->boxes[n] : memory + BOX);
  for (int b = 0; b < r.count; ++b) {
    const bp_address to = is_ipc ? device->boxes[r.rank[b]] + BP_BOX_COPIES : memory + OUTBOX;
    mail[BP_MAIL_TO + b] = (int64_t)to + b * BYTES;
    mail[BP_MAIL_FIRST + b + 1] = (b + 1) * BYTES / 8;
  }
}

/* As a solve has them: the kernel whose results go, the way, the kernel that reads what came. Before a sum by
 * NCCL there is one more, which adds up blocks' parts. */
static int list_steps(const bp_device *device, bp_way way, const bp_plan *plan, bool is_sum,
                      bp_step *steps)
{
  const ring r = ring_of(device->comm);
  const bp_address memory = plan->from.data;
  int count = 0;
  steps[count++] = plan->steps[0];
  if (way == BP_WAY_NCCL && is_sum) {
    steps[count++] = plan->steps[0];
    bp_step_start(&steps[count], BP_STEP_SUM);
    steps[count].bytes = BP_SOLVE_PARTS * (int64_t)sizeof(double);
    steps[count++].to = memory + BOX + BP_BOX_PAP;
  }
  for (int b = 0; b < r.count && way == BP_WAY_NCCL && !is_sum; ++b) {
    bp_step *step = &steps[count++];
    bp_step_start(step, BP_STEP_SWAP);
    step->rank = r.rank[b];
    step->from = memory + OUTBOX + (bp_address)(b * BYTES);
    step->to = memory + BOX + BP_BOX_COPIES + (bp_address)(b * BYTES);
    step->bytes = step->come = BYTES;
  }
  steps[count++] = plan->steps[1];
  return count;
}

static bp_status time_chain(bp_device *device, bp_way way, bool is_sum, double *seconds)
{
  bp_choice choice = bp_choice_standard(bp_variant_find("peaks/gpu-mail", BP_LANGUAGE_CUDA));
  bp_plan *plan = NULL;
  bp_step steps[4];
  int64_t *mail = bp_alloc(DOUBLES, sizeof *mail);
  choice.option[0] = is_sum;
  bp_status status = bp_plan_create_alone(device, &choice, 1, DOUBLES, &plan);
  if (!status) {
    fill_mail(device, way, plan->from.data, mail);
    status = bp_array_write(device, &plan->from, mail);
  }
  status = bp_comm_agree(device->comm, status);
  if (!status)
    status = time_steps(device, steps, list_steps(device, way, plan, is_sum, steps),
                        is_sum ? SUMS : EXCHANGES, seconds);
  bp_plan_destroy(plan);
  bp_free(mail);
  return status;
}

static bp_status time_way(bp_device *device, bp_way way, bp_trial *trial)
{
  double sum, exchange;
  bp_status status = time_chain(device, way, true, &sum);
  if (!status)
    status = time_chain(device, way, false, &exchange);
  if (!status)
    bp_trial_add(trial, sum, exchange);
  return status;
}

static void note(bp_comm *comm, const bp_trial *trial)
{
  if (comm->trials_count < BP_TRIALS_MAX)
    comm->trials[comm->trials_count++] = *trial;
}

/* Together, in turns: from memory to memory, which needs fewer launches and copies, unless NCCL is told
 * apart from it; the other is closed. One that fails here is the slower one. */
static bp_way faster(bp_device *device)
{
  bp_trial ipc = {.name = names[BP_WAY_IPC]}, nccl = {.name = names[BP_WAY_NCCL]};
  bp_status by_nccl = BP_OK, by_ipc = BP_OK;
  for (int n = 0; n < BP_TRIAL_TURNS; ++n) {
    by_nccl = by_nccl ? by_nccl : time_way(device, BP_WAY_NCCL, &nccl);
    by_ipc = by_ipc ? by_ipc : time_way(device, BP_WAY_IPC, &ipc);
  }
  if (!by_ipc)
    note(device->comm, &ipc);
  if (!by_nccl)
    note(device->comm, &nccl);
  const bool is_nccl = !by_nccl && (by_ipc || bp_trial_is_faster(&nccl, &ipc));
  device->backend->disconnect(device, is_nccl ? BP_WAY_IPC : BP_WAY_NCCL);
  return is_nccl ? BP_WAY_NCCL : BP_WAY_IPC;
}

/* ---- MPI ---- */

/* Bytes that only their sender has. */
static void fill_trial(unsigned char *data, int64_t bytes, int sender)
{
  for (int64_t n = 0; n < bytes; ++n)
    data[n] = (unsigned char)(31 * sender + n % 251);
}

/* Together: an exchange along the ring from `memory`, to what lies behind it. */
static bp_status exchange_trial(bp_device *device, bp_address memory, int64_t bytes)
{
  const ring r = ring_of(device->comm);
  const int64_t all = r.count * bytes;
  unsigned char *data = bp_alloc(4, (size_t)bytes), *const expected = data + 2 * bytes;
  char *const at = (char *)(uintptr_t)memory;
  const bp_part sent[2] = {{r.rank[0], at, bytes}, {r.rank[1], at, bytes}};
  const bp_part received[2] = {{r.rank[1], at + bytes, bytes}, {r.rank[0], at + 2 * bytes, bytes}};
  fill_trial(data, bytes, device->comm->rank);
  fill_trial(expected, bytes, received[0].rank);
  fill_trial(expected + bytes, bytes, received[1].rank);
  bp_status status =
      bp_comm_agree(device->comm, device->backend->write(device, memory, data, bytes));
  if (!status)
    status = device->comm->transport->try(device->comm, sent, r.count, received, r.count);
  if (!status)
    status = device->backend->read(device, data, memory + (bp_address)bytes, all);
  if (!status && memcmp(data, expected, (size_t)all) != 0)
    status = bp_fail(BP_SKIPPED, "rank %d: MPI: other bytes than were sent", device->comm->rank);
  bp_free(data);
  return bp_comm_agree(device->comm, status);
}

/* Together: whether MPI takes device pointers: it says so, and a short and a long message come as they were
 * sent. Memory that a failed MPI may still write to is not given back. */
static bp_status try_mpi(bp_device *device)
{
  enum { LONG = 1 << 20 };
  const bool can = device->comm->takes_device && device->in_process;
  if (bp_comm_largest(device->comm, !can) > 0)
    return BP_OK;
  bp_address memory = 0;
  bp_status status = device->backend->alloc(device, 3 * LONG, &memory);
  if (!status && !memory)
    status = bp_fail(BP_SKIPPED, "no memory for a trial");
  status = bp_comm_agree(device->comm, status);
  if (!status)
    status = exchange_trial(device, memory, BYTES);
  if (!status)
    status = exchange_trial(device, memory, LONG);
  if (!status) {
    device->backend->release(device, memory);
    device->way = BP_WAY_MPI;
  }
  if (status == BP_SKIPPED && device->comm->rank == 0)
    bp_tell("MPI says that it takes device pointers, and does not: %s", bp_message());
  return status == BP_SKIPPED ? BP_OK : status;
}

/* ---- choosing ---- */

/* Where it is wanted, or nothing is. */
static bp_status open_way(bp_device *device, bp_way way, int64_t bytes, bool *is_open)
{
  *is_open = false;
  if (!is_auto(device) && wanted_of(device) != way)
    return BP_OK;
  bp_status status = device->backend->connect(device, way, bytes);
  *is_open = !status;
  if (status != BP_SKIPPED)
    return status;
  if (is_auto(device))
    return BP_OK;
  char *why = bp_strdup(bp_message());
  status = bp_fail(BP_ENVIRONMENT, "communication: %s: %s", names[way], why);
  bp_free(why);
  return status;
}

static void tell_hosts(bp_device *device, const char *why)
{
  device->way = BP_WAY_HOSTS;
  if (is_auto(device) && device->comm->rank == 0)
    bp_tell("ranks exchange by the host: %s", why);
}

static bp_status choose(bp_device *device, int64_t bytes)
{
  bool has_ipc, has_nccl = false;
  const int64_t least = 2 * BYTES;
  bp_status status = open_way(device, BP_WAY_IPC, bytes > least ? bytes : least, &has_ipc);
  char *no_ipc = bp_strdup(bp_message());
  if (!status)
    status = open_way(device, BP_WAY_NCCL, 0, &has_nccl);
  device->way = has_nccl ? BP_WAY_NCCL : has_ipc ? BP_WAY_IPC : BP_WAY_HOSTS;
  if (!status && has_ipc && has_nccl)
    device->way = faster(device);
  device->is_connected = true;
  char *why = bp_format("ipc: %s; nccl: %s", no_ipc, bp_message());
  if (!status && !device->way)
    status = try_mpi(device);
  if (!status && !device->way)
    tell_hosts(device, why);
  bp_free(why);
  bp_free(no_ipc);
  return status ? status : bp_comm_check(device->comm);
}

bp_status bp_device_connect(bp_device *device, int64_t bytes)
{
  bool is_open = true;
  bp_status status = BP_OK;
  if (!device->comm || device->comm->size == 1 || !device->backend->connect ||
      (device->backend->is_emulation && is_auto(device)))
    return BP_OK;
  if (!device->is_connected)
    return choose(device, bytes);
  if (device->way == BP_WAY_IPC)
    status = open_way(device, BP_WAY_IPC, bytes, &is_open);
  if (!status && !is_open)
    tell_hosts(device, bp_message());
  return status;
}
