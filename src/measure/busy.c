/* busy.c -- reads /proc: schedstat of each thread, and the first line of stat. */
#include "measure/busy.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  int file;
  double ran, waited, last_waited, first_ran; /* seconds */
} thread;

typedef struct {
  double all, used, stolen; /* ticks */
} ticks;

struct bp_busy {
  bp_busy_place place;
  thread *threads;
  int count;
  ticks first;
};

bp_busy_place bp_busy_here(int ranks)
{
  const char *other = getenv("BP_PROC");
  return (bp_busy_place){other ? other : "/proc", ranks};
}

/* Read by pread, so that each reading is a new one. */
static void read_thread(thread *t)
{
  char text[96], *end;
  ssize_t size = pread(t->file, text, sizeof text - 1, 0);
  if (size <= 0)
    return;
  text[size] = '\0';
  t->ran = 1e-9 * (double)strtoull(text, &end, 10);
  t->waited = 1e-9 * (double)strtoull(end, NULL, 10);
}

static void add_thread(bp_busy *b, const char *name)
{
  char *path = bp_format("%s/self/task/%s/schedstat", b->place.folder, name);
  thread t = {.file = open(path, O_RDONLY | O_CLOEXEC)};
  bp_free(path);
  if (t.file < 0)
    return;
  read_thread(&t);
  t.first_ran = t.ran;
  t.last_waited = t.waited;
  b->threads = bp_realloc(b->threads, (size_t)b->count + 1, sizeof t);
  b->threads[b->count++] = t;
}

/* user nice system idle iowait irq softirq steal; what guests use is in user. */
static ticks read_ticks(const char *folder)
{
  enum { IDLE = 3, IOWAIT = 4, STEAL = 7, COLUMNS = 8 };
  char text[256], *at = text + 4;
  ticks t = {0};
  char *path = bp_format("%s/stat", folder);
  bp_file_peek(path, text, sizeof text);
  bp_free(path);
  for (int n = 0; n < COLUMNS && *text == 'c'; ++n) {
    double value = strtod(at, &at);
    t.all += value;
    t.used += n == IDLE || n == IOWAIT || n == STEAL ? 0 : value;
    t.stolen += n == STEAL ? value : 0;
  }
  return t;
}

bp_busy *bp_busy_start(const bp_busy_place *place)
{
  if (!place)
    return NULL;
  bp_busy *b = bp_alloc(1, sizeof *b);
  *b = (bp_busy){.place = *place, .first = read_ticks(place->folder)};
  char *threads = bp_format("%s/self/task", place->folder);
  DIR *folder = opendir(threads);
  bp_free(threads);
  for (const struct dirent *e; folder && (e = readdir(folder));)
    if (isdigit((unsigned char)e->d_name[0]))
      add_thread(b, e->d_name);
  if (folder)
    closedir(folder);
  return b;
}

double bp_busy_waited(bp_busy *b)
{
  double most = 0;
  for (int n = 0; b && n < b->count; ++n) {
    thread *t = &b->threads[n];
    read_thread(t);
    most = fmax(most, t->waited - t->last_waited);
    t->last_waited = t->waited;
  }
  return most;
}

/* Ticks are counted in whole ones on each processor. */
static bp_busy_share share_of(const bp_busy *b)
{
  const double enough = 20 * (double)sysconf(_SC_NPROCESSORS_ONLN);
  const ticks now = read_ticks(b->place.folder);
  const double all = now.all - b->first.all, used = now.used - b->first.used;
  double own = 0;
  for (int n = 0; n < b->count; ++n)
    own += b->threads[n].ran - b->threads[n].first_ran;
  own *= (double)sysconf(_SC_CLK_TCK) * b->place.ranks;
  if (all < enough)
    return (bp_busy_share){0};
  return (bp_busy_share){(now.stolen - b->first.stolen) / all, fmax(0, (used - own) / all)};
}

bp_busy_share bp_busy_stop(bp_busy *b)
{
  bp_busy_share share = {0};
  if (!b)
    return share;
  bp_busy_waited(b);
  share = share_of(b);
  for (int n = 0; n < b->count; ++n)
    close(b->threads[n].file);
  bp_free(b->threads);
  bp_free(b);
  return share;
}

bool bp_busy_is_late(double waited, double seconds)
{
  return waited > 0.02 * seconds;
}

/* A quarter of the samples, disturbed, hardly move the median. A tenth of all processors may be a neighbour
 * on the same core. */
char *bp_busy_reason(int64_t late, int64_t count, bp_busy_share share)
{
  const double most_late = 0.25, most_stolen = 0.02, most_others = 0.1;
  if (count > 0 && (double)late > most_late * (double)count)
    return bp_format("busy: threads waited for a processor in %.0f %% of the samples",
                     100 * (double)late / (double)count);
  if (share.stolen > most_stolen)
    return bp_format("busy: the hypervisor took %.0f %% of the processors' time",
                     100 * share.stolen);
  if (share.others > most_others)
    return bp_format("busy: other programs had %.0f %% of the processors' time",
                     100 * share.others);
  return NULL;
}
