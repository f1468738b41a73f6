/* bp_mpi.h -- what libbp_mpi.so has: the only file that knows MPI, since MPIs differ in their
 * binaries. bp opens
 * it at run time. */
#ifndef BP_COMM_MPI_BP_MPI_H
#define BP_COMM_MPI_BP_MPI_H

#include "comm/comm.h"

/* All return 0, or an error of MPI. */
typedef struct {
  int version; /* BP_MPI_VERSION, and sizeof(bp_part) with it: of another build it may not be used */
  int (*start)(int *rank, int *size);
  int (*begin)(const bp_part *sent, int sent_count, const bp_part *received, int received_count);
  int (*test)(int *is_done);                              /* of what was begun */
  int (*all)(const double *mine, int count, double *all); /* begins it */
  int (*all_test)(int *is_done);
  int (*takes_device)(void); /* 1 where this MPI says that parts may lie in a GPU's memory */
  /* Begins, and ends within so many seconds, on a communicator of its own. An error, or BP_MPI_SILENCE,
   * ends no job. */
  int (*try)(const bp_part *sent, int sent_count, const bp_part *received, int received_count,
             double seconds);
  /* Waits for all ranks to come here, so many seconds; *is_done: they all did. */
  int (*meet)(double seconds, int *is_done);
  void (*end)(int code, int is_abort);
} bp_mpi;

enum { BP_MPI_VERSION = 3, BP_MPI_SILENCE = -1 };

/* The one symbol, "bp_mpi_calls". */
typedef const bp_mpi *bp_mpi_calls_type(void);

#endif
