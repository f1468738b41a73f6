/* multigrid_transfers.h -- between two levels of degrees, by pencils: for multigrid.h alone.
 *
 * A block has TOGETHER elements, of each NQ x NQ threads with a pencil. Its NQ values are in registers; the loop
 * over the other level's nodes, which the compiler does not know, is outside. Between directions values lie in two
 * buffers of shared memory, rows along r of odd pitch. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_TRANSFERS_H
#define BP_KERNELS_SOLVE_MULTIGRID_TRANSFERS_H

enum { FACE = BP_NQ * BP_NQ, MATRIX_PITCH = (BP_NQ + 3) / 4 * 4, BUFFER = FACE * PITCH };

/* One of the block's threads. */
typedef struct {
  long long e;
  int pencil, i, j; /* pencil = j BP_NQ + i */
  bool is_there;    /* the element is */
  const real *matrix;
  real *a, *b; /* the element's buffers */
  int nc;      /* nodes of the other level along an edge */
} transfer_thread;

/* matrix[c][i]: the next level's function c at node i, of rows of MATRIX_PITCH; a barrier has to follow. */
BP_DEVICE transfer_thread transfer_thread_of(real *shared, const double *numbers,
                                             const real *transfer, int elements, long long first)
{
  transfer_thread t;
  const int group = bp_thread() / FACE;
  t.nc = (int)numbers[BP_MG_COARSE];
  t.e = first + group;
  t.pencil = bp_thread() % FACE;
  t.i = t.pencil % BP_NQ;
  t.j = t.pencil / BP_NQ;
  t.is_there = t.e < elements;
  t.matrix = shared;
  t.a = shared + BP_NQ * MATRIX_PITCH + 2 * group * BUFFER;
  t.b = t.a + BUFFER;
  EACH_HERE(n, BP_NQ * t.nc)
  shared[n / BP_NQ * MATRIX_PITCH + n % BP_NQ] = transfer[n % BP_NQ * t.nc + n / BP_NQ];
  return t;
}

/* Where surface node m of an element lies in a buffer, and node n inside. */
BP_DEVICE int in_buffer(int place)
{
  return place / BP_NQ * PITCH + place % BP_NQ;
}

/* out[c] = sum over i of matrix[c][i] x[i] */
BP_DEVICE void pencil_down(const transfer_thread *t, const real *x, real *out, int step)
{
  for (int c = 0; c < t->nc; ++c) {
    real sum = 0;
    BP_UNROLL
    for (int i = 0; i < BP_NQ; ++i)
      sum += t->matrix[c * MATRIX_PITCH + i] * x[i];
    out[c * step] = sum;
  }
}

/* out[i] = sum over c of matrix[c][i] in[c] */
BP_DEVICE void pencil_up(const transfer_thread *t, const real *in, int in_step, real *out, int step)
{
  real sum[BP_NQ];
  BP_UNROLL
  for (int i = 0; i < BP_NQ; ++i)
    sum[i] = 0;
  for (int c = 0; c < t->nc; ++c) {
    const real y = in[c * in_step];
    BP_UNROLL
    for (int i = 0; i < BP_NQ; ++i)
      sum[i] += t->matrix[c * MATRIX_PITCH + i] * y;
  }
  BP_UNROLL
  for (int i = 0; i < BP_NQ; ++i)
    out[i * step] = sum[i];
}

BP_DEVICE void load_pencil(const real *from, int step, real *x)
{
  BP_UNROLL
  for (int i = 0; i < BP_NQ; ++i)
    x[i] = from[i * step];
}

/* Whether surface node m's unknown, fixed or not, belongs to the element: it is the first that has it. */
BP_DEVICE bool owns(const int *first, long long e, int m, int id)
{
  return (id < 0 ? ~id : id) >= first[3 * e + (m >= EDGES_AT) + (m >= CORNERS_AT)];
}

/* What is left of b without A x, which elements have: each unknown's b goes with the element that owns
 * it, A x with all of them. Functions of the next level are 0 where unknowns are fixed. */
