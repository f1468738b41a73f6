/* simd.h -- what kernels with one element per SIMD lane share: the vector, requests ahead of use, and the
 * way in and out of the order u[e][k][j][i].
 *
 * A group is BP_LANES elements; a node of the group is one vector, its lane l the node of element
 * l. Everything is GCC's vector extension, so that one text serves every instruction set; the few
 * instructions that it cannot express stand behind bp_stream and bp_fence. */
#ifndef BP_KERNELS_ABI_SIMD_H
#define BP_KERNELS_ABI_SIMD_H

#include "abi/cpu.h"
#include "abi/types.h"

enum { BP_VECTOR = sizeof(real) * BP_LANES /* bytes */ };
typedef real bp_vector __attribute__((vector_size(BP_VECTOR), may_alias));
/* The same anywhere in memory. */
typedef real bp_unaligned __attribute__((vector_size(BP_VECTOR), may_alias, aligned(sizeof(real))));
/* Sums over the mesh, lane by lane. */
typedef double bp_wide __attribute__((vector_size(sizeof(double) * BP_LANES), may_alias));
#if BP_PRECISION == 2
#define BP_WIDE(x) __builtin_convertvector(x, bp_wide)
#else
#define BP_WIDE(x) (x)
#endif
/* Factors, which lie by lanes; BP_FACTOR(x) is one of them as a bp_vector. */
typedef stored bp_factors __attribute__((vector_size(sizeof(stored) * BP_LANES), may_alias));
#if BP_PRECISION == 1
#define BP_FACTOR(x) __builtin_convertvector(x, bp_vector)
#else
#define BP_FACTOR(x) (x)
#endif

enum { BP_IS_STORED = BP_GEOMETRY == 0 }; /* else, factors are computed */

enum { BP_LINE = 64 / sizeof(real) }; /* reals of a cache line */

#define BP_INLINE static inline __attribute__((always_inline, unused))
/* What is entered once in a launch: no part of a larger function, which would take long to compile. */
#define BP_PHASE static __attribute__((noinline, unused))

/* A value that is used more than once: left alone, GCC would load it for each use. */
BP_INLINE bp_vector bp_load(const bp_vector *from)
{
  bp_vector x = *from;
#if defined __x86_64__
  __asm__("" : "+v"(x));
#endif
  return x;
}

BP_INLINE bp_vector bp_load_factor(const bp_factors *from)
{
  bp_vector x = BP_FACTOR(*from);
#if defined __x86_64__
  __asm__("" : "+v"(x));
#endif
  return x;
}

/* Stores a whole vector past the caches; `to` is aligned. Ordered by bp_fence only. */
BP_INLINE void bp_stream(real *to, bp_vector x)
{
#if defined __x86_64__
  __asm__ volatile(
#ifdef __AVX__
      "vmovntpd %1, %0"
#else
      "movntpd %1, %0"
#endif
      : "=m"(*(bp_vector *)to)
      : "v"(x));
#else
  *(bp_vector *)to = x;
#endif
}

BP_INLINE void bp_fence(void)
{
#if defined __x86_64__
  __asm__ volatile("sfence" ::: "memory");
#endif
}

/* ---- requests ahead of use ---- */

/* Where the arrays that come from memory are prefetched, into the second-level cache, and how many of their
 * vectors per line that is contracted or per BP_LANES nodes that come or go, of each `times` times: a
 * core whose queues are full drops requests silently, several in a hundred when memory is busy. */
typedef struct {
  const stored *factors; /* the next ones to prefetch */
  const real *u;
  int factors_pace, u_pace, times;
  real *v; /* the next cache line to prefetch for writing */
  int v_lines;
} bp_prefetcher;

BP_INLINE void bp_pace(bp_prefetcher *ahead, int factors, int u)
{
  ahead->factors_pace = BP_IS_STORED ? factors : 0;
  ahead->u_pace = u;
}

