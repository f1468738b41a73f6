/* memory.c -- the arrays of a kernel, global and shared: poison where nothing was written, guard zones
 * around them, and names for addresses. */
#include "ahead.h"
#include "far_rows.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAG_ARRAYS = 1, TAG_SHARED = TAG_ARRAYS + BP_JOB_ARRAYS, TAGS = 128 };

static double *arrays[BP_JOB_ARRAYS];
static long long counts[BP_JOB_ARRAYS]; /* in doubles, rounded up */
static int arrays_count;
static bp_emulated_shared *shared_list;
static bp_emulated_shared dynamic;
static far_rows views[BP_JOB_ARRAYS]; /* of arrays that are far, in other places; else nothing */
static double *saved[BP_JOB_ARRAYS];  /* of those that are written, what the first run left */

static bool is_written(int n)
{
  return job->arrays[n].access != BP_JOB_READ;
}

/* What a kernel leaves for others. */
static bool is_result(int n)
{
  return job->arrays[n].access == BP_JOB_WRITE || job->arrays[n].access == BP_JOB_PART;
}

/* Doubles to items. */
static long long items_of(int n, long long doubles)
{
  return doubles * 8 / job->arrays[n].item;
}

/* ---- poison ---- */

static const uint64_t mark = 0x7ff4000000000000, quiet = 0x0008000000000000;
static const uint64_t guard_bit = (uint64_t)1 << 47;
static const long long index_bias = (long long)1 << 39;

uint64_t poison_of(int tag, bool in_guard, long long index)
{
  return mark | (in_guard ? guard_bit : 0) | (uint64_t)tag << 40 |
         ((uint64_t)(index + index_bias) & (((uint64_t)1 << 40) - 1));
}

static void poison(void *data, int tag, bool in_guard, long long first, long long count)
{
  uint64_t *word = data;
  for (long long n = 0; n < count; ++n)
    word[n] = poison_of(tag, in_guard, first + n);
}

static const bp_emulated_shared *find_tag(int tag)
{
  for (const bp_emulated_shared *s = shared_list; s; s = s->next)
    if (s->tag == tag)
      return s;
  return NULL;
}

static void describe_place(const char *name, long long index, long long count, bool shared,
                           char *text, size_t size)
{
  const char *where = shared ? "shared " : "";
  if (index < 0)
    snprintf(text, size, "%s%s[%lld], before its beginning", where, name, index);
  else if (index >= count)
    snprintf(text, size, "%s%s[%lld], past its end (%lld doubles)", where, name, index, count);
  else
    snprintf(text, size, "%s%s[%lld]", where, name, index);
}

static void describe_array(int n, long long doubles, char *text, size_t size)
{
  describe_place(job->arrays[n].name, items_of(n, doubles), job->arrays[n].count, false, text,
                 size);
}

static int tag_of(uint64_t x)
{
  return (int)(x >> 40 & (TAGS - 1));
}

bool poison_is_unwritten_shared(uint64_t x)
{
  return !(x & guard_bit) && tag_of(x) >= TAG_SHARED;
}

bool poison_is_same(uint64_t x, uint64_t y)
{
  return (x & ~quiet) == (y & ~quiet);
}

bool poison_describe(uint64_t x, char *text, size_t size)
{
  if ((x & ~quiet) >> 48 != mark >> 48)
    return false;
  if (!text)
    return true;
  int tag = tag_of(x);
  long long index = (long long)(x & (((uint64_t)1 << 40) - 1)) - index_bias;
  const bp_emulated_shared *s = find_tag(tag);
  if (tag >= TAG_ARRAYS && tag < TAG_ARRAYS + arrays_count)
    describe_array(tag - TAG_ARRAYS, index, text, size);
  else if (s)
    describe_place(s->name, index, s->bytes / 8, true, text, size);
  else
    snprintf(text, size, "what lane %lld passes, which does not exist", index);
  if (!(x & guard_bit) && (s || tag >= TAG_ARRAYS))
    snprintf(text + strlen(text), size - strlen(text), ", which no thread has written%s",
             s ? " (or a barrier is missing)" : "");
  return true;
}

/* ---- global memory ---- */

/* Doubles between an array and the ends of its pages. */
static long long before(int n)
{
  return (long long)((uintptr_t)arrays[n] % BP_JOB_PAGE / 8);
}

static long long behind(int n)
{
  uintptr_t rest = (uintptr_t)(arrays[n] + counts[n]) % BP_JOB_PAGE;
  return rest ? (long long)((BP_JOB_PAGE - rest) / 8) : 0;
}

