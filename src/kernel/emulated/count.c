/* count.c -- what numbers that count report: flops, accesses of shared memory, and which doubles of the
 * global arrays are read or written at all. */
#include "runtime.h"

#include <stdlib.h>

static bp_job *counted;
static double *const *arrays;
static unsigned char *touched[BP_JOB_ARRAYS];

void count_open(bp_job *j, double *const from[BP_JOB_ARRAYS])
{
  counted = j;
  arrays = from;
  for (int n = 0; n < BP_JOB_ARRAYS; ++n) {
    touched[n] = calloc((size_t)j->arrays[n].count + 1, 1);
    if (!touched[n])
      fail("no memory for counts");
  }
}

/* 1 for the first access to a double of array `n`, 0 for others and elsewhere. */
static int is_first(int n, const double *p)
{
  if (!arrays[n] || p < arrays[n] || p >= arrays[n] + counted->arrays[n].count ||
      touched[n][p - arrays[n]])
    return 0;
  return touched[n][p - arrays[n]] = 1;
}

void bp_emulated_count_flops(long long flops)
{
  counted->counts.flops += flops;
}

static void count_load(const void *p)
{
  if (memory_is_shared(p, 8))
    ++counted->counts.shared_loads;
  else
    counted->counts.read += is_first(BP_JOB_U, p) + is_first(BP_JOB_FACTORS, p);
}

static void count_store(const void *p)
{
  if (memory_is_shared(p, 8))
    ++counted->counts.shared_stores;
  else
    counted->counts.written += is_first(BP_JOB_V, p);
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
 * A GPU serves 16 threads at once if their doubles lie in 16 different banks or are the same; else it takes as many
 * accesses as the fullest bank has doubles. The n-th load of a thread since it last met the others of its warp
 * is taken for the n-th load of those, and stores likewise. */

enum { BANKS = 16, HALF = BANKS, HALVES = THREADS_MAX / HALF };

typedef struct {
  uintptr_t doubles[HALF]; /* different ones */
  int count;
} access;

typedef struct {
  access *items;
  int count, capacity;
} accesses;

static accesses of_half[HALVES][2]; /* loads, stores */
static int done[THREADS_MAX][2];

static access *access_at(accesses *list, int n)
{
  if (n >= list->capacity) {
    list->capacity = 2 * n + 64;
    list->items = realloc(list->items, (size_t)list->capacity * sizeof *list->items);
    if (!list->items)
      fail("no memory for counts");
  }
  for (; list->count <= n; ++list->count)
    list->items[list->count].count = 0;
  return &list->items[n];
}

static void note_access(int is_store, const void *p)
{
  int number = self()->seen.number, n = 0;
  uintptr_t x = (uintptr_t)p / 8;
  access *a = access_at(&of_half[number / HALF][is_store], done[number][is_store]++);
  while (n < a->count && a->doubles[n] != x)
    ++n;
  a->doubles[n] = x;
  a->count += n == a->count;
  ++counted->counts.threads_shared;
}

static int fullest_bank(const access *a)
{
  int in_bank[BANKS] = {0}, most = 0;
  for (int n = 0; n < a->count; ++n) {
    int count = ++in_bank[a->doubles[n] % BANKS];
    most = count > most ? count : most;
  }
  return most;
}

void count_together(int first, int number)
{
  if (!counted)
    return;
  for (int half = first / HALF; half * HALF < first + number; ++half)
    for (int kind = 0; kind < 2; ++kind) {
      accesses *list = &of_half[half][kind];
      for (int n = 0; n < list->count; ++n)
        counted->counts.shared_accesses += fullest_bank(&list->items[n]);
      list->count = 0;
    }
  for (int n = first; n < first + number; ++n)
    done[n][0] = done[n][1] = 0;
}

void bp_emulated_count_load(const void *p)
{
  if (memory_is_shared(p, 8))
    note_access(0, p);
  count_load(p);
}

void bp_emulated_count_store(const void *p)
{
  if (memory_is_shared(p, 8))
    note_access(1, p);
  count_store(p);
}
