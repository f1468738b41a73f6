/* batches.h -- how the kernel with the operator brings elements in and takes them out.
 *
 * Persistent blocks take batches of whole elements. While one batch is computed, the next one's r and p
 * come into shared memory: nodes inside elements, which lie together, into slots; surface nodes one
 * by one, through the list of ids. When they have come, p = r + beta p goes into a cube in shared memory,
 * which the operator reads, and to memory, once: by the element that owns the node. The numbering is that
 * of fem/unknowns.h.
 *
 * A merged scheme (MERGED) brings r, p and v of the iteration before, and makes r -= alpha v and p of
 * them: merged.h. Where nothing is fused (UNFUSED) p comes, and v leaves, as elements have them,
 * local[field][e][k][j][i]. Where p is there before (PREDICTED, LEVEL) it comes alone. Where vectors are a caller's (MAPPED) u
 * comes as p does, each node from where the caller's numbers say, and is 0 where there is none.
 *
 * The vectors have BP_FIELDS components, `stride` from one to the next. An operator's header has
 * elements_per_block (elements of a batch) and the sizes threads (those that move vectors, a multiple of 32),
 * cube_k and cube (doubles from plane to plane and from element to element of the cubes; rows are BP_NQ long).
 * Where surface_atomic is 1, surface nodes of v are added to the assembled vector by atomic operations: fewer
 * bytes than copies, but sums depend on the order.
 *
 * An item is a field of a batch: fields of a batch come one after the other and share its factors.
 *
 * size: staged = 1 -- 0: the factors, and p where nothing is fused, are read where they lie
 * option: evict_first 0..16 = 16 -- sixteenths of the factors marked evict-first in L2
 * size: surface_atomic = atomic -- see above
 * size: vectors = 2 -- that come with an item: r and p
 * size: vectors_slot = vectors * (inner_slot + surface_slot) -- all of them
 * size: runs = 0 -- of MAPPED: numbers of an element's inner nodes are in a row
 * size: inside_slot = 0 -- of MAPPED: numbers, ints, of a batch's inner nodes
 * size: inside_room = 0 -- doubles of shared memory that have three of these
 * size: inner_slot = slot(elements_per_block * element_inner) -- r or p of a batch, inner nodes
 * size: surface_slot = (elements_per_block * element_surface + 15) / 16 * 16 -- and surface nodes
 * size: factors_slot = staged ? slot((elements_per_block * element_factors * stored + real - 1) / real) : 0 -- the factors of a batch */
#ifndef BP_KERNELS_SOLVE_BATCHES_H
#define BP_KERNELS_SOLVE_BATCHES_H

#include "lib/memory/slot_copy.h"
#include "lib/solve/numbering.h"
#include "lib/solve/sums.h"

enum {
  TURNS = (ELEMENTS_PER_BLOCK * ELEMENT_SURFACE + THREADS - 1) /
          THREADS, /* surface nodes of a thread */
  OWNED = 1 << 31, /* of a word: the element owns the unknown, so it writes p */
  NUMBER = ~OWNED
};

/* What an iteration reads and writes, its scalars, and the thread's parts of its sums. Where p is not made of
 * r and p, r_before is what comes instead: local p (UNFUSED), p (PREDICTED, LEVEL), u (MAPPED). */
typedef struct {
  int k; /* its number, from 0 on */
  const real *r_before, *p_before, *v_before, *diagonal;
  real *r, *p, *v, *copies;
  real *cleared; /* of ONE_KERNEL: v of the next iteration, whose surface becomes 0 */
  const int *
      inside; /* of MAPPED: RUNS: of each element the number of its first inner node, else of each node */
  int *inside_slots; /* of the item computed and the two after it, where threads have columns */
  size_t stride;
  int elements;
  const int *post_ends; /* operands of ranks */
  const long long *posts;
  real alpha, beta;
  residual_sums rr;
  double vp, vv;
} iteration;

/* Of schemes whose iterations begin without sums. */
#if UNFUSED || PREDICTED || MAPPED || LEVEL
BP_DEVICE void iteration_begin(iteration *it, const solve_arrays *a, exact_sum *energy,
                               double *buffer)
{
  (void)it, (void)a, (void)energy, (void)buffer;
  BP_BARRIER(); /* the mbarriers have begun */
}
#endif

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

/* The thread's surface nodes, n = thread, thread + THREADS, ... of a batch: node t is the t-th of these. Two
 * numbers share an int, to save registers; the functions below say which. */
