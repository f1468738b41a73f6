/* vectors.h -- functions that are compiled for wide vectors, too; the processor at hand decides. Every sum
 * keeps its order and no product is fused with a sum, so all of them have the same bits. */
#ifndef BP_BASE_VECTORS_H
#define BP_BASE_VECTORS_H

#include <stdint.h> /* which says whether this is glibc */

#if defined __x86_64__ && defined __GLIBC__ && !defined __SANITIZE_THREAD__ &&                     \
    !defined __SANITIZE_ADDRESS__
#define BP_VECTORS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define BP_VECTORS
#endif

/* What such functions are made of. */
#define BP_INLINE __attribute__((always_inline)) inline

#endif
