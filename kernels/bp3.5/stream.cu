/* bp3.5/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..13
 * requires: sm_90
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * option:   dealt 0..1 = 1 -- blocks take batches as they get on, instead of equal shares
 * launch:   apply; threads nq * nq * elements_per_block; blocks (elements + elements_per_block - 1) / elements_per_block < sms * blocks_per_sm ? (elements + elements_per_block - 1) / elements_per_block : sms * blocks_per_sm; shared 8 * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * 7 * nq*nq*nq + 31) / 16 * 16 + elements_per_block * (like(nq * (nq % 2 == 1 ? nq*nq : like(nq*nq, 1)), nq*nq) + like(nq * like(nq*nq, nq), nq*nq)))
 * flops:    3 * nq*nq * (2 * nq*nq + 5 * nq + nq % 2 * 2 * (nq - 1)) + 19 * nq*nq*nq
 * shared traffic: 8 * (30 + (nq % 4 == 0 && nq > 4)) * nq*nq*nq
 *
 * Thread (element, j, i) owns a column in k: u, its t derivative and the t flux stay in its registers. Two
 * rooms per element in shared memory hold what crosses threads: the r part and the s part. u is read where it
 * came to; where rows of 8 or 12 nodes begin in too few banks, rows along r are read from a copy. Pencils are
 * contracted in registers with constants, even and odd halves apart. */
#include "crossing.h"
#include "dealt.h"
#include "pencil.h"
#define STAGES 1
#include "stream.h"

enum { PLANE = BP_NQ * BP_NQ, THREADS = BATCH * PLANE, COPY = BP_NQ % 4 == 0 && BP_NQ > 4 };

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(stream_barriers, full, [1]);
  const int batches = (elements + BATCH - 1) / BATCH;
  const int b = threadIdx.x / PLANE, column = threadIdx.x % PLANE, j = column / BP_NQ,
            i = column % BP_NQ;
  double *const room_r = shared + STAGE + b * RT;
  double *const room_s = shared + STAGE + BATCH * RT + b * ST;
  double *const rt_r = room_r + R_K(column) * RT_K + R_J(column) * BP_NQ;
  double *const rt_t = room_r + column;
  double *const st_s = room_s + j * ST_K + i, *const st_t = room_s + column;
  double x[BP_NQ], y[BP_NQ];

  BP_SHARED(int, dealt, [1]);
  /* before data, lest it come behind them */
  int number = DEALT && threadIdx.x == 0 ? dealt_take() : 0;
  start_stream(shared, u, factors, elements, full, false);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    double wu[BP_NQ], ut[BP_NQ];
    const size_t first = (size_t)batch * BATCH, e = first + b;
    bp_mbarrier_wait(&full->u_full[0], parity);

    /* the derivatives along t, which stays here, along r, and along s as (k, i) */
    const double *uu = shared + span_offset(first * NODES) + b * NODES;
    pencil_load(uu + column, PLANE, BP_NQ, wu);
    if (COPY) {
      pencil_store(rt_t, RT_K, BP_NQ, wu);
      BP_BARRIER();
    }
    pencil_differentiate(wu, ut);
    pencil_load(COPY ? rt_r : uu + R_K(column) * PLANE + R_J(column) * BP_NQ, 1, BP_NQ, x);
    pencil_differentiate(x, y);
    pencil_store(rt_r, 1, BP_NQ, y);
    pencil_load(uu + j * PLANE + i, BP_NQ, BP_NQ, x);
    pencil_differentiate(x, y);
    pencil_store(st_s, BP_NQ, BP_NQ, y);
    if (DEALT && threadIdx.x == 0)
      dealt_next(&number, batches, dealt);
    BP_BARRIER();
    const int next = DEALT ? *dealt : stream_after(batch);
    stream_next_u(shared, u, next, elements, &full->u_full[0]);
    bp_mbarrier_wait(&full->factors_full[0], parity);
    pencil_metric(shared + U_ROOM + span_offset(first * FACTORS) + b * FACTORS + column, lambda,
                  rt_t, RT_K, st_t, ST_K, ut, wu);
    BP_BARRIER();
    stream_next_factors(shared, factors, next, elements, &full->factors_full[0]);
    /* transposed, in place */
    pencil_load(rt_r, 1, BP_NQ, x);
    pencil_transposed(x, y);
    pencil_store(rt_r, 1, BP_NQ, y);
    pencil_load(st_s, BP_NQ, BP_NQ, x);
    pencil_transposed(x, y);
    pencil_store(st_s, BP_NQ, BP_NQ, y);
    BP_BARRIER();
    pencil_add_transposed(ut, wu);
    if (e < elements) {
      BP_UNROLL
      for (int k = 0; k < BP_NQ; ++k)
        v[e * NODES + k * PLANE + column] = wu[k] + rt_t[k * RT_K] + st_t[k * ST_K];
    }
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