typedef struct {
  int thread;                     /* its number among those that move vectors */
  int place[TURNS];               /* surface_place_in_cubes, surface_row_of_first */
  int word[TURNS];                /* of the item computed: surface_is_owned, surface_unknown */
  int id[TURNS], first_id[TURNS]; /* of the next one: entries of ids[] and first[] */
  int sum[TURNS];            /* SURFACE_ATOMIC: numbers where v of the item computed is added */
  unsigned fixed, sum_fixed; /* bit t: no unknown is there, of the words, of the sums */
} surface_nodes;

BP_DEVICE int surface_place_in_cubes(const surface_nodes *s, int t)
{
  return s->place[t] & 0xffff;
}

/* Which entry of first[], from the batch's on, the node's id is compared with: 3 b + class in element b. */
BP_DEVICE int surface_row_of_first(const surface_nodes *s, int t)
{
  return s->place[t] >> 16;
}

BP_DEVICE bool surface_is_owned(const surface_nodes *s, int t)
{
  return s->word[t] < 0;
}

BP_DEVICE int surface_unknown(const surface_nodes *s, int t)
{
  return s->word[t] & NUMBER;
}

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
      s->sum[t] = surface_unknown(s, t);
    s->sum_fixed = s->fixed;
    s->fixed = 0;
  }
}

/* A surface node of the next item: notes its unknown, owned if no element before has it, and returns its
 * number. MAPPED, LEVEL: nobody asks who owns it. */
BP_DEVICE int surface_number(surface_nodes *s, int t)
{
  const int id = s->id[t], number = id < 0 ? ~id : id;
  s->word[t] = !(MAPPED || LEVEL) && id >= s->first_id[t] ? number | OWNED : number;
  if (SURFACE_ATOMIC)
    s->fixed |= (unsigned)(id < 0) << t;
  return number;
}

/* Asks for the ids of a batch. */
BP_DEVICE void surface_ids(surface_nodes *s, item at, const int *ids, const int *first,
                           int elements)
{
  const int count = batch_elements(at.batch, elements) * ELEMENT_SURFACE;
  if (UNFUSED || at.field > 0)
    return;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < count) {
      s->id[t] =
          ids[(size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_SURFACE) + s->thread + t * THREADS];
      if (!MAPPED && !LEVEL)
        s->first_id[t] = first[at.batch * (ELEMENTS_PER_BLOCK * 3) + surface_row_of_first(s, t)];
    }
}

/* Asks for one real. */
BP_DEVICE void copy_ahead(real *to, const real *from)
{
  if (sizeof(real) == sizeof(double))
    bp_async_copy8(to, from);
  else
    bp_async_copy4(to, from);
}

/* The slots of r, p and v of an item. */
typedef struct {
  real *inner, *surface; /* VECTORS of each */
  bp_mbarrier *full;
} vector_slots;

BP_DEVICE vector_slots vector_slots_of(real *shared, bp_mbarrier *full)
{
  const vector_slots slots = {shared, shared + VECTORS * INNER_SLOT, full};
  return slots;
}

/* Where an item begins among all elements of all fields. */
BP_DEVICE size_t local_begin(item at, int elements)
{
  return ((size_t)at.field * elements + (size_t)at.batch * ELEMENTS_PER_BLOCK) * NODES_3D;
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

/* MAPPED: where a thread keeps numbers of its column's inner nodes in an item, which it alone reads. */
BP_DEVICE int *inside_slot(const iteration *it, const node_column *c, item at)
{
  return it->inside_slots + at.batch / (int)gridDim.x % 3 * INSIDE_SLOT +
         (RUNS ? c->b * NODES_2D + c->column : c->inside);
}

/* Asks for them, if there is such an item. */
BP_DEVICE void inside_numbers(const iteration *it, const node_column *c, item at)
{
  if (!MAPPED || at.field > 0)
    return;
  if (c->is_inner && c->b < batch_elements(at.batch, it->elements)) {
    const size_t first = (size_t)at.batch * ELEMENTS_PER_BLOCK;
    int *const to = inside_slot(it, c, at);
    if (RUNS)
      bp_async_copy4(to, it->inside + first + c->b);
    for (int k = 0; !RUNS && k < EDGE_INNER; ++k)
      bp_async_copy4(to + k * FACE_INNER,
                     it->inside + first * ELEMENT_INNER + c->inside + k * FACE_INNER);
  }
  bp_async_commit();
}

/* That of node k of them, from 0 on, when they have come. */
BP_DEVICE int inside_number(const int *slot, const node_column *c, int k)
{
  return RUNS ? *slot + c->inside - c->b * ELEMENT_INNER + k * FACE_INNER : slot[k * FACE_INNER];
}

/* Asks for the thread's surface nodes of an item, in that many elements; `from` are the item's vectors. */
BP_DEVICE void surface_load(real *slot, surface_nodes *s, int here, const real *const *from)
{
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int m = s->thread + t * THREADS;
    if (m < here * ELEMENT_SURFACE) {
      const int number = surface_number(s, t);
      BP_UNROLL
      for (int n = 0; n < VECTORS; ++n)
        if (MAPPED && s->id[t] < 0)
          slot[m] = 0;
        else
          copy_ahead(slot + n * SURFACE_SLOT + m, from[n] + number);
    }
  }
}

