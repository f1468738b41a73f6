/* nccl.c -- an NCCL that pretends, for ranks of this host: memory that all have mapped, a place for one
 * message from each to each. It wants messages in groups, of the length that the other one expects.
 * FAKE_NCCL_FAILS names a call that fails on rank 1, FAKE_NCCL_LACKS one that fails on all. */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 4, MESSAGE = 1 << 16, VALUES = 3, DOUBLE = 8 };
enum { OK, SYSTEM_ERROR = 2, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE };

typedef struct {
  char text[128];
} identity;

typedef struct {
  _Atomic int joined, is_full[RANKS][RANKS];
  size_t bytes[RANKS][RANKS];
  char message[RANKS][RANKS][MESSAGE];
  _Atomic int round[RANKS];
  double values[2][RANKS][VALUES];
} board;

typedef struct {
  board *shared;
  int rank, size;
} comm;

typedef struct {
  comm *c;
  const void *from; /* NULL: it comes */
  void *to;
  size_t bytes;
  int rank;
} message;

int ncclGetUniqueId(identity *), ncclCommInitRank(comm **, int, identity, int),
    ncclCommDestroy(comm *), ncclGroupStart(void), ncclGroupEnd(void),
    ncclSend(const void *, size_t, int, int, comm *, void *),
    ncclRecv(void *, size_t, int, int, comm *, void *),
    ncclAllReduce(const void *, void *, size_t, int, int, comm *, void *);

static message messages[2 * RANKS];
static int messages_count, is_group;

static int is_to_fail(const comm *c, const char *call)
{
  const char *name = getenv("FAKE_NCCL_FAILS"), *lacks = getenv("FAKE_NCCL_LACKS");
  return (c->rank == 1 && name && strcmp(name, call) == 0) || (lacks && strcmp(lacks, call) == 0);
}

int ncclGetUniqueId(identity *id)
{
  int file = memfd_create("fake-nccl", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(board)))
    return SYSTEM_ERROR;
  snprintf(id->text, sizeof id->text, "/proc/%d/fd/%d", (int)getpid(), file);
  return OK;
}

int ncclCommInitRank(comm **made, int size, identity id, int rank)
{
  int file = open(id.text, O_RDWR | O_CLOEXEC);
  if (file < 0 || size > RANKS || rank >= size)
    return INVALID_ARGUMENT;
  comm *c = malloc(sizeof *c);
  *c = (comm){mmap(NULL, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), rank, size};
  close(file);
  *made = c;
  atomic_fetch_add(&c->shared->joined, 1);
  while (atomic_load(&c->shared->joined) < size)
    sched_yield();
  return is_to_fail(c, "ncclCommInitRank") ? INTERNAL_ERROR : OK;
}

int ncclCommDestroy(comm *c)
{
  munmap(c->shared, sizeof(board));
  free(c);
  return OK;
}

int ncclGroupStart(void)
{
  is_group = 1;
  messages_count = 0;
  return OK;
}

static int add(message m, int type, const char *call)
{
  if (!is_group || type != 0 || m.rank >= m.c->size || m.bytes > MESSAGE)
    return INVALID_USAGE;
  if (is_to_fail(m.c, call))
    return INTERNAL_ERROR;
  messages[messages_count++] = m;
  return OK;
}

int ncclSend(const void *from, size_t count, int type, int rank, comm *c, void *stream)
{
  return stream ? add((message){c, from, NULL, count, rank}, type, "ncclSend") : INVALID_ARGUMENT;
}

int ncclRecv(void *to, size_t count, int type, int rank, comm *c, void *stream)
{
  return stream ? add((message){c, NULL, to, count, rank}, type, "ncclRecv") : INVALID_ARGUMENT;
}

static void send(const message *m)
{
  board *b = m->c->shared;
  const int own = m->c->rank;
  while (atomic_load(&b->is_full[own][m->rank]))
    sched_yield();
  b->bytes[own][m->rank] = m->bytes;
  memcpy(b->message[own][m->rank], m->from, m->bytes);
  atomic_store(&b->is_full[own][m->rank], 1);
}

static int receive(const message *m)
{
  board *b = m->c->shared;
  const int own = m->c->rank;
  while (!atomic_load(&b->is_full[m->rank][own]))
    sched_yield();
  if (b->bytes[m->rank][own] != m->bytes)
    return INVALID_ARGUMENT;
  memcpy(m->to, b->message[m->rank][own], m->bytes);
  atomic_store(&b->is_full[m->rank][own], 0);
  return OK;
}

int ncclGroupEnd(void)
{
  int result = OK;
  is_group = 0;
  for (int n = 0; n < messages_count; ++n)
    if (messages[n].from)
      send(&messages[n]);
  for (int n = 0; n < messages_count && !result; ++n)
    if (!messages[n].from)
      result = receive(&messages[n]);
  return result;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, comm *c,
                  void *stream)
{
  board *b = c->shared;
  double sum[VALUES] = {0};
  if (type != DOUBLE || operation != 0 || count != VALUES || !stream)
    return INVALID_ARGUMENT;
  if (is_to_fail(c, "ncclAllReduce"))
    return INTERNAL_ERROR;
  const int round = atomic_load(&b->round[c->rank]) + 1;
  memcpy(b->values[round % 2][c->rank], from, sizeof sum);
  atomic_store(&b->round[c->rank], round);
  for (int r = 0; r < c->size; ++r) {
    while (atomic_load(&b->round[r]) < round)
      sched_yield();
    for (int n = 0; n < VALUES; ++n)
      sum[n] += b->values[round % 2][r][n];
  }
  memcpy(to, sum, sizeof sum);
  return OK;
}
