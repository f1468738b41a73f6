/* memory.h -- host memory. Running out of it ends the program (bp_end in status.h), so
 * no caller checks. Sizes that come from a user are compared with what the machine has before they
 * are allocated: see bp_memory_available. */
#ifndef BP_BASE_MEMORY_H
#define BP_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* `count` items of `size` bytes, zeroed. Never NULL; count 0 gives a pointer that may be freed. */
void *bp_alloc(size_t count, size_t size);

/* Large arrays: aligned to 64 bytes (to 2 MiB and with huge pages asked for from 256 KiB on: where small
 * pages lie differs from run to run, and so do the sets of the caches that they compete for), not
 * zeroed and, for large sizes, not yet touched, so that the thread that first writes a page owns
 * it. Free with bp_free as well. */
void *bp_alloc_array(size_t count, size_t size);

/* Where a library's caller wants arrays to be. */
typedef struct {
  void *(*allocate)(void *of, size_t bytes, size_t alignment); /* NULL: it refuses */
  void (*release)(void *of, void *memory);
  void *of;
} bp_allocator;

/* From now on bp_alloc_array, in this thread, takes arrays from there, and bp_free gives them back; NULL:
 * from the system. What is refused comes from the system all the same, and bp_memory_refused tells the bytes,
 * once; 0: nothing was. Returns the allocator before. It lives as long as its arrays. */
const bp_allocator *bp_memory_from(const bp_allocator *allocator);
size_t bp_memory_refused(void);

/* From now on an array's huge pages waste a sixteenth of it at most: many ranks have many small arrays. */
void bp_alloc_thriftily(void);

/* `old` grown or shrunk to `count` items of `size` bytes, the new ones not zeroed; `old` may be
 * NULL. Not for pointers of bp_alloc_array. */
void *bp_realloc(void *old, size_t count, size_t size);

char *bp_strdup(const char *text);
char *bp_strndup(const char *text, size_t length);

/* NULL is legal. */
void bp_free(void *pointer);

/* Bytes that the machine (or the process's own limit) can still give. */
int64_t bp_memory_available(void);

#endif
