/* multigrid_boxes.h -- Schwarz on a GPU, by fast diagonalisation (solve/schwarz.h): for multigrid.h alone.
 *
 * A block has BOXES of them, side by side in shared memory: each its three matrices, its eigenvalues, its values. The
 * weight on the way out is an unknown's, so `smooth` has it. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_BOXES_H
#define BP_KERNELS_SOLVE_MULTIGRID_BOXES_H

/* The box of an element in shared memory: rows of odd pitch, so that pencils in any direction lie in
 * different banks; its matrices have rows of whole vectors. */
BP_DEVICE int box_pitch(int side)
{
  return side | 1;
}

BP_DEVICE int matrix_pitch(int side)
{
  return (side + 3) / 4 * 4;
}

BP_DEVICE int box_numbers(int side)
{
  return 3 * side * (matrix_pitch(side) + 1) + side * side * box_pitch(side);
}

BP_DEVICE real *box_values(real *box, int side)
{
  return box + 3 * side * (matrix_pitch(side) + 1);
}

/* Where the node of an element lies in its box that is at `place` in the element. */
BP_DEVICE int in_box(int place, int side, int layer)
{
  const int i = place % BP_NQ, j = place / BP_NQ % BP_NQ, k = place / (BP_NQ * BP_NQ);
  return ((k + layer) * side + j + layer) * box_pitch(side) + i + layer;
}

/* And node n of those beyond its faces, [face][b][a]. */
BP_DEVICE int beyond_box(int n, int side)
{
  const int face = n / (BP_NQ * BP_NQ), a = n % BP_NQ + 1, b = n / BP_NQ % BP_NQ + 1, d = face / 2,
            end = face % 2 * (side - 1), pitch = box_pitch(side);
  return d == 0   ? (b * side + a) * pitch + end
         : d == 1 ? (b * side + end) * pitch + a
                  : (end * side + b) * pitch + a;
}

/* Two pencils of a box at once, since matrices are read for both, where registers suffice for two. */
enum { IS_PAIRED = BP_NQ <= 10 };
typedef struct {
  real a[BP_NQ + 2], b[IS_PAIRED ? BP_NQ + 2 : 1];
} two_pencils;

/* y = s x, or with s transposed: rows of s are read either way. */
BP_DEVICE void change_modes(const real *s, int side, bool is_transposed, const two_pencils *x,
                            two_pencils *y)
{
  BP_UNROLL
  for (int i = 0; i < side; ++i) {
    BP_UNROLL
    for (int j = 0; j < side; ++j) {
      const real here = s[i * matrix_pitch(side) + j];
      const int to = is_transposed ? j : i, from = is_transposed ? i : j;
      const bool is_first = is_transposed ? i == 0 : j == 0;
      y->a[to] = (is_first ? 0 : y->a[to]) + here * x->a[from];
      if (IS_PAIRED)
        y->b[to] = (is_first ? 0 : y->b[to]) + here * x->b[from];
    }
  }
}

/* Where pencil n along d begins, and its step. */
BP_DEVICE int pencil_begin(int n, int side, int d)
{
  const int a = n % side, b = n / side, pitch = box_pitch(side);
  return d == 0 ? n * pitch : d == 1 ? b * side * pitch + a : b * pitch + a;
}

BP_DEVICE int pencil_step(int side, int d)
{
  return d == 0 ? 1 : d == 1 ? box_pitch(side) : side * box_pitch(side);
}

/* All boxes, in place: into modes along one direction after the other, the solution of each mode, and
 * back. By all threads, a barrier after each direction. */
BP_DEVICE void solve_modes(real *group, real lambda, int side)
{
  const int pencils = side * side, half = IS_PAIRED ? (pencils + 1) / 2 : pencils;
  BP_NO_UNROLL
  for (int pass = 0; pass < 5; ++pass) {
    const int d = pass < 3 ? pass : 4 - pass, step = pencil_step(side, d);
    EACH_HERE(m, BOXES * half)
    {
      const int n = m % half, other = n + half < pencils ? n + half : n;
      real *const box = group + m / half * box_numbers(side), *const u = box_values(box, side),
                  *const a = u + pencil_begin(n, side, d),
                  *const b = u + pencil_begin(other, side, d);
      const real *const s = box + d * side * matrix_pitch(side), *const values =
                                                                     box +
                                                                     3 * side * matrix_pitch(side);
      two_pencils x, y;
      BP_UNROLL
      for (int i = 0; i < side; ++i) {
        x.a[i] = a[i * step];
        if (IS_PAIRED)
          x.b[i] = b[i * step];
      }
      if (pass <= 2) {
        change_modes(s, side, true, &x, &y);
        x = y;
      }
      if (pass == 2) { /* along the last direction */
        const real at_a = values[n % side] + values[side + n / side] + lambda,
                   at_b = values[other % side] + values[side + other / side] + lambda;
        BP_UNROLL
        for (int i = 0; i < side; ++i) {
          x.a[i] /= at_a + values[2 * side + i];
          if (IS_PAIRED)
            x.b[i] /= at_b + values[2 * side + i];
        }
      }
      if (pass >= 2) {
        change_modes(s, side, false, &x, &y);
        x = y;
      }
      BP_UNROLL
      for (int i = 0; i < side; ++i) {
        a[i * step] = x.a[i];
        if (IS_PAIRED)
          b[i * step] = x.b[i];
      }
    }
    BP_BARRIER();
  }
}

