/* bank_padding.h -- where passes of pencils along different directions hand values to each other in shared
 * memory: for each two directions, steps such that threads side by side meet banks side by side in both passes.
 *
 * An element's p-th pencil along t lies at i = p % BP_NQ, those along s and r where S_I(p) .. R_K(p) say. XY_I, XY_J and
 * XY_K are the steps of the room between directions X and Y, XY the one from element to element. 16 doubles fill all
 * banks. */
#ifndef BP_KERNELS_CROSSING_H
#define BP_KERNELS_CROSSING_H

#include "abi/gpu.h"

/* Whether a kernel's pencils along r meet their factors in the order ecijk. */
#ifndef BANKS_ECIJK
#define BANKS_ECIJK (BP_COMPONENTS == 1)
#endif

/* The least number from `least` on that is `like` but for multiples of 16. */
#define SAME_BANK(least, like) ((least) + (((like) - (least)) % 16 + 16) % 16)

enum {
  /* Pencils along s between nodes i: those of one i side by side, else those of one k. */
  K_FIRST = BP_NQ % 2 == 0,
  /* Pencils along r: those of one k side by side, else those of one j, as factors lie in the order ecijk. */
  J_FIRST = !BANKS_ECIJK && BP_NC % 2 == 1,

  /* t and s: points k, nodes j, nodes i */
  TS_I = K_FIRST ? BP_NC : 1,
  TS_J = K_FIRST ? BP_NC * BP_NQ : BP_NQ,
  TS_K = K_FIRST ? 1 : SAME_BANK(BP_NQ * BP_NQ, BP_NQ),
  TS_LENGTH = BP_NC * (K_FIRST ? BP_NQ * BP_NQ : (int)TS_K),
  TS = SAME_BANK((int)TS_LENGTH, (K_FIRST ? BP_NC : BP_NQ) * BP_NQ),

  /* s and r: points k, points j, nodes i */
  SR_I = !K_FIRST  ? 1
         : J_FIRST ? BP_NC * BP_NC
                   : BP_NC,
  SR_J = !K_FIRST  ? BP_NC * BP_NQ
         : J_FIRST ? 1
                   : SAME_BANK(BP_NC * BP_NQ, BP_NC),
  SR_K = !K_FIRST  ? BP_NQ
         : J_FIRST ? BP_NC
                   : 1,
  SR_LENGTH = BP_NC * (K_FIRST && J_FIRST ? BP_NC * BP_NQ : (int)SR_J),
  SR = SAME_BANK((int)SR_LENGTH, BP_NC *BP_NQ),

  /* points only, rows of BP_NC: r and t, and s and t */
  RT_K = J_FIRST ? BP_NC * BP_NC : SAME_BANK(BP_NC * BP_NC, 1),
  RT = SAME_BANK(BP_NC * (int)RT_K, BP_NC *BP_NC),
  ST_K = SAME_BANK(BP_NC * BP_NC, BP_NC),
  ST = SAME_BANK(BP_NC * (int)ST_K, BP_NC *BP_NC)
};

#define S_I(p) (K_FIRST ? (p) / BP_NC : (p) % BP_NQ)
#define S_K(p) (K_FIRST ? (p) % BP_NC : (p) / BP_NQ)
#define R_J(p) (J_FIRST ? (p) % BP_NC : (p) / BP_NC)
#define R_K(p) (J_FIRST ? (p) / BP_NC : (p) % BP_NC)

#endif
