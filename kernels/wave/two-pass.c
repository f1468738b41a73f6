/* wave/two-pass -- v = K u by elements, then a pass over all vectors
 *
 * degrees:  1..15
 * factors:  ekcjil
 * scratch:  lanes * (2 * nq * (nq*nq + 1) + nq*nq + 2 * nq*nq*nq) + (elements / sms + lanes + 2) * (6 * nq*nq + 8) / 2
 * precision: double
 * operands: I D factors rule scratch ids first starts copied halo f f_before x x_before inverse_mass waves ap copies inbox point_elements point_weights signals traces counts stride inner
 * bytes:    64 * unknowns + elements * (4 * surface_nodes + 8 * element_factors)
 * start:    start
 * launch:   step; then exchange
 * launch:   rest
 * launch:   points
 * finish:   finish
 *
 * v is written (and its line read before) and read again. */
#ifndef __clang__
/* The scheduler would gather the requests again that are spread over the arithmetic. */
#pragma GCC optimize("no-schedule-insns2")
#endif
#include "lib/wave/host_wave.h"

BP_KERNEL
{
  wave_launch(a, first, last, false);
}
