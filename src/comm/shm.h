/* shm.h -- ranks of one host that share memory: what the processes and the one that started them see. */
#ifndef BP_COMM_SHM_H
#define BP_COMM_SHM_H

#include "comm/comm.h"
#include <stdatomic.h>
#include <stddef.h>

enum { BP_SHM_RING = 1 << 16, BP_SHM_LINE = 64, BP_SHM_WHY = 512 };

/* Bytes from one rank to another, a ring: `written` and `read` only grow. */
typedef struct {
  _Alignas(BP_SHM_LINE) _Atomic uint64_t written;
  _Alignas(BP_SHM_LINE) _Atomic uint64_t read;
  _Alignas(BP_SHM_LINE) char bytes[BP_SHM_RING];
} bp_shm_ring;

/* What a rank shows to all others. */
typedef struct {
  _Alignas(BP_SHM_LINE) _Atomic uint64_t round; /* of values that are there */
  _Atomic int is_waiting;                       /* for others */
  double values[2][BP_COMM_VALUES_MAX];         /* of even and odd rounds */
} bp_shm_board;

typedef struct {
  int size;
  _Atomic int ended; /* 1: somebody ended badly; `why` is there from 2 on */
  int rank;          /* who */
  bool is_seen;      /* by one that waited for another: `why` names that */
  bp_status status;
  char why[BP_SHM_WHY];
} bp_shm_head;

typedef struct {
  size_t bytes;
  bp_shm_head *head;
  bp_shm_board *boards; /* [rank] */
  bp_shm_ring *rings;   /* [from][to] */
} bp_shm;

/* Memory that children share; BP_ENVIRONMENT where there is none. */
bp_status bp_shm_create(int size, bp_shm *shm);
/* The same in a file without a name, which processes of this host open as /proc/PROCESS/fd/FILE. */
bp_status bp_shm_create_file(int size, bp_shm *shm, int64_t *file);
bp_status bp_shm_open_file(const char *path, int size, bp_shm *shm);
void bp_shm_destroy(bp_shm *shm);

/* The first that calls it is heard. */
void bp_shm_end(bp_shm *shm, int rank, bool is_seen, bp_status status, const char *why);

/* In a rank's process. */
bp_comm *bp_shm_comm(const bp_shm *shm, int rank);

#endif
