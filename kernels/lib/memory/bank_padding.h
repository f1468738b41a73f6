/* bank_padding.h -- strides of shared-memory buffers between two passes of pencils along different
 * directions, such that neighbouring threads access neighbouring banks in both passes.
 *
 * 128 bytes fill all banks. Buffer XY lies between the passes along X and Y: XY_I, XY_J and XY_K are its strides along
 * r, s and t, the size buffer_xy is its length for one element. Pencil p of an element lies along t at i = p % BP_NQ,
 * along s at S_I(p), S_K(p), along r at R_J(p), R_K(p).
 *
 * Pencils along r take their factors, which decides how they are numbered: factors of the order ecijk want those of one
 * k side by side (rows_by_j 0), others those of one j if BP_NC is odd (rows_by_j 1, see ROWS_BY_J).
 *
 * size: buffer_ts = same_bank(nc * (nq % 2 == 0 ? nq*nq : same_bank(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq) -- t, s
 * size: buffer_sr = same_bank(nc * (nq % 2 == 0 && nc % 2 == 0 ? same_bank(nc*nq, nc) : nc*nq), nc*nq) -- s, r
 * size: buffer_sr_ecijk = same_bank(nc * (nq % 2 == 0 ? same_bank(nc*nq, nc) : nc*nq), nc*nq) -- s, r by k
 * size: buffer_rt = same_bank(nc * (nc % 2 == 1 ? nc*nc : same_bank(nc*nc, 1)), nc*nc) -- r, t, points only
 * size: buffer_st = same_bank(nc * same_bank(nc*nc, nc), nc*nc) -- s, t, points only */
#ifndef BP_KERNELS_BANK_PADDING_H
#define BP_KERNELS_BANK_PADDING_H

#include "abi/gpu.h"

/* The least number from `least` on that lies in the bank of `bank`; same_bank(least, bank) in headers. */
#define BANKS                  (128 / (int)sizeof(real))
#define SAME_BANK(least, bank) ((least) + (((bank) - (least)) % BANKS + BANKS) % BANKS)

enum {
  ROWS_BY_J = BP_NC % 2 == 1,
  /* Pencils along s between nodes i: those of one i side by side, else those of one k. */
  S_BY_I = BP_NQ % 2 == 0,

  /* t and s: points k, nodes j, nodes i */
  TS_I = S_BY_I ? BP_NC : 1,
  TS_J = S_BY_I ? BP_NC * BP_NQ : BP_NQ,
  TS_K = S_BY_I ? 1 : SAME_BANK(BP_NQ * BP_NQ, BP_NQ),

  /* s and t: points only, rows of BP_NC */
  ST_K = SAME_BANK(BP_NC * BP_NC, BP_NC)
};

/* s and r: points k, points j, nodes i */
#define SR_I(rows_by_j) (!S_BY_I ? 1 : (rows_by_j) ? BP_NC * BP_NC : BP_NC)
#define SR_J(rows_by_j)                                                                            \
  (!S_BY_I ? BP_NC * BP_NQ : (rows_by_j) ? 1 : SAME_BANK(BP_NC * BP_NQ, BP_NC))
#define SR_K(rows_by_j) (!S_BY_I ? BP_NQ : (rows_by_j) ? BP_NC : 1)

/* r and t: points only, rows of BP_NC */
#define RT_K(rows_by_j) ((rows_by_j) ? BP_NC * BP_NC : SAME_BANK(BP_NC * BP_NC, 1))

#define S_I(p)            (S_BY_I ? (p) / BP_NC : (p) % BP_NQ)
#define S_K(p)            (S_BY_I ? (p) % BP_NC : (p) / BP_NQ)
#define R_J(rows_by_j, p) ((rows_by_j) ? (p) % BP_NC : (p) / BP_NC)
#define R_K(rows_by_j, p) ((rows_by_j) ? (p) / BP_NC : (p) % BP_NC)

#endif
