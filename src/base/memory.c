/* memory.c -- allocation that ends the program (bp_end) where there is no memory. */
#include "base/memory.h"

#include "base/status.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20, HUGE_FROM = 256 << 10 };

static _Noreturn void out_of_memory(size_t count, size_t size)
{
  bp_end("out of memory: %zu items of %zu bytes could not be allocated", count, size);
}

static size_t bytes_of(size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - HUGE_PAGE)
    out_of_memory(count, size);
  return bytes ? bytes : 1;
}

void *bp_alloc(size_t count, size_t size)
{
  void *p = calloc(1, bytes_of(count, size));
  if (!p)
    out_of_memory(count, size);
  return p;
}

static bool is_thrifty;

void bp_alloc_thriftily(void)
{
  is_thrifty = true;
}

/* What of an array lies in huge pages: all, or where that wasted more than a sixteenth, what fills them. */
static size_t huge_of(size_t bytes)
{
  const size_t filled = bytes / HUGE_PAGE * HUGE_PAGE, rest = bytes - filled;
  return rest == 0 || (is_thrifty && HUGE_PAGE - rest > bytes / 16) ? filled : filled + HUGE_PAGE;
}

/* ---- arrays of a library's caller ---- */

/* A list of those that are there: they are few, and large. */
typedef struct {
  void *memory;
  const bp_allocator *from;
} lent;

static _Thread_local const bp_allocator *current;
static _Thread_local size_t refused;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lent *all_lent;
static atomic_size_t lent_count;
static size_t lent_room;

const bp_allocator *bp_memory_from(const bp_allocator *allocator)
{
  const bp_allocator *before = current;
  current = allocator;
  return before;
}

size_t bp_memory_refused(void)
{
  const size_t bytes = refused;
  refused = 0;
  return bytes;
}

/* NULL: the system has to. */
static void *borrow(size_t bytes, size_t alignment)
{
  const bp_allocator *from = current;
  void *p = from && from->allocate ? from->allocate(from->of, bytes, alignment) : NULL;
  if (!p) {
    refused = from && from->allocate ? bytes : refused;
    return NULL;
  }
  pthread_mutex_lock(&lock);
  if (lent_count == lent_room) {
    lent_room = lent_room ? 2 * lent_room : 64;
    all_lent = bp_realloc(all_lent, lent_room, sizeof *all_lent);
  }
  all_lent[lent_count++] = (lent){p, from};
  pthread_mutex_unlock(&lock);
  return p;
}

/* False: it is the system's. */
static bool give_back(void *memory)
{
  const bp_allocator *from = NULL;
  if (lent_count == 0)
    return false;
  pthread_mutex_lock(&lock);
  for (size_t n = lent_count; n-- > 0 && !from;)
    if (all_lent[n].memory == memory) {
      from = all_lent[n].from;
      all_lent[n] = all_lent[--lent_count];
    }
  if (lent_count == 0) {
    free(all_lent);
    all_lent = NULL;
    lent_room = 0;
  }
  pthread_mutex_unlock(&lock);
  if (from)
    from->release(from->of, memory);
  return from;
}

void *bp_alloc_array(size_t count, size_t size)
{
  size_t bytes = bytes_of(count, size);
  size_t alignment = bytes >= HUGE_FROM ? HUGE_PAGE : LINE;
  size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void *p = current ? borrow(whole, alignment) : NULL;
  if (p)
    return p;
  p = aligned_alloc(alignment, whole);
  if (!p)
    out_of_memory(count, size);
  if (alignment == HUGE_PAGE)
    madvise(p, huge_of(bytes), MADV_HUGEPAGE); /* only advice: else small pages serve */
  return p;
}

void *bp_realloc(void *old, size_t count, size_t size)
{
  void *p = realloc(old, bytes_of(count, size));
  if (!p)
    out_of_memory(count, size);
  return p;
}

char *bp_strdup(const char *text)
{
  return bp_strndup(text, strlen(text));
}

char *bp_strndup(const char *text, size_t length)
{
  char *copy = bp_alloc(length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

void bp_free(void *pointer)
{
  if (!pointer || !give_back(pointer))
    free(pointer);
}

int64_t bp_memory_available(void)
{
  int64_t bytes = INT64_MAX, kib;
  char line[128];
  FILE *f = fopen("/proc/meminfo", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1)
      bytes = kib * 1024;
  if (f)
    fclose(f);
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (int64_t)limit.rlim_cur < bytes)
    bytes = (int64_t)limit.rlim_cur;
  return bytes;
}
