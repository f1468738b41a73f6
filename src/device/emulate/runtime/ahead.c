/* ahead.c -- sparse files, in place of what is ahead of arrays. */
#include "ahead.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 2 << 20 };

/* Maps a file's `bytes` at `to`, again and again as far as `all`. */
static int map_file(int file, char *to, size_t bytes, size_t all)
{
  int failed = file < 0 || ftruncate(file, (off_t)bytes) != 0;
  for (size_t at = 0; at < all && !failed; at += bytes) {
    const size_t here = all - at < bytes ? all - at : bytes;
    failed = mmap(to + at, here, PROT_READ | PROT_WRITE,
                  MAP_FIXED | MAP_NORESERVE | (bytes < all ? MAP_PRIVATE : MAP_SHARED), file,
                  0) == MAP_FAILED;
  }
  return failed;
}

/* Items of that many bytes. */
static int map_ones(int file, char *to, size_t all, const void *one, size_t item)
{
  static char ones[PIECE];
  for (size_t n = 0; n < PIECE; n += item)
    memcpy(ones + n, one, item);
  return file < 0 || write(file, ones, PIECE) != PIECE || map_file(file, to, PIECE, all);
}

far_rows ahead_open(const bp_job_array *a)
{
  const long long items = a->ahead == BP_JOB_ALL ? a->missing : a->rows * a->missing + a->count;
  const size_t own = ((size_t)(items * a->item) + FAR_BEYOND + FAR_PAGE - 1) / FAR_PAGE * FAR_PAGE;
  far_rows f = {.bytes = own + 2 * FAR_PAGE};
  char *map = mmap(0, f.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED)
    return f;
  const int file = memfd_create("bp", 0);
  char *const begin = map + FAR_PAGE;
  const double one = 1;
  const float one_in_single = 1;
  const int minus_one = -1;
  const void *const ones = a->item == sizeof(float) ? (const void *)&one_in_single : &one;
  const int failed = a->ahead == BP_JOB_ONES ? map_ones(file, begin, own, ones, (size_t)a->item)
                     : a->ahead == BP_JOB_MINUS_ONES
                         ? map_ones(file, begin, own, &minus_one, sizeof minus_one)
                         : map_file(file, begin, own, own);
  if (file >= 0)
    close(file);
  if (failed) {
    munmap(map, f.bytes);
    return f;
  }
  f.map = map;
  f.begin = begin;
  return f;
}
