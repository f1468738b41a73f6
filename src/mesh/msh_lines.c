/* msh_lines.c -- regular lines of text read in parallel: chunk by chunk into a buffer that stays in
 * the cache, stored in the order of the file. */
#include "base/memory.h"
#include "mesh/msh.h"
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 1 << 18, LONGEST_LINE = 1 << 16, WORTH_THREADS = 20000 };

static void *create_buffer(void)
{
  return bp_alloc_array(BP_MSH_HEAD + 4 * (CHUNK + LONGEST_LINE + 16), 1);
}

/* The first line that begins at `at` or later, NULL when none does within the longest line. */
static const char *line_from(const bp_msh *msh, const char *begin, const char *at)
{
  if (at <= begin)
    return begin;
  if (at >= msh->lines_end)
    return msh->lines_end;
  size_t left = (size_t)(msh->lines_end - (at - 1));
  const char *newline = memchr(at - 1, '\n', left < LONGEST_LINE ? left : LONGEST_LINE);
  return newline ? newline + 1 : NULL;
}

/* Pages of the file that have been read: they stay in the page cache, not in this process. */
static void drop_pages(const bp_msh *msh, const char *begin, const char *end)
{
  if (!msh->mapped)
    return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)begin / page * page, last = (uintptr_t)end / page * page;
  if (first < (uintptr_t)msh->data)
    first += page;
  if (last > first)
    madvise((void *)first, last - first, MADV_DONTNEED);
}

/* What the chunks have come to, in the order of the file. */
typedef struct {
  int64_t limit, done;
  const char *stop;
  bool ended;
} progress;

static void keep_chunk(bp_msh *msh, const bp_msh_lines *lines, progress *state, const char *begin,
                       const char *end, const char *stop, int64_t count, void *buffer)
{
  if (state->done + count > state->limit)
    count = lines->read(lines->context, begin, end, state->limit - state->done, buffer, &stop);
  lines->keep(lines->context, buffer, count);
  drop_pages(msh, begin, stop);
  state->done += count;
  state->stop = stop;
  if (stop != end || state->done == state->limit || end == msh->lines_end)
    __atomic_store_n(&state->ended, true, __ATOMIC_RELAXED);
}

static void read_chunk(bp_msh *msh, const bp_msh_lines *lines, int64_t chunk, const char **begin,
                       const char **end, const char **stop, int64_t *count, int64_t limit,
                       void *buffer)
{
  *begin = line_from(msh, msh->p, msh->p + chunk * CHUNK);
  *end = *begin ? line_from(msh, *begin, msh->p + (chunk + 1) * CHUNK) : NULL;
  *stop = *begin;
  *count = 0;
  if (*end)
    *count = lines->read(lines->context, *begin, *end, limit, buffer, stop);
}

int64_t bp_msh_read_lines(bp_msh *msh, const bp_msh_lines *lines, int64_t limit)
{
  progress state = {.limit = limit, .stop = msh->p};
  if (limit == 0 || msh->p >= msh->lines_end)
    return 0;
  int64_t chunks = (msh->lines_end - msh->p + CHUNK - 1) / CHUNK;
  if (limit < chunks) /* a short block needs only the chunks that its lines can fill */
    chunks = limit * LONGEST_LINE / CHUNK + 2 < chunks ? limit * LONGEST_LINE / CHUNK + 2 : chunks;
  bool parallel = limit >= WORTH_THREADS && chunks > 1;
  if (!msh->buffer)
    msh->buffer = create_buffer();
#pragma omp parallel if (parallel)
  {
    void *buffer = omp_get_thread_num() == 0 ? msh->buffer : create_buffer();
#pragma omp for ordered schedule(dynamic, 1)
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const char *begin = NULL, *end = NULL, *stop = NULL;
      int64_t count = 0;
      if (!__atomic_load_n(&state.ended, __ATOMIC_RELAXED))
        read_chunk(msh, lines, chunk, &begin, &end, &stop, &count, limit, buffer);
#pragma omp ordered
      if (!state.ended) {
        if (end)
          keep_chunk(msh, lines, &state, begin, end, stop, count, buffer);
        else
          __atomic_store_n(&state.ended, true, __ATOMIC_RELAXED);
      }
    }
    if (buffer != msh->buffer)
      bp_free(buffer);
  }
  msh->p = state.stop;
  return state.done;
}