/* Of factors, `lead` vectors ahead of these. */
BP_INLINE bp_prefetcher bp_ahead_of(const stored *factors, int lead, int times)
{
  return (bp_prefetcher){
      .factors = factors + BP_LANES * lead, .u = (const real *)factors, .times = times};
}

/* So many vectors of factors in so many parts. */
BP_INLINE void bp_pace_factors(bp_prefetcher *ahead, int vectors, int parts)
{
  bp_pace(ahead, (vectors + parts - 1) / parts, 0);
}

/* Cache lines that are to be written. */
BP_INLINE void bp_ahead_write(real **cursor, int lines)
{
  for (int n = 0; n < lines; ++n) {
#if defined __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"((*cursor)[BP_LINE * n]));
#else
    __builtin_prefetch(*cursor + BP_LINE * n, 1, 2);
#endif
  }
  *cursor += BP_LINE * lines;
}

/* Prefetches the next `lines` vectors of so many bytes, a cache line at a time, and again those 64 and
 * 128 vectors before; returns where the next ones are. Outside the array a request does nothing, and no
 * harm. */
BP_INLINE const void *bp_ahead(const void *from, int bytes, int lines, int times)
{
  for (int n = 0; n < lines; n += 64 / bytes)
    for (int again = times - 1; again >= 0; --again)
      __builtin_prefetch((const char *)from + bytes * (n - 64 * again), 0, 2);
  return (const char *)from + bytes * lines;
}

/* One of the `parts` parts of a line's requests; none where `ahead` is NULL. */
BP_INLINE void bp_prefetch_part(bp_prefetcher *ahead, int part, int parts)
{
  if (!ahead)
    return;
  const int f = ahead->factors_pace, u = ahead->u_pace, v = ahead->v_lines;
  ahead->factors = bp_ahead(ahead->factors, sizeof(bp_factors),
                            f * (part + 1) / parts - f * part / parts, ahead->times);
  ahead->u = bp_ahead(ahead->u, BP_VECTOR, u * (part + 1) / parts - u * part / parts, ahead->times);
  if (v)
    bp_ahead_write(&ahead->v, v * (part + 1) / parts - v * part / parts);
}

/* ---- transposition: row l of BP_LANES values of element l <-> BP_LANES nodes of the group ---- */

#if BP_LANES == 16
/* Blocks of `step` x `step` values, one beside and one below the diagonal, change places. */
#define BP_UPPER(step, l) ((l) & (step) ? 16 + (l) - (step) : (l))
#define BP_LOWER(step, l) ((l) & (step) ? 16 + (l) : (l) + (step))
#define BP_EACH(of, step)                                                                          \
  of(step, 0), of(step, 1), of(step, 2), of(step, 3), of(step, 4), of(step, 5), of(step, 6),       \
      of(step, 7), of(step, 8), of(step, 9), of(step, 10), of(step, 11), of(step, 12),             \
      of(step, 13), of(step, 14), of(step, 15)
#define BP_EXCHANGE(x, step)                                                                       \
  for (int n = 0; n < 16; n = (n + 1 + (step)) & ~(step)) {                                        \
    const bp_vector above = (x)[n], below = (x)[n + (step)];                                       \
    (x)[n] = __builtin_shufflevector(above, below, BP_EACH(BP_UPPER, step));                       \
    (x)[n + (step)] = __builtin_shufflevector(above, below, BP_EACH(BP_LOWER, step));              \
  }
#endif

