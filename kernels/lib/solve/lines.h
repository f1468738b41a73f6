/* lines.h -- where the nodes of an element's pencils along t lie in memory: so that v goes there from
 * registers, and p comes. The nodes from k = 1 on lie `step` doubles from each other, among inner nodes or,
 * on an element's sides, among its surface nodes; both ends are surface nodes. */
#ifndef BP_KERNELS_SOLVE_LINES_H
#define BP_KERNELS_SOLVE_LINES_H

#include "lib/solve/batches.h"

typedef struct {
  int begin, step; /* begin: of k = 0, were it one of them; step < 0: -step, on a side */
  int low_end, high_end;
} node_line;

/* That of pencil j NQ + i. */
BP_DEVICE node_line node_line_of(int pencil)
{
  const int i = pencil % BP_NQ, j = pencil / BP_NQ;
  const bool is_inner = i > 0 && i < BP_N && j > 0 && j < BP_N;
  const int side = surface_index(i, j, 1), step = surface_index(i, j, 2) - side;
  node_line line;
  line.begin = is_inner ? (j - 1) * EDGE_INNER + i - 1 - FACE_INNER : side - step;
  line.step = is_inner ? FACE_INNER : -step;
  line.low_end = surface_index(i, j, 0);
  line.high_end = surface_index(i, j, BP_N);
  return line;
}

BP_DEVICE bool line_is_inner(const node_line *line, int k)
{
  return line->step > 0 && k > 0 && k < BP_N;
}

/* Node k among inner nodes or among surface nodes. */
BP_DEVICE int line_node(const node_line *line, int k)
{
  return k == 0      ? line->low_end
         : k == BP_N ? line->high_end
                     : line->begin + k * (line->step > 0 ? line->step : -line->step);
}

/* An element's inner nodes and copies of v, and the diagonal there. */
typedef struct {
  real *inner, *copies;
  const real *diagonal;
} element_places;

BP_DEVICE element_places element_places_of(const iteration *it, int element, int field)
{
  const size_t begin = (size_t)element * ELEMENT_INNER;
  const element_places to = {it->v + field * it->stride + begin,
                             it->copies +
                                 ((size_t)field * it->elements + element) * ELEMENT_SURFACE,
                             it->diagonal + begin};
  return to;
}

/* Stores v of node k; returns its part of v . v if it is inner. */
BP_DEVICE real line_store(const element_places *to, const node_line *line, int k, real x)
{
  const bool is_inner = line_is_inner(line, k);
  const int at = line_node(line, k);
  (is_inner ? to->inner : to->copies)[at] = x;
  return !is_inner ? 0 : BP_JACOBI ? x * x / to->diagonal[at] : x * x;
}

#endif