/* The pages of arrays, inputs' to be read only; nothing else. */
static void protect_pages(void)
{
  uintptr_t first = ((uintptr_t)(job + 1) + BP_JOB_PAGE - 1) / BP_JOB_PAGE * BP_JOB_PAGE;
  mprotect((void *)first, (uintptr_t)job + (uintptr_t)job->bytes - first, PROT_NONE);
  for (int n = 0; n < arrays_count; ++n)
    mprotect(arrays[n] - before(n), (size_t)(before(n) + counts[n] + behind(n)) * 8,
             is_written(n) ? PROT_READ | PROT_WRITE : PROT_READ);
}

static double *copy_of(int n)
{
  double *copy = allocate((size_t)counts[n] * 8 + 8);
  memcpy(copy, arrays[n], (size_t)counts[n] * 8);
  return copy;
}

static void poison_guards(int n)
{
  poison(arrays[n] - before(n), TAG_ARRAYS + n, true, -before(n), before(n));
  poison(arrays[n] + counts[n], TAG_ARRAYS + n, true, counts[n], behind(n));
}

/* Rows behind what is ahead of them are copies. */
static void copy_rows(int n, bool back)
{
  const bp_job_array *a = &job->arrays[n];
  if (a->ahead == BP_JOB_NOWHERE || a->ahead == BP_JOB_ALL)
    return;
  const size_t row = (size_t)(a->count / a->rows * a->item);
  for (long long r = 0; r < a->rows; ++r) {
    char *own = (char *)arrays[n] + r * (long long)row,
         *view = views[n].begin + (r + 1) * a->missing * a->item + r * (long long)row;
    memcpy(back ? own : view, back ? view : own, row);
  }
}

/* What kernels get: rows with what is missing before them. */
static char *begin_of(int n)
{
  const bp_job_array *a = &job->arrays[n];
  if (a->ahead == BP_JOB_NOWHERE && (a->rows <= 1 || !a->missing))
    return (char *)arrays[n] - a->missing * a->item;
  if (a->ahead == BP_JOB_NOWHERE)
    views[n] =
        far_rows_open((char *)arrays[n], a->rows, counts[n] * 8 / a->rows, a->missing * a->item);
  else
    views[n] = ahead_open(a);
  if (!views[n].map)
    fail("no address space for %s", a->name);
  if (a->ahead != BP_JOB_NOWHERE && !is_written(n)) {
    copy_rows(n, false);
    mprotect(views[n].map + FAR_PAGE, views[n].bytes - 2 * FAR_PAGE, PROT_READ);
  }
  return views[n].begin;
}

char *const *memory_begins(void)
{
  static char *begins[BP_JOB_ARRAYS];
  for (int n = 0; n < arrays_count; ++n)
    begins[n] = begin_of(n);
  return begins;
}

double *const *memory_open(void)
{
  arrays_count = job->arrays_count;
  for (int n = 0; n < arrays_count; ++n) {
    counts[n] = (job->arrays[n].count * job->arrays[n].item + 7) / 8;
    arrays[n] = (double *)(void *)((char *)job + job->arrays[n].start);
    poison_guards(n);
  }
  protect_pages();
  return arrays;
}

void memory_start_run(void)
{
  for (int n = 0; n < arrays_count; ++n) {
    if (!is_written(n))
      continue;
    poison_guards(n);
    if (!job->continues)
      poison(arrays[n], TAG_ARRAYS + n, false, 0, counts[n]);
    copy_rows(n, false);
  }
}

/* ---- shared memory ---- */

/* Signals take microseconds. Unwritten shared memory may be computed with, so it raises them only where the
 * first thread that does so is sought. */
static void poison_shared(bp_emulated_shared *s)
{
  double *data = s->data;
  uint64_t *word = s->data;
  poison(data - s->guard, s->tag, true, -s->guard, s->guard);
  for (long long n = 0; n < s->bytes / 8; ++n)
    word[n] = poison_of(s->tag, false, n) | (sought ? 0 : quiet);
  if (s->guard) {
    char *end = (char *)s->data + s->bytes;
    double *after = (double *)(void *)(end + (8 - (uintptr_t)end % 8) % 8);
    poison(after, s->tag, true, (s->bytes + 7) / 8, s->guard - 1);
  }
}

/* What a block may have: 48 KB declared in the text, 227 KB with what the launch gives. */
static void check_shared_bytes(const bp_emulated_shared *last)
{
  enum { STATIC_MAX = 48 << 10, ALL_MAX = 227 << 10 };
  long long declared = 0;
  for (const bp_emulated_shared *s = shared_list; s; s = s->next)
    if (s != &dynamic && s->block == block_serial)
      declared += (s->bytes + 15) / 16 * 16;
  if (declared > STATIC_MAX)
    fail_at(last->site, "%lld bytes of static shared memory, at most %d can be had", declared,
            STATIC_MAX);
  if (declared + dynamic.bytes > ALL_MAX)
    fail_at(last->site, "%lld bytes of shared memory, at most %d can be had",
            declared + dynamic.bytes, ALL_MAX);
}

