/* comm.h -- ranks: the processes of one job, and what they exchange.
 *
 * All ranks run the same program. A call marked "together" is made by every rank, in the same
 * order. When a rank is lost, a call that waits for it returns BP_ENVIRONMENT, and so does every
 * later one, at once: what it should have brought is then undefined, and bp_comm_check says so. */
#ifndef BP_COMM_COMM_H
#define BP_COMM_COMM_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct bp_comm bp_comm;

/* Bytes for a rank or from it. */
typedef struct {
  int rank;
  void *data;
  int64_t bytes;
} bp_part;

enum { BP_COMM_VALUES_MAX = 32 };

/* What a transport is. */
typedef struct {
  const char *name; /* "self", "shm", "mpi" */
  /* At most one part for a rank and one from it; empty ones are not sent. finish waits for all of
   * them. */
  bp_status (*begin)(bp_comm *comm, const bp_part *sent, int sent_count, const bp_part *received,
                     int received_count);
  bp_status (*finish)(bp_comm *comm);
  /* all[rank][count] from everybody's mine[count]; at most BP_COMM_VALUES_MAX doubles. */
  bp_status (*all)(bp_comm *comm, const double *mine, int count, double *all);
  /* Together, where any rank takes_device: an exchange that ends within seconds, and if it fails or hangs is
   * BP_SKIPPED on this rank and loses nothing; its memory stays MPI's then. Else NULL. */
  bp_status (*try)(bp_comm *comm, const bp_part *sent, int sent_count, const bp_part *received,
                   int received_count);
  /* Says why this rank ends before the others: "" when it has done its work. */
  void (*close)(bp_comm *comm, bp_status status, const char *why);
} bp_transport;

/* How fast a way is: seconds of a sum of three values, of an exchange of BP_TRIAL_BYTES with
 * either neighbour in a ring; the slowest rank's, of the fastest of BP_TRIAL_TURNS trials. */
enum { BP_TRIALS_MAX = 4, BP_TRIAL_BYTES = 32768, BP_TRIAL_TURNS = 5 };
typedef struct {
  const char *name; /* the transport's */
  int turns;        /* so far */
  double sum_seconds, exchange_seconds;
  double low, high; /* seconds of an iteration of a solve, in the fastest and the slowest trial */
} bp_trial;

struct bp_comm {
  const bp_transport *transport;
  int rank, size;
  bool takes_device; /* parts may lie in a GPU's memory of this process, says MPI; `try` tells */
  bp_status lost;    /* BP_OK while all ranks are there */
  char *why;         /* they are not */
  bool is_cause;     /* it is this rank that the others lose */
  bool is_seen;      /* the lost one said nothing: ranks that waited for it found out */
  const volatile int *signal;     /* of this rank; NULL: none is looked at */
  volatile int interrupted;       /* some rank's, as of the last bp_comm_agree */
  const char *wanted;             /* as bp_comm_pick was told; NULL: nothing */
  bp_trial trials[BP_TRIALS_MAX]; /* of bp_comm_pick, and between devices */
  int trials_count;
  double waiting;   /* seconds in exchanges and sums, so far */
  int64_t *process; /* process[r]: rank r's number on this host; 0: on another; NULL: unknown */
  double least_patience; /* seconds; 0: the usual ones */
  double patience;       /* no wait is longer; 0: as long as it takes */
  bool is_limited;       /* as bp_comm_limit says */
  double busy, last;     /* the longest time between calls since then; the end of the last one */
};

/* The only rank of a job: never NULL, not to be closed. */
bp_comm *bp_comm_self(void);

/* Of this host; "this host" where it has none. */
void bp_comm_host(char name[64]);

/* ---- starting and ending ---- */

enum { BP_RANKS_MAX = 256 };

/* Starts `size` processes of this host, which return from it with a communicator of transport shm.
 * The caller waits for all of them and returns with *comm = NULL and the job's status and message.
 * To be called before this process has started a thread. When a rank ends without having closed
 * its communicator well, the others are told, and killed a few seconds later; ranks do not outlive
 * the caller. Signals SIGINT, SIGTERM, SIGHUP and SIGUSR1 go to all ranks. */
bp_status bp_comm_fork(int size, bp_comm **comm);

/* The rank that a starter of MPI (mpirun, srun) has made of this process. BP_ENVIRONMENT where
 * there is no MPI. */
bp_status bp_comm_mpi(bp_comm **comm);

/* Together, first of all: "shm" or "mpi" takes that one, or is BP_ENVIRONMENT where it cannot be had;
 * else all ways between these ranks are timed, and the fastest is kept. *comm may become another
 * one. */
bp_status bp_comm_pick(bp_comm **comm, const char *wanted);

/* One more trial of it. */
void bp_trial_add(bp_trial *trial, double sum_seconds, double exchange_seconds);

/* Whether it is told apart from a way that is better by the model: each of its trials was faster than any of
 * the other's. What noise may have done is not believed. */
bool bp_trial_is_faster(const bp_trial *trial, const bp_trial *better);

/* The end of a rank, to be called in any case; returns what its process has to return. The message
 * of a failure
 * is passed on, and printed by nobody else. */
bp_status bp_comm_close(bp_comm *comm, bp_status status);

/* ---- together ---- */

bp_status bp_comm_exchange(bp_comm *comm, const bp_part *sent, int sent_count,
                           const bp_part *received, int received_count);

/* Bytes for every rank, to[r] of counts[r] bytes; from everybody, in *received (bp_free), the r-th
 * rank's from
 * first[r] to first[r + 1]. */
bp_status bp_comm_all_to_all(bp_comm *comm, void *const *to, const int64_t *counts, char **received,
                             int64_t *first);

/* values[n] of all ranks, in place; the sum is in the order of ranks. */
bp_status bp_comm_sum(bp_comm *comm, double *values, int count);
bp_status bp_comm_max(bp_comm *comm, double *values, int count);
bp_status bp_comm_all(bp_comm *comm, const double *mine, int count, double *all);
double bp_comm_largest(bp_comm *comm, double value);

/* How many ranks below this one are on its host. */
int bp_comm_local_rank(bp_comm *comm);

/* Alone: how many ranks this host has, as far as is known: all of them. */
int bp_comm_local_size(const bp_comm *comm);

/* The same status on all ranks, the worst of any; one that has no own failure gets its message
 * from the first that has. Sets comm->interrupted. */
bp_status bp_comm_agree(bp_comm *comm, bp_status status);

/* Whether all ranks are the same program file, else BP_ENVIRONMENT, and have the same text, else
 * BP_BAD_INPUT: the message names the first rank that has not, and the line. */
bp_status bp_comm_check_same(bp_comm *comm, const char *text);

/* A copy of rank 0's bytes for all others. */
bp_status bp_comm_broadcast(bp_comm *comm, void *data, int64_t bytes);

/* From now on all ranks work in step, so a wait that is much longer than what lies between this
 * rank's own calls means that another one hangs: it is lost then. false: ranks may take as long as
 * they like, as to read a mesh. */
void bp_comm_limit(bp_comm *comm, bool is_limited);

/* BP_ENVIRONMENT, with the reason, once a rank was lost. */
bp_status bp_comm_check(const bp_comm *comm);

/* Alone: this rank cannot go on, for the reason in bp_message(), while others wait for it elsewhere than
 * in these calls. What is called from now on returns at once, and bp_comm_close tells the others. */
bp_status bp_comm_quit(bp_comm *comm);

/* For transports: keeps the reason, and fails with it. */
bp_status bp_comm_lose(bp_comm *comm, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
