/* vectors.h -- what passes over whole vectors in a two-kernel solve: r = r - alpha A p with r . r, x, the
 * beginning and the end. Threads of a block: VECTOR_THREADS in line; grids of any size.
 *
 * With a preconditioner (BP_JACOBI) the vector r holds z = r / diagonal instead: kernels that read it
 * take what they want, p = z + beta p, and only this file divides.
 *
 * A kernel file has the option history (at most 16), update_blocks, and the sizes kept (directions,
 * below) and surface_atomic of batches.h. Vectors are BP_FIELDS components, `stride` from one to the next
 * (a multiple of 16 reals, at least the number of unknowns); what lies between components is 0. p has
 * KEPT such vectors: that of iteration k is number k % KEPT. x is updated after every KEPT-th iteration,
 * by all of them at once, which moves (2 + KEPT) / KEPT reals per unknown and iteration instead of 3. */
#ifndef BP_KERNELS_SOLVE_VECTORS_H
#define BP_KERNELS_SOLVE_VECTORS_H

#include "lib/solve/numbering.h"
#include "lib/solve/sums.h"

enum {
  VECTOR_THREADS = 256,
  VECTOR_TURNS = 4, /* what a thread loads at once: packs, or unknowns inside faces */
  CHUNK = VECTOR_THREADS * VECTOR_TURNS,
  IS_PAIRED =
      EXACT_SUMS && ELEMENT_INNER % 2 == 0 /* two in a row are of one element, on any rank; then
                                              * elements have whole packs */
};

/* r - alpha v of an unknown where the diagonal is d. */
BP_DEVICE real residual_after(real r, real v, real alpha, real d)
{
  return BP_JACOBI ? r - alpha * v / d : r - alpha * v;
}

/* r -= alpha v for a chunk of packs, from the n-th on. Where v was added up by atomic operations it is
 * 0 again from pack `zero` on. */
BP_DEVICE void update_packs(real_pack *r, real_pack *v, const real_pack *d, int n, int packs,
                            int zero, real alpha, residual_sums *sums)
{
  real_pack a[VECTOR_TURNS], b[VECTOR_TURNS], e[VECTOR_TURNS];
  BP_UNROLL
  for (int t = 0; t < VECTOR_TURNS; ++t)
    if (n + t * VECTOR_THREADS < packs) {
      a[t] = r[n + t * VECTOR_THREADS];
      b[t] = bp_load_streaming(v + n + t * VECTOR_THREADS);
      e[t] = BP_JACOBI ? d[n + t * VECTOR_THREADS] : pack_of(1);
    }
  BP_UNROLL
  for (int t = 0; t < VECTOR_TURNS; ++t)
    if (n + t * VECTOR_THREADS < packs) {
      real *const x = (real *)&a[t];
      const real *const y = (const real *)&b[t], *const z = (const real *)&e[t];
      BP_UNROLL
      for (int i = 0; i < PACK; ++i)
        x[i] = residual_after(x[i], y[i], alpha, z[i]);
      r[n + t * VECTOR_THREADS] = a[t];
      if (SURFACE_ATOMIC && n + t * VECTOR_THREADS >= zero)
        v[n + t * VECTOR_THREADS] = pack_of(0);
      if (IS_PAIRED) {
        BP_UNROLL
        for (int i = 0; i < PACK; i += 2)
          sums_add_pair(sums, x + i, z + i);
      } else {
        BP_UNROLL
        for (int i = 0; i < PACK; ++i)
          sums_add(sums, x[i], z[i]);
      }
    }
}

/* Surface unknowns, r[n] and slots alike counted from the first of their kind. Each has as many slots as
 * elements meet there on most meshes, 2 in faces, 4 in edges, 8 at vertices: places in copies[], then
 * NO_COPY. Where more elements meet, the first slot is MORE + s, and their places are copied[starts[s]]
 * .. copied[starts[s + 1] - 1]. Slots come in pairs. */
enum { NO_COPY = -1 };
#define MORE 0x80000000u

typedef unsigned long long slot_pair;

typedef struct {
  const slot_pair *slots;
  const unsigned *starts, *copied;
  const real *copies;
  /* For ranks: places from `own` on are other ranks' copies, BP_FIELDS of each side by side. */
  const double *inbox;
  unsigned own;
} surface_lists;

