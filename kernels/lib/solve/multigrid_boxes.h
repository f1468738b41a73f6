/* multigrid_boxes.h -- Schwarz on a GPU, by fast diagonalisation (solve/schwarz.h): for multigrid.h alone.
 *
 * A block has BOXES of them in shared memory, as many as its threads have pencils for. The weight on the way
 * out is an unknown's, so `smooth` has it. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_BOXES_H
#define BP_KERNELS_SOLVE_MULTIGRID_BOXES_H

/* In shared memory: matrices of all boxes of the block, then their values, rows of odd pitch, so that pencils
 * in any direction lie in different banks. The matrices of a box are as in solve/schwarz.h: rows of whole
 * vectors; those of the next box begin four banks further. */
BP_DEVICE int box_pitch(int side)
{
  return side | 1;
}

BP_DEVICE int matrix_pitch(int side)
{
  return (side + 3) / 4 * 4;
}

BP_DEVICE int matrix_numbers(int side)
{
  return (side + 1) * matrix_pitch(side);
}

BP_DEVICE int matrices_step(int side)
{
  const int count = 3 * matrix_numbers(side);
  return count + (36 - count % 32) % 32;
}

BP_DEVICE real *box_values(real *group, int box, int side)
{
  return group + BOXES * matrices_step(side) + box * side * side * box_pitch(side);
}

#define EACH_OF_BLOCK(n, count) for (int n = bp_thread(); n < (count); n += BOX_THREADS)

/* Two pencils of a box at once, since matrices are read for both, where registers suffice for two. */
enum { HAS_PAIRS = BP_NQ <= 10 };
typedef struct {
  real a[BP_NQ + 2], b[HAS_PAIRS ? BP_NQ + 2 : 1];
} two_pencils;

/* y = s^T x */
BP_DEVICE void into_modes(const real *s, int side, const two_pencils *x, two_pencils *y)
{
  BP_UNROLL
  for (int i = 0; i < side; ++i) {
    BP_UNROLL
    for (int j = 0; j < side; ++j) {
      const real here = s[i * matrix_pitch(side) + j];
      y->a[j] = (i == 0 ? 0 : y->a[j]) + here * x->a[i];
      if (HAS_PAIRS)
        y->b[j] = (i == 0 ? 0 : y->b[j]) + here * x->b[i];
    }
  }
}

/* y = s x, of the element's nodes alone. */
BP_DEVICE void from_modes(const real *s, int side, int layer, const two_pencils *x, two_pencils *y)
{
  BP_UNROLL
  for (int i = layer; i < layer + BP_NQ; ++i) {
    BP_UNROLL
    for (int j = 0; j < side; ++j) {
      const real here = s[i * matrix_pitch(side) + j];
      y->a[i] = (j == 0 ? 0 : y->a[i]) + here * x->a[j];
      if (HAS_PAIRS)
        y->b[i] = (j == 0 ? 0 : y->b[i]) + here * x->b[j];
    }
  }
}

/* Where a pencil begins and its step: of the box along the first direction and so on, then back, of what
 * the element has of those done. */
typedef struct {
  int begin, step;
} box_pencil;

BP_DEVICE int pencils_of(int pass, int side)
{
  return pass <= 2 ? side * side : pass == 3 ? side * BP_NQ : BP_NQ * BP_NQ;
}

BP_DEVICE box_pencil box_pencil_of(int n, int pass, int side, int layer)
{
  const int pitch = box_pitch(side), plane = side * pitch, row = pass == 4 ? BP_NQ : side,
            a = n % row + (pass == 4 ? layer : 0), b = n / row + (pass >= 3 ? layer : 0);
  const box_pencil along_r = {(b * side + a) * pitch, 1}, along_s = {b * plane + a, pitch},
                   along_t = {b * pitch + a, plane};
  return pass == 0 || pass == 4 ? along_r : pass == 2 ? along_t : along_s;
}

/* All boxes, in place: into modes along one direction after the other, the solution of each mode, and
 * back. By all threads, a barrier after each direction. */
BP_DEVICE void solve_modes(real *group, real lambda, int side, int layer)
{
  BP_NO_UNROLL
  for (int pass = 0; pass < 5; ++pass) {
    const int d = pass < 3 ? pass : 4 - pass, pencils = pencils_of(pass, side),
              half = HAS_PAIRS ? (pencils + 1) / 2 : pencils;
    EACH_OF_BLOCK(m, BOXES * half)
    {
      const int n = m % half, other = n + half < pencils ? n + half : n,
                matrix = matrix_numbers(side), values = side * matrix_pitch(side);
      const real *const first = group + m / half * matrices_step(side);
      real *const u = box_values(group, m / half, side);
      const box_pencil a = box_pencil_of(n, pass, side, layer),
                       b = box_pencil_of(other, pass, side, layer);
      two_pencils x, y;
      BP_UNROLL
      for (int i = 0; i < side; ++i) {
        x.a[i] = u[a.begin + i * a.step];
        if (HAS_PAIRS)
          x.b[i] = u[b.begin + i * a.step];
      }
      if (pass <= 2) {
        into_modes(first + d * matrix, side, &x, &y);
        x = y;
      }
      if (pass == 2) { /* along the last direction */
        const real *const r = first + values, *const s = r + matrix, *const t = s + matrix;
        const real at_a = r[n % side] + s[n / side] + lambda,
                   at_b = r[other % side] + s[other / side] + lambda;
        BP_UNROLL
        for (int i = 0; i < side; ++i) {
          x.a[i] *= bp_reciprocal(at_a + t[i]);
          if (HAS_PAIRS)
            x.b[i] *= bp_reciprocal(at_b + t[i]);
        }
      }
      if (pass >= 2) {
        from_modes(first + d * matrix, side, layer, &x, &y);
        x = y;
      }
      const int begin = pass >= 2 ? layer : 0, end = pass >= 2 ? layer + BP_NQ : side;
      BP_UNROLL
      for (int i = 0; i < side; ++i)
        if (i >= begin && i < end) {
          u[a.begin + i * a.step] = x.a[i];
          if (HAS_PAIRS)
            u[b.begin + i * a.step] = x.b[i];
        }
    }
    BP_BARRIER();
  }
}

