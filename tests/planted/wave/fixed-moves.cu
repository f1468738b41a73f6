/* wave/fixed-moves -- wave/loops, but what is fixed at the boundary moves with unknown 0 */
#define FIXED_MOVES (!CORRECT)
#include "wave_loops.h"
