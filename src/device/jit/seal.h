/* seal.h -- a file that tells whether it is whole: a last line with the checksum of all before it. Programs
 * and object files take no notice of what stands behind them. */
#ifndef BP_DEVICE_SEAL_H
#define BP_DEVICE_SEAL_H

#include "base/file.h"

/* "bp-seal CHECKSUM", a line. */
enum { BP_SEAL = sizeof "bp-seal \n" - 1 + 32 };
void bp_seal_print(char seal[BP_SEAL + 1], const char *data, size_t size);

/* BP_ENVIRONMENT when it cannot be written. */
bp_status bp_seal_add(const char *path);

/* Whether the file is whole and nobody else may have written it; *size is that of what was sealed. */
bool bp_seal_holds(const bp_file *file, size_t *size);

/* False also for a file that is not there. */
bool bp_seal_is_good(const char *path);
/* The same of a file that came with bp, whoever put it there. */
bool bp_seal_is_whole(const char *path);

#endif
