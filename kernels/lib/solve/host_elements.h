/* host_elements.h -- a group of elements in and out of whole vectors on the CPU: BP_LANES elements at once,
 * straight into the order of lanes, by entities. An element has 27 of them: 6 faces, 12 edges, 8 vertices and
 * its inside, whose nodes lie together in a vector (fem/unknowns.h). Where each begins stands in a table that
 * start() makes.
 *
 * Most groups need no more than that. A fixed entity goes in and out as others do: p is 0 there, and v becomes 0
 * afterwards. In the other groups an entity may be another thread's, turned, with its nodes in another order
 * than its owner's, or absent: of an element that is missing, or fixed and another thread's, which is read from
 * zeros and written to where nobody looks. */
#ifndef BP_KERNELS_SOLVE_HOST_ELEMENTS_H
#define BP_KERNELS_SOLVE_HOST_ELEMENTS_H

#include "lib/solve/host_joints.h"
#include <limits.h>
#include <stdbool.h>

enum {
  FACES = 6,
  EDGES_END = 18,
  ENTITIES = 26,                             /* on a surface */
  FIRST_ENTITY = INSIDE > 0 ? 0 : EDGES_END, /* that has nodes */
  FACE = INSIDE * INSIDE,
  /* of a table, instead of where an entity begins; below ABSENT: BORROWED - n, n values of others before
     it */
  ABSENT = -1,
  BORROWED = -2,
  TURNED = INT_MIN,
  /* A group's requests of factors are made while its elements come, while its operator is applied and while
   * they go: hundredths of them, as of the time; into how many parts. */
  APPLY_SHARE = 100 * LINES / (LINES + 100),
  IN_SHARE = (100 - APPLY_SHARE) * 6 / 10,
  OUT_SHARE = 100 - APPLY_SHARE - IN_SHARE,
  IN_PARTS = ENTITIES - FIRST_ENTITY + INNER / BP_LANES,
  OUT_PARTS = BP_LANES + FACES + INNER / BP_LANES
};

/* Where the entities of BP_LANES elements begin. */
typedef struct {
  int start[ENTITIES - FIRST_ENTITY][BP_LANES];
  int is_usual; /* none is borrowed, turned or absent */
  int unused[BP_LANES - 1];
} group_starts;

/* One component of a solve's vectors, as elements see it. */
typedef struct {
  const real *p;
  real *v;
  const real *others; /* p of unknowns of other threads */
  real *left;         /* what is added to their v */
} element_vectors;

/* A pass over groups of elements. */
typedef struct {
  const host *h;
  const group_starts *starts;             /* of the first group */
  real *zeros, *waste;                    /* of the largest entity */
  int surface[SURFACE], inner[INNER + 1]; /* where nodes lie in a group's vectors */
} elements_pass;

BP_INLINE int entity_first(int n)
{
  return n < FACES       ? n * FACE
         : n < EDGES_END ? IN_FACES + (n - FACES) * INSIDE
                         : IN_EDGES + n - EDGES_END;
}

BP_INLINE int entity_size(int n)
{
  return n < FACES ? FACE : n < EDGES_END ? INSIDE : 1;
}

/* ---- the table ---- */

/* Entity n of an element; `borrowed` counts the values of others. */
BP_INLINE int entity_start(const host *h, const int *ids, int n, int *borrowed)
{
  const int size = entity_size(n);
  const int *id = ids + entity_first(n);
  const bool is_fixed = id[0] < 0;
  int first = INT_MAX, is_turned = 0;
  for (int t = 0; t < size; ++t) {
    const int number = is_fixed ? ~id[t] : id[t];
    is_turned |= id[t] != id[0] + t;
    first = number < first ? number : first;
  }
  if (first >= h->begin[host_class(entity_first(n)) + 1])
    return is_fixed || !is_turned ? first : TURNED;
  if (is_fixed)
    return ABSENT;
  *borrowed += size;
  return BORROWED - (*borrowed - size);
}

BP_PHASE void find_starts(const host *h, group_starts *group)
{
  int borrowed = 0;
  for (int64_t e = h->first; e < h->last; e += BP_LANES, ++group) {
    group->is_usual = 1;
    for (int l = 0; l < BP_LANES; ++l)
      for (int n = FIRST_ENTITY; n < ENTITIES; ++n) {
        const int start =
            e + l < h->last ? entity_start(h, h->a->ids + (e + l) * SURFACE, n, &borrowed) : ABSENT;
        group->start[n - FIRST_ENTITY][l] = start;
        group->is_usual &= start >= 0;
      }
  }
}