void bp_emulated_share(bp_emulated_shared *s)
{
  if (s->block == block_serial)
    return;
  if (s->tag == 0) {
    s->tag = shared_list ? shared_list->tag + 1 : TAG_SHARED;
    if (s->tag >= TAGS)
      fail_at(s->site, "more than %d shared arrays", TAGS - TAG_SHARED);
    s->next = shared_list;
    shared_list = s;
  }
  s->block = block_serial;
  poison_shared(s);
  check_shared_bytes(s);
}

struct shared_copy {
  bp_emulated_shared *of;
  char *bytes; /* guard zones included */
  shared_copy *next;
};

static char *whole_of(const bp_emulated_shared *s, size_t *size)
{
  *size = (size_t)(s->bytes + 16 * s->guard);
  return (char *)s->data - 8 * s->guard;
}

shared_copy *memory_take_shared(void)
{
  shared_copy *all = NULL;
  for (bp_emulated_shared *s = shared_list; s; s = s->next) {
    if (s->block != block_serial)
      continue;
    size_t size;
    const char *from = whole_of(s, &size);
    shared_copy *copy = allocate(sizeof *copy);
    *copy = (shared_copy){s, allocate(size), all};
    memcpy(copy->bytes, from, size);
    all = copy;
  }
  return all;
}

void memory_bring_shared(shared_copy *copy)
{
  while (copy) {
    shared_copy *next = copy->next;
    size_t size;
    char *to = whole_of(copy->of, &size);
    memcpy(to, copy->bytes, size);
    copy->of->block = block_serial;
    free(copy->bytes);
    free(copy);
    copy = next;
  }
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}

/* ---- scratch, which blocks of a launch do not share: elsewhere they run at once ---- */

static struct {
  int array; /* -1: there is none, or one that is too large to be looked at after each block */
  double *before;
  unsigned *writer; /* the number of a block and one; 0: none in this launch */
} scratch = {.array = -1};

static void start_scratch(void)
{
  enum { MOST = 1 << 20 };
  scratch.array = -1;
  for (int n = 0; n < arrays_count; ++n)
    if (strcmp(job->arrays[n].name, "scratch") == 0 && counts[n] <= MOST &&
        job->arrays[n].item == (int)sizeof(double))
      scratch.array = n;
  if (scratch.array < 0)
    return;
  const size_t count = (size_t)counts[scratch.array];
  free(scratch.before);
  free(scratch.writer);
  scratch.before = copy_of(scratch.array);
  scratch.writer = calloc(count + 1, sizeof *scratch.writer);
  if (!scratch.writer)
    fail("no memory for %zu words of scratch", count);
}

void memory_end_block(unsigned block)
{
  const int n = scratch.array;
  for (long long i = 0; n >= 0 && i < counts[n]; ++i) {
    if (bits_of(arrays[n][i]) == bits_of(scratch.before[i]))
      continue;
    if (scratch.writer[i] && scratch.writer[i] != block + 1)
      fail("race: blocks %u and %u of a launch both write to %s[%lld]", scratch.writer[i] - 1,
           block, job->arrays[n].name, i);
    scratch.writer[i] = block + 1;
    scratch.before[i] = arrays[n][i];
  }
}

/* A new allocation per launch, as large as the launch says. */
void memory_start_launch(long long shared_bytes)
{
  enum { ALIGN = 128 }; /* the guard is a multiple of it */
  static void *room;
  const size_t zone = BP_EMULATED_GUARD * 8;
  start_scratch();
  free(room);
  if (posix_memalign(&room, ALIGN, (size_t)shared_bytes + 2 * zone))
    fail("no memory for %lld bytes of shared memory", shared_bytes);
  dynamic.guard = (long long)zone / 8;
  dynamic.data = (char *)room + zone;
  dynamic.bytes = shared_bytes;
  dynamic.block = -1;
}

void *bp_emulated_dynamic_shared(const char *name, bp_emulated_site site)
{
  if (dynamic.bytes == 0)
    fail_at(site, "dynamic shared memory is used, but the launch line gives none");
  dynamic.name = name;
  dynamic.site = site;
  bp_emulated_share(&dynamic);
  return dynamic.data;
}

/* ---- guards ---- */

static bool zone_stands(const void *data, int tag, long long first, long long count,
                        long long *where)
{
  const uint64_t *word = data;
  for (long long n = 0; n < count; ++n)
    if (word[n] != poison_of(tag, true, first + n)) {
      *where = first + n;
      return false;
    }
  return true;
}

