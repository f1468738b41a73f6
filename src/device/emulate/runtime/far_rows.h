/* far_rows.h -- rows of items as the ends of long rows: what lies before them there has addresses only. */
#ifndef BP_EMULATE_FAR_ROWS_H
#define BP_EMULATE_FAR_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { FAR_PAGE = 4096, FAR_BEYOND = 16 /* may be read */ };

/* Where the long rows begin; `map` NULL: there is no address space for them. */
typedef struct {
  char *begin, *map;
  size_t bytes; /* of the map */
} far_rows;

/* `rows` rows of `bytes` from `data` on, shared memory, with `missing` bytes, whole pages, before each. Their
 * pages are the same memory in both places. */
static inline far_rows far_rows_open(char *data, int64_t rows, int64_t bytes, int64_t missing)
{
  const size_t offset = (uintptr_t)data % FAR_PAGE;
  far_rows f = {.bytes = (size_t)(rows * (missing + bytes)) + 2 * FAR_PAGE};
  char *map = mmap(NULL, f.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return f;
  for (int64_t r = 0; r < rows; ++r) {
    const size_t from = (offset + (size_t)(r * bytes)) / FAR_PAGE * FAR_PAGE;
    const size_t to = offset + (size_t)((r + 1) * bytes) + FAR_BEYOND;
    const size_t whole = (to - from + FAR_PAGE - 1) / FAR_PAGE * FAR_PAGE;
    if (mremap(data - offset + from, 0, whole, MREMAP_MAYMOVE | MREMAP_FIXED,
               map + (r + 1) * missing + from) == MAP_FAILED) {
      munmap(map, f.bytes);
      return f;
    }
  }
  f.map = map;
  f.begin = map + offset;
  return f;
}

static inline void far_rows_close(far_rows *f)
{
  if (f->map)
    munmap(f->map, f->bytes);
  f->map = NULL;
}

#endif
