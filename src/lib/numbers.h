/* numbers.h -- where the entries of elements' nodes are in a vector of unknowns, looked at once; and such
 * vectors to and from batches of elements.
 *
 * A vector holds component c of number n at [c * stride + n]. An entry is the sum over the elements' nodes
 * that have its number, in the order of elements, whatever the number of threads: a thread adds to those
 * that only its part of the elements has. Of others it keeps each node's part apart, and they are added
 * up when all threads are done. */
#ifndef BP_LIB_NUMBERS_H
#define BP_LIB_NUMBERS_H

#include "device/cpu/batches.h"
#include <stdbool.h>

/* Of a row of an element, j and k being the same: its ends, and those between, each `step` from the last. */
typedef struct {
  uint32_t left, middle, right;
  int32_t step;
} libbp_row;

typedef struct {
  int threads, nq;
  int64_t nodes, elements, count; /* of an element; in all; numbers are below it */
  /* at[e][k][j][i]: the number, the first time a part has it with LIBBP_FIRST; or count + n, the node is the
   * n-th of those kept apart; or LIBBP_FIXED. */
  uint32_t *at;
  libbp_row *rows; /* instead, rows[e][k][j]; else NULL */
  int64_t apart, shared;
  uint32_t *number; /* number[n] of the nodes kept apart */
  uint32_t *
      starts; /* of shared number s: order[starts[s]] .. order[starts[s+1] - 1] are its nodes, rising */
  uint32_t *order;
  double *parts; /* parts[field][n] */
  int64_t fixed; /* nodes without a number */
} libbp_numbers;

#define LIBBP_FIRST 0x80000000u
#define LIBBP_FIXED 0x7fffffffu

/* BP_BAD_INPUT: a number is not below count, or there are too many of them, or as many nodes as `most`. */
bp_status libbp_numbers_check(const int64_t *number, int64_t elements, int64_t nodes, int64_t count,
                              int64_t most);

/* number[e][k][j][i], negative where fixed. BP_BAD_INPUT as above. */
bp_status libbp_numbers_create(const bp_device *device, const bp_batches *batches,
                               const int64_t *number, int64_t elements, int nq, int64_t count,
                               libbp_numbers **numbers);
void libbp_numbers_destroy(libbp_numbers *numbers); /* NULL is legal */

/* u of elements first..last-1; `to` is what they will be added to. */
void libbp_numbers_take(const libbp_numbers *numbers, int64_t first, int64_t last,
                        const double *from, const double *to, double *u);

/* to = alpha v + beta to, of what only this part has; the rest is kept. */
void libbp_numbers_add(const libbp_numbers *numbers, int field, int64_t first, int64_t last,
                       double alpha, const double *v, double beta, double *to);

/* The same of what was kept, when all parts are done. */
void libbp_numbers_join(const libbp_numbers *numbers, int field, double beta, double *to);

#endif
