/* wave/index-overflow -- wave/loops with an index of 32 bits, too few for the factors of many elements */
#include "lib/wave/loops.h"

BP_DEVICE void flux_planted(share s, const double *factors, const double *local, double *flux)
{
  for (long long n = s.first; n < s.nodes; n += s.step) {
    const share one = {n, s.nodes, s.nodes};
    const long long at = n / NODES_3D * (BP_COMPONENTS * NODES_3D);
    loop_flux(one, factors - at + (CORRECT ? at : (int)at), local, flux);
  }
}
#define loop_flux flux_planted
#include "wave_loops.h"