/* What the boxes of a block come from and go to, of a field. */
typedef struct {
  const real *boxes, *weight, *in;
  const int *ids, *beyond;
  real lambda, *out;
  long long elements, first; /* all of them; the block's */
} box_arrays;

/* Their matrices, and zeros where a layer has edges and corners. */
BP_DEVICE void load_matrices(const box_arrays *a, real *group, int side, int layer)
{
  const int each = side * side + side;
  EACH_HERE(n, BOXES * 3 * each)
  {
    const int box = n / (3 * each), d = n / each % 3, at = n % each;
    real *const to = group + box * box_numbers(side);
    to[at < side * side ? (d * side + at / side) * matrix_pitch(side) + at % side
                        : (3 * matrix_pitch(side) + d - side) * side + at] =
        a->first + box < a->elements ? a->boxes[a->first * 3 * each + n] : 1;
  }
  EACH_HERE(n, layer ? BOXES * side * side * side : 0)
  {
    const int box = n / (side * side * side), at = n % (side * side * side);
    box_values(group + box * box_numbers(side), side)[at / side * box_pitch(side) + at % side] = 0;
  }
}

BP_DEVICE void load_boxes(const box_arrays *a, real *group, int side, int layer)
{
  EACH_HERE(n, BOXES * ELEMENT_SURFACE)
  {
    const int box = n / ELEMENT_SURFACE, m = n % ELEMENT_SURFACE;
    const int id = a->first + box < a->elements ? a->ids[a->first * ELEMENT_SURFACE + n] : -1;
    box_values(group + box * box_numbers(side),
               side)[in_box(surface_place(m, BP_NQ * BP_NQ), side, layer)] =
        id < 0 ? 0 : a->in[id] * (layer ? 1 : a->weight[id]);
  }
  EACH_HERE(n, BOXES * ELEMENT_INNER)
  {
    const int each = ELEMENT_INNER > 0 ? ELEMENT_INNER : 1, box = n / each;
    box_values(group + box * box_numbers(side),
               side)[in_box(inner_place(n % each, BP_NQ * BP_NQ), side, layer)] =
        a->first + box < a->elements ? a->in[a->first * ELEMENT_INNER + n] : 0;
  }
  EACH_HERE(n, layer ? BOXES * 6 * BP_NQ * BP_NQ : 0)
  {
    const int each = 6 * BP_NQ * BP_NQ, box = n / each;
    const int id = a->first + box < a->elements ? a->beyond[a->first * each + n] : -1;
    box_values(group + box * box_numbers(side), side)[beyond_box(n % each, side)] =
        id < 0 ? 0 : a->in[id];
  }
}

BP_DEVICE void solve_boxes(const box_arrays *a, real *group, int side, int layer)
{
  load_matrices(a, group, side, layer);
  BP_BARRIER();
  load_boxes(a, group, side, layer);
  BP_BARRIER();
  solve_modes(group, a->lambda, side);
  EACH_HERE(n, BOXES * NODES)
  {
    const int box = n / NODES;
    if (a->first + box < a->elements)
      a->out[a->first * NODES + n] =
          box_values(group + box * box_numbers(side), side)[in_box(n % NODES, side, layer)];
  }
  BP_BARRIER();
}

/* The compiler wants to know how large they are. */
BP_KERNEL_BOUNDED(schwarz, 64, BP_NQ <= 8 ? 10 : IS_PAIRED ? 8 : 0)
{
  BP_DYNAMIC_SHARED(real, group);
  for (int f = 0; f < BP_FIELDS; ++f) {
    const box_arrays arrays = {boxes,
                               diagonal,
                               r + f * stride,
                               ids,
                               beyond,
                               (real)lambda,
                               element_v + f * BP_MG_ELEMENTS((size_t)elements) * NODES,
                               elements,
                               (long long)blockIdx.x * BOXES};
    if (row_of(schedule, row)[BP_MG_COARSE] != 0)
      solve_boxes(&arrays, group, BP_NQ + 2, 1);
    else
      solve_boxes(&arrays, group, BP_NQ, 0);
  }
}

#endif
