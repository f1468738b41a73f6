/* ranks.h -- what kernels of a solve by several ranks may assume besides abi/cpu.h or abi/gpu.h.
 *
 * They leave their parts of sums in state[]: on a GPU of p . A p and of r . r, BP_SOLVE_PARTS doubles for each
 * block, from BP_SOLVE_PAP and BP_SOLVE_RR on, with a preconditioner also from BP_SOLVE_PLAIN_RR on; on a CPU of all sums of an iteration, BP_SOLVE_SUMS for each thread, from
 * BP_SOLVE_PAP on. The line of their launch says `then pap`, `then rr` or `then sums`: before the next launch the
 * first part becomes the sum over all ranks, and the others 0. `then exchange`: other ranks' copies come into
 * inbox[]. */
#ifndef BP_KERNELS_ABI_RANKS_H
#define BP_KERNELS_ABI_RANKS_H

enum {
  BP_SOLVE_PARTS = 3,
  BP_SOLVE_SUMS = 12,
  BP_SOLVE_BLOCKS = 8192, /* at most */
};

/* What lies in state[] of a solve, row after row: scalars of the iterations, and of each sum the parts that
 * blocks left.
 *
 *   X(name, length)
 *
 * `parts`: doubles that a block leaves of a sum; `blocks`: at most; `merged`: 1 where the next iteration wants more
 * sums. The first three are 32 doubles, so that sums begin where a line of the cache does. From these rows follow where each begins (in lib/solve/sums.h for a scheme) and how long state[] is. */
/* clang-format off */
#define BP_STATE(X, parts, blocks, merged)                                                          \
  X(BEFORE, 2)                        /* r . r, or r . z, of the iterations, even and odd */        \
  X(ALPHA, 18)                        /* of iteration k at k % KEPT, which is at most 16 */         \
  X(BETA, 12)                         /* merged: of the iterations, even and odd; exact: of |p| at most */ \
  X(PAP, (parts) * (blocks))          /* p . A p. On a CPU all sums, BP_SOLVE_SUMS for each thread */ \
  X(RR, (parts) * (blocks))           /* r . r; with a preconditioner r . z */                      \
  X(PLAIN_RR, (parts) * (blocks))     /* then r . r */                                              \
  X(VP, (merged) * (blocks))          /* v of the iteration before . p */                           \
  X(VV, (merged) * (blocks))          /* v . v, inside elements */                                  \
  X(ODD, (merged) * 5 * (blocks))     /* PAP to VV of odd iterations: others still read the even ones */ \
  X(SURFACE, (merged) * (blocks))     /* v . v at surface nodes; of blocks of another kernel */     \
  X(DONE, (merged) * (blocks))        /* one-kernel: iterations that each block has completed */
/* clang-format on */

/* Of all schemes this one has the most in state[]: BP_SOLVE_PAP and so on, and its length. */
#define BP_SOLVE_ROW(name, length)                                                                 \
  BP_SOLVE_##name, BP_SOLVE_##name##_LAST = BP_SOLVE_##name + (length)-1,
enum { BP_STATE(BP_SOLVE_ROW, BP_SOLVE_PARTS, BP_SOLVE_BLOCKS, 0) BP_SOLVE_STATE };

/* GPUs whose ranks see each other's memory need no host in between. Each has a mailbox, where others
 * write: a number of each rank, how many times that one has posted; its part of a sum; copies. In bytes: */
enum {
  BP_BOX_FLAGS = 0, /* unsigned flags[rank] */
  BP_BOX_POSTS =
      1024, /* of the owner: unsigned posts, int blocks that have done their part of the next */
  BP_BOX_PAP = 2048, /* double pap[rank][BP_SOLVE_PARTS] */
  BP_BOX_SUMS = 256 * BP_SOLVE_PARTS * 8,
  BP_BOX_RR = BP_BOX_PAP + BP_BOX_SUMS,
  BP_BOX_PLAIN = BP_BOX_RR + BP_BOX_SUMS,
  BP_BOX_FIRST = BP_BOX_PLAIN + BP_BOX_SUMS, /* both at first: others may begin a new solve */
  BP_BOX_FIRST_PLAIN = BP_BOX_FIRST + BP_BOX_SUMS,
  BP_BOX_COPIES = 36864 /* as inbox[] has them; of waves twice, see mail.h */
};

/* The array mail[] tells where they are. */
enum {
  BP_MAIL_RANKS,      /* 0: there are none, and all of this goes by the host */
  BP_MAIL_RANK,       /* which is this one's */
  BP_MAIL_NEIGHBOURS, /* how many get copies */
  BP_MAIL_WAITS,      /* 1: kernels wait for what they read; 0: the stream has waited */
  BP_MAIL_HALF,       /* bytes of a half of this rank's copies */
  BP_MAIL_BOXES = 8,  /* address[rank] */
  BP_MAIL_TO = BP_MAIL_BOXES + 256, /* address[neighbour] of its copies from here */
  BP_MAIL_FIRST = BP_MAIL_TO + 256, /* first[neighbour] among those that go, and where they end */
  BP_MAIL_HALVES = BP_MAIL_FIRST + 264, /* as BP_MAIL_HALF, of each neighbour */
  BP_MAIL_LENGTH = BP_MAIL_HALVES + 256 /* 1040, as abi/operands.h says */
};

#ifdef BP_KERNELS_ABI_CPU_H
/* The arguments of a CPU kernel are the first of these. */
typedef struct {
  bp_cpu_arguments solve;
  BP_OPERANDS_RANKS(BP_FIELD)
} bp_rank_arguments;
#endif

#endif
