/* emulate_mail.c -- mailboxes of emulated devices: a file of rank 0's, which all ranks and their kernels'
 * programs map at one place. */
#include "device/emulate/emulate_device.h"

#include "base/memory.h"
#include "base/text.h"
#include "kernels/abi/ranks.h"
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void bp_emulate_mail_close(emulate_device *d)
{
  if (d->mail_bytes)
    munmap(bp_job_mail(), (size_t)d->mail_bytes);
  if (d->mail_file > 0)
    close(d->mail_file);
  bp_free(d->base.boxes);
  d->base.boxes = NULL;
  d->mail_bytes = d->box_bytes = d->mail_file = 0;
}

/* Of a number that no descriptor of a program's has. */
static int open_file(bp_comm *comm, int64_t bytes)
{
  enum { HIGH = 64 };
  int64_t place[2] = {getpid(), -1};
  int file = comm->rank == 0 ? memfd_create("bp-mail", 0) : -1;
  if (file >= 0 && ftruncate(file, bytes) == 0)
    place[1] = file;
  if (bp_comm_broadcast(comm, place, sizeof place) || place[1] < 0)
    return -1;
  char *path = bp_format("/proc/%lld/fd/%lld", (long long)place[0], (long long)place[1]);
  if (comm->rank > 0)
    file = open(path, O_RDWR);
  bp_free(path);
  const int high = file < 0 ? -1 : fcntl(file, F_DUPFD, HIGH);
  bp_comm_agree(comm, BP_OK); /* rank 0 closes what others have opened */
  if (file >= 0)
    close(file);
  return high;
}

static bp_status open_boxes(emulate_device *d, int64_t each)
{
  bp_comm *comm = d->base.comm;
  const int64_t all = each * comm->size;
  d->mail_file = open_file(comm, all);
  void *map = d->mail_file < 0 ? MAP_FAILED
                               : mmap(bp_job_mail(), (size_t)all, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_FIXED_NOREPLACE, d->mail_file, 0);
  if (map != MAP_FAILED)
    d->mail_bytes = all;
  if (map != bp_job_mail())
    return bp_fail(BP_SKIPPED, "emulate: rank %d: no memory that all ranks map", comm->rank);
  d->box_bytes = each;
  d->base.boxes = bp_alloc(BP_RANKS_MAX, sizeof *d->base.boxes);
  for (int r = 0; r < comm->size; ++r)
    d->base.boxes[r] = (uint64_t)(uintptr_t)bp_job_mail() + (uint64_t)(r * each);
  return BP_OK;
}

bp_status bp_emulate_connect(bp_device *device, bp_way way, int64_t bytes)
{
  emulate_device *d = (emulate_device *)device;
  const char *variable = getenv("BP_CUDA_MAILBOXES"); /* for tests */
  if (way != BP_WAY_IPC)
    return bp_fail(BP_SKIPPED, "emulate: no GPU");
  const int64_t wanted = (int64_t)bp_comm_largest(device->comm, (double)bytes) + BP_BOX_COPIES;
  if (d->box_bytes >= wanted)
    return BP_OK;
  bp_emulate_mail_close(d);
  d->mail_posts = 0;
  device->kernels_wait = !(variable && strcmp(variable, "stream") == 0);
  bp_status status = bp_comm_agree(
      device->comm, open_boxes(d, (wanted + BP_JOB_PAGE - 1) / BP_JOB_PAGE * BP_JOB_PAGE));
  if (status)
    bp_emulate_mail_close(d);
  return status;
}

bp_status bp_emulate_mail_wait(emulate_device *d, const bp_step *step)
{
  const unsigned *const flags = (const unsigned *)(uintptr_t)(step->to + BP_BOX_FLAGS);
  ++d->mail_posts;
  for (int32_t r = 0; r < step->ranks; ++r)
    while (r != step->rank &&
           (int)(__atomic_load_n(flags + r, __ATOMIC_ACQUIRE) - d->mail_posts) < 0)
      sched_yield();
  return BP_OK;
}
