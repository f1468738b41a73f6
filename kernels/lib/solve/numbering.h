/* numbering.h -- where an element's nodes lie: fem/unknowns.h as kernels see it.
 *
 * size: edge_inner = degree - 1 -- nodes inside an edge
 * size: face_inner = edge_inner * edge_inner -- inside a face
 * size: element_inner = face_inner * edge_inner -- inside an element
 * size: element_surface = nq*nq*nq - element_inner -- the others: those in faces, then those in edges, then corners */
#ifndef BP_KERNELS_SOLVE_NUMBERING_H
#define BP_KERNELS_SOLVE_NUMBERING_H

#include "lib/operator/element.h"

enum {
  EDGES_AT = 6 * FACE_INNER, /* among surface nodes */
  CORNERS_AT = EDGES_AT + 12 * EDGE_INNER
};

/* Where each kind of unknown ends in a vector, and the doubles from field to field, a multiple of 16. */
typedef struct {
  int inner, faces, edges, all;
  long long stride;
} unknown_kinds;

/* k plane + j BP_NQ + i of surface node m of an element. */
BP_DEVICE int surface_place(int m, int plane)
{
  const int along[3] = {1, BP_NQ, plane};
  int d, at, rest;
  if (m < EDGES_AT) {
    const int f = m / (FACE_INNER + (FACE_INNER == 0)), low = f < 2 ? BP_NQ : 1,
              high = f < 4 ? plane : BP_NQ;
    d = f / 2;
    rest = m - f * FACE_INNER;
    at = (rest % (EDGE_INNER + (EDGE_INNER == 0)) + 1) * low +
         (rest / (EDGE_INNER + (EDGE_INNER == 0)) + 1) * high;
    return at + f % 2 * BP_N * along[d];
  }
  if (m < CORNERS_AT) {
    const int q = (m - EDGES_AT) / (EDGE_INNER + (EDGE_INNER == 0));
    d = q / 4;
    rest = m - EDGES_AT - q * EDGE_INNER + 1;
    return rest * along[d] + q % 2 * BP_N * (d == 0 ? BP_NQ : 1) +
           q / 2 % 2 * BP_N * (d == 2 ? BP_NQ : plane);
  }
  m -= CORNERS_AT;
  return BP_N * (m % 2 + m / 2 % 2 * BP_NQ + m / 4 * plane);
}

/* Which surface node (i, j, k) is of an element of degree n, the inverse of surface_place. */
BP_DEVICE int surface_index_of(int n, int i, int j, int k)
{
  const int at[3] = {i, j, k}, edge = n - 1, face = edge * edge, edges_at = 6 * face;
  int ends = 0, bits = 0, rest = 0, scale = 1, d_end = 0, d_inside = 0;
  BP_UNROLL
  for (int d = 0; d < 3; ++d) {
    if (at[d] == 0 || at[d] == n) {
      bits |= (at[d] == n) << ends++;
      d_end = d;
    } else {
      rest += (at[d] - 1) * scale;
      scale = edge;
      d_inside = d;
    }
  }
  return ends == 1   ? (2 * d_end + bits) * face + rest
         : ends == 2 ? edges_at + (4 * d_inside + bits) * edge + rest
                     : edges_at + 12 * edge + bits;
}

BP_DEVICE int surface_index(int i, int j, int k)
{
  return surface_index_of(BP_N, i, j, k);
}

/* The same as surface_place of inner node n. */
BP_DEVICE int inner_place(int n, int plane)
{
  const int side = EDGE_INNER > 0 ? EDGE_INNER : 1;
  return (n / (side * side) + 1) * plane + (n / side % side + 1) * BP_NQ + n % side + 1;
}

#endif
