/* seal.h -- a file that tells whether it is whole: a last line with the checksum of all before it. Programs
 * and object files take no notice of what stands behind them. */
#ifndef BP_DEVICE_SEAL_H
#define BP_DEVICE_SEAL_H

#include "base/status.h"

/* BP_ENVIRONMENT when it cannot be written. */
bp_status bp_seal_add(const char *path);

/* False also for a file that is not there, and for one that somebody else may have written. */
bool bp_seal_is_good(const char *path);

#endif
