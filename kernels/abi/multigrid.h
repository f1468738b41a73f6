/* multigrid.h -- what host and kernels of p-multigrid agree on: rows of schedule[] tell the kernel `smooth`
 * what it does with vectors of a level, in this order. t is what lies in element_v[], summed over an unknown's
 * copies.
 *
 *   b = t                          BP_MG_TAKES_B
 *   y = (b or r) - t               BP_MG_FROM_B or BP_MG_FROM_R; BP_MG_LESS: without it nothing is taken away
 *   r = y                          BP_MG_LEAVES_R
 *   d' = keep d + gain S y         BP_MG_JACOBI: S y is weight y; BP_MG_SCHWARZ: weight t; BP_MG_KEEPS: with keep d
 *   x = (0 or x) + before d + after d'     BP_MG_ZERO, BP_MG_ADDS, BP_MG_ADDS_NEW
 *   d = d'                         BP_MG_LEAVES_D
 *   elements' copies = d' or x     BP_MG_SPREADS_D or BP_MG_SPREADS_X: into element_u[] */
#ifndef BP_KERNELS_ABI_MULTIGRID_H
#define BP_KERNELS_ABI_MULTIGRID_H

enum {
  BP_MG_TAKES_B = 1,
  BP_MG_FROM_B = 2,
  BP_MG_FROM_R = 4,
  BP_MG_LESS = 8,
  BP_MG_ZERO = 16,
  BP_MG_ADDS = 32,
  BP_MG_JACOBI = 64,
  BP_MG_SCHWARZ = 128,
  BP_MG_KEEPS = 256,
  BP_MG_ADDS_NEW = 512,
  BP_MG_PLAIN = 1024, /* t is a vector: of levels without elements */
  BP_MG_LEAVES_R = 2048,
  BP_MG_LEAVES_D = 4096,
  BP_MG_SPREADS_D = 8192,
  BP_MG_SPREADS_X = 16384
};

/* A row of schedule[]. */
enum {
  BP_MG_FLAGS,  /* of dot, words, hear: the first sum; BP_MG_COARSE then says how many */
  BP_MG_BEFORE, /* of schwarz by ranks: from field to field of what others have; of words: blocks */
  BP_MG_KEEP,
  BP_MG_GAIN,
  BP_MG_AFTER,
  BP_MG_COARSE, /* of schwarz: 1 with a layer; of transfers: nodes of the next level; of sparse: columns */
  BP_MG_ADDITION,  /* of `sparse`: out += instead of out = */
  BP_MG_SCALE = 7, /* of the outer iterations: r goes into the cycle times this, a power of two */
  BP_MG_FIELD,     /* CPU: BP_MG_ELEMENTS of all elements, those behind a rank's own included */
  BP_MG_ROW
};

/* From field to field of what elements have: so many elements, so that each field begins at a multiple of 64
 * bytes. */
#define BP_MG_ELEMENTS(elements) (((elements) + 15) / 16 * 16)

/* state[] of the outer iterations: for each sum a row of parts, one for each block; on a CPU BP_MG_WORDS for
 * each thread, which are exact, and of several ranks the first thread's are all ranks' (abi/ranks.h). Kernels for
 * ranks of GPUs have such words, too, of each block, and those of all ranks from BP_MG_TOTALS on. */
enum {
  BP_MG_RR,
  BP_MG_RZ,
  BP_MG_ZAP,
  BP_MG_PAP,
  BP_MG_SUMS,
  BP_MG_PARTS = 8192,
  BP_MG_WORDS = 16,
  BP_MG_TOTALS = BP_MG_SUMS * BP_MG_PARTS
};

#endif