BP_DEVICE surface_lists surface_lists_of(const solve_arrays *a)
{
  surface_lists l;
  l.slots = (const slot_pair *)a->copy_slots;
  l.starts = a->starts;
  l.copied = a->copied;
  l.copies = a->copies;
  l.inbox = EXACT_SUMS ? mail_inbox(a->mail, a->inbox, 0) : 0;
  l.own = (unsigned)a->elements * ELEMENT_SURFACE;
  return l;
}

BP_DEVICE unknown_kinds unknown_kinds_of(const solve_arrays *a)
{
  unknown_kinds u;
  u.inner = a->inner;
  u.faces = a->faces_end;
  u.edges = a->edges_end;
  u.all = a->unknowns;
  u.stride = a->stride;
  return u;
}

BP_DEVICE real copy_value(const surface_lists *l, unsigned place, const real *copies, int field)
{
  if (EXACT_SUMS && place >= l->own)
    return (real)l->inbox[(size_t)(place - l->own) * BP_FIELDS + field];
  return copies[place];
}

BP_DEVICE real slot_value(const surface_lists *l, unsigned slot, const real *copies, int field)
{
  return slot < MORE ? copy_value(l, slot, copies, field) : 0;
}

/* A p of an unknown with that first slot, where more elements meet than there are slots. */
BP_DEVICE real surface_sum_all(const surface_lists *l, const real *copies, int field, unsigned slot)
{
  const unsigned s = slot - MORE;
  real v = 0;
  for (unsigned n = l->starts[s]; n < l->starts[s + 1]; ++n)
    v += copy_value(l, l->copied[n], copies, field);
  return v;
}

/* One of the ranks that have an unknown counts it: the one that has its first copy. */
BP_DEVICE bool is_counted(const surface_lists *l, unsigned slot)
{
  return !EXACT_SUMS || (slot < MORE ? slot : l->copied[l->starts[slot - MORE]]) < l->own;
}

/* v = A p of `turns` unknowns, n, n + VECTOR_THREADS, .., with `pairs` pairs of slots each; bit t of the
 * result: that of turn t is there and not fixed; bit t of *counted: this rank has it in its sums. */
BP_DEVICE unsigned surface_values(int turns, int pairs, const surface_lists *l,
                                  const slot_pair *slots, const real *copies, int field, int n,
                                  int count, real *v, unsigned *counted)
{
  slot_pair w[VECTOR_TURNS][4];
  unsigned is_free = 0;
  *counted = 0;
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    const int at = n + t * VECTOR_THREADS;
    BP_UNROLL
    for (int c = 0; c < pairs; ++c)
      w[t][c] = at < count ? slots[(size_t)at * pairs + c] : (slot_pair)NO_COPY;
  }
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    v[t] = 0;
    BP_UNROLL
    for (int c = 0; c < pairs; ++c)
      v[t] += slot_value(l, (unsigned)w[t][c], copies, field) +
              slot_value(l, (unsigned)(w[t][c] >> 32), copies, field);
  }
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    const unsigned first = (unsigned)w[t][0];
    is_free |= (unsigned)(first != (unsigned)NO_COPY) << t;
    if (first != (unsigned)NO_COPY && first >= MORE)
      v[t] = surface_sum_all(l, copies, field, first);
    if (EXACT_SUMS && first != (unsigned)NO_COPY)
      *counted |= (unsigned)is_counted(l, first) << t;
  }
  return is_free;
}

/* r -= alpha v for these unknowns. */
BP_DEVICE void update_surface(int turns, int pairs, real *r, const real *d, const surface_lists *l,
                              const slot_pair *slots, const real *copies, int field, int n,
                              int count, real alpha, residual_sums *sums)
{
  real a[VECTOR_TURNS], v[VECTOR_TURNS], e[VECTOR_TURNS];
  unsigned counted;
  BP_UNROLL
  for (int t = 0; t < turns; ++t) {
    const int at = n + t * VECTOR_THREADS;
    a[t] = at < count ? r[at] : 0;
    e[t] = BP_JACOBI && at < count ? d[at] : 1;
  }
  const unsigned is_free =
      surface_values(turns, pairs, l, slots, copies, field, n, count, v, &counted);
  BP_UNROLL
  for (int t = 0; t < turns; ++t)
    if (is_free >> t & 1) {
      a[t] = residual_after(a[t], v[t], alpha, e[t]);
      r[n + t * VECTOR_THREADS] = a[t];
      if (!EXACT_SUMS || counted >> t & 1)
        sums_add(sums, a[t], e[t]);
    }
}

