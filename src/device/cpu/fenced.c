/* fenced.c -- memory at the end of its pages, and what is known of it ahead of it. */
#include "device/cpu/fenced.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  void *pages;
  size_t size; /* of all pages */
  int64_t bytes;
} header;

static size_t up_to(size_t bytes, size_t unit)
{
  return (bytes + unit - 1) / unit * unit;
}

void *bp_fenced_alloc(int64_t bytes)
{
  enum { ALIGN = 256 };
  size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = up_to((size_t)bytes, ALIGN);
  size_t size = up_to(whole + sizeof(header), page) + page;
  char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return NULL;
  mprotect(pages + size - page, page, PROT_NONE);
  header *h = (header *)(void *)(pages + size - page - whole) - 1;
  *h = (header){pages, size, bytes};
  return h + 1;
}

void bp_fenced_free(void *memory)
{
  const header *h = (const header *)memory - 1;
  if (memory)
    munmap(h->pages, h->size);
}

int64_t bp_fenced_bytes(const void *memory)
{
  return ((const header *)memory - 1)->bytes;
}
