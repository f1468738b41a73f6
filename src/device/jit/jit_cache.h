/* jit_cache.h -- compiled kernels kept on disk between runs, in XDG_CACHE_HOME/bp or ~/.cache/bp, one
 * file per compilation. Files appear whole or not at all, so runs may share the folder and may be
 * interrupted; a damaged file, or one of somebody else, is as good as none; a folder that cannot be
 * written costs time, no more. */
#ifndef BP_DEVICE_JIT_CACHE_H
#define BP_DEVICE_JIT_CACHE_H

#include "base/hash.h"
#include "base/owner.h"
#include <stdbool.h>
#include <stddef.h>

/* The folder, for people; NULL where there is neither XDG_CACHE_HOME nor HOME. Free with bp_free.
 */
char *bp_jit_cache_folder(void);

/* Opens it, made if `is_made` and missing. False, with nothing to close, where there is none; where
 * others than this user (and root) may write it, it is not used, and bp_tell says so. */
bool bp_jit_cache_open(bool is_made, bp_folder *folder);

/* False when there is none, or a damaged one. *data is bp_alloc'ed, followed by '\0'. */
bool bp_jit_cache_read(bp_hash key, char **data, size_t *size);

void bp_jit_cache_write(bp_hash key, const char *data, size_t size);

#endif
