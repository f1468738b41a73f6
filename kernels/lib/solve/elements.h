/* elements.h -- how whole elements come in and go out where a block takes one at a time.
 *
 * r and p of the next element come into two cubes in shared memory, [k][j][i], each node to its place, by
 * the thread that later makes p of them, and still later takes v of that node out of the first cube again.
 * So no barrier is needed between these steps. A merged scheme brings v of before into a third cube, behind
 * the first. See batches.h for the numbering and for what a kernel file defines; here elements_per_block is
 * 1, cube_k is nq*nq. MAPPED: u comes, into the second cube, and is there when it has come. */
#ifndef BP_KERNELS_SOLVE_ELEMENTS_H
#define BP_KERNELS_SOLVE_ELEMENTS_H

#include "lib/solve/batches.h"

/* The thread's columns of inner nodes: number c, from place `at` of the cubes on. */
#define FOR_INNER_COLUMNS(s, c, at)                                                                \
  for (int c = (s)->thread, at = 0;                                                                \
       c < FACE_INNER && (at = CUBE_K + (c / EDGE_INNER + 1) * BP_NQ + c % EDGE_INNER + 1, true);  \
       c += THREADS)

/* MAPPED: of inner node n of an item the number. */
BP_DEVICE int element_number(const iteration *it, item at, int n)
{
  return RUNS ? it->inside[at.batch] + n : it->inside[(size_t)at.batch * ELEMENT_INNER + n];
}

/* Asks for r and p of an item, if there is one; its ids have come. */
BP_DEVICE void element_load(real *r_cube, real *p_cube, surface_nodes *s, item at,
                            const iteration *it)
{
  const size_t field = at.field * it->stride;
  const real *const rf = it->r_before + field, *const pf = it->p_before + field,
                    *const vf = it->v_before + field;
  surface_sums(s); /* those of the item before, whose v leaves after the next one has come */
  if (at.batch < it->elements) {
    const size_t begin = (size_t)at.batch * ELEMENT_INNER;
    BP_UNROLL
    for (int t = 0; t < TURNS; ++t) {
      const int n = s->thread + t * THREADS, place = surface_place_in_cubes(s, t);
      if (n < ELEMENT_SURFACE) {
        const int number = surface_number(s, t);
        if (MAPPED && s->id[t] < 0) {
          p_cube[place] = 0;
          continue;
        }
        if (!MAPPED)
          copy_ahead(r_cube + place, rf + number);
        copy_ahead(p_cube + place, pf + number);
        if (MERGED)
          copy_ahead(r_cube + CUBE + place, vf + number);
      }
    }
    FOR_INNER_COLUMNS(s, c, place)
    {
      BP_UNROLL_BY(4)
      for (int k = 0; k < EDGE_INNER; ++k) {
        if (MAPPED) {
          copy_ahead(p_cube + place + k * CUBE_K, pf + element_number(it, at, c + k * FACE_INNER));
          continue;
        }
        copy_ahead(r_cube + place + k * CUBE_K, rf + begin + c + k * FACE_INNER);
        copy_ahead(p_cube + place + k * CUBE_K, pf + begin + c + k * FACE_INNER);
        if (MERGED)
          copy_ahead(r_cube + CUBE + place + k * CUBE_K, vf + begin + c + k * FACE_INNER);
      }
    }
  }
  bp_async_commit();
}

/* When they are wanted: p = r + beta p, in its cube and in memory. A barrier has to follow. */
BP_DEVICE void element_direction(const real *r_cube, real *p_cube, const surface_nodes *s, item at,
                                 iteration *it)
{
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  real *const rf = it->r + at.field * it->stride, *const pf = it->p + at.field * it->stride;
  BP_ASYNC_WAIT(0);
  if (MAPPED)
    return;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < ELEMENT_SURFACE) {
      const int place = surface_place_in_cubes(s, t);
      p_cube[place] =
          node_advance(it, r_cube[place], p_cube[place], MERGED ? r_cube[CUBE + place] : 0, rf, pf,
                       surface_is_owned(s, t), surface_unknown(s, t));
    }
  FOR_INNER_COLUMNS(s, c, place)
  {
    BP_UNROLL_BY(4)
    for (int k = 0; k < EDGE_INNER; ++k) {
      const int n = place + k * CUBE_K;
      p_cube[n] = node_advance(it, r_cube[n], p_cube[n], MERGED ? r_cube[CUBE + n] : 0, rf, pf,
                               true, begin + c + k * FACE_INNER);
    }
  }
}

/* v of an item to memory. */
BP_DEVICE void element_out(const real *v_cube, const surface_nodes *s, item at, iteration *it)
{
  const size_t begin = (size_t)at.batch * ELEMENT_INNER;
  real *const vf = it->v + at.field * it->stride, *const inner = vf + begin;
  BP_UNROLL
  for (int t = 0; t < TURNS; ++t)
    if (s->thread + t * THREADS < ELEMENT_SURFACE)
      surface_store(s, t, at,
                    (MAPPED && SURFACE_ATOMIC ? it->alpha : 1) *
                        v_cube[surface_place_in_cubes(s, t)],
                    it->v, it->copies, it->stride, it->elements);
  FOR_INNER_COLUMNS(s, c, place)
  {
    BP_UNROLL_BY(4)
    for (int k = 0; k < EDGE_INNER; ++k) {
      const real x = v_cube[place + k * CUBE_K];
      if (MAPPED) {
        mapped_store(it, vf + element_number(it, at, c + k * FACE_INNER), x);
        continue;
      }
      inner[c + k * FACE_INNER] = x;
      if (MERGED)
        it->vv += node_square(it, (double)x * x, begin + c + k * FACE_INNER);
    }
  }
}

#endif