static bool shared_stands(const bp_emulated_shared *s, char *text, size_t size)
{
  const double *data = s->data;
  const char *end = (const char *)s->data + s->bytes;
  long long where;
  if (!s->guard || s->block != block_serial ||
      (zone_stands(data - s->guard, s->tag, -s->guard, s->guard, &where) &&
       zone_stands(end + (8 - (uintptr_t)end % 8) % 8, s->tag, (s->bytes + 7) / 8, s->guard - 1,
                   &where)))
    return true;
  describe_place(s->name, where, s->bytes / 8, true, text, size);
  return false;
}

bool memory_guards_stand(char *text, size_t size)
{
  for (const bp_emulated_shared *s = shared_list; s; s = s->next)
    if (!shared_stands(s, text, size))
      return false;
  for (int n = 0; n < arrays_count; ++n) {
    long long where;
    if (!is_written(n) ||
        (zone_stands(arrays[n] - before(n), TAG_ARRAYS + n, -before(n), before(n), &where) &&
         zone_stands(arrays[n] + counts[n], TAG_ARRAYS + n, counts[n], behind(n), &where)))
      continue;
    describe_array(n, where, text, size);
    return false;
  }
  return true;
}

/* ---- results ---- */

static void check_result(int n)
{
  char what[200];
  const char *name = job->arrays[n].name;
  const long long whole =
      job->arrays[n].count * job->arrays[n].item / 8; /* half a one says nothing */
  for (long long i = 0; i < whole; ++i) {
    uint64_t bits = bits_of(arrays[n][i]);
    if (!poison_describe(bits, what, sizeof what))
      continue;
    const bool is_own = bits == poison_of(TAG_ARRAYS + n, false, i);
    if (is_own && job->arrays[n].access == BP_JOB_PART)
      continue;
    if (is_own)
      fail("%s[%lld] of %lld is never written", name, i, counts[n]);
    if (poison_is_unwritten_shared(bits) && !sought)
      run_again_seeking(bits);
    fail("%s[%lld] comes from %s", name, i, what);
  }
}

void memory_check_results(void)
{
  for (int n = 0; n < arrays_count; ++n)
    if (is_written(n))
      copy_rows(n, true);
  for (int n = 0; n < arrays_count; ++n)
    if (is_result(n) && !job->is_continued)
      check_result(n);
}

void memory_save_results(void)
{
  for (int n = 0; n < arrays_count; ++n)
    if (is_result(n))
      saved[n] = copy_of(n);
}

void memory_compare_results(void)
{
  for (int n = 0; n < arrays_count; ++n)
    for (long long i = 0; saved[n] && i < counts[n]; ++i)
      if (bits_of(arrays[n][i]) != bits_of(saved[n][i]))
        fail(
            "race: %s[%lld] is %.17g or %.17g as threads run in one order or the other (seed %llu)",
            job->arrays[n].name, i, saved[n][i], arrays[n][i], job->seed);
}

/* ---- addresses ---- */

static bool is_near(const void *address, const void *data, long long bytes, long long reach)
{
  return (uintptr_t)address + (uintptr_t)reach >= (uintptr_t)data &&
         (uintptr_t)address < (uintptr_t)data + (uintptr_t)(bytes + reach);
}

static long long index_in(const void *address, const void *data)
{
  long long bytes = (long long)((intptr_t)address - (intptr_t)data);
  return bytes >= 0 ? bytes / 8 : -((7 - bytes) / 8);
}

static bool describe_within(const void *address, long long reach, char *text, size_t size)
{
  for (const bp_emulated_shared *s = shared_list; s; s = s->next)
    if (s->block == block_serial && is_near(address, s->data, s->bytes, reach)) {
      describe_place(s->name, index_in(address, s->data), s->bytes / 8, true, text, size);
      return true;
    }
  for (int n = 0; n < arrays_count; ++n)
    if (is_near(address, arrays[n], counts[n] * 8, reach)) {
      describe_array(n, index_in(address, arrays[n]), text, size);
      return true;
    }
  return false;
}

bool memory_describe(const void *address, char *text, size_t size)
{
  for (long long reach = 0; reach <= 1 << 20; reach = reach ? 16 * reach : 64)
    if (describe_within(address, reach, text, size))
      return true;
  snprintf(text, size, "address %p, far from every array", address);
  return false;
}

bool memory_is_shared(const void *address, int bytes)
{
  for (const bp_emulated_shared *s = shared_list; s; s = s->next)
    if (s->block == block_serial && is_near(address, s->data, s->bytes, 0) &&
        is_near((const char *)address + bytes - 1, s->data, s->bytes, 0))
      return true;
  return false;
}

bool memory_is_global(const void *address, int bytes)
{
  for (int n = 0; n < arrays_count; ++n)
    if ((is_near(address, arrays[n], counts[n] * 8, 0) &&
         is_near((const char *)address + bytes - 1, arrays[n], counts[n] * 8, 0)) ||
        (views[n].map && is_near(address, views[n].map, (long long)views[n].bytes - bytes, 0)))
      return true;
  return false;
}