/* ---- a pass ---- */

BP_INLINE int place_in_group(int node)
{
  return node / Q2 * PLANE + node % Q2;
}

/* `space`: 2 (INNER + 1). */
BP_INLINE void elements_start(const host *h, const group_starts *starts, real *space,
                              elements_pass *s)
{
  int n = 0;
  s->h = h;
  s->starts = starts;
  s->zeros = space;
  s->waste = space + INNER + 1;
  for (int m = 0; m <= INNER; ++m)
    s->zeros[m] = s->waste[m] = 0;
  host_places(s->surface);
  for (int m = 0; m < SURFACE; ++m)
    s->surface[m] = place_in_group(s->surface[m]);
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j)
      for (int i = 1; i <= INSIDE; ++i)
        s->inner[n++] = place_in_group((k * BP_NQ + j) * BP_NQ + i);
}

/* ---- in ---- */

/* Values n .. n + BP_LANES - 1 of each element, to u and to a copy of it. */
BP_INLINE void nodes_in(const real *const *from, int n, const int *place, bp_vector *u,
                        bp_vector *copy)
{
  bp_vector x[BP_LANES];
#pragma GCC unroll 16
  for (int l = 0; l < BP_LANES; ++l)
    x[l] = *(const bp_unaligned *)(from[l] + n);
  bp_transpose(x);
#pragma GCC unroll 16
  for (int l = 0; l < BP_LANES; ++l)
    copy[place[n + l]] = u[place[n + l]] = x[l];
}

BP_INLINE bp_vector node_in(const real *const *from, int n)
{
#if BP_LANES == 16
  return (bp_vector){from[0][n],  from[1][n],  from[2][n],  from[3][n], from[4][n],  from[5][n],
                     from[6][n],  from[7][n],  from[8][n],  from[9][n], from[10][n], from[11][n],
                     from[12][n], from[13][n], from[14][n], from[15][n]};
#elif BP_LANES == 8
  return (bp_vector){from[0][n], from[1][n], from[2][n], from[3][n],
                     from[4][n], from[5][n], from[6][n], from[7][n]};
#elif BP_LANES == 4
  return (bp_vector){from[0][n], from[1][n], from[2][n], from[3][n]};
#else
  return (bp_vector){from[0][n], from[1][n]};
#endif
}

BP_INLINE void entity_in(const real *const *from, int size, const int *place, bp_prefetcher *ahead,
                         bp_vector *u, bp_vector *copy)
{
  int n = 0;
  for (; n + BP_LANES <= size; n += BP_LANES) {
    bp_prefetch_part(ahead, 0, 1);
    nodes_in(from, n, place, u, copy);
  }
  bp_prefetch_part(ahead, 0, 1);
  if (size - n > BP_LANES / 2 && size > BP_LANES) {
    nodes_in(from, size - BP_LANES, place, u, copy);
    return;
  }
#pragma GCC unroll 2
  for (int few = BP_FEW; few >= 2; few /= 2)
    for (; n + few <= size; n += few) {
      bp_vector x[BP_FEW + 1];
      bp_few_in(from, n, few, x);
#pragma GCC unroll 4
      for (int m = 0; m < few; ++m)
        copy[place[n + m]] = u[place[n + m]] = x[m];
    }
  for (; n < size; ++n)
    copy[place[n]] = u[place[n]] = node_in(from, n);
}

/* Where entity n of element e is read; `turned` has space for it. */
BP_INLINE const real *entity_from(const elements_pass *s, const element_vectors *w, int64_t e,
                                  int n, int start, real *turned)
{
  const int *id = s->h->a->ids + e * SURFACE + entity_first(n);
  if (start == TURNED) {
    for (int t = 0; t < entity_size(n); ++t)
      turned[t] = w->p[id[t]];
    return turned;
  }
  return start >= 0 ? w->p + start : start == ABSENT ? s->zeros : w->others + (BORROWED - start);
}

