/* bp30_groups.h -- BP3.0 with one element per SIMD lane: sizes, and how far ahead arrays are asked for. */
#ifndef BP_KERNELS_BP30_GROUPS_H
#define BP_KERNELS_BP30_GROUPS_H

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  C2 = C * C,
  NODES = Q * Q2,
  POINTS = C * C2,
  PLANE_Q = Q2 + (Q % 8 == 0), /* so that a line along k does not fall into one set of the cache */
  PLANE = C2 + (C % 8 == 0),
  /* Vectors of factors asked for per line of nodes. While a group's factors fit into the second-level
   * cache beside everything else, all contractions share the work, else those among the slabs that use
   * them, AHEAD_SLAB for each row of a slab. LEAD is what the last contractions have asked for when the next
   * group begins. */
  LINES_BEFORE = Q2 + C * (Q + C) + C2,
  AHEAD = 4096 / LINES_BEFORE < C / 2 ? 4096 / LINES_BEFORE : C / 2,
  LEAD = AHEAD * LINES_BEFORE + 512,
  AHEAD_SLAB = (7 * POINTS - 2 * AHEAD * LINES_BEFORE + C2 - 1) / C2,
  AHEAD_SLAB_U = (NODES + C2 - 1) / C2, /* of the next group's u, likewise */
  LEAD_U = NODES < 256 ? 256 : NODES,
  G = 7,
};

#endif
