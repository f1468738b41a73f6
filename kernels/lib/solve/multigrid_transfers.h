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

/* The first of all ranks'; the unknown is free. */
BP_DEVICE bool owns_of_all(const unsigned *starts, const unsigned *copied, long long e, int m,
                           int id, int inner)
{
  return copied[starts[id - inner]] == e * ELEMENT_SURFACE + m;
}

/* Where a node of the next level lies: `inside` or `surface` of its element. */
typedef struct {
  bool is_inside;
  int index;
} coarse_node;

BP_DEVICE coarse_node coarse_node_of(int n, int nc)
{
  const int i = n % nc, j = n / nc % nc, k = n / (nc * nc), last = nc - 1;
  coarse_node c;
  c.is_inside = i > 0 && i < last && j > 0 && j < last && k > 0 && k < last;
  c.index = c.is_inside ? ((k - 1) * (nc - 2) + j - 1) * (nc - 2) + i - 1
                        : surface_index_of(last, i, j, k);
  return c;
}

BP_DEVICE int coarse_inner(int nc)
{
  return (nc - 2) * (nc - 2) * (nc - 2);
}

/* What is left of b without A x, which is in `applied` and copies[]: each unknown's b goes with the
 * element that owns it, A x with all of them. Functions of the next level are 0 where unknowns are fixed. */
BP_KERNEL_BOUNDED(restrict_residual, BP_NQ *BP_NQ *TOGETHER, 0)
{
  BP_DYNAMIC_SHARED(real, shared);
  const double *const numbers = row_of(schedule, row);
  const transfer_thread t =
      transfer_thread_of(shared, numbers, transfer, elements, (long long)blockIdx.x * TOGETHER);
  const int nc = t.nc, nodes = nc * nc * nc, inside = coarse_inner(nc);
  const long long coarse_stride = (long long)numbers[BP_MG_BEFORE];
  real values[BP_NQ];
  for (int f = 0; f < BP_FIELDS; ++f) {
    const real *const from = ap + f * stride, *const taken = applied + f * stride,
                      *const of = copies + (f * (size_t)elements + t.e) * ELEMENT_SURFACE;
    for (int m = t.pencil; m < ELEMENT_SURFACE && t.is_there; m += FACE) {
      const int id = ids[t.e * ELEMENT_SURFACE + m];
      const bool is_own = id >= 0 && (EXACT_SUMS ? owns_of_all(starts, copied, t.e, m, id, inner)
                                                 : owns(first, t.e, m, id));
      t.a[in_buffer(surface_place(m, FACE))] = (is_own ? from[id] : 0) - of[m];
    }
    for (int n = t.pencil; n < ELEMENT_INNER && t.is_there; n += FACE)
      t.a[in_buffer(inner_place(n, FACE))] =
          from[t.e * ELEMENT_INNER + n] - taken[t.e * ELEMENT_INNER + n];
    BP_BARRIER();
    if (t.is_there) { /* along t */
      load_pencil(t.a + t.j * PITCH + t.i, BP_NQ * PITCH, values);
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
      pencil_down(&t, values, t.b + t.pencil * nc, 1);
    }
    BP_BARRIER();
    for (int n = t.pencil; n < nodes && t.is_there; n += FACE) {
      const coarse_node c = coarse_node_of(n, nc);
      if (c.is_inside)
        coarse_vector[f * coarse_stride + t.e * inside + c.index] = t.b[n];
      else
        coarse_copies[(f * (size_t)elements + t.e) * (nodes - inside) + c.index] = t.b[n];
    }
    BP_BARRIER();
  }
}

/* r = x + what the next level has. */
BP_KERNEL_BOUNDED(prolong, BP_NQ *BP_NQ *TOGETHER, 0)
{
  BP_DYNAMIC_SHARED(real, shared);
  const double *const numbers = row_of(schedule, row);
  const transfer_thread t =
      transfer_thread_of(shared, numbers, transfer, elements, (long long)blockIdx.x * TOGETHER);
  const int nc = t.nc, nodes = nc * nc * nc, inside = coarse_inner(nc);
  const long long coarse_stride = (long long)numbers[BP_MG_BEFORE];
  for (int f = 0; f < BP_FIELDS; ++f) {
    const real *const below = coarse_vector + f * coarse_stride, *const from = x + f * stride;
    real *const to = r + f * stride;
    for (int n = t.pencil; n < nodes && t.is_there; n += FACE) {
      const coarse_node c = coarse_node_of(n, nc);
      const int id =
          c.is_inside ? (int)t.e * inside + c.index : coarse_ids[t.e * (nodes - inside) + c.index];
      t.a[n] = id < 0 ? 0 : below[id];
    }
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
      if (owns(first, t.e, m, id)) /* what is fixed stays 0 */
        to[id < 0 ? ~id : id] = id < 0 ? 0 : from[id] + t.b[in_buffer(surface_place(m, FACE))];
    }
    for (int n = t.pencil; n < ELEMENT_INNER && t.is_there; n += FACE) {
      const size_t id = t.e * ELEMENT_INNER + n;
      to[id] = from[id] + t.b[in_buffer(inner_place(n, FACE))];
    }
    BP_BARRIER();
  }
}

#endif
