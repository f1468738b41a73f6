/* sharing.h -- unknowns that elements of several ranks share, and the copies that these ranks
 * exchange.
 *
 * Every rank has a number, and all values, of each unknown that its elements touch. A sum over an
 * unknown's copies, of all ranks, is made by each of these ranks, in the order of the whole mesh's
 * elements: the same bits everywhere and for every partition. */
#ifndef BP_FEM_SHARING_H
#define BP_FEM_SHARING_H

#include "comm/comm.h"
#include "mesh/piece.h"

typedef struct {
  bp_comm *comm;
  const bp_piece *piece; /* the caller's */

  /* Messages. Rank rank[n], rising, gets copies sent[sent_first[n]] .. sent[sent_first[n+1]-1],
   * each a place e S + m,
   * and sends those that get the numbers received_first[n] .. received_first[n+1]-1. */
  int neighbours;
  int *rank;
  int64_t *sent_first, *received_first;
  uint32_t *sent;
  int64_t received;        /* how many copies come */
  int32_t *received_id;    /* of which unknown */
  int64_t *received_place; /* e S + m, e in the whole mesh */

  int32_t *halo; /* halo[e]: 1 where copies of element e go to other ranks */

  /* Of the whole mesh: unknowns, those fixed; the most copies of any. */
  int64_t total, total_fixed, most_copies;
} bp_sharing;

/* NULL is legal. */
void bp_sharing_destroy(bp_sharing *sharing);

/* Of `count` unknowns of a rank's elements: how many other ranks have, too; fixed ones have no
 * copies, and do not count. */
int64_t bp_sharing_count(const bp_sharing *sharing, int64_t count);

/* Together: values of all copies that go and come, `fields` of each: sent[n * fields + f], in the
 * order of the
 * lists. */
bp_status bp_sharing_exchange(const bp_sharing *sharing, int fields, const double *sent,
                              double *received);

#endif
