/* isa.h -- instruction sets that the CPU kernels are compiled for, and which of them runs here. */
#ifndef BP_REGISTRY_ISA_H
#define BP_REGISTRY_ISA_H

#include <stdbool.h>

/* base: what every machine of this architecture has (x86-64: SSE2; aarch64: NEON). */
typedef enum { BP_ISA_BASE, BP_ISA_AVX2, BP_ISA_AVX512, BP_ISA_COUNT } bp_isa;

extern const char *const bp_isa_names[BP_ISA_COUNT];

/* Doubles in one vector: 2, 4, 8. */
int bp_isa_lanes(bp_isa isa);

/* Whether this processor and its operating system run it. */
bool bp_isa_runs(bp_isa isa);

/* The widest that runs. */
bp_isa bp_isa_best(void);

#endif