/* By all threads, when none reads the inner slots any more: the item's vectors come. The first warp issues
 * those that lie together. */
BP_DEVICE void vectors_load(const vector_slots *slots, surface_nodes *s, const node_column *c,
                            item at, const iteration *it)
{
  const int here = batch_elements(at.batch, it->elements);
  const real *const from[3] = {it->r_before + at.field * it->stride,
                               it->p_before + at.field * it->stride,
                               it->v_before + at.field * it->stride};
  if (UNFUSED) {
    if (STAGED && s->thread < 32 && here > 0)
      slot_prefetch(slots->inner, it->r_before, local_begin(at, it->elements), here * NODES_3D,
                    false, slots->full);
    return;
  }
  if (!MAPPED && ELEMENT_INNER > 0 && s->thread < 32 && here > 0) {
    const size_t begin = (size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER);
    BP_UNROLL
    for (int n = 0; n < VECTORS; ++n)
      slot_issue(slots->inner + n * INNER_SLOT, from[n], begin, here * ELEMENT_INNER, false,
                 slots->full);
    bp_slot_arrive(slots->full, VECTORS * slot_bytes(begin, here * ELEMENT_INNER));
  }
  if (MAPPED && c->is_inner && c->b < here) {
    const int *const numbers = inside_slot(it, c, at);
    BP_UNROLL
    for (int k = 0; k < EDGE_INNER; ++k)
      copy_ahead(slots->inner + c->inside + k * FACE_INNER, from[0] + inside_number(numbers, c, k));
  }
  surface_load(slots->surface, s, here, from);
  bp_async_commit();
}

#if BP_PRECISION == 1 /* floats, as slot_copy.h has reals */
enum { FACTORS_LINE = 128 / sizeof(stored), FACTORS_UNIT = 16 / sizeof(stored) };

BP_DEVICE void slot_prefetch(stored *slot, const stored *from, size_t first, int count,
                             bool evict_first, bp_mbarrier *full)
{
  const int bytes = ((int)(first % FACTORS_UNIT) + count + FACTORS_UNIT - 1) / FACTORS_UNIT * 16;
  slot_copy_hinted(slot + (int)(first % FACTORS_LINE) / FACTORS_UNIT * FACTORS_UNIT,
                   from + first / FACTORS_UNIT * FACTORS_UNIT, bytes, evict_first, full);
  bp_slot_arrive(full, bytes);
}
#else
enum { FACTORS_LINE = SLOT_LINE };
#endif

/* By the first warp: the factors of a batch come. */
BP_DEVICE void factors_load(stored *slot, const stored *factors, int batch, int elements,
                            bp_mbarrier *full)
{
  const int here = batch_elements(batch, elements), each = BP_ELEMENT_FACTORS;
  if (STAGED && here > 0)
    slot_prefetch(slot, factors, (size_t)batch * ELEMENTS_PER_BLOCK * each, here * each,
                  evict_first_factors(batch), full);
}

/* The factors of batches, one after the other, in one slot. */
typedef struct {
  stored *slot;
  const stored *factors;
  bp_mbarrier *full;
  int parity;
} factor_slot;

/* Those of a batch, when they have come. */
BP_DEVICE const stored *factors_at(const factor_slot *f, int batch)
{
  const size_t first = (size_t)batch * (ELEMENTS_PER_BLOCK * BP_ELEMENT_FACTORS);
  return STAGED ? f->slot + (int)(first % FACTORS_LINE) : f->factors + first;
}

BP_DEVICE void factors_wait(const factor_slot *f, item at)
{
  if (STAGED && at.field == 0)
    bp_mbarrier_wait(f->full, f->parity);
}

/* When the factors have been used, after a barrier: those of the next item come. */
BP_DEVICE void factors_next(factor_slot *f, item next, int elements)
{
  if (next.field == 0) {
    f->parity ^= 1;
    if (bp_warp() == 0)
      factors_load(f->slot, f->factors, next.batch, elements, f->full);
  }
}

