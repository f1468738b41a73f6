/* count.c -- what numbers that count report: flops, accesses of shared memory, and which doubles of the
 * global arrays are read or written at all. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

bp_job *counted;
static double *const *arrays;
static unsigned char *touched[BP_JOB_ARRAYS]; /* NULL: nobody wants to know */

/* The model counts what an operator has to move: its factors, u and v. */
static bool is_counted(const char *name)
{
  static const char *const names[] = {"u", "v", "factors", "u_by_species", "v_by_species"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    if (strcmp(name, names[n]) == 0)
      return true;
  return false;
}

void count_open(double *const *from)
{
  counted = job;
  arrays = from;
  for (int n = 0; n < job->arrays_count; ++n)
    if (is_counted(job->arrays[n].name) &&
        !(touched[n] = calloc((size_t)job->arrays[n].count + 1, 1)))
      fail("no memory for counts");
}

/* 1 for the first access to a double of an array that is read, or written; else 0. */
static int is_first(bool is_read, const double *p)
{
  for (int n = 0; n < counted->arrays_count; ++n)
    if (touched[n] && (counted->arrays[n].access == BP_JOB_READ) == is_read && p >= arrays[n] &&
        p < arrays[n] + counted->arrays[n].count) {
      int first = !touched[n][p - arrays[n]];
      touched[n][p - arrays[n]] = 1;
      return first;
    }
  return 0;
}

void bp_emulated_count_flops(long long flops)
{
  if (counted)
    counted->counts.flops += flops;
}

static void count_load(const void *p)
{
  if (memory_is_shared(p, 8))
    ++counted->counts.shared_loads;
  else
    counted->counts.read += is_first(true, p);
}

static void count_store(const void *p)
{
  if (memory_is_shared(p, 8))
    ++counted->counts.shared_stores;
  else
    counted->counts.written += is_first(false, p);
}

void count_copy(const void *to, const void *from)
{
  if (counted) {
    count_load(from);
    count_store(to);
  }
}

/* ---- accesses of half-warps ----
 *
 * A GPU serves 16 threads at once, or 8 that want pairs of doubles, if these lie in different banks or are the same;
 * else it takes as many accesses as the fullest bank has. The n-th load of a thread since it last met the others of
 * its warp is taken for the n-th load of those, and the other kinds of access likewise. */

enum { BANKS = 16, KINDS = 4, LOAD = 0, STORE = 1, PAIR = 2 /* added to these */ };

typedef struct {
  uintptr_t units[BANKS]; /* doubles or pairs, different ones */
  int count;
} access;

typedef struct {
  access *items;
  int count, capacity;
} accesses;

static accesses of_group[2 * THREADS_MAX / BANKS][KINDS]; /* of threads served at once */
static int done[THREADS_MAX][KINDS];

static int doubles_of(int kind)
{
  return kind < PAIR ? 1 : 2;
}

static access *access_at(accesses *list, int n)
{
  list->items = grown(list->items, n, &list->capacity, sizeof *list->items);
  for (; list->count <= n; ++list->count)
    list->items[list->count].count = 0;
  return &list->items[n];
}

static void note_access(int kind, const void *p)
{
  if (!memory_is_shared(p, 8))
    return;
  int number = self()->seen.number, group = number * doubles_of(kind) / BANKS, n = 0;
  uintptr_t x = (uintptr_t)p / 8 / (unsigned)doubles_of(kind);
  access *a = access_at(&of_group[group][kind], done[number][kind]++);
  while (n < a->count && a->units[n] != x)
    ++n;
  a->units[n] = x;
  a->count += n == a->count;
  counted->counts.threads_shared += doubles_of(kind);
}

static int fullest_bank(const access *a, int banks)
{
  int in_bank[BANKS] = {0}, most = 0;
  for (int n = 0; n < a->count; ++n) {
    int count = ++in_bank[a->units[n] % (unsigned)banks];
    most = count > most ? count : most;
  }
  return most;
}

void count_those_together(int first, int number)
{
  for (int kind = 0; kind < KINDS; ++kind) {
    int width = doubles_of(kind);
    for (int group = first * width / BANKS; group * BANKS < (first + number) * width; ++group) {
      accesses *list = &of_group[group][kind];
      for (int n = 0; n < list->count; ++n)
        counted->counts.shared_accesses += fullest_bank(&list->items[n], BANKS / width);
      list->count = 0;
    }
    for (int n = first; n < first + number; ++n)
      done[n][kind] = 0;
  }
}

void bp_emulated_count_load(const void *p)
{
  note_access(LOAD, p);
  count_load(p);
}

void bp_emulated_count_store(const void *p)
{
  note_access(STORE, p);
  count_store(p);
}

void bp_emulated_count_load_pair(const void *p)
{
  note_access(PAIR + LOAD, p);
  count_load(p);
  count_load((const char *)p + 8);
}

void bp_emulated_count_store_pair(const void *p)
{
  note_access(PAIR + STORE, p);
  count_store(p);
  count_store((const char *)p + 8);
}
