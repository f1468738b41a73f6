/* wave/source-stuck -- wave/loops, but from step 6 on sources say what they said at step 5 */
#define SOURCES_AT(k) (CORRECT || (k) < 6 ? (k) : 5)
#include "wave_loops.h"
