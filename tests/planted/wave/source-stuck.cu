/* wave/source-stuck -- wave/loops, but from step 6 on sources say what they said at step 5
 *
 * degrees:  1..3
 * operands: factors ids starts copied f f_before x x_before inverse_mass waves ap copies scratch point_elements point_weights signals traces counts stride unknowns inner faces_end edges_end
 * option:   correct 0..1 = 0 -- without the bug
 * size:     threads = 64 -- of a block
 * size:     history = 1 -- nothing is kept
 * size:     surface_atomic = 0 -- surface nodes of v are stored as copies
 * scratch:  4 * elements * nq*nq*nq
 * bytes:    40 * unknowns + elements * ((64 + 8 * components) * nq*nq*nq + 28 * surface_nodes)
 * start:    start; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8)
 * launch:   scatter; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   flux; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   product; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   surface; threads threads; blocks (elements * nq*nq*nq + threads - 1) / threads
 * launch:   points; threads 256; blocks 1
 * finish:   finish; threads 256; blocks min((elements * nq*nq*nq + 255) / 256, sms * 8) */
#define SOURCES_AT(k) (CORRECT || (k) < 6 ? (k) : 5)
#include "wave_loops.h"
