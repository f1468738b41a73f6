/* watch.h -- for transports: whether ranks that are waited for still run. */
#ifndef BP_COMM_WATCH_H
#define BP_COMM_WATCH_H

#include "comm/comm.h"

/* Of a process of this host. BP_STOPPED: by a signal, and not by a debugger. */
typedef enum { BP_RUNNING, BP_STOPPED, BP_GONE } bp_process_state;
bp_process_state bp_process_look(int64_t process);

/* One wait. */
typedef struct {
  double begin, looked; /* on the clock; begin 0: it has just begun */
  double stopped;       /* since when some rank was seen stopped; 0: none is */
} bp_wait;

/* To be called now and then in a wait. BP_ENVIRONMENT, and the communicator has lost a rank: one
 * of this host is gone or was stopped for some seconds, or the wait is longer than comm->patience
 * (0: as long as it takes). late(comm): the rank that the others wait for, -1: unknown; NULL:
 * never known. */
bp_status bp_wait_check(bp_comm *comm, bp_wait *wait, int (*late)(bp_comm *comm));

#endif
