/* solve/assembled -- conjugate gradients with the operator as a sparse matrix, by rows
 *
 * operators: bp1, bp3, bp5
 * degrees:  1..4
 * points:   1..5
 * operands: f diagonal x residuals r p ap state counts stride unknowns row_starts columns entries
 * option:   row_lanes 0..5 = 4 -- 2 to this power lanes share a row
 * option:   history 2..16 = 8 -- directions p that are kept: x is updated every so many iterations
 * option:   update_blocks 1..8 = 4 -- blocks of update that share a multiprocessor
 * option:   apply_blocks 1..8 = 8 -- blocks of apply for each multiprocessor
 * bytes:    8 * jacobi * unknowns + fields * (72 * unknowns + 16 * unknowns / history) + 8 * unknowns + 12 * matrix_entries
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch:   direction; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * launch:   apply; threads 256; blocks min((elements * nq*nq*nq + 7) / 8, sms * apply_blocks)
 * launch:   update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 *
 * An entry is 12 bytes, its number and its column. The model counts rows of fixed unknowns, too, which are empty. Sums
 * are added up in a fixed order: the same bits every time. */
#include "lib/solve/assembled.h"
