/* cpu.h -- what a CPU kernel file may assume.
 *
 * The file is compiled once per instruction set (BP_LANES doubles per vector) and, unless its header
 * says "compiled once", once per degree with BP_N the degree. It defines one function, BP_KERNEL, that
 * applies the operator to elements first..last-1; threads call it with ranges of their own, which start
 * at multiples of the lanes where the factors are stored by lanes. */
#ifndef BP_KERNELS_ABI_CPU_H
#define BP_KERNELS_ABI_CPU_H

#include "operands.h"

#ifdef BP_ENTRY
#include "types.h"
#endif

#include <stddef.h>
#include <stdint.h>

/* The arrays are the operands of abi/operands.h; the scratch is this thread's own, 64-byte aligned. */
#define BP_FIELD_READ(type, name)           const type *name;
#define BP_FIELD_WRITE(type, name)          type *name;
#define BP_FIELD_PART(type, name)           type *name;
#define BP_FIELD_VALUE(type, name)          type name;
#define BP_FIELD_SCRATCH(type, name)        type *name;
#define BP_FIELD(name, type, access, count) BP_FIELD_##access(type, name)

typedef struct {
  int degree, nq, nc; /* N, N+1 nodes and nc quadrature points per direction */
  int64_t elements;   /* of the whole problem */
  double lambda;      /* bp3.0, bp3.5 */
  BP_OPERANDS(BP_FIELD)
  const int64_t *option; /* values in the order in which the header declares the options */
} bp_cpu_arguments;

typedef void bp_cpu_kernel(const bp_cpu_arguments *a, int64_t first, int64_t last);

#ifdef BP_ENTRY
#define BP_KERNEL                                                                                  \
  __attribute__((visibility("default"))) bp_cpu_kernel BP_ENTRY;                                   \
  void BP_ENTRY(const bp_cpu_arguments *a, int64_t first, int64_t last)
#ifdef BP_N
enum { BP_NQ = BP_N + 1 };
#endif
#endif

#endif
