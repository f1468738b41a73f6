/* ranks.h -- what kernels of a solve by several ranks may assume besides abi/cpu.h or abi/gpu.h.
 *
 * They leave their parts of p . A p and of r . r in state[], BP_SOLVE_PARTS doubles for each thread or block, from
 * BP_SOLVE_PAP and BP_SOLVE_RR on. The line of their launch says `then pap` or `then rr`: before the next launch the
 * first part becomes the sum over all ranks, and the others 0. `then exchange`: other ranks' copies come into
 * inbox[]. */
#ifndef BP_KERNELS_ABI_RANKS_H
#define BP_KERNELS_ABI_RANKS_H

enum {
  BP_SOLVE_PARTS = 3,
  BP_SOLVE_BLOCKS = 8192, /* at most */
  BP_SOLVE_PAP = 32,
  BP_SOLVE_RR = BP_SOLVE_PAP + BP_SOLVE_PARTS * BP_SOLVE_BLOCKS
};

#ifdef BP_KERNELS_ABI_CPU_H
/* The arguments of a CPU kernel are the first of these. */
typedef struct {
  bp_cpu_arguments solve;
  BP_OPERANDS_RANKS(BP_FIELD)
} bp_rank_arguments;
#endif

#endif
