/* wave/two-kernel-mma -- as two-kernel, contractions on the tensor cores
 *
 * launches.h has the launches, step_mma.h tells how threads share the work. */
#include "lib/wave/step_mma.h"
