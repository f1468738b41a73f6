/* bp1.0/stream -- persistent blocks; batches of whole elements come by bulk copies; pencils in registers
 *
 * degrees:  1..15
 * requires: sm_90
 * factors:  ecijk
 * option:   elements_per_block 1..128 = 1 -- elements of a batch
 * option:   rounds 1..16 = 1 -- pencils that a thread takes, one after the other
 * option:   stages 1..4 = 1 -- batches in shared memory at once
 * option:   blocks_per_sm 1..32 = 1 -- blocks that share a multiprocessor
 * launch:   apply; threads (elements_per_block * nc*nc + rounds * 32 - 1) / (rounds * 32) * 32; blocks (elements + elements_per_block - 1) / elements_per_block < sms * blocks_per_sm ? (elements + elements_per_block - 1) / elements_per_block : sms * blocks_per_sm; shared 8 * (stages * ((elements_per_block * nq*nq*nq + 31) / 16 * 16 + (elements_per_block * nc*nc*nc + 31) / 16 * 16) + elements_per_block * (nq == 2 ? 30 : like(nc * (nq % 2 == 0 ? nq*nq : like(nq*nq, nq)), (nq % 2 == 0 ? nc : nq) * nq) + like(nc * (nq % 2 == 0 ? like(nc*nq, nc) : nc*nq), nc*nq)))
 * shared traffic: 8 * (nq*nq*(nq + nc) + nc*nq*(nq + nc) + nc*nc*(nq + nc + nq) + nc*nq*(nc + nq) + nq*nq*nc + nq*nq*nq + nc*nc*nc)
 *
 * Five passes over pencils, each contracted in registers with constants, even and odd halves apart: t, s, then r
 * there and back with W between, s, t. Between t and s values lie in one room of shared memory, between s and r in
 * another. The weights lie with r outermost, so that threads side by side read side by side. */
#include "crossing.h"
#include "gpu.h"
#include "pencil.h"
#include "stream.h"

enum { THREADS = (ELEMENTS_PER_BLOCK * BP_NC * BP_NC + ROUNDS * 32 - 1) / (ROUNDS * 32) * 32 };

/* This thread's pencils of `count` per element: their element b and number p. */
#define FOR_PENCILS(count)                                                                         \
  for (int n = threadIdx.x, b, p; n < BATCH * (count) && (b = n / (count), p = n % (count), true); \
       n += THREADS)

BP_KERNEL_BOUNDED(apply, THREADS, BLOCKS_PER_SM)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(stream_barriers, full, [1]);
  const int batches = (elements + BATCH - 1) / BATCH;
  double *ts = shared + STAGES * STAGE, *sr = ts + BATCH * TS;

  start_stream(shared, u, factors, elements, full, BP_N >= 7);
  pencil_fetch_I();

  int stage = 0, parity = 0;
  for (int batch = blockIdx.x; batch < batches; batch += gridDim.x) {
    double *room = shared + stage * STAGE;
    const size_t first = (size_t)batch * BATCH;
    const double *uu = room + span_offset(first * NODES);
    const double *ww = room + U_ROOM + span_offset(first * POINTS);
    bp_mbarrier_wait(&full->u_full[stage], parity);

    FOR_PENCILS(BP_NQ * BP_NQ) /* (j, i): t, nodes to points */
    {
      double x[BP_NQ], y[BP_NC];
      pencil_load(uu + b * NODES + p, BP_NQ * BP_NQ, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(ts + b * TS + p / BP_NQ * TS_J + p % BP_NQ * TS_I, TS_K, BP_NC, y);
    }
    BP_BARRIER();
    stream_next_u(room, u, stream_after(batch), elements, &full->u_full[stage]);
    FOR_PENCILS(BP_NC * BP_NQ) /* s */
    {
      double x[BP_NQ], y[BP_NC];
      const int at = b * TS + S_K(p) * TS_K + S_I(p) * TS_I,
                to = b * SR + S_K(p) * SR_K + S_I(p) * SR_I;
      pencil_load(ts + at, TS_J, BP_NQ, x);
      pencil_interpolate(x, y);
      pencil_store(sr + to, SR_J, BP_NC, y);
    }
    BP_BARRIER();
    bp_mbarrier_wait(&full->factors_full[stage], parity);
    FOR_PENCILS(BP_NC * BP_NC) /* r, the weights, and back */
    {
      double x[BP_NQ], y[BP_NC], *at = sr + b * SR + R_K(p) * SR_K + R_J(p) * SR_J;
      pencil_load(at, SR_I, BP_NQ, x);
      pencil_interpolate(x, y);
      BP_UNROLL
      for (int i = 0; i < BP_NC; ++i)
        y[i] *= ww[b * POINTS + i * BP_NC * BP_NC + p];
      pencil_project(y, x);
      pencil_store(at, SR_I, BP_NQ, x);
    }
    BP_BARRIER();
    stream_next_factors(room, factors, stream_after(batch), elements, &full->factors_full[stage]);
    FOR_PENCILS(BP_NC * BP_NQ) /* s, points to nodes */
    {
      double x[BP_NQ], y[BP_NC];
      const int at = b * TS + S_K(p) * TS_K + S_I(p) * TS_I,
                to = b * SR + S_K(p) * SR_K + S_I(p) * SR_I;
      pencil_load(sr + to, SR_J, BP_NC, y);
      pencil_project(y, x);
      pencil_store(ts + at, TS_J, BP_NQ, x);
    }
    BP_BARRIER();
    FOR_PENCILS(BP_NQ * BP_NQ) /* (j, i): t, and out */
    {
      double x[BP_NQ], y[BP_NC];
      pencil_load(ts + b * TS + p / BP_NQ * TS_J + p % BP_NQ * TS_I, TS_K, BP_NC, y);
      pencil_project(y, x);
      if (first + b < elements) {
        BP_UNROLL
        for (int k = 0; k < BP_NQ; ++k)
          v[(first + b) * NODES + k * BP_NQ * BP_NQ + p] = x[k];
      }
    }
    BP_BARRIER();
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  }
}