BP_INLINE void bp_transpose(bp_vector *x)
{
#if BP_LANES == 2
  bp_vector a = x[0], b = x[1];
  x[0] = __builtin_shufflevector(a, b, 0, 2);
  x[1] = __builtin_shufflevector(a, b, 1, 3);
#elif BP_LANES == 4
  bp_vector t[4];
  for (int n = 0; n < 4; n += 2) {
    t[n] = __builtin_shufflevector(x[n], x[n + 1], 0, 4, 2, 6);
    t[n + 1] = __builtin_shufflevector(x[n], x[n + 1], 1, 5, 3, 7);
  }
  for (int n = 0; n < 2; ++n) {
    x[n] = __builtin_shufflevector(t[n], t[n + 2], 0, 1, 4, 5);
    x[n + 2] = __builtin_shufflevector(t[n], t[n + 2], 2, 3, 6, 7);
  }
#elif BP_LANES == 16
  BP_EXCHANGE(x, 1);
  BP_EXCHANGE(x, 2);
  BP_EXCHANGE(x, 4);
  BP_EXCHANGE(x, 8);
#else
  bp_vector s[8], t[8];
  for (int n = 0; n < 8; n += 2) {
    s[n] = __builtin_shufflevector(x[n], x[n + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    s[n + 1] = __builtin_shufflevector(x[n], x[n + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int n = 0; n < 8; n += 4)
    for (int m = 0; m < 2; ++m) {
      t[n + m] = __builtin_shufflevector(s[n + m], s[n + m + 2], 0, 1, 4, 5, 8, 9, 12, 13);
      t[n + m + 2] = __builtin_shufflevector(s[n + m], s[n + m + 2], 2, 3, 6, 7, 10, 11, 14, 15);
    }
  for (int m = 0; m < 2; ++m) {
    x[m] = __builtin_shufflevector(t[m], t[m + 4], 0, 1, 4, 5, 8, 9, 12, 13);
    x[m + 2] = __builtin_shufflevector(t[m + 2], t[m + 6], 0, 1, 4, 5, 8, 9, 12, 13);
  }
  for (int m = 0; m < 2; ++m) {
    x[m + 4] = __builtin_shufflevector(t[m], t[m + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    x[m + 6] = __builtin_shufflevector(t[m + 2], t[m + 6], 2, 3, 6, 7, 10, 11, 14, 15);
  }
#endif
}

/* ---- the same of fewer values: `count` of each element, BP_FEW or 2 <-> as many nodes ----
 *
 * Vector n holds the values of elements n, n + count, n + 2 count, ... when it comes or goes. */
#if BP_LANES == 8
enum { BP_FEW = 4 };
typedef real bp_four
    __attribute__((vector_size(4 * sizeof(real)), may_alias, aligned(sizeof(real))));
#elif BP_LANES == 4
enum { BP_FEW = 2 };
#else
enum { BP_FEW = 0 }; /* never */
#endif
typedef real bp_two
    __attribute__((vector_size(2 * sizeof(real)), may_alias, aligned(sizeof(real))));

BP_INLINE void bp_transpose_few(int count, bp_vector *x)
{
#if BP_LANES == 8
#pragma GCC unroll 2
  for (int n = 0; n < count; n += 2) {
    const bp_vector a = x[n], b = x[n + 1];
    x[n] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    x[n + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
#pragma GCC unroll 2
  for (int n = 0; n + 2 < count; ++n) {
    const bp_vector a = x[n], b = x[n + 2];
    x[n] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    x[n + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
#elif BP_LANES == 4
  const bp_vector a = x[0], b = x[1];
  (void)count;
  x[0] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  x[1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
#else
  (void)count, (void)x;
#endif
}

/* Values from[l][0 .. count - 1] to nodes x[0 .. count - 1]. */
BP_INLINE void bp_few_in(const real *const *from, int at, int count, bp_vector *x)
{
#if BP_LANES == 8
#pragma GCC unroll 4
  for (int n = 0; n < count; ++n)
    if (count == 4) {
      const bp_four a = *(const bp_four *)(from[n] + at), b = *(const bp_four *)(from[n + 4] + at);
      x[n] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
      const bp_two a = *(const bp_two *)(from[n] + at), b = *(const bp_two *)(from[n + 2] + at);
      const bp_two c = *(const bp_two *)(from[n + 4] + at), d = *(const bp_two *)(from[n + 6] + at);
      const bp_four e = __builtin_shufflevector(a, b, 0, 1, 2, 3);
      const bp_four f = __builtin_shufflevector(c, d, 0, 1, 2, 3);
      x[n] = __builtin_shufflevector(e, f, 0, 1, 2, 3, 4, 5, 6, 7);
    }
#elif BP_LANES == 4
#pragma GCC unroll 4
  for (int n = 0; n < count; ++n) {
    const bp_two a = *(const bp_two *)(from[n] + at), b = *(const bp_two *)(from[n + 2] + at);
    x[n] = __builtin_shufflevector(a, b, 0, 1, 2, 3);
  }
#else
  (void)from, (void)at;
#endif
  bp_transpose_few(count, x);
}

/* The way back, added to what is there; x is used up. */
BP_INLINE void bp_few_add(real *const *to, int at, int count, bp_vector *x)
{
  bp_transpose_few(count, x);
#if BP_LANES == 8
#pragma GCC unroll 4
  for (int n = 0; n < count; ++n)
    if (count == 4) {
      *(bp_four *)(to[n] + at) += __builtin_shufflevector(x[n], x[n], 0, 1, 2, 3);
      *(bp_four *)(to[n + 4] + at) += __builtin_shufflevector(x[n], x[n], 4, 5, 6, 7);
    } else {
      *(bp_two *)(to[n] + at) += __builtin_shufflevector(x[n], x[n], 0, 1);
      *(bp_two *)(to[n + 2] + at) += __builtin_shufflevector(x[n], x[n], 2, 3);
      *(bp_two *)(to[n + 4] + at) += __builtin_shufflevector(x[n], x[n], 4, 5);
      *(bp_two *)(to[n + 6] + at) += __builtin_shufflevector(x[n], x[n], 6, 7);
    }
#elif BP_LANES == 4
#pragma GCC unroll 4
  for (int n = 0; n < count; ++n) {
    *(bp_two *)(to[n] + at) += __builtin_shufflevector(x[n], x[n], 0, 1);
    *(bp_two *)(to[n + 2] + at) += __builtin_shufflevector(x[n], x[n], 2, 3);
  }
#else
  (void)to, (void)at;
#endif
}

/* A group's nodes n .. n + BP_LANES - 1, or its last ones, into vectors: see bp_group_load. */
BP_INLINE void bp_group_load_part(const real *u, int planes, int plane, int stride, int n,
                                  bp_vector *to)
{
  const int nodes = planes * plane, at = n + BP_LANES <= nodes ? n : nodes - BP_LANES;
  bp_vector x[BP_LANES];
  for (int l = 0; l < BP_LANES; ++l)
    x[l] = *(const bp_unaligned *)(u + l * nodes + at);
  bp_transpose(x);
  for (int l = 0; l < BP_LANES; ++l)
    to[at + at / plane * (stride - plane) + l] = x[l];
}

/* A group's elements, `planes` planes of `plane` nodes each, into vectors, `stride` from plane
 * to plane. plane is a multiple of BP_LANES wherever stride differs from it; planes * plane >=
 * BP_LANES. */
BP_INLINE void bp_group_load(const real *u, int planes, int plane, int stride, bp_vector *to,
                             bp_prefetcher *ahead)
{
  for (int n = 0; n < planes * plane; n += BP_LANES) {
    bp_prefetch_part(ahead, 0, 1);
    bp_group_load_part(u, planes, plane, stride, n, to);
  }
}

/* Past the caches, or into them where the lines of v have been prefetched. */
BP_INLINE void bp_store_out(real *to, bp_vector x, int cached)
{
  if (cached)
    *(bp_vector *)to = x;
  else
    bp_stream(to, x);
}

/* A vector on its way back: BP_LANES nodes from `at` on, one row per element. */
BP_INLINE void bp_group_rows(const bp_vector *from, int plane, int stride, int at, bp_vector *rows)
{
  for (int l = 0; l < BP_LANES; ++l)
    rows[l] = from[at + at / plane * (stride - plane) + l];
  bp_transpose(rows);
}

/* The way back where an element is whole cache lines, each of which leaves at once: a line of each element,
 * from node n on. */
BP_INLINE void bp_group_store_line(const bp_vector *from, int nodes, int plane, int stride, int n,
                                   real *v, int cached, bp_prefetcher *ahead)
{
  bp_vector rows[BP_LINE / BP_LANES][BP_LANES];
#pragma GCC unroll 4
  for (int part = 0; part < BP_LINE / BP_LANES; ++part) {
    bp_prefetch_part(ahead, 0, 1);
    bp_group_rows(from, plane, stride, n + part * BP_LANES, rows[part]);
  }
#pragma GCC unroll 8
  for (int l = 0; l < BP_LANES; ++l)
#pragma GCC unroll 4
    for (int part = 0; part < BP_LINE / BP_LANES; ++part)
      bp_store_out(v + l * nodes + n + part * BP_LANES, rows[part][l], cached);
}

/* The last `shift` values of `before`, then the first ones of `after`; shift 0..BP_LANES-1, known when it is
 * compiled. */
BP_INLINE bp_vector bp_shift(bp_vector before, bp_vector after, int shift)
{
#if BP_LANES == 16
#define BP_FROM(n)                                                                                 \
  n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11, n + 12,        \
      n + 13, n + 14, n + 15
#elif BP_LANES == 8
#define BP_FROM(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
#elif BP_LANES == 4
#define BP_FROM(n) n, n + 1, n + 2, n + 3
#else
#define BP_FROM(n) n, n + 1
#endif
#define BP_TAKE(n)                                                                                 \
  case BP_LANES - n:                                                                               \
    return __builtin_shufflevector(before, after, BP_FROM(n))
  switch (shift) {
    BP_TAKE(1);
#if BP_LANES > 2
    BP_TAKE(2);
    BP_TAKE(3);
#endif
#if BP_LANES > 4
    BP_TAKE(4);
    BP_TAKE(5);
    BP_TAKE(6);
    BP_TAKE(7);
#endif
#if BP_LANES > 8
    BP_TAKE(8);
    BP_TAKE(9);
    BP_TAKE(10);
    BP_TAKE(11);
    BP_TAKE(12);
    BP_TAKE(13);
    BP_TAKE(14);
    BP_TAKE(15);
#endif
  }
  return after;
}

/* Where elements begin in the middle of a vector of v: the first rows of all, which wait for the end of the
 * element before, and the last rows that came. */
typedef struct {
  bp_vector head[BP_LANES], before[BP_LANES];
} bp_shifted;

/* The way back there (`nodes` odd, > BP_LANES): each row is joined with the one before, so that whole aligned
 * vectors leave. Nodes n .. n + BP_LANES - 1, or the last ones; in order, n a multiple of BP_LANES; stride is
 * plane. */
BP_INLINE void bp_group_store_shifted(const bp_vector *from, int nodes, int n, real *v, int cached,
                                      bp_shifted *s)
{
  const int rest = nodes % BP_LANES;
  bp_vector rows[BP_LANES];
  bp_group_rows(from, nodes, nodes, n, rows);
  if (n == 0) {
#pragma GCC unroll 8
    for (int l = 0; l < BP_LANES; ++l)
      s->head[l] = s->before[l] = rows[l];
    bp_store_out(v, rows[0], cached);
  } else if (n + BP_LANES <= nodes) {
#pragma GCC unroll 8
    for (int l = 0; l < BP_LANES; ++l) {
      const int shift = l * nodes % BP_LANES;
      bp_store_out(v + l * nodes - shift + n, bp_shift(s->before[l], rows[l], shift), cached);
      s->before[l] = rows[l];
    }
  } else {
#pragma GCC unroll 8
    for (int l = 0; l < BP_LANES; ++l) {
      const int shift = l * nodes % BP_LANES, next = (l + 1) * nodes % BP_LANES;
      if (shift + rest >= BP_LANES)
        bp_store_out(v + (l + 1) * nodes - rest - shift, bp_shift(s->before[l], rows[l], shift),
                     cached);
      if (l + 1 < BP_LANES)
        bp_store_out(
            v + (l + 1) * nodes - next,
            bp_shift(bp_shift(s->before[l], rows[l], BP_LANES - rest), s->head[l + 1], next),
            cached);
    }
  }
}

BP_INLINE void bp_group_store_out(const bp_vector *from, int planes, int plane, int stride, real *v,
                                  int cached, bp_prefetcher *ahead)
{
  const int nodes = planes * plane;
  if (nodes % BP_LINE == 0) {
    for (int n = 0; n < nodes; n += BP_LINE)
      bp_group_store_line(from, nodes, plane, stride, n, v, cached, ahead);
    return;
  }
  bp_shifted shifted;
  bp_prefetch_part(ahead, 0, 1);
  bp_group_store_shifted(from, nodes, 0, v, cached, &shifted);
  for (int n = BP_LANES; n + BP_LANES <= nodes; n += BP_LANES) {
    bp_prefetch_part(ahead, 0, 1);
    bp_group_store_shifted(from, nodes, n, v, cached, &shifted);
  }
  bp_prefetch_part(ahead, 0, 1);
  bp_group_store_shifted(from, nodes, nodes - nodes % BP_LANES, v, cached, &shifted);
}

BP_INLINE void bp_group_store(const bp_vector *from, int planes, int plane, int stride, real *v,
                              bp_prefetcher *ahead)
{
  bp_group_store_out(from, planes, plane, stride, v, 0, ahead);
}

/* Where a group's u and v are: in place, or in `tail` (BP_LANES elements) for the last group when
 * elements are missing, with zeros for those. */
typedef struct {
  const real *u;
  real *v;
} bp_range;

BP_INLINE bp_range bp_group_begin(const bp_cpu_arguments *a, int64_t e, int64_t last, int nodes,
                                  real *tail)
{
  if (e + BP_LANES <= last)
    return (bp_range){a->u + e * nodes, a->v + e * nodes};
  for (int64_t n = 0; n < BP_LANES * nodes; ++n)
    tail[n] = e * nodes + n < last * nodes ? a->u[e * nodes + n] : 0;
  return (bp_range){tail, tail};
}

BP_INLINE void bp_group_end(const bp_cpu_arguments *a, int64_t e, int64_t last, int nodes,
                            const real *tail)
{
  if (e + BP_LANES > last)
    for (int64_t n = 0; n < (last - e) * nodes; ++n)
      a->v[e * nodes + n] = tail[n];
}

/* ---- contractions ---- */

/* sum_a row[a * step] x[a]; the entries are broadcast from memory by the multiplications
 * themselves. */
BP_INLINE bp_vector bp_dot(const real *row, int step, const bp_vector *x, int count)
{
  bp_vector sum = row[0] * x[0];
#pragma GCC unroll 17
  for (int a = 1; a < count; ++a)
    sum += row[a * step] * x[a];
  return sum;
}

/* to[o][b][n] = sum_a m[b * row_step + a * column_step] from[o][a][n] with `outer` o and `inner` n;
 * `from` may be the same array as `to` where to_count == from_count. */
BP_INLINE void bp_multiply(const real *m, int row_step, int column_step, int to_count,
                           int from_count, int outer, int inner, const bp_vector *from,
                           bp_vector *to)
{
  for (int o = 0; o < outer; ++o)
    for (int n = 0; n < inner; ++n) {
      bp_vector x[17];
#pragma GCC unroll 17
      for (int a = 0; a < from_count; ++a)
        x[a] = from[(o * from_count + a) * inner + n];
#pragma GCC unroll 1
      for (int b = 0; b < to_count; ++b)
        to[(o * to_count + b) * inner + n] = bp_dot(m + b * row_step, column_step, x, from_count);
    }
}

#endif
