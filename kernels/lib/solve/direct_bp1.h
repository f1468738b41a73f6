/* direct_bp1.h -- the kernel with the operator of BP1 and BP2 where p is there before: v = A p, p . v by
 * element and v . v of inner nodes, without copies into shared memory. A scheme's header goes before it.
 *
 * A thread loads p of its pencil along t and the weights of its pencil along r straight into registers, the
 * next batch's weights as soon as it has used them; many small blocks share a multiprocessor, and while some
 * wait others compute. Passes and buffers are those of bp1.0/direct. Weights lie as ecijk. */
#ifndef BP_KERNELS_SOLVE_DIRECT_BP1_H
#define BP_KERNELS_SOLVE_DIRECT_BP1_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/memory/batch_load.h"
#include "lib/solve/lines.h"

/* p of a pencil of an element. */
BP_DEVICE void line_load(const node_line *line, const int *ids, int element, const double *p,
                         double *x)
{
  int at[BP_NQ];
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k) {
    const int n = line_node(line, k);
    at[k] = line_is_inner(line, k) ? element * ELEMENT_INNER + n
                                   : ids[(size_t)element * ELEMENT_SURFACE + n];
  }
  BP_UNROLL
  for (int k = 0; k < BP_NQ; ++k)
    x[k] = p[at[k] < 0 ? ~at[k] : at[k]];
}

/* The weights of pencil p along r of an element. */
BP_DEVICE void weights_load(const double *factors, int element, int p, l2_policies policies,
                            double *w)
{
  BP_UNROLL
  for (int i = 0; i < BP_NC; ++i)
    w[i] = batch_load_factor(factors + (size_t)element * POINTS_3D + i * POINTS_2D + p, policies);
}

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(double, buffer, [64]);
  const int t_b = bp_thread() / NODES_2D, t_p = bp_thread() % NODES_2D,
            s_b = bp_thread() / (BP_NC * BP_NQ), s_p = bp_thread() % (BP_NC * BP_NQ),
            r_b = bp_thread() / POINTS_2D, r_p = bp_thread() % POINTS_2D;
  double *const sr = shared + ELEMENTS_PER_BLOCK * BUFFER_TS,
                *const ts_t = shared + t_b * BUFFER_TS + t_p / BP_NQ * TS_J + t_p % BP_NQ * TS_I,
                *const ts_s = shared + s_b * BUFFER_TS + S_K(s_p) * TS_K + S_I(s_p) * TS_I,
                *const sr_s =
                    sr + s_b * BUFFER_SR_ECIJK + S_K(s_p) * SR_K(false) + S_I(s_p) * SR_I(false),
                *const sr_r = sr + r_b * BUFFER_SR_ECIJK + R_K(false, r_p) * SR_K(false) +
                              R_J(false, r_p) * SR_J(false);
  const node_line line = node_line_of(t_p);
  const l2_policies policies = l2_policies_of_block();
  const solve_arrays arrays = SOLVE_ARRAYS;
  double nodes[BP_NQ], points[BP_NC], w[BP_NC];

  bp_let_next_begin();
  int batch = (int)blockIdx.x;
  if (r_b < batch_elements(batch, elements))
    weights_load(factors, batch * ELEMENTS_PER_BLOCK + r_b, r_p, policies, w);
  pencil_prefetch_constants(THREADS, PENCIL_NONE);
  bp_wait_for_previous();
  iteration it = iteration_of(&arrays);
  exact_sum energy = {{0}, {0}};
  iteration_begin(&it, &arrays, &energy, buffer);

  for (; batch * ELEMENTS_PER_BLOCK < elements; batch += (int)gridDim.x) {
    const int first_element = batch * ELEMENTS_PER_BLOCK, here = batch_elements(batch, elements),
              next = batch + (int)gridDim.x;
    for (int field = 0; field < BP_FIELDS; ++field) {
      if (t_b < here) {
        line_load(&line, arrays.ids, first_element + t_b, it.p_before + field * it.stride, nodes);
        pencil_interpolate(IN_CONSTANTS, nodes, points);
        pencil_store(ts_t, TS_K, BP_NC, points);
      }
      BP_BARRIER();
      if (s_b < here) {
        pencil_load(ts_s, TS_J, BP_NQ, nodes);
        pencil_interpolate(IN_CONSTANTS, nodes, points);
        pencil_store(sr_s, SR_J(false), BP_NC, points);
      }
      BP_BARRIER();
      if (r_b < here) {
        pencil_load(sr_r, SR_I(false), BP_NQ, nodes);
        pencil_interpolate(IN_CONSTANTS, nodes, points);
        BP_UNROLL
        for (int i = 0; i < BP_NC; ++i) {
          const double wy = w[i] * points[i];
          energy.part[0] += points[i] * wy;
          points[i] = wy;
        }
        pencil_project(IN_CONSTANTS, points, nodes);
        pencil_store(sr_r, SR_I(false), BP_NQ, nodes);
      }
      if (field == BP_FIELDS - 1 && r_b < batch_elements(next, elements))
        weights_load(factors, next * ELEMENTS_PER_BLOCK + r_b, r_p, policies, w);
      BP_BARRIER();
      if (s_b < here) {
        pencil_load(sr_s, SR_J(false), BP_NC, points);
        pencil_project(IN_CONSTANTS, points, nodes);
        pencil_store(ts_s, TS_J, BP_NQ, nodes);
      }
      BP_BARRIER();
      if (t_b < here) {
        const element_places to = element_places_of(&it, first_element + t_b, field);
        pencil_load(ts_t, TS_K, BP_NC, points);
        pencil_project(IN_CONSTANTS, points, nodes);
        BP_UNROLL
        for (int k = 0; k < BP_NQ; ++k)
          it.vv += line_store(&to, &line, k, nodes[k]);
      }
    }
  }
  BP_BARRIER();
  iteration_end(&it, &arrays, &energy, buffer);
}

#endif