/* r and p of a node from those of the iteration before, stored where the element owns it. Returns p. */
BP_DEVICE real node_advance(iteration *it, real r_before, real p_before, real v, real *r, real *p,
                            bool is_own, size_t number)
{
  if (!MERGED) {
    const real x = r_before + it->beta * p_before;
    if (is_own)
      p[number] = x;
    return x;
  }
  const real d = BP_JACOBI ? it->diagonal[number] : 1;
  const real y = BP_JACOBI ? r_before - it->alpha * v / d : r_before - it->alpha * v,
             x = y + it->beta * p_before;
  if (is_own) {
    r[number] = y;
    p[number] = x;
    sums_add(&it->rr, y, d);
    it->vp += (double)v * x;
  }
  return x;
}

/* The same from what came to `at` of r's slot, `step` before that of p. */
BP_DEVICE real node_direction(iteration *it, const real *at, int step, real *r, real *p,
                              bool is_own, size_t number)
{
  return PREDICTED || MAPPED || LEVEL
             ? at[0]
             : node_advance(it, at[0], at[step], MERGED ? at[2 * step] : 0, r, p, is_own, number);
}

/* p of the item's surface nodes, which have come, to the cubes and to memory. */
BP_DEVICE void surface_direction(const vector_slots *slots, const surface_nodes *s, item at,
                                 real *cubes, iteration *it)
{
  const int here = batch_elements(at.batch, it->elements);
  real *const rf = it->r + at.field * it->stride, *const pf = it->p + at.field * it->stride;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t) {
    const int n = s->thread + t * THREADS;
    if (n < here * ELEMENT_SURFACE) {
      const bool is_own = surface_is_owned(s, t);
      const int number = surface_unknown(s, t);
      cubes[surface_place_in_cubes(s, t)] =
          node_direction(it, slots->surface + n, SURFACE_SLOT, rf, pf, is_own, number);
      if (ONE_KERNEL && is_own)
        it->cleared[at.field * it->stride + number] = 0;
    }
  }
}

/* When the item's vectors are wanted: p = r + beta p, to the cubes and to memory. A barrier has to
 * follow. */
BP_DEVICE void direction(const vector_slots *slots, surface_nodes *s, const node_column *c, item at,
                         int parity, real *cubes, iteration *it)
{
  const int here = batch_elements(at.batch, it->elements);
  const size_t begin = (size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER);
  real *const rf = it->r + at.field * it->stride, *const pf = it->p + at.field * it->stride;
  if (UNFUSED) {
    const size_t first = local_begin(at, it->elements);
    const real *const from = (STAGED ? slots->inner + slot_offset(first) : it->r_before + first) +
                             c->b * NODES_3D + c->column;
    if (STAGED)
      bp_mbarrier_wait(slots->full, parity);
    BP_UNROLL
    for (int k = 0; k < BP_NQ; ++k)
      if (c->lives)
        cubes[c->cube + k * CUBE_K] = c->b < here ? from[k * NODES_2D] : 0;
    return;
  }
  BP_ASYNC_WAIT(0);
  surface_sums(s);
  surface_direction(slots, s, at, cubes, it);
  if (ELEMENT_INNER > 0) {
    if (!MAPPED)
      bp_mbarrier_wait(slots->full, parity);
    if (c->is_inner && c->b < here) {
      const int offset = (MAPPED ? 0 : slot_offset(begin)) + c->inside;
      BP_UNROLL
      for (int k = 0; k < EDGE_INNER; ++k)
        cubes[c->cube + (k + 1) * CUBE_K] =
            node_direction(it, slots->inner + offset + k * FACE_INNER, INNER_SLOT, rf, pf, true,
                           begin + c->inside + k * FACE_INNER);
    }
  }
}

/* The part of v . v of a node, of v . v / diagonal with a preconditioner. */
BP_DEVICE double node_square(const iteration *it, double square, size_t number)
{
  return BP_JACOBI ? square / it->diagonal[number] : square;
}

/* MAPPED: v at *to from A u there. */
BP_DEVICE void mapped_store(const iteration *it, real *to, real x)
{
  *to = it->beta == 0 ? it->alpha * x : it->alpha * x + it->beta * *to;
}

