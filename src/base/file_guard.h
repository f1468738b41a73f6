/* file_guard.h -- keeps the program alive when a mapped file shrinks: touching a page behind the file's end
 * raises SIGBUS, and the handler puts a page of zeros there. */
#ifndef BP_BASE_FILE_GUARD_H
#define BP_BASE_FILE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bp_file_guard bp_file_guard;

/* Guards the mapping data..data+size; any thread may read it, add and remove others. */
bp_file_guard *bp_file_guard_add(const void *data, size_t size);

/* Before the mapping goes. */
void bp_file_guard_remove(bp_file_guard *guard);

/* Whether a page was missing; false for NULL. */
bool bp_file_guard_is_cut(const bp_file_guard *guard);

#endif
