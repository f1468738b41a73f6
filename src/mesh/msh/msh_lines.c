/* msh_lines.c -- regular lines of text read in parallel, chunk by chunk, and stored in the order of the file.
 *
 * A thread that has read a chunk leaves it in the window; whoever finds the next one in order there, stores it
 * and what follows. So a thread that the system has put to sleep holds up nobody until the window is full. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
#include <omp.h>
#include <sched.h>
#include <string.h>

enum { CHUNK = 1 << 18, LONGEST_LINE = 1 << 16, WORTH_THREADS = 20000, WINDOW = 64 };

/* Text begin..end; `count` lines of it, up to `stop`, are in the buffer. */
typedef struct {
  const char *begin, *end, *stop;
  int64_t count;
  void *buffer;
  bool is_full;
} chunk;

typedef struct {
  bp_msh *msh;
  const bp_msh_lines *lines;
  int64_t limit, chunks;
  chunk window[WINDOW]; /* chunk n is in window[n % WINDOW] */
  int64_t next;         /* the first chunk that nobody has taken to read */
  int64_t kept;         /* chunks stored: those before are done */
  bool is_keeping;      /* a thread is storing */
  int64_t done;         /* lines stored */
  const char *stop;
  bool ended;
} pipeline;

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

static void read_chunk(const pipeline *p, int64_t n, chunk *c)
{
  const bp_msh *msh = p->msh;
  c->begin = line_from(msh, msh->p, msh->p + n * CHUNK);
  c->end = c->begin ? line_from(msh, c->begin, msh->p + (n + 1) * CHUNK) : NULL;
  c->count = 0;
  if (c->end)
    c->count = p->lines->read(p->lines->context, c->begin, c->end, p->limit, c->buffer, &c->stop);
}

/* Stores the next chunk in order; what is beyond the limit was read in vain. True when it is the last. */
static bool keep_chunk(pipeline *p, chunk *c)
{
  if (!c->end)
    return true;
  if (p->done + c->count > p->limit)
    c->count = p->lines->read(p->lines->context, c->begin, c->end, p->limit - p->done, c->buffer,
                              &c->stop);
  p->lines->keep(p->lines->context, c->buffer, c->count);
  bp_msh_drop(p->msh, c->begin, c->stop);
  p->done += c->count;
  p->stop = c->stop;
  return c->stop != c->end || p->done == p->limit || c->end == p->msh->lines_end;
}

/* The next chunk to read, or -1 at the end; `ended` is looked at in the critical section alone. */
static int64_t take_chunk(pipeline *p)
{
  int64_t n = -1;
  while (n < 0) {
    bool is_over = false;
#pragma omp critical(bp_msh_window)
    {
      is_over = p->ended || p->next == p->chunks;
      if (!is_over && p->next < p->kept + WINDOW)
        n = p->next++;
    }
    if (is_over)
      return -1;
    if (n < 0)
      sched_yield();
  }
  return n;
}

/* Gives back the chunk stored, if any, and takes the next one to store: NULL when that is not there or
 * another thread's task. */
static chunk *take_full(pipeline *p, chunk *stored, bool ended)
{
  chunk *c = NULL;
#pragma omp critical(bp_msh_window)
  {
    if (stored) {
      stored->is_full = p->is_keeping = false;
      p->ended = ended;
      ++p->kept;
    }
    if (!p->is_keeping && !p->ended && p->window[p->kept % WINDOW].is_full) {
      c = &p->window[p->kept % WINDOW];
      p->is_keeping = true;
    }
  }
  return c;
}

static void work(pipeline *p)
{
  for (int64_t n; (n = take_chunk(p)) >= 0;) {
    chunk *c = &p->window[n % WINDOW];
    if (!c->buffer)
      c->buffer = create_buffer();
    read_chunk(p, n, c);
#pragma omp critical(bp_msh_window)
    c->is_full = true;
    for (chunk *full = take_full(p, NULL, false); full;)
      full = take_full(p, full, keep_chunk(p, full));
  }
}

/* Stops early at the first line that is not regular; returns how many were read. */
static int64_t read_regular(bp_msh *msh, const bp_msh_lines *lines, int64_t limit)
{
  if (limit == 0 || msh->p >= msh->lines_end)
    return 0;
  pipeline p = {.msh = msh, .lines = lines, .limit = limit, .stop = msh->p};
  p.chunks = (msh->lines_end - msh->p + CHUNK - 1) / CHUNK;
  if (!msh->buffer)
    msh->buffer = create_buffer();
  p.window[0].buffer = msh->buffer;
  if (limit >= WORTH_THREADS && p.chunks > 1) {
#pragma omp parallel
    work(&p);
  } else {
    for (int64_t n = 0; n < p.chunks && !p.ended; ++n) {
      read_chunk(&p, n, &p.window[0]);
      p.ended = keep_chunk(&p, &p.window[0]);
    }
  }
  for (int n = 1; n < WINDOW; ++n)
    bp_free(p.window[n].buffer);
  msh->p = p.stop;
  return p.done;
}

void bp_msh_read_lines(bp_msh *msh, const bp_msh_lines *lines, int64_t count)
{
  enum { ONE_BY_ONE = 4096 }; /* many, before the fast way is tried again */
  for (int64_t done = 0; done < count && bp_msh_ok(msh);) {
    bp_msh_finish_line(msh);
    done += read_regular(msh, lines, count - done);
    for (int n = 0; n < ONE_BY_ONE && done < count && bp_msh_ok(msh); ++n, ++done)
      lines->take_one(lines->context);
  }
}