/* What the boxes of a block come from and go to, of a field. */
typedef struct {
  const real *boxes, *weight, *in;
  const int *nodes;
  const real *far; /* of ranks: nodes that others have; from `stride` on */
  int stride;
  real lambda, *inside, *copies; /* to nodes inside elements, and on their surfaces */
  long long first;               /* of the block's */
  int here;                      /* how many there are */
} box_arrays;

BP_DEVICE void load_matrices(const box_arrays *a, real *group, int side)
{
  const int each = 3 * matrix_numbers(side);
  EACH_OF_BLOCK(n, BOXES * each)
  group[n / each * matrices_step(side) + n % each] =
      n < a->here * each ? a->boxes[a->first * each + n] : 1;
}

BP_DEVICE real box_value(const box_arrays *a, int id, int layer)
{
  if (id < 0)
    return 0;
  if (EXACT_SUMS && id >= a->stride)
    return a->far[id - a->stride];
  return a->in[id] * (layer ? 1 : a->weight[id]);
}

/* Several of a thread's values are on their way at once. */
BP_DEVICE void load_boxes(const box_arrays *a, real *group, int side, int layer)
{
  enum { AT_ONCE = 8 };
  const int each = side * side * side, all = BOXES * each, here = a->here * each;
  const int *const nodes = a->nodes + a->first * each;
  for (int from = bp_thread(); from < all; from += AT_ONCE * BOX_THREADS) {
    int id[AT_ONCE];
    real y[AT_ONCE];
    BP_UNROLL
    for (int m = 0; m < AT_ONCE; ++m)
      id[m] = from + m * BOX_THREADS < here ? nodes[from + m * BOX_THREADS] : -1;
    BP_UNROLL
    for (int m = 0; m < AT_ONCE; ++m)
      y[m] = box_value(a, id[m], layer);
    BP_UNROLL
    for (int m = 0; m < AT_ONCE; ++m) {
      const int n = from + m * BOX_THREADS;
      if (n < all)
        box_values(group, 0, side)[n / side * box_pitch(side) + n % side] = y[m];
    }
  }
}

/* Where node `at` of the element lies in its box. */
BP_DEVICE int in_box(int at, int side, int layer)
{
  const int i = at % BP_NQ, j = at / BP_NQ % BP_NQ, k = at / (BP_NQ * BP_NQ);
  return ((k + layer) * side + j + layer) * box_pitch(side) + i + layer;
}

BP_DEVICE void solve_boxes(const box_arrays *a, real *group, int side, int layer)
{
  load_matrices(a, group, side);
  load_boxes(a, group, side, layer);
  BP_BARRIER();
  solve_modes(group, a->lambda, side, layer);
  EACH_OF_BLOCK(n, a->here * ELEMENT_INNER)
  {
    const int box = n / (ELEMENT_INNER + (ELEMENT_INNER == 0)),
              at = inner_place(n - box * ELEMENT_INNER, BP_NQ * BP_NQ);
    a->inside[a->first * ELEMENT_INNER + n] = box_values(group, box, side)[in_box(at, side, layer)];
  }
  EACH_OF_BLOCK(n, a->here * ELEMENT_SURFACE)
  {
    const int box = n / ELEMENT_SURFACE,
              at = surface_place(n - box * ELEMENT_SURFACE, BP_NQ * BP_NQ);
    a->copies[a->first * ELEMENT_SURFACE + n] =
        box_values(group, box, side)[in_box(at, side, layer)];
  }
  BP_BARRIER();
}

/* The compiler wants to know how large they are. */
BP_KERNEL_BOUNDED(schwarz, BOX_THREADS, BP_NQ <= 8 ? 6 : HAS_PAIRS ? 3 : 0)
{
  BP_DYNAMIC_SHARED(real, group);
  const long long begin = (long long)blockIdx.x * BOXES;
  const double *const numbers = row_of(schedule, row);
  for (int f = 0; f < BP_FIELDS; ++f) {
    const box_arrays arrays = {boxes,
                               diagonal,
                               r + f * stride,
                               box_nodes,
                               sparse_in + f * (long long)numbers[BP_MG_BEFORE],
                               (int)stride,
                               (real)lambda,
                               applied + f * stride,
                               copies + f * (long long)elements * ELEMENT_SURFACE,
                               begin,
                               min(BOXES, (int)(elements - begin))};
    if (numbers[BP_MG_COARSE] != 0)
      solve_boxes(&arrays, group, BP_NQ + 2, 1);
    else
      solve_boxes(&arrays, group, BP_NQ, 0);
  }
}

#endif
