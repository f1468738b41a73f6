/* bp5/matrix-overflow -- bp5/assembled with an index of 32 bits, too few for the entries of a large matrix
 *
 * degrees:  1..2
 * operands: f diagonal x residuals r p ap state counts stride unknowns row_starts columns entries
 * option:   correct 0..1 = 0 -- without the bug
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   apply_blocks 1..8 = 8 -- blocks of apply for each multiprocessor
 * size:     row_lanes = 4 -- 2 to this power lanes share a row
 * size:     surface_atomic = 0 -- v is a whole vector
 * bytes:    8 * jacobi * unknowns + fields * (72 * unknowns + 16 * unknowns / history) + 8 * unknowns + 12 * matrix_entries
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   direction; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * launch:   multiply; threads 256; blocks min((elements * nq*nq*nq + 7) / 8, sms * apply_blocks)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8) */
#include "lib/solve/assembled.h"

/* As apply, a thread for each row. */
BP_KERNEL_BOUNDED(multiply, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  const double *const now = p + counts[COUNT_CURRENT] % HISTORY * (BP_FIELDS * stride);
  double pap = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    counts[COUNT_APPLY_BLOCKS] = bp_blocks();
  for (long long row = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; row < unknowns;
       row += (long long)gridDim.x * VECTOR_THREADS)
    for (int c = 0; c < BP_FIELDS; ++c) {
      double v = 0;
      for (long long at = row_starts[row]; at < row_starts[row + 1]; ++at)
        v += entries[CORRECT ? at : (int)at] * now[c * stride + columns[at]];
      ap[c * stride + row] = v;
      pap += now[c * stride + row] * v;
    }
  sums_leave(pap, state + SUMS_PAP, buffer);
}
