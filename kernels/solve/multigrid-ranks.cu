/* solve/multigrid-ranks -- multigrid by any number of ranks: the same bits with all of them
 *
 * operators: bp1, bp3, bp5
 * degrees: 1..15
 * points: 1..5
 * geometry: stored trilinear
 * precision: single
 * operands: ids first starts copied copy_slots f diagonal x residuals r p ap copies state counts stride inner faces_end edges_end unknowns schedule row transfer applied coarse_vector coarse_copies coarse_ids cycle_b cycle_x boxes box_nodes sparse_starts sparse_columns sparse_values sparse_in sparse_out sent outbox inbox mail sent_count
 * size: history = 1 -- directions p that are kept
 * size: exact_sums = 1 -- that no order changes
 * size: surface_atomic = 0 -- surface nodes of A p are copies
 * size: pitch = nq / 2 * 2 + 1 -- odd: of rows of an element in shared memory
 * size: together = max(1, 128 / (nq*nq)) -- elements of a block of transfers
 * size: side = nq + 2 -- of a box with a layer around
 * size: box_threads = nq <= 10 ? 160 : (side*side + 31) / 32 * 32 -- of schwarz: for two pencils each, or for one
 * size: boxes = max(1, box_threads / ((side*side + 1) / 2)) -- of its block
 * start: start; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: products; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: direction; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: gather; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: update; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: smooth; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: restrict_residual; threads nq * nq * together; blocks (elements + together - 1) / together; shared real * (nq * (nq + 3) + 2 * together * nq * nq * pitch)
 * launch: prolong; threads nq * nq * together; blocks (elements + together - 1) / together; shared real * (nq * (nq + 3) + 2 * together * nq * nq * pitch)
 * launch: schwarz; threads box_threads; blocks (elements + boxes - 1) / boxes; shared real * boxes * (3 * (side + 1)*(side + 3) + 32 + side*side*(side + 1))
 * launch: sparse; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * 8)
 * launch: pack; threads 256; blocks 1; then exchange
 * launch: unpack; threads 256; blocks 1
 * launch: dot; threads 256; blocks min((elements + 7) / 8, 512)
 * launch: words; threads 256; blocks 1
 * launch: hear; threads 64; blocks 1
 * finish: finish; threads 256; blocks 1
 *
 * Between launches ranks tell each other copies of sums at nodes that they share, and what they have of sums over all
 * unknowns: by `pack` and `unpack`, and `dot`, `words` and `hear`, through mailboxes if there are any. */
#include "lib/solve/multigrid.h"