/* r -= alpha v; returns the thread's part of the sums, which are at most `bound`. Blocks take chunks of
 * unknowns of one kind in turn. */
BP_DEVICE residual_sums update_residual(const solve_arrays *a, const unknown_kinds *u,
                                        const surface_lists *l, real alpha, double bound)
{
  enum { AT_EDGES = CHUNK / 2, AT_VERTICES = CHUNK / 4 };
  const int packs = SURFACE_ATOMIC ? (u->all + PACK - 1) / PACK : u->inner / PACK;
  const int thread = (int)threadIdx.x, step = (int)gridDim.x;
  const long long surface_stride = (long long)a->elements * ELEMENT_SURFACE;
  real *const r = a->r, *const v = a->ap;
  const real *const d = a->diagonal;
  residual_sums sums = residual_start(bound, a);
  int c = (int)blockIdx.x, from = 0, end = (packs + CHUNK - 1) / CHUNK;
  for (; c < end; c += step)
    for (int f = 0; f < BP_FIELDS; ++f) {
      real_pack *const rf = (real_pack *)(r + f * u->stride), *const vf =
                                                                  (real_pack *)(v + f * u->stride);
      update_packs(rf, vf, (const real_pack *)d, c * CHUNK + thread, packs, u->inner / PACK, alpha,
                   &sums);
    }
  if (SURFACE_ATOMIC)
    return sums;

  const int faces = u->faces - u->inner, edges = u->edges - u->faces, vertices = u->all - u->edges;
  const slot_pair *slots = l->slots;
  from = end;
  for (end += (faces + CHUNK - 1) / CHUNK; c < end; c += step)
    for (int f = 0; f < BP_FIELDS; ++f)
      update_surface(4, 1, r + u->inner + f * u->stride, d + u->inner, l, slots,
                     l->copies + f * surface_stride, f, (c - from) * CHUNK + thread, faces, alpha,
                     &sums);
  from = end;
  slots += faces;
  for (end += (edges + AT_EDGES - 1) / AT_EDGES; c < end; c += step)
    for (int f = 0; f < BP_FIELDS; ++f)
      update_surface(2, 2, r + u->faces + f * u->stride, d + u->faces, l, slots,
                     l->copies + f * surface_stride, f, (c - from) * AT_EDGES + thread, edges,
                     alpha, &sums);
  from = end;
  slots += 2 * (size_t)edges;
  for (end += (vertices + AT_VERTICES - 1) / AT_VERTICES; c < end; c += step)
    for (int f = 0; f < BP_FIELDS; ++f)
      update_surface(1, 4, r + u->edges + f * u->stride, d + u->edges, l, slots,
                     l->copies + f * surface_stride, f, (c - from) * AT_VERTICES + thread, vertices,
                     alpha, &sums);

  /* inner unknowns behind the last whole pack */
  if (u->inner % PACK && blockIdx.x == 0 && threadIdx.x < BP_FIELDS)
    for (int n = PACK == 2 ? u->inner - 1 : u->inner / PACK * PACK; n < u->inner; ++n) {
      real *const last = r + threadIdx.x * u->stride + n;
      const real e = BP_JACOBI ? d[n] : 1;
      *last = residual_after(*last, v[threadIdx.x * u->stride + n], alpha, e);
      sums_add(&sums, *last, e);
    }
  return sums;
}

/* x += the sum of alpha p over the directions whose bit in `which` is 1; `last` is alpha of number
 * `newest`, -1 for none. */
BP_DEVICE void update_solution(long long length, real *x, const real *p, const double *alpha,
                               unsigned which, int newest, real last)
{
  enum { AT_ONCE = 4 };
  const long long step = (long long)gridDim.x * bp_threads(), packs = length / PACK;
  for (long long n = (long long)blockIdx.x * bp_threads() + bp_thread(); n < packs; n += step) {
    real_pack sum = ((real_pack *)x)[n];
    BP_NO_UNROLL
    for (int first = 0; which >> first; first += AT_ONCE) {
      real_pack a[AT_ONCE];
      BP_UNROLL
      for (int h = 0; h < AT_ONCE; ++h)
        if (which >> (first + h) & 1)
          a[h] = ((const real_pack *)(p + (first + h) * length))[n];
      BP_UNROLL
      for (int h = 0; h < AT_ONCE; ++h)
        if (which >> (first + h) & 1) {
          const real factor = first + h == newest ? last : (real)alpha[first + h];
          BP_UNROLL
          for (int i = 0; i < PACK; ++i)
            ((real *)&sum)[i] += factor * ((const real *)&a[h])[i];
        }
    }
    ((real_pack *)x)[n] = sum;
  }
}

