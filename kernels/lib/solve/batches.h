/* batches.h -- how the first kernel of a two-kernel iteration brings elements in and takes them out.
 *
 * Persistent blocks take batches of whole elements. While one batch is computed, the next one's r and p come into
 * shared memory: nodes inside elements, which lie together, by bulk copies; surface nodes one by one, through the list
 * of ids. When they have come, p = r + beta p goes into a cube in shared memory, which the operator reads, and to
 * memory, once: by the element that owns the node. The numbering is that of fem/unknowns.h.
 *
 * The vectors have BP_FIELDS components, `stride` from one to the next. A kernel file has the options elements_per_block (elements of a
 * batch), evict_first, and the sizes threads (those that move vectors, a multiple of 32), cube_k, cube (doubles from plane to plane
 * and from element to element of the cubes; rows are BP_NQ long) and surface_atomic. Where the latter is 1, surface nodes
 * of v are added to the assembled vector by atomic operations: fewer bytes than copies, but sums depend on the order.
 *
 * An item is a field of a batch: fields of a batch come one after the other and share its factors.
 *
 * size: inner_slot = slot(elements_per_block * element_inner) -- r or p of a batch, inner nodes
 * size: surface_slot = (elements_per_block * element_surface + 15) / 16 * 16 -- and surface nodes
 * size: vectors_slot = 2 * inner_slot + 2 * surface_slot -- r and p of an item
 * size: factors_slot = slot(elements_per_block * components * nc*nc*nc) -- the factors of a batch */
#ifndef BP_KERNELS_SOLVE_BATCHES_H
#define BP_KERNELS_SOLVE_BATCHES_H

#include "lib/memory/bulk_copy.h"
#include "lib/solve/numbering.h"

enum {
  TURNS = (ELEMENTS_PER_BLOCK * ELEMENT_SURFACE + THREADS - 1) /
          THREADS, /* surface nodes of a thread */
  OWNED = 1 << 31, /* of a word: this element writes p */
  NUMBER = ~OWNED
};

typedef struct {
  int batch, field;
} item;

BP_DEVICE item item_after(item at)
{
  const item same = {at.batch, at.field + 1}, other = {at.batch + (int)gridDim.x, 0};
  return at.field + 1 < BP_FIELDS ? same : other;
}

/* Elements of a batch that there are. */
BP_DEVICE int batch_elements(int batch, int elements)
{
  return max(0, min(ELEMENTS_PER_BLOCK, elements - batch * ELEMENTS_PER_BLOCK));
}

/* The thread's surface nodes, n = thread, thread + THREADS, ... of a batch. */
typedef struct {
  int thread;                     /* its number among those that move vectors */
  int place[TURNS];               /* in the cubes, and 3 b + class << 16 */
  int word[TURNS];                /* of the item computed: number, OWNED */
  int id[TURNS], first_id[TURNS]; /* of the next one: as the lists have them */
  int sum[TURNS];            /* SURFACE_ATOMIC: numbers where v of the item computed is added */
  unsigned fixed, sum_fixed; /* bit t: no unknown is there, of the words, of the sums */
} surface_nodes;

BP_DEVICE void surface_start(surface_nodes *s, int thread)
{
  s->thread = thread;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int n = s->thread + t * THREADS, b = n / ELEMENT_SURFACE, m = n % ELEMENT_SURFACE;
    s->place[t] = n < ELEMENTS_PER_BLOCK * ELEMENT_SURFACE
                      ? b * CUBE + surface_place(m, CUBE_K) +
                            ((3 * b + (m >= EDGES_AT) + (m >= CORNERS_AT)) << 16)
                      : 0;
    s->id[t] = s->first_id[t] = s->word[t] = s->sum[t] = 0;
  }
  s->fixed = s->sum_fixed = 0;
}

/* The words are those of the item that is computed now. */
BP_DEVICE void surface_sums(surface_nodes *s)
{
  if (SURFACE_ATOMIC) {
    BP_UNROLL
    for (int t = 0; t < TURNS; ++t)
      s->sum[t] = s->word[t] & NUMBER;
    s->sum_fixed = s->fixed;
    s->fixed = 0;
  }
}

/* A surface node of the next item: notes who owns it, returns its number. */
BP_DEVICE int surface_number(surface_nodes *s, int t)
{
  const int id = s->id[t], number = id < 0 ? ~id : id;
  s->word[t] = id >= s->first_id[t] ? number | OWNED : number;
  if (SURFACE_ATOMIC)
    s->fixed |= (unsigned)(id < 0) << t;
  return number;
}

/* Asks for the ids of a batch. */
BP_DEVICE void surface_ids(surface_nodes *s, item at, const int *ids, const int *first,
                           int elements)
{
  const int count = batch_elements(at.batch, elements) * ELEMENT_SURFACE;
  if (at.field > 0)
    return;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < count) {
      s->id[t] =
          ids[(size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_SURFACE) + s->thread + t * THREADS];
      s->first_id[t] = first[at.batch * (ELEMENTS_PER_BLOCK * 3) + (s->place[t] >> 16)];
    }
}

/* The slots of r and p of an item. */
typedef struct {
  double *r_inner, *p_inner, *r_surface, *p_surface;
  bp_mbarrier *full;
} vector_slots;

BP_DEVICE vector_slots vector_slots_of(double *shared, bp_mbarrier *full)
{
  const vector_slots slots = {shared, shared + INNER_SLOT, shared + 2 * INNER_SLOT,
                              shared + 2 * INNER_SLOT + SURFACE_SLOT, full};
  return slots;
}

