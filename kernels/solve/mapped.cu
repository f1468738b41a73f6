/* solve/mapped -- v = alpha A u + beta v on a caller's unknowns, in two kernels
 *
 * operators: bp1, bp3 1..11, bp3-mma, bp5 1..13, bp5-mma
 * precision: double
 * operands: factors ids inside copy_slots starts copied targets copies state counts vector_u vector stride unknowns inner faces_end edges_end alpha beta
 * option:   runs 0..1 = 1 -- numbers of an element's inner nodes are in a row
 * option:   update_blocks 1..8 = 4 -- blocks of surface that share a multiprocessor
 * option:   atomic 0..1 = 0 -- surface nodes of v are added by atomic operations
 * size:     inside_slot = runs ? threads : elements_per_block * element_inner -- numbers, ints, of a batch's inner nodes
 * size:     inside_room = (3 * inside_slot + 1) / 2 -- doubles of shared memory that have three of these
 * bytes:    fields * (16 * unknowns + (atomic ? 24 * (unknowns - inner) : 16 * elements * surface_nodes)) + 4 * (runs ? elements : inner) + elements * (8 * surface_nodes + 8 * element_factors)
 * launch:   scale; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * launch:   apply; threads block_threads; blocks min((elements + elements_per_block - 1) / elements_per_block, sms * blocks_per_sm); shared real * apply_shared
 * launch:   surface; threads 256; blocks min((elements * nq*nq*nq + 1023) / 1024, sms * update_blocks)
 * launch:   energy; threads 256; blocks 1
 *
 * For libbp, which launches what it wants. apply: A u, each node of u through the caller's number, to v inside elements,
 * to copies on surfaces. surface: v there, from copies in a fixed order: the same bits every time. With atomic sums
 * scale goes before apply in its place. energy: u . A u, which apply has left by block. The operator is that of
 * two-kernel, whose header tells how threads share the work. */
#include "lib/solve/mapped.h"

#include "lib/solve/apply_OPERATOR.h"
