/* compile_cache.h -- the folder of finished programs, and folders within it to compile in.
 *
 * Programs lie in the cache of compiled kernels (device/jit/jit_cache.h). Where that cannot be used
 * (read-only, full, not this user's alone) they lie in a folder in TMPDIR, for one run. A folder in use is
 * locked (flock); what a killed process has left is removed by the next one that opens the cache. */
#ifndef BP_DEVICE_COMPILE_CACHE_H
#define BP_DEVICE_COMPILE_CACHE_H

#include "base/owner.h"

/* `path` NULL: not created. */
typedef struct {
  char *path;        /* leads through the cache's descriptor */
  char *name;        /* of a temporary cache, for its removal; else NULL */
  bp_folder held;    /* the cache's */
  bp_folder full;    /* beside a temporary cache: the user's, of which what is there is read */
  int lock;          /* a descriptor, -1 without */
  bool is_temporary; /* goes when it is destroyed */
} bp_compile_folder;

/* BP_ENVIRONMENT where TMPDIR cannot be written either. */
bp_status bp_compile_cache_open(bp_compile_folder *cache);

/* A folder in it, temporary, to make what has that key. Waits while others make the same: it may be there
 * then. */
bp_status bp_compile_folder_create(const bp_compile_folder *cache, const char *key,
                                   bp_compile_folder *folder);

/* Removes a temporary one with its files. */
void bp_compile_folder_destroy(bp_compile_folder *folder);

#endif