BP_INLINE void surface_in(const elements_pass *s, const element_vectors *w, int64_t e,
                          const group_starts *group, bool is_usual, int begin, int end,
                          bp_prefetcher *ahead, bp_vector *u, bp_vector *copy)
{
  real turned[BP_LANES][FACE + 1];
  for (int n = begin; n < end; ++n) {
    const int *start = group->start[n - FIRST_ENTITY];
    const real *from[BP_LANES];
#pragma GCC unroll 16
    for (int l = 0; l < BP_LANES; ++l)
      from[l] = is_usual ? w->p + start[l] : entity_from(s, w, e + l, n, start[l], turned[l]);
    entity_in(from, entity_size(begin), s->surface + entity_first(n), ahead, u, copy);
  }
}

BP_INLINE void elements_in(const elements_pass *s, const element_vectors *w, int64_t e,
                           const group_starts *group, bool is_usual, bp_prefetcher *ahead,
                           bp_vector *u, bp_vector *copy)
{
  if (INSIDE > 0) {
    surface_in(s, w, e, group, is_usual, 0, FACES, ahead, u, copy);
    surface_in(s, w, e, group, is_usual, FACES, EDGES_END, ahead, u, copy);
  }
  surface_in(s, w, e, group, is_usual, EDGES_END, ENTITIES, ahead, u, copy);
}

/* p of elements e .. e + BP_LANES - 1, 0 of those that are missing, to u and to `copy`. */
BP_INLINE void group_in(const elements_pass *s, const element_vectors *w, int64_t e,
                        bp_prefetcher *ahead, bp_vector *u, bp_vector *copy)
{
  const group_starts *group = s->starts + (e - s->h->first) / BP_LANES;
  const real *from[BP_LANES];
  for (int l = 0; l < BP_LANES; ++l)
    from[l] = e + l < s->h->last ? w->p + (e + l) * INNER : s->zeros;
  bp_pace_factors(ahead, FACTORS * IN_SHARE / 100, IN_PARTS);
  entity_in(from, INNER, s->inner, ahead, u, copy);
  for (size_t n = 0; n < sizeof *group; n += 64)
    __builtin_prefetch((const char *)(group + 1) + n);
  if (group->is_usual)
    elements_in(s, w, e, group, true, ahead, u, copy);
  else
    elements_in(s, w, e, group, false, ahead, u, copy);
}

/* ---- out ---- */

BP_INLINE real of_lane(const bp_vector *u, int place, int l)
{
  return ((const real *)(u + place))[l];
}

BP_INLINE void nodes_out(const bp_vector *u, const int *place, int n, bp_vector *rows)
{
#pragma GCC unroll 16
  for (int l = 0; l < BP_LANES; ++l)
    rows[l] = u[place[n + l]];
  bp_transpose(rows);
}

/* The insides, which nobody else has. */
BP_INLINE void inside_out(real *const *to, const int *place, bp_prefetcher *ahead,
                          const bp_vector *u)
{
  bp_vector rows[BP_LANES];
  int n = 0;
  for (; n < INNER && INNER >= BP_LANES; n += BP_LANES) {
    const int at = n + BP_LANES <= INNER ? n : INNER - BP_LANES;
    bp_prefetch_part(ahead, 0, 1);
    nodes_out(u, place, at, rows);
#pragma GCC unroll 16
    for (int l = 0; l < BP_LANES; ++l)
      *(bp_unaligned *)(to[l] + at) = rows[l];
  }
  for (; n < INNER; ++n)
    for (int l = 0; l < BP_LANES; ++l)
      to[l][n] = of_lane(u, place[n], l);
}

BP_INLINE void face_out(real *const *to, const int *place, const bp_vector *u)
{
  bp_vector rows[BP_LANES];
  int n = 0;
  for (; n + BP_LANES <= FACE; n += BP_LANES) {
    nodes_out(u, place, n, rows);
#pragma GCC unroll 16
    for (int l = 0; l < BP_LANES; ++l)
      *(bp_unaligned *)(to[l] + n) += rows[l];
  }
#pragma GCC unroll 2
  for (int few = BP_FEW; few >= 2; few /= 2)
    for (; n + few <= FACE; n += few) {
#pragma GCC unroll 4
      for (int m = 0; m < few; ++m)
        rows[m] = u[place[n + m]];
      bp_few_add(to, n, few, rows);
    }
  for (int l = 0; l < BP_LANES; ++l)
    for (int m = n; m < FACE; ++m)
      to[l][m] += of_lane(u, place[m], l);
}

