/* wave/two-kernel -- two kernels a step: the first finishes the nodes inside elements
 *
 * degrees:  1..13
 * option:   atomic 0..1 = 0 -- surface nodes of v are added by atomic operations
 * bytes:    32 * unknowns + (atomic ? 40 : 8) * (unknowns - inner) + elements * ((atomic ? 4 : 24) * surface_nodes + 8 * element_factors)
 *
 * step: v = K u by element; nodes inside elements are stepped at once. surface: the other unknowns. Surface nodes of v
 * are stored as copies, which the second kernel sums in a fixed order. Atomic operations move fewer bytes, but results
 * depend on their order. points has sources and receivers, and is left out where there are none. launches.h has the
 * launches, step.h tells how threads share the work. */
#include "lib/wave/step.h"
