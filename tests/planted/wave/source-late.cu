/* wave/source-late -- wave/loops, but what sources say at a step comes one step later */
#define SOURCES_AT(k) (CORRECT || (k) == 0 ? (k) : (k)-1)
#include "wave_loops.h"