/* Where entity n of an element is added up. */
BP_INLINE real *entity_to(const elements_pass *s, const element_vectors *w, int n, int start,
                          real *turned)
{
  if (start >= 0 || start == ABSENT)
    return start >= 0 ? w->v + start : s->waste;
  real *const to = start == TURNED ? turned : w->left + (BORROWED - start);
  for (int t = 0; t < entity_size(n); ++t)
    to[t] = 0;
  return to;
}

BP_INLINE void add_turned(const elements_pass *s, const element_vectors *w, int64_t e, int n,
                          const real *turned)
{
  const int *id = s->h->a->ids + e * SURFACE + entity_first(n);
  for (int t = 0; t < entity_size(n); ++t)
    w->v[id[t]] += turned[t];
}

BP_INLINE void faces_out(const elements_pass *s, const element_vectors *w, int64_t e,
                         const group_starts *group, bool is_usual, bp_prefetcher *ahead,
                         const bp_vector *u)
{
  real turned[BP_LANES][FACE + 1], *to[BP_LANES];
  for (int n = 0; n < FACES; ++n) {
    const int *start = group->start[n - FIRST_ENTITY];
#pragma GCC unroll 16
    for (int l = 0; l < BP_LANES; ++l)
      to[l] = is_usual ? w->v + start[l] : entity_to(s, w, n, start[l], turned[l]);
    bp_prefetch_part(ahead, 0, 1);
    face_out(to, s->surface + n * FACE, u);
    for (int l = 0; l < BP_LANES && !is_usual; ++l)
      if (start[l] == TURNED)
        add_turned(s, w, e + l, n, turned[l]);
  }
}

/* Entities begin .. end - 1 of element e, lane l: edges or vertices. */
BP_INLINE void lines_out(const elements_pass *s, const element_vectors *w, int64_t e, int l,
                         const group_starts *group, bool is_usual, int begin, int end,
                         const bp_vector *u)
{
  real turned[INSIDE + 1];
  for (int n = begin; n < end; ++n) {
    const int start = group->start[n - FIRST_ENTITY][l], *place = s->surface + entity_first(n);
    real *const to = is_usual ? w->v + start : entity_to(s, w, n, start, turned);
    for (int t = 0; t < entity_size(begin); ++t)
      to[t] += of_lane(u, place[t], l);
    if (!is_usual && start == TURNED)
      add_turned(s, w, e, n, turned);
  }
}

/* Faces have two copies at most. Of what has more, each sum is in the order of the elements. */
BP_INLINE void surface_out(const elements_pass *s, const element_vectors *w, int64_t e,
                           const group_starts *group, bool is_usual, bp_prefetcher *ahead,
                           const bp_vector *u)
{
  if (INSIDE > 0)
    faces_out(s, w, e, group, is_usual, ahead, u);
  for (int l = 0; l < BP_LANES; ++l) {
    bp_prefetch_part(ahead, 0, 1);
    if (INSIDE > 0)
      lines_out(s, w, e + l, l, group, is_usual, FACES, EDGES_END, u);
    lines_out(s, w, e + l, l, group, is_usual, EDGES_END, ENTITIES, u);
  }
}

/* v of elements e .. e + BP_LANES - 1 to where it belongs. */
BP_INLINE void group_out(const elements_pass *s, const element_vectors *w, int64_t e,
                         bp_prefetcher *ahead, const bp_vector *u)
{
  const group_starts *group = s->starts + (e - s->h->first) / BP_LANES;
  real *to[BP_LANES];
  for (int l = 0; l < BP_LANES; ++l)
    to[l] = e + l < s->h->last ? w->v + (e + l) * INNER : s->waste;
  bp_pace_factors(ahead, FACTORS * OUT_SHARE / 100, OUT_PARTS);
  inside_out(to, s->inner, ahead, u);
  if (group->is_usual)
    surface_out(s, w, e, group, true, ahead, u);
  else
    surface_out(s, w, e, group, false, ahead, u);
}

/* p . v of each element of a group. */
BP_INLINE bp_vector group_product(const bp_vector *p, const bp_vector *v)
{
  bp_vector even = {0}, odd = {0};
  for (int k = 0; k < BP_NQ; ++k) {
    const bp_vector *x = p + k * PLANE, *y = v + k * PLANE;
    int n = 0;
    for (; n + 2 <= Q2; n += 2) {
      even += x[n] * y[n];
      odd += x[n + 1] * y[n + 1];
    }
    for (; n < Q2; ++n)
      even += x[n] * y[n];
  }
  return even + odd;
}

#endif
