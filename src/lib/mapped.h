/* mapped.h -- unknowns as kernels/solve/mapped.cu has them: it reads and writes a caller's vectors
 * itself, through the caller's numbers. Nodes inside elements must have numbers of their own. */
#ifndef BP_LIB_MAPPED_H
#define BP_LIB_MAPPED_H

#include "device/plan.h"

typedef struct {
  bp_unknowns *
      unknowns; /* of the caller's map: what elements share, counted as fem/unknowns.h does, but for
                            ids, which are the caller's; NULL: libbp's own */
  int32_t *targets; /* of unknown inner + s the number */
  uint32_t *slots;
  bool runs;       /* the numbers of each element's inner nodes are in a row */
  bool atomic;     /* sums by atomic operations */
  int64_t fixed;   /* nodes without a number */
  bp_array inside; /* of each element the first of these, or of each inner node */
} libbp_mapped;

/* Of libbp's own unknowns, or, where they are NULL, of number[e][k][j][i], negative where fixed;
 * numbers are below count. NULL in *mapped: inner nodes have no numbers of their own, or there are too
 * many nodes. */
bp_status libbp_mapped_create(bp_device *device, const bp_unknowns *own, const int64_t *number,
                              int64_t elements, int degree, int64_t count, libbp_mapped **mapped);
void libbp_mapped_destroy(bp_device *device, libbp_mapped *mapped); /* NULL is legal */

/* Whether that problem's kernel that uses tensor cores is the faster one on an H200. */
bool libbp_mapped_is_mma(const char *problem, int degree);

/* Whether mapped kernels are faster there than those on elements between others that gather and add up. */
bool libbp_mapped_is_fast(const libbp_mapped *mapped, const char *problem, int degree);

/* The options that the numbers decide. */
void libbp_mapped_set(const libbp_mapped *mapped, bp_choice *choice);

#endif
