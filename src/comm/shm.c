/* shm.c -- the transport of ranks that share memory. */
#include "comm/shm.h"

#include "base/memory.h"
#include "comm/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  bp_comm base;
  bp_shm shm;
  uint64_t round;
  /* of the exchange under way: what is left of each part */
  bp_part sent[BP_RANKS_MAX], received[BP_RANKS_MAX];
  int sent_count, received_count;
} shm_comm;

/* ---- memory ---- */

static size_t round_up(size_t bytes)
{
  return (bytes + BP_SHM_LINE - 1) / BP_SHM_LINE * BP_SHM_LINE;
}

/* file -1: anonymous memory. */
static bp_status map(int size, int file, bp_shm *shm)
{
  size_t ranks = (size_t)size, head = round_up(sizeof *shm->head);
  size_t boards = ranks * sizeof *shm->boards, rings = ranks * ranks * sizeof *shm->rings;
  *shm = (bp_shm){.bytes = head + boards + rings};
  char *memory = MAP_FAILED;
  if (file < 0 || lseek(file, 0, SEEK_END) == (off_t)shm->bytes ||
      ftruncate(file, (off_t)shm->bytes) == 0)
    memory = mmap(NULL, shm->bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  if (memory == MAP_FAILED)
    return bp_fail(BP_ENVIRONMENT, "ranks: %zu bytes of shared memory: %s", shm->bytes,
                   strerror(errno));
  shm->head = (bp_shm_head *)(void *)memory;
  shm->boards = (bp_shm_board *)(void *)(memory + head);
  shm->rings = (bp_shm_ring *)(void *)(memory + head + boards);
  shm->head->size = size;
  return BP_OK;
}

bp_status bp_shm_create(int size, bp_shm *shm)
{
  return map(size, -1, shm);
}

bp_status bp_shm_create_file(int size, bp_shm *shm, int64_t *file)
{
  int made = memfd_create("bp ranks", MFD_CLOEXEC);
  if (made < 0)
    return bp_fail(BP_ENVIRONMENT, "ranks: shared memory: %s", strerror(errno));
  bp_status status = map(size, made, shm);
  if (status)
    close(made);
  *file = status ? -1 : made;
  return status;
}

bp_status bp_shm_open_file(const char *path, int size, bp_shm *shm)
{
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return bp_fail(BP_ENVIRONMENT, "%s: %s", path, strerror(errno));
  bp_status status = map(size, file, shm);
  close(file);
  return status;
}

void bp_shm_destroy(bp_shm *shm)
{
  munmap(shm->head, shm->bytes);
}

void bp_shm_end(bp_shm *shm, int rank, bool is_seen, bp_status status, const char *why)
{
  int nobody = 0;
  if (!atomic_compare_exchange_strong(&shm->head->ended, &nobody, 1))
    return;
  shm->head->rank = rank;
  shm->head->status = status;
  shm->head->is_seen = is_seen;
  snprintf(shm->head->why, sizeof shm->head->why, "%s", why);
  atomic_store(&shm->head->ended, 2);
}

/* ---- waiting ---- */

/* Ranks may be more than processors: whoever waits gives way, and after a while sleeps. */
static void wait_a_little(int turns)
{
  enum { SPINS = 200, YIELDS = 4000 };
  if (turns < SPINS) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } else if (turns < YIELDS) {
    sched_yield();
  } else {
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
}

static int find_late(bp_comm *comm)
{
  const shm_comm *c = (const shm_comm *)comm;
  for (int r = 0; r < comm->size; ++r)
    if (r != comm->rank &&
        !atomic_load_explicit(&c->shm.boards[r].is_waiting, memory_order_relaxed))
      return r;
  return -1;
}

/* Somebody ended badly: what is known of it. */
static bp_status hear_of_end(shm_comm *c)
{
  const bp_shm_head *head = c->shm.head;
  while (atomic_load(&head->ended) < 2)
    sched_yield();
  c->base.is_seen = head->is_seen;
  return head->is_seen
             ? bp_comm_lose(&c->base, "%s", head->why)
             : bp_comm_lose(&c->base, "rank %d of %d ended early", head->rank, head->size);
}

/* In a wait, now and then. */
static bp_status check_others(shm_comm *c, bp_wait *wait, int turns)
{
  enum { TURNS = 64 };
  if (atomic_load_explicit(&c->shm.head->ended, memory_order_relaxed))
    return hear_of_end(c);
  if (turns % TURNS != TURNS - 1)
    return BP_OK;
  bp_status status = bp_wait_check(&c->base, wait, find_late);
  if (status)
    bp_shm_end(&c->shm, c->base.rank, true, status, bp_message());
  return status;
}

static void tell_waiting(shm_comm *c, int is_waiting)
{
  atomic_store_explicit(&c->shm.boards[c->base.rank].is_waiting, is_waiting, memory_order_relaxed);
}

/* ---- exchange ---- */

static bp_shm_ring *ring(shm_comm *c, int from, int to)
{
  return &c->shm.rings[from * c->base.size + to];
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Copies as much as lies in one piece of the ring; returns the bytes. */
static int64_t push(bp_shm_ring *r, bp_part *part)
{
  uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  uint64_t read = atomic_load_explicit(&r->read, memory_order_acquire);
  int64_t at = (int64_t)(written % BP_SHM_RING), room = BP_SHM_RING - (int64_t)(written - read);
  int64_t bytes = least(part->bytes, least(room, BP_SHM_RING - at));
  memcpy(r->bytes + at, part->data, (size_t)bytes);
  atomic_store_explicit(&r->written, written + (uint64_t)bytes, memory_order_release);
  part->data = (char *)part->data + bytes;
  part->bytes -= bytes;
  return bytes;
}

static int64_t pull(bp_shm_ring *r, bp_part *part)
{
  uint64_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
  uint64_t written = atomic_load_explicit(&r->written, memory_order_acquire);
  int64_t at = (int64_t)(read % BP_SHM_RING);
  int64_t bytes = least(part->bytes, least((int64_t)(written - read), BP_SHM_RING - at));
  memcpy(part->data, r->bytes + at, (size_t)bytes);
  atomic_store_explicit(&r->read, read + (uint64_t)bytes, memory_order_release);
  part->data = (char *)part->data + bytes;
  part->bytes -= bytes;
  return bytes;
}

/* Moves what can be moved; *left: the bytes that are still to come or to go. Returns the bytes moved. */
static int64_t move(shm_comm *c, int64_t *left)
{
  int64_t moved = 0;
  *left = 0;
  for (int n = 0; n < c->sent_count; ++n)
    if (c->sent[n].bytes) {
      moved += push(ring(c, c->base.rank, c->sent[n].rank), &c->sent[n]);
      *left += c->sent[n].bytes;
    }
  for (int n = 0; n < c->received_count; ++n)
    if (c->received[n].bytes) {
      moved += pull(ring(c, c->received[n].rank, c->base.rank), &c->received[n]);
      *left += c->received[n].bytes;
    }
  return moved;
}

static bp_status begin(bp_comm *comm, const bp_part *sent, int sent_count, const bp_part *received,
                       int received_count)
{
  shm_comm *c = (shm_comm *)comm;
  int64_t left;
  for (int n = 0; n < sent_count; ++n)
    c->sent[n] = sent[n];
  for (int n = 0; n < received_count; ++n)
    c->received[n] = received[n];
  c->sent_count = sent_count;
  c->received_count = received_count;
  move(c, &left);
  return BP_OK;
}

static bp_status finish(bp_comm *comm)
{
  shm_comm *c = (shm_comm *)comm;
  int64_t left = 0;
  bp_status status = BP_OK;
  bp_wait wait = {0};
  tell_waiting(c, 1);
  for (int turns = 0; !status; ++turns) {
    if (move(c, &left) > 0) {
      turns = 0;
      wait = (bp_wait){0};
    }
    if (left == 0)
      break;
    status = check_others(c, &wait, turns);
    wait_a_little(turns);
  }
  tell_waiting(c, 0);
  return status;
}

/* ---- values ---- */

/* A rank is never two rounds ahead of another one, so two places do. */
static bp_status all(bp_comm *comm, const double *mine, int count, double *values)
{
  shm_comm *c = (shm_comm *)comm;
  uint64_t round = ++c->round;
  bp_shm_board *own = &c->shm.boards[comm->rank];
  size_t bytes = (size_t)count * sizeof *values;
  bp_status status = BP_OK;
  memcpy(own->values[round % 2], mine, bytes);
  atomic_store_explicit(&own->round, round, memory_order_release);
  tell_waiting(c, 1);
  for (int r = 0; r < comm->size && !status; ++r) {
    bp_shm_board *board = &c->shm.boards[r];
    bp_wait wait = {0};
    for (int turns = 0;
         !status && atomic_load_explicit(&board->round, memory_order_acquire) < round; ++turns) {
      status = check_others(c, &wait, turns);
      wait_a_little(turns);
    }
    memcpy(values + r * count, board->values[round % 2], bytes);
  }
  tell_waiting(c, 0);
  return status;
}

/* ---- beginning and end ---- */

static void end(bp_comm *comm, bp_status status, const char *why)
{
  shm_comm *c = (shm_comm *)comm;
  char host[64] = "", named[BP_SHM_WHY];
  gethostname(host, sizeof host - 1);
  snprintf(named, sizeof named, "rank %d of %d on %s: %.380s", comm->rank, comm->size, host, why);
  if (*why)
    bp_shm_end(&c->shm, comm->rank, false, status, comm->is_cause ? named : why);
  bp_free(comm->why);
  bp_shm_destroy(&c->shm);
  bp_free(c);
}

static const bp_transport transport = {"shm", begin, finish, all, NULL, end};

bp_comm *bp_shm_comm(const bp_shm *shm, int rank)
{
  shm_comm *c = bp_alloc(1, sizeof *c);
  c->base = (bp_comm){.transport = &transport, .rank = rank, .size = shm->head->size};
  c->shm = *shm;
  return &c->base;
}
