/* lists.h -- where the entries of elements' nodes are in a vector of unknowns, on a device that launches
 * kernels: the number of each node, and of each number its nodes, in the order of elements. Sums over them
 * have the same bits every time. */
#ifndef BP_LIB_LISTS_H
#define BP_LIB_LISTS_H

#include "device/plan.h"

typedef struct {
  bp_device *device;
  int64_t count, fixed; /* numbers are below it; nodes without one, or, in libbp's, numbers */
  bp_array ids, starts, copied; /* as kernels/peaks/gpu-unknowns.cu has them */
  bp_array sums;                /* one of each block */
  bp_plan *plan;
} libbp_lists;

/* number[e][n] of `nodes` nodes an element, negative where fixed: with `is_own` ~n, and n is 0 then in what
 * is added up; else there is no n. BP_BAD_INPUT: one is not below count, or there are too many. */
bp_status libbp_lists_create(bp_device *device, const int64_t *number, int64_t elements,
                             int64_t nodes, int64_t count, bool is_own, libbp_lists **lists);
void libbp_lists_destroy(libbp_lists *lists); /* NULL is legal */

typedef enum { LIBBP_TAKE, LIBBP_ADD, LIBBP_FREE_ONLY, LIBBP_LIST_STEPS } libbp_list_step;

/* A step whose vector, alpha and beta are bound for each run: element_u = vector, or vector = alpha times the
 * sum of element_v + beta vector, or fixed entries = 0. */
bp_step libbp_lists_step(const libbp_lists *lists, libbp_list_step which, int component,
                         int64_t stride, bp_address elements);

/* Two steps: *dot = u . v, of entries that somebody has. */
void libbp_lists_product(const libbp_lists *lists, int components, int64_t stride, bp_address u,
                         bp_address v, bp_address dot, bp_step steps[2]);

void libbp_step_bind(bp_step *step, int operand, uint64_t value);
void libbp_step_bind_number(bp_step *step, int operand, double value);

#endif