/* A column of v = A p: its inner nodes to memory, the others to the cubes. A barrier has to follow. */
BP_DEVICE void column_out(const node_column *c, item at, const real *x, real *cubes, iteration *it)
{
  const size_t inner = (size_t)at.batch * (ELEMENTS_PER_BLOCK * ELEMENT_INNER) + c->inside,
               local = local_begin(at, it->elements) + c->b * NODES_3D + c->column;
  if (!c->lives)
    return;
  const bool is_there = c->b < batch_elements(at.batch, it->elements);
  if (UNFUSED) {
    BP_UNROLL
    for (int k = 0; k < BP_NQ; ++k)
      if (is_there)
        it->v[local + k * NODES_2D] = x[k];
    return;
  }
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k)
    if (!c->is_inner || k == 0 || k == BP_N)
      cubes[c->cube + k * CUBE_K] = MAPPED && SURFACE_ATOMIC ? it->alpha * x[k] : x[k];
  if (c->is_inner && is_there) {
    real *const vf = it->v + at.field * it->stride, *const to = vf + inner;
    BP_UNROLL
    for (int k = 0; k < EDGE_INNER; ++k) {
      if (MAPPED)
        mapped_store(it, vf + inside_number(inside_slot(it, c, at), c, k), x[k + 1]);
      else
        to[k * FACE_INNER] = x[k + 1];
      if (MERGED || PREDICTED)
        it->vv += node_square(it, (double)x[k + 1] * x[k + 1], inner + k * FACE_INNER);
    }
  }
}

/* Value x of the thread's surface node of turn t: to copies[field][e][m], or added to v; returns what v was
 * before. */
BP_DEVICE real surface_store(const surface_nodes *s, int t, item at, real x, real *v, real *copies,
                             size_t stride, int elements)
{
  const size_t first =
      ((size_t)at.field * elements + (size_t)at.batch * ELEMENTS_PER_BLOCK) * ELEMENT_SURFACE;
  if (!SURFACE_ATOMIC)
    copies[first + s->thread + t * THREADS] = x;
  else if (!(s->sum_fixed >> t & 1))
    return bp_atomic_add(v + at.field * stride + s->sum[t], x);
  return 0;
}

/* After the barrier: surface nodes of v. */
BP_DEVICE void surface_out(const surface_nodes *s, item at, const real *cubes, real *v,
                           real *copies, size_t stride, int elements)
{
  const int count = batch_elements(at.batch, elements) * ELEMENT_SURFACE;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < count)
      surface_store(s, t, at, cubes[surface_place_in_cubes(s, t)], v, copies, stride, elements);
}

/* Where posts of an item are, to be asked for long before they are sent. */
typedef struct {
  int begin, end;
} item_posts;

BP_DEVICE item_posts posts_of(const iteration *it, item at)
{
  const int first = at.batch * ELEMENTS_PER_BLOCK,
            last = first + batch_elements(at.batch, it->elements);
  item_posts posts = {0, 0};
  if (EXACT_SUMS && at.batch >= 0 && last > first) {
    posts.begin = first > 0 ? it->post_ends[first - 1] : 0;
    posts.end = it->post_ends[last - 1];
  }
  return posts;
}

/* By THREADS threads, `thread` is which: copies of the item, which they have stored, go to other ranks while
 * the next items are computed. */
BP_DEVICE void posts_send(const item_posts *posts, int thread, item at, const iteration *it)
{
  const real *const copies = it->copies + (size_t)at.field * it->elements * ELEMENT_SURFACE;
  if (!EXACT_SUMS || posts->begin == posts->end)
    return;
  BP_GROUP_BARRIER(2, THREADS);
  for (int n = posts->begin + thread; n < posts->end; n += THREADS) {
    const long long place = it->posts[2 * (size_t)n], to = it->posts[2 * (size_t)n + 1];
    ((double *)to)[at.field] = copies[place];
  }
}

/* The same of an iteration. What v was before tells v . v: the sum of x (2 v + x) over all additions. */
BP_DEVICE void surface_finish(const surface_nodes *s, item at, const real *cubes, iteration *it)
{
  const int count = batch_elements(at.batch, it->elements) * ELEMENT_SURFACE;
  real was[TURNS];
  if (!ONE_KERNEL && !UNFUSED)
    surface_out(s, at, cubes, it->v, it->copies, it->stride, it->elements);
  if (!ONE_KERNEL)
    return;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < count)
      was[t] = surface_store(s, t, at, cubes[surface_place_in_cubes(s, t)], it->v, 0, it->stride,
                             it->elements);
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < count && !(s->sum_fixed >> t & 1)) {
      const real x = cubes[surface_place_in_cubes(s, t)];
      it->vv += node_square(it, (double)x * (2 * was[t] + x), s->sum[t]);
    }
}

#endif
