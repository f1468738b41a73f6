/* bp3.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..11
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   dealt 0..1 = 1 -- blocks take batches as they get on, instead of equal shares
 * launch:   apply; threads nc * nc * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * blocks_per_sm ? (elements + elements_per_block - 1) / elements_per_block : sms * blocks_per_sm; shared 8 * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nc*nc*nc + 31) / 16 * 16 + elements_per_block * ((nc % 2 == 1 && nq < 9 ? like(nc * like(nc*nc, 1), nc*nc) : 0) + (nc % 2 == 1 ? like(nc * like(nc*nc, nc), nc*nc) : like(nc * like(nc*nc, 1), nc*nc)) + max(like(nc * (nq % 2 == 0 ? nq*nq : like(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq), like(nc * (nc % 2 == 1 ? nc*nc : like(nc*nc, 1)), nc*nc)) + max(like(nc*nc*nq, nc*nq), like(nc * like(nc*nc, nc), nc*nc))))
 *
 * A thread owns a pencil in each direction in turn; a t column's interpolated values, t derivative and t flux
 * stay in its registers. Three rooms per element in shared memory: for u at the points and later the sum; for the
 * r part, and what passes between t and s before and after; for the s part, and what passes between s and r. Where
 * there is space, and it helps, u and the sum have two: one between r and s, one between s and t. Pencils are
 * contracted in registers with constants, even and odd halves apart. */
#include "crossing.h"
#include "dealt.h"
#include "pencil.h"
#define STAGES 1
#include "stream.h"

enum {
  PLANE = BP_NC * BP_NC,
  THREADS = BATCH * PLANE,
  /* u and the sum, in all three directions: where they share no order, r gives way if BP_NC is odd, else s */
  ALL_K = BP_NC % 2 == 1 ? (int)ST_K : (int)RT_K,
  ALL = BP_NC % 2 == 1 ? (int)ST : (int)RT,
  /* or in two: r and s */
  SPLIT = BP_NC % 2 == 1 && BP_N < 8,
  RS_J = SPLIT ? BANKS_LIKE(BP_NC * BP_NC, 1) : BP_NC,
  RS_K = SPLIT ? BP_NC : (int)ALL_K,
  RS = SPLIT ? BANKS_LIKE(BP_NC * (int)RS_J, BP_NC *BP_NC) : (int)ALL,
  ROOM_R = (int)TS > (int)RT ? (int)TS : (int)RT,
  ROOM_S = (int)SR > (int)ST ? (int)SR : (int)ST
};

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(stream_barriers, full, [1]);
  const int batches = (elements + BATCH - 1) / BATCH;
  const int b = threadIdx.x / PLANE, p = threadIdx.x % PLANE, j = p / BP_NC, i = p % BP_NC;
  double *const room_r = shared + STAGE, *const room_s = room_r + BATCH * ROOM_R;
  double *const all_at = room_s + BATCH * ROOM_S + b * ALL;
  double *const ts_t = room_r + b * TS + p / BP_NQ * TS_J + p % BP_NQ * TS_I;
  double *const ts_s = room_r + b * TS + S_K(p) * TS_K + S_I(p) * TS_I;
  double *const sr_s = room_s + b * SR + S_K(p) * SR_K + S_I(p) * SR_I;
  double *const sr_r = room_s + b * SR + R_K(p) * SR_K + R_J(p) * SR_J;
  double *const rs_at = SPLIT ? room_s + BATCH * (ROOM_S + ALL) + b * RS : all_at;
  double *const rs_r = rs_at + R_K(p) * RS_K + R_J(p) * RS_J, *const rs_s = rs_at + j * RS_K + i;
  double *const all_s = all_at + j * ALL_K + i, *const all_t = all_at + p;
  double *const rt_r = room_r + b * RT + R_K(p) * RT_K + R_J(p) * BP_NC;
  double *const rt_t = room_r + b * RT + p;
  double *const st_s = room_s + b * ST + j * ST_K + i, *const st_t = room_s + b * ST + p;

  BP_SHARED(int, dealt, [1]);
  /* before data, lest it come behind them */
  int number = DEALT && threadIdx.x == 0 ? dealt_take() : 0;
  start_stream(shared, u, factors, elements, full, BP_N >= 7);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    double x[BP_NC], y[BP_NC], ut[BP_NC], wu[BP_NC];
    const size_t first = (size_t)batch * BATCH, e = first + b;
    bp_mbarrier_wait(&full->u_full[0], parity);

    /* interpolate: t as (j, i), s, r; the last also differentiates */
    if (p < BP_NQ * BP_NQ) {
      pencil_load(shared + span_offset(first * NODES) + b * NODES + p, BP_NQ * BP_NQ, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(ts_t, TS_K, BP_NC, y);
    }
    if (DEALT && threadIdx.x == 0)
      dealt_next(&number, batches, dealt);
    BP_BARRIER();
    const int next = DEALT ? *dealt : stream_after(batch);
    stream_next_u(shared, u, next, elements, &full->u_full[0]);
    if (p < BP_NC * BP_NQ) {
      pencil_load(ts_s, TS_J, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(sr_s, SR_J, BP_NC, y);
    }
    BP_BARRIER();
    pencil_load(sr_r, SR_I, BP_NQ, x);
    pencil_interpolate(x, y);
    pencil_store(rs_r, 1, BP_NC, y);
    pencil_differentiate(y, x);
    pencil_store(rt_r, 1, BP_NC, x);
    BP_BARRIER();
    /* the s derivative as (k, i), the t derivative and the metric as (j, i) */
    pencil_load(rs_s, RS_J, BP_NC, x);
    pencil_differentiate(x, y);
    pencil_store(st_s, BP_NC, BP_NC, y);
    if (SPLIT) {
      pencil_store(all_s, BP_NC, BP_NC, x);
      BP_BARRIER();
    }
    pencil_load(all_t, ALL_K, BP_NC, wu);
    pencil_differentiate(wu, ut);
    if (!SPLIT)
      BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[0], parity);
    pencil_metric(shared + U_ROOM + span_offset(first * FACTORS) + b * FACTORS + p, lambda, rt_t,
                  RT_K, st_t, ST_K, ut, wu);
    pencil_add_transposed(ut, wu);
    pencil_store(all_t, ALL_K, BP_NC, wu);
    BP_BARRIER();
    stream_next_factors(shared, factors, next, elements, &full->factors_full[0]);
    /* transposed: s as (k, i) into the sum, r */
    pencil_load(st_s, BP_NC, BP_NC, x);
    pencil_load(all_s, BP_NC, BP_NC, y);
    pencil_add_transposed(x, y);
    pencil_store(rs_s, RS_J, BP_NC, y);
    BP_BARRIER();
    pencil_load(rt_r, 1, BP_NC, x);
    pencil_load(rs_r, 1, BP_NC, y);
    pencil_add_transposed(x, y);
    pencil_project(y, x);
    pencil_store(sr_r, SR_I, BP_NQ, x);
    BP_BARRIER();
    if (p < BP_NC * BP_NQ) {
      pencil_load(sr_s, SR_J, BP_NC, y);
      pencil_project(y, x);
      pencil_store(ts_s, TS_J, BP_NQ, x);
    }
    BP_BARRIER();
    if (p < BP_NQ * BP_NQ) {
      pencil_load(ts_t, TS_K, BP_NC, y);
      pencil_project(y, x);
      if (e < elements) {
        BP_UNROLL
        for (int k = 0; k < BP_NQ; ++k)
          v[e * NODES + k * BP_NQ * BP_NQ + p] = x[k];
      }
    }
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
