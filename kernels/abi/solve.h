/* solve.h -- what a CPU kernel of a solve gets besides bp_cpu_arguments. It is called for each launch
 * that its header has (lines `start`, `launch`, `finish`), with a barrier in between, by every thread,
 * also by those without elements. These numbers stand behind the values of its options. */
#ifndef BP_KERNELS_ABI_SOLVE_H
#define BP_KERNELS_ABI_SOLVE_H

enum {
  BP_SOLVE_LAUNCH = 8, /* which of the launches, in the order of the header */
  BP_SOLVE_THREAD,
  BP_SOLVE_THREADS,
  BP_SOLVE_FIELDS,  /* components of a vector */
  BP_SOLVE_SCRATCH, /* reals from a thread's scratch to the next one's */
  BP_SOLVE_NUMBERS  /* all of them, options included */
};

#endif
