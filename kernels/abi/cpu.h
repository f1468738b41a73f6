/* cpu.h -- what a CPU kernel file may assume.
 *
 * The file is compiled once per instruction set (BP_LANES doubles per vector) and, unless its header
 * says "compiled once", once per degree with BP_N the degree. It defines one function, BP_KERNEL, that
 * applies the operator to elements first..last-1; threads call it with ranges of their own, which start
 * at multiples of the lanes where the factors are stored by lanes. */
#ifndef BP_KERNELS_CPU_H
#define BP_KERNELS_CPU_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int degree, nq, nc;    /* N, N+1 nodes and nc quadrature points per direction */
  int64_t elements;      /* of the whole problem */
  double lambda;         /* bp3.0, bp3.5 */
  const double *I;       /* I[c][q], nc x nq: nodal values -> points (bp3.5: the identity) */
  const double *D;       /* D[a][b], nc x nc: values at points -> derivatives at points */
  const double *factors; /* in the order that the file's header declares */
  const double *u;       /* u[e][k][j][i] */
  double *v;             /* v[e][k][j][i] */
  double *scratch; /* this thread's own, 64-byte aligned, as many doubles as the header says */
  const int64_t *option; /* values in the order in which the header declares the options */
} bp_cpu_arguments;

typedef void bp_cpu_kernel(const bp_cpu_arguments *a, int64_t first, int64_t last);

#ifdef BP_ENTRY
#define BP_KERNEL                                                                                  \
  bp_cpu_kernel BP_ENTRY;                                                                          \
  void BP_ENTRY(const bp_cpu_arguments *a, int64_t first, int64_t last)
#ifdef BP_N
enum { BP_NQ = BP_N + 1, BP_NC = BP_N + (BP_COLLOCATED ? 1 : 2) };
#endif
#endif

#endif