/* At the end of a kernel that made r. */
BP_DEVICE void post_residual(const solve_arrays *a, int place, double *buffer)
{
  if (!sums_is_last(a, buffer))
    return;
  sums_share_residual(a->mail, place, a->state, bp_blocks(), buffer);
  mail_post(a->mail);
}

/* The kernel after apply. */
BP_DEVICE void update_vectors(const solve_arrays *a, const unknown_kinds *u, const surface_lists *l,
                              double *buffer)
{
  bp_let_next_begin();
  bp_wait_for_previous();
  double *const state = a->state;
  const int k = a->counts[COUNT_CURRENT];
  const real alpha = (real)sums_alpha(a, buffer);
  const double growth = EXACT_SUMS ? 1 + bp_multiply(alpha, a->bounds[1]) : 0;
  const double bound = EXACT_SUMS ? bp_multiply(bp_multiply(2.01, state[k % 2]), growth) : 0;
  const residual_sums sums = update_residual(a, u, l, alpha, bound);
  if ((k + 1) % KEPT == 0)
    update_solution(BP_FIELDS * u->stride, a->x, a->p, state + SUMS_ALPHA, (1u << KEPT) - 1,
                    KEPT - 1, alpha);
  sums_leave_residual(&sums, state, buffer);
  post_residual(a, BP_BOX_RR, buffer);
}

/* The same of unknown n of a field, also of what lies between fields. */
BP_DEVICE bool is_counted_here(const surface_lists *l, const unknown_kinds *u, long long n)
{
  const long long s = n - u->inner;
  return s < 0 || n >= u->all || l->starts[s] == l->starts[s + 1] ||
         l->copied[l->starts[s]] < l->own;
}

/* Before the iterations: r = f, or f / diagonal, x = 0, and the direction before the first one. f is 0
 * where unknowns are fixed. Where sums are exact the lists and the kinds tell what to count. */
BP_DEVICE void start_vectors(const solve_arrays *a, double *buffer)
{
  const long long stride = a->stride, step = (long long)gridDim.x * VECTOR_THREADS,
                  length = BP_FIELDS * stride;
  const surface_lists l = surface_lists_of(a);
  const unknown_kinds u = unknown_kinds_of(a);
  residual_sums sums = residual_start(EXACT_SUMS ? a->bounds[0] : 0, a);
  for (long long n = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; n < length; n += step) {
    const real d = BP_JACOBI ? a->diagonal[n % stride] : 1,
               value = BP_JACOBI ? a->f[n] / d : a->f[n];
    a->r[n] = value;
    a->x[n] = 0;
    if (SURFACE_ATOMIC || MERGED || PREDICTED)
      a->ap[n] = 0;
    for (int h = 0; h < HISTORY; ++h)
      a->p[h * length + n] = PREDICTED && h == 0 ? value : 0;
    if (!EXACT_SUMS || is_counted_here(&l, &u, n % stride))
      sums_add(&sums, value, d);
  }
  if (ONE_KERNEL)
    for (long long n = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; n < SUMS_BLOCKS;
         n += step)
      a->state[SUMS_DONE + n] = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    a->counts[COUNT_COMPLETED] = a->counts[COUNT_CURRENT] = a->counts[COUNT_APPLY_BLOCKS] = 0;
    a->counts[COUNT_RR_BLOCKS] = bp_blocks();
  }
  sums_leave_residual(&sums, a->state, buffer);
  post_residual(a, BP_BOX_FIRST, buffer);
}

/* After them: what x still lacks, and the last r . r. */
BP_DEVICE void finish_vectors(const solve_arrays *a, double *buffer)
{
  const int k = a->counts[COUNT_COMPLETED];
  const double rr = sums_of_all(a, BP_JACOBI ? BP_BOX_PLAIN : BP_BOX_RR, a->state + SUMS_NORM,
                                a->counts[COUNT_RR_BLOCKS], buffer);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    a->residuals[k] = rr;
  update_solution(BP_FIELDS * a->stride, a->x, a->p, a->state + SUMS_ALPHA, (1u << k % KEPT) - 1,
                  -1, 0);
}

#endif