BP_KERNEL_BOUNDED(restrict_residual, BP_NQ *BP_NQ *TOGETHER, 0)
{
  BP_DYNAMIC_SHARED(real, shared);
  const transfer_thread t = transfer_thread_of(shared, row_of(schedule, row), transfer, elements,
                                               (long long)blockIdx.x * TOGETHER);
  const int nc = t.nc;
  real values[BP_NQ];
  for (int f = 0; f < BP_FIELDS; ++f) {
    const size_t e = f * BP_MG_ELEMENTS((size_t)elements) + t.e;
    const real *const from = ap + f * stride, *const taken = element_v + e * NODES;
    for (int m = t.pencil; m < ELEMENT_SURFACE && t.is_there; m += FACE) {
      const int id = ids[t.e * ELEMENT_SURFACE + m];
      t.a[in_buffer(surface_place(m, FACE))] = id >= 0 && owns(first, t.e, m, id) ? from[id] : 0;
    }
    for (int n = t.pencil; n < ELEMENT_INNER && t.is_there; n += FACE)
      t.a[in_buffer(inner_place(n, FACE))] = from[t.e * ELEMENT_INNER + n];
    BP_BARRIER();
    if (t.is_there) { /* along t */
      BP_UNROLL
      for (int k = 0; k < BP_NQ; ++k)
        values[k] = t.a[(k * BP_NQ + t.j) * PITCH + t.i] - taken[k * FACE + t.pencil];
      pencil_down(&t, values, t.b + t.j * PITCH + t.i, BP_NQ * PITCH);
    }
    BP_BARRIER();
    if (t.is_there && t.pencil < nc * BP_NQ) { /* s: here j counts planes */
      load_pencil(t.b + t.j * BP_NQ * PITCH + t.i, PITCH, values);
      pencil_down(&t, values, t.a + t.j * nc * PITCH + t.i, PITCH);
    }
    BP_BARRIER();
    if (t.is_there && t.pencil < nc * nc) { /* r */
      load_pencil(t.a + t.pencil * PITCH, 1, values);
      pencil_down(&t, values, coarse_elements + (e * nc * nc + t.pencil) * nc, 1);
    }
    BP_BARRIER();
  }
}

/* What the element's node has after the transfer; its owner leaves it. r becomes x. */
BP_DEVICE real prolonged(real y, const real *x, real *r, int id, bool is_owner)
{
  y = id < 0 ? 0 : y + x[id];
  if (is_owner)
    r[id < 0 ? ~id : id] = y;
  return y;
}

/* r = x + what the next level has, and as elements have it. */
BP_KERNEL_BOUNDED(prolong, BP_NQ *BP_NQ *TOGETHER, 0)
{
  BP_DYNAMIC_SHARED(real, shared);
  const transfer_thread t = transfer_thread_of(shared, row_of(schedule, row), transfer, elements,
                                               (long long)blockIdx.x * TOGETHER);
  const int nc = t.nc;
  for (int f = 0; f < BP_FIELDS; ++f) {
    const size_t e = f * BP_MG_ELEMENTS((size_t)elements) + t.e;
    for (int n = t.pencil; n < nc * nc * nc && t.is_there; n += FACE)
      t.a[n] = coarse_elements[e * nc * nc * nc + n];
    BP_BARRIER();
    if (t.is_there && t.pencil < nc * nc)
      pencil_up(&t, t.a + t.pencil * nc, 1, t.b + t.pencil * PITCH, 1);
    BP_BARRIER();
    if (t.is_there && t.pencil < nc * BP_NQ)
      pencil_up(&t, t.b + t.j * nc * PITCH + t.i, PITCH, t.a + t.j * BP_NQ * PITCH + t.i, PITCH);
    BP_BARRIER();
    if (t.is_there)
      pencil_up(&t, t.a + t.j * PITCH + t.i, BP_NQ * PITCH, t.b + t.j * PITCH + t.i, BP_NQ * PITCH);
    BP_BARRIER();
    for (int m = t.pencil; m < ELEMENT_SURFACE && t.is_there; m += FACE) {
      const int id = ids[t.e * ELEMENT_SURFACE + m];
      real *const y = t.b + in_buffer(surface_place(m, FACE));
      *y = prolonged(*y, x + f * stride, r + f * stride, id, owns(first, t.e, m, id));
    }
    for (int n = t.pencil; n < ELEMENT_INNER && t.is_there; n += FACE) {
      real *const y = t.b + in_buffer(inner_place(n, FACE));
      *y = prolonged(*y, x + f * stride, r + f * stride, (int)(t.e * ELEMENT_INNER + n), true);
    }
    BP_BARRIER();
    for (int k = 0; k < BP_NQ && t.is_there; ++k)
      element_u[e * NODES + k * FACE + t.pencil] = t.b[(k * BP_NQ + t.j) * PITCH + t.i];
  }
}

#endif