/* By all threads, when none reads the inner slots any more: the item's r and p come. */
BP_DEVICE void vectors_load(const vector_slots *slots, surface_nodes *s, item at, const double *r,
                            const double *p, size_t stride, int elements)
{
  const int here = batch_elements(at.batch, elements);
  const double *const rf = r + at.field * stride, *const pf = p + at.field * stride;
  if (ELEMENT_INNER > 0 && s->thread == 0 && here > 0) {
    const size_t begin = (size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER);
    const int odd = (int)(begin % 2), pairs = (odd + here * ELEMENT_INNER + 1) / 2,
              offset = bulk_offset(begin) - odd;
    bp_mbarrier_expect(slots->full, 32 * pairs);
    bp_bulk_load(slots->r_inner + offset, rf + begin - odd, 16 * pairs, slots->full);
    bp_bulk_load(slots->p_inner + offset, pf + begin - odd, 16 * pairs, slots->full);
  }
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int n = s->thread + t * THREADS;
    if (n < here * ELEMENT_SURFACE) {
      const int number = surface_number(s, t);
      bp_async_copy8(slots->r_surface + n, rf + number);
      bp_async_copy8(slots->p_surface + n, pf + number);
    }
  }
  bp_async_commit();
}

/* By thread 0: the factors of a batch come. */
BP_DEVICE void factors_load(double *slot, const double *factors, int batch, int elements,
                            bp_mbarrier *full)
{
  const int here = batch_elements(batch, elements), each = BP_COMPONENTS * POINTS_3D;
  if (here > 0)
    bulk_prefetch(slot, factors, (size_t)batch * ELEMENTS_PER_BLOCK * each, here * each,
                  evict_first_factors(batch), full);
}

BP_DEVICE const double *factors_at(const double *slot, int batch)
{
  return slot + bulk_offset((size_t)batch * (ELEMENTS_PER_BLOCK * BP_COMPONENTS * POINTS_3D));
}

/* A thread's column of nodes (j, i) in k, in element b of a batch. */
typedef struct {
  int b, column;    /* in the plane, j BP_NQ + i */
  bool lives;       /* whether the thread has one */
  bool is_inner;    /* whether its nodes but the first and the last lie inside the element */
  int cube, inside; /* where it begins in the cubes and, from k = 1 on, among inner nodes */
} node_column;

BP_DEVICE node_column node_column_of(int b, int column)
{
  const int j = column / BP_NQ, i = column % BP_NQ;
  node_column c;
  c.b = b;
  c.column = column;
  c.lives = b < ELEMENTS_PER_BLOCK && column < NODES_2D;
  c.is_inner = c.lives && i > 0 && i < BP_N && j > 0 && j < BP_N;
  c.cube = b * CUBE + column;
  c.inside = b * ELEMENT_INNER + (j - 1) * EDGE_INNER + i - 1;
  return c;
}

/* When the item's vectors are wanted: p = r + beta p, to the cubes and to memory. A barrier has to follow. */
BP_DEVICE void direction(const vector_slots *slots, surface_nodes *s, const node_column *c, item at,
                         int parity, double beta, double *cubes, double *p, size_t stride,
                         int elements)
{
  const int here = batch_elements(at.batch, elements);
  const size_t begin = (size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER);
  double *const pf = p + at.field * stride;
  BP_ASYNC_WAIT(0);
  surface_sums(s);
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int n = s->thread + t * THREADS;
    if (n < here * ELEMENT_SURFACE) {
      const double x = slots->r_surface[n] + beta * slots->p_surface[n];
      cubes[s->place[t] & 0xffff] = x;
      if (s->word[t] < 0)
        pf[s->word[t] & NUMBER] = x;
    }
  }
  if (ELEMENT_INNER > 0) {
    bp_mbarrier_wait(slots->full, parity);
    if (c->is_inner && c->b < here) {
      const int offset = bulk_offset(begin) + c->inside;
      BP_UNROLL
      for (int k = 0; k < EDGE_INNER; ++k) {
        const double x = slots->r_inner[offset + k * FACE_INNER] +
                         beta * slots->p_inner[offset + k * FACE_INNER];
        cubes[c->cube + (k + 1) * CUBE_K] = x;
        pf[begin + c->inside + k * FACE_INNER] = x;
      }
    }
  }
}

/* A column of v = A p: its inner nodes to memory, the others to the cubes. A barrier has to follow. */
BP_DEVICE void column_out(const node_column *c, item at, const double *x, double *cubes, double *v,
                          size_t stride, int elements)
{
  const size_t begin = (size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER) + at.field * stride;
  if (!c->lives)
    return;
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k) {
    if (!c->is_inner || k == 0 || k == BP_N)
      cubes[c->cube + k * CUBE_K] = x[k];
    else if (c->b < batch_elements(at.batch, elements))
      v[begin + c->inside + (k - 1) * FACE_INNER] = x[k];
  }
}

/* Value x of the thread's surface node of turn t: to copies[field][e][m], or added to v. */
BP_DEVICE void surface_store(const surface_nodes *s, int t, item at, double x, double *v,
                             double *copies, size_t stride, int elements)
{
  const size_t first =
      ((size_t)at.field * elements + (size_t)at.batch * ELEMENTS_PER_BLOCK) * ELEMENT_SURFACE;
  if (!SURFACE_ATOMIC)
    copies[first + s->thread + t * THREADS] = x;
  else if (!(s->sum_fixed >> t & 1))
    bp_atomic_add(v + at.field * stride + s->sum[t], x);
}

/* After the barrier: surface nodes of v. */
BP_DEVICE void surface_out(const surface_nodes *s, item at, const double *cubes, double *v,
                           double *copies, size_t stride, int elements)
{
  const int count = batch_elements(at.batch, elements) * ELEMENT_SURFACE;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < count)
      surface_store(s, t, at, cubes[s->place[t] & 0xffff], v, copies, stride, elements);
}

#endif
