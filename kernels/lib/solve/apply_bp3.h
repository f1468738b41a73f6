/* apply_bp3.h -- the kernel with the operator of BP3 and BP4 (also with a mass term): v = A p, p . v by
 * element, and the vectors that a scheme makes on the way (batches.h). A scheme's header goes before it.
 *
 * Persistent blocks; a thread owns a pencil of an element in each direction in turn, in the five passes
 * of bp30_five_passes.h. In shared memory: the factors of a batch; r and p of the next item, which come
 * while this one is computed; two buffers for what passes between t and s, three between s and r. The
 * cubes of p, later of the surface of v, lie where the latter begin. Factors lie as ecijk. */
#ifndef BP_KERNELS_SOLVE_APPLY_BP3_H
#define BP_KERNELS_SOLVE_APPLY_BP3_H

#include "lib/operator/bp30_five_passes.h"
#include "lib/solve/batches.h"

/* to[q] = sum over c of (D I)[c][q] from[c] */
BP_DEVICE void derive_back(const double *from, double *to)
{
  double e[BP_HALF(BP_NC)], o[BP_HALF(BP_NC)];
  pencil_split(from, BP_NC, e, o);
  BP_UNROLL
  for (int a = 0; a < BP_HALF(BP_NQ); ++a) {
    double p = 0, q = 0;
    PENCIL_SUM(p, BP_NC / 2, bp_DI_even[b][a], o);
    PENCIL_SUM(q, BP_HALF(BP_NC), bp_DI_odd[b][a], e);
    to[a] = p + q;
    if (a != BP_NQ - 1 - a)
      to[BP_NQ - 1 - a] = p - q;
  }
}

/* Along r, to points, through the factors, and back; returns the pencil's part of p . A p. */
BP_DEVICE double pencil_r(const five_pass_pointers *at, const double *f, double lambda)
{
  double x[BP_NQ], value[BP_NC], r[BP_NC], s[BP_NC], t[BP_NC], energy = 0;
  pencil_load(at->sr_r, SR_I(false), BP_NQ, x);
  if (BP_COMPONENTS == 7)
    pencil_interpolate(IN_CONSTANTS, x, value);
  five_pass_derive(x, r);
  pencil_load(at->sr_r + FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, s);
  pencil_load(at->sr_r + 2 * FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, t);
  BP_UNROLL
  for (int i = 0; i < BP_NC; ++i)
    energy += flux_energy(f + i * POINTS_2D, POINTS_3D, lambda, &r[i], &s[i], &t[i], &value[i]);
  if (BP_COMPONENTS == 7)
    five_pass_project(value, r, x);
  else
    derive_back(r, x);
  pencil_store(at->sr_r, SR_I(false), BP_NQ, x);
  pencil_project(IN_CONSTANTS, s, x);
  pencil_store(at->sr_r + FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  pencil_project(IN_CONSTANTS, t, x);
  pencil_store(at->sr_r + 2 * FIVE_PASS_R_STEP, SR_I(false), BP_NQ, x);
  return energy;
}

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(bp_mbarrier, full, [2]);
  BP_SHARED(double, buffer, [SUMS_BUFFER]);
  const int b = bp_thread() / POINTS_2D;
  const node_column nodes = node_column_of(b, bp_thread() % POINTS_2D);
  const vector_slots vectors = vector_slots_of(shared + FACTORS_SLOT, &full[0]);
  double *const buffers = shared + FACTORS_SLOT + VECTORS_SLOT, *const cubes =
                                                                    buffers + 2 * FIVE_PASS_T_STEP;
  five_pass_pointers pencils = five_pass_pointers_of(buffers, b, bp_thread() % POINTS_2D);
  if (b >= ELEMENTS_PER_BLOCK)
    pencils.p = POINTS_2D;

  /* the first batch's factors, r, p, and the ids of the second are on their way */
  const solve_arrays arrays = SOLVE_ARRAYS;
  surface_nodes surface;
  item at = {(int)blockIdx.x, 0};
  bp_let_next_begin();
  if (bp_thread() == 0) {
    bp_mbarrier_start(&full[0], 1);
    bp_mbarrier_start(&full[1], 1);
    bp_mbarrier_fence();
    factors_load(shared, factors, at.batch, elements, &full[1]);
  }
  surface_start(&surface, bp_thread());
  surface_ids(&surface, at, arrays.ids, arrays.first, elements);
  pencil_prefetch_constants(THREADS, PENCIL_DI);
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  vectors_load(&vectors, &surface, at, &it);
  surface_ids(&surface, item_after(at), arrays.ids, arrays.first, elements);
  exact_sum energy = {{0}};
  iteration_begin(&it, &arrays, &energy, buffer);

  int parity = 0, factors_parity = 0;
  while (at.batch * ELEMENTS_PER_BLOCK < elements) {
    double x[BP_NQ];
    const item next = item_after(at);
    const item_posts posts = posts_of(&it, at);
    direction(&vectors, &surface, &nodes, at, parity, cubes, &it);
    BP_BARRIER();
    vectors_load(&vectors, &surface, next, &it);
    surface_ids(&surface, item_after(next), arrays.ids, arrays.first, elements);

    if (nodes.lives)
      pencil_load(cubes + nodes.cube, CUBE_K, BP_NQ, x);
    five_pass_t(&pencils, x);
    BP_BARRIER();
    five_pass_s(&pencils);
    BP_BARRIER();
    if (at.field == 0)
      bp_mbarrier_wait(&full[1], factors_parity);
    if (b < batch_elements(at.batch, elements))
      exact_add(&energy,
                pencil_r(&pencils,
                         factors_at(shared, at.batch) + b * BP_COMPONENTS * POINTS_3D + pencils.p,
                         lambda));
    BP_BARRIER();
    if (next.field == 0) {
      factors_parity ^= 1;
      if (bp_thread() == 0)
        factors_load(shared, factors, next.batch, elements, &full[1]);
    }
    five_pass_back_s(&pencils);
    BP_BARRIER();
    five_pass_back_t(&pencils, x);
    column_out(&nodes, at, x, cubes, &it);
    BP_BARRIER();
    surface_finish(&surface, at, cubes, &it);
    posts_send(&posts, bp_thread(), at, &it);
    at = next;
    parity ^= 1;
  }
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
