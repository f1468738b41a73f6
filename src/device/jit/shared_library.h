/* shared_library.h -- opening a library at run time, so that a machine without it runs everything
 * else. */
#ifndef BP_DEVICE_SHARED_LIBRARY_H
#define BP_DEVICE_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Where to put the address of a function. */
typedef struct {
  const char *name;
  void *to; /* a pointer to the function pointer */
} bp_symbol;

/* dlopen; NULL when there is none. It is never closed: its threads may outlive us. */
void *bp_library_open(const char *path);

/* The first of `names` in the folders of the loader, then in `folders` (globs allowed, NULL
 * skipped). */
void *bp_library_find(const char *const *names, size_t names_count, const char *const *folders,
                      size_t folders_count);

/* NULL when all are there, else the name of the first that is not. */
const char *bp_library_resolve(void *library, const bp_symbol *symbols, size_t count);

#endif
