/* block.c -- runs a launch block by block: the order of the threads, barriers, and what is wrong when
 * no thread can go on. */
#include "runtime.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bp_emulated_thread *bp_emulated_self;
bp_emulated_index bp_emulated_block, bp_emulated_block_extent, bp_emulated_grid_extent;
int bp_emulated_blocks;
bp_emulated_kernel *bp_emulated_kernels;

thread threads[THREADS_MAX];
int threads_count;
long long block_serial;
const launch *launch_here;

enum { BARRIERS = 16 };
static struct {
  int arrived, expected, first; /* first: the thread that came first */
} barriers[BARRIERS];

static int first_fiber; /* of the block that runs */
static int order[THREADS_MAX];
static uint64_t random_state;
static bool order_reversed;

static uint64_t next_random(void)
{
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Anew whenever all have waited; in the reversed run once, so that one warp is always the first. */
static void shuffle_order(void)
{
  for (int n = 0; n < threads_count; ++n)
    order[n] = n;
  for (int n = threads_count - 1; n > 0; --n) {
    int m = (int)(next_random() % (uint64_t)(n + 1)), other = order[n];
    order[n] = order[m];
    order[m] = other;
  }
}

/* ---- waiting ---- */

void thread_wait(thread_state state, bp_emulated_site site)
{
  thread *t = self();
  t->state = state;
  t->site = site;
  do
    fiber_yield();
  while (t->state != READY);
}

static _Noreturn void fail_arrival(int id, int expected, bp_emulated_site site)
{
  const thread *first = &threads[barriers[id].first];
  char one[64], other[64];
  print_thread(first, one, sizeof one);
  print_thread(self(), other, sizeof other);
  if (!is_same_site(first->site, site))
    fail_at(first->site, "divergent barrier: %s waits here, %s at %s:%d", one, other, site.file,
            site.line);
  fail_at(site, "group barrier %d: %s expects %d threads, %s expects %d", id, one,
          barriers[id].expected, other, expected);
}

void bp_emulated_barrier(int id, int threads_expected, bp_emulated_site site)
{
  int expected = id == BP_EMULATED_BLOCK_BARRIER ? threads_count : threads_expected;
  if (id < 0 || id >= BARRIERS)
    fail_at(site, "group barrier %d: its number must be 1..15", id);
  if (id != BP_EMULATED_BLOCK_BARRIER && (expected % WARP != 0 || expected < 1))
    fail_at(site, "group barrier of %d threads: whole warps are expected", expected);
  self()->barrier = id;
  if (barriers[id].arrived == 0) {
    barriers[id].first = self()->seen.number;
    barriers[id].expected = expected;
  } else if (barriers[id].expected != expected ||
             !is_same_site(threads[barriers[id].first].site, site)) {
    fail_arrival(id, expected, site);
  }
  if (++barriers[id].arrived < expected) {
    thread_wait(AT_BARRIER, site);
  } else {
    barriers[id].arrived = 0;
    for (int n = 0; n < threads_count; ++n)
      if (threads[n].state == AT_BARRIER && threads[n].barrier == id) {
        threads[n].state = READY;
        count_together(n / WARP * WARP, WARP);
      }
    self()->site = site;
    fiber_yield(); /* or the last to come would always be the first to leave */
  }
}

/* The block's last thread brings all here. */
void bp_emulated_grid_barrier(bp_emulated_site site)
{
  bp_emulated_barrier(BP_EMULATED_BLOCK_BARRIER, 0, site);
  thread_wait(AT_GRID, site);
}

/* ---- nobody can go on ---- */

static const thread *find_waiting(thread_state state)
{
  for (int n = 0; n < threads_count; ++n)
    if (threads[n].state == state)
      return &threads[n];
  return NULL;
}

static _Noreturn void fail_mbarrier(const thread *t)
{
  char lacks[128], who[64];
  mbarrier_describe(t->mbarrier, lacks, sizeof lacks);
  print_thread(t, who, sizeof who);
  fail_at(t->site, "%s waits for an mbarrier whose phase never ends: %s", who, lacks);
}

static _Noreturn void fail_stuck(void)
{
  int done = 0, waiting = 0;
  const thread *a = threads, *b = NULL;
  while (a->state == DONE) /* not all are */
    ++a;
  for (int n = 0; n < threads_count; ++n) {
    thread *t = &threads[n];
    done += t->state == DONE;
    if (t->state == DONE)
      continue;
    ++waiting;
    b = b || is_same_site(a->site, t->site) ? b : t;
  }
  char one[64], other[64];
  const thread *m = find_waiting(AT_MBARRIER);
  if (m)
    fail_mbarrier(m);
  print_thread(a, one, sizeof one);
  if (b) {
    print_thread(b, other, sizeof other);
    fail_at(a->site, "divergent barrier: %s waits here, %s at %s:%d, and neither can go on", one,
            other, b->site.file, b->site.line);
  }
  fail_at(a->site, "%d thread%s, among them %s, wait%s here for %d that %s", waiting,
          waiting == 1 ? "" : "s", one, waiting == 1 ? "s" : "", done,
          done == 1 ? "has exited" : "have exited");
}

/* ---- one block ---- */

static void run_thread(void)
{
  const launch *l = launch_here;
  l->kernel->run(l->arguments);
  async_finish_thread();
  self()->state = DONE;
  fiber_yield();
  abort();
}

static void check_guards_after(const thread *t, bp_emulated_site before)
{
  char what[200], who[64];
  if (memory_guards_stand(what, sizeof what))
    return;
  print_thread(t, who, sizeof who);
  if (t->state == DONE)
    fail_at(before, "%s wrote %s, after this line", who, what);
  fail_at(t->site, "%s wrote %s, before this line and after line %d", who, what, before.line);
}

/* The thread whose turn is n-th. */
static thread *at_turn(int n)
{
  return &threads[order[order_reversed ? threads_count - 1 - n : n]];
}

/* Every thread that can run runs, until it waits; true when there was one. In the reversed order only those
 * of the first such warp do: it runs ahead of the others as far as barriers let it. */
static bool run_pass(void)
{
  int only = -1;
  for (int n = 0; n < threads_count; ++n) {
    thread *t = at_turn(n);
    if (t->state != READY || (order_reversed && only >= 0 && t->seen.number / WARP != only))
      continue;
    bp_emulated_site before = t->site;
    only = t->seen.number / WARP;
    bp_emulated_self = &t->seen;
    fiber_resume(first_fiber + t->seen.number);
    if (precise)
      check_guards_after(t, before);
  }
  return only >= 0;
}

static bool all_are(thread_state state)
{
  for (int n = 0; n < threads_count; ++n)
    if (threads[n].state != state)
      return false;
  return true;
}

static void start_threads(const bp_emulated_kernel *kernel)
{
  bp_emulated_index extent = bp_emulated_block_extent;
  for (int n = 0; n < threads_count; ++n) {
    unsigned number = (unsigned)n;
    thread *t = &threads[n];
    t->seen.index.x = number % extent.x;
    t->seen.index.y = number / extent.x % extent.y;
    t->seen.index.z = number / extent.x / extent.y;
    t->seen.number = n;
    t->state = READY;
    t->site = kernel->site;
    t->copies.count = t->copies.committed = t->stores.count = t->stores.committed = 0;
    fiber_start(first_fiber + n, run_thread);
  }
  memset(barriers, 0, sizeof barriers);
  warps_start_block();
}

/* Until all threads are done: true. Or until they wait for other blocks: false. */
static bool run_threads(void)
{
  char what[200];
  shuffle_order();
  while (run_pass())
    if (!order_reversed)
      shuffle_order();
  const bool waits = all_are(AT_GRID);
  if (!waits && !all_are(DONE))
    fail_stuck();
  count_together(0, threads_count);
  if (!memory_guards_stand(what, sizeof what))
    run_again_precisely(launch_here->kernel->site, bp_emulated_block.x, what);
  return !waits;
}

static bool run_block(unsigned block)
{
  bp_emulated_block.x = block;
  ++block_serial;
  async_start_block();
  start_threads(launch_here->kernel);
  return run_threads();
}

/* ---- blocks that wait for each other: each runs until it waits; then its threads and its shared memory
 * make way for the next one's ---- */

static struct {
  unsigned number;
  long long serial;
  thread *threads;
  shared_copy *shared;
} waiting[TOGETHER_MAX];

static void put_aside(int n)
{
  const size_t bytes = (size_t)threads_count * sizeof *threads;
  waiting[n].number = bp_emulated_block.x;
  waiting[n].serial = block_serial;
  waiting[n].shared = memory_take_shared();
  waiting[n].threads = allocate(bytes);
  memcpy(waiting[n].threads, threads, bytes);
}

static bool run_on(int n)
{
  bp_emulated_block.x = waiting[n].number;
  block_serial = waiting[n].serial;
  first_fiber = n * threads_count;
  memcpy(threads, waiting[n].threads, (size_t)threads_count * sizeof *threads);
  free(waiting[n].threads);
  memory_bring_shared(waiting[n].shared);
  for (int t = 0; t < threads_count; ++t)
    threads[t].state = READY;
  return run_threads();
}

static _Noreturn void fail_alone(int blocks, int ended)
{
  char one[64];
  print_thread(threads, one, sizeof one);
  fail_at(threads->site, "%d blocks, among them that of %s, wait here for %d that have ended",
          blocks, one, ended);
}

/* So many that wait, of `count`, run from one meeting to the next, until all have ended. */
static void run_meetings(int count, int ended)
{
  const long long last = block_serial;
  while (count > 0 && ended == 0) {
    for (int n = 0; n < count; ++n)
      if (run_on(n))
        ++ended;
      else
        put_aside(n);
    if (ended == count)
      count = ended = 0;
  }
  if (ended > 0)
    fail_alone(count - ended, ended);
  block_serial = last;
  first_fiber = 0;
}

/* ---- a launch ---- */

enum { COUNTERS = 4 };
static struct {
  const int *n;
  bp_emulated_site site;
} counters[COUNTERS];
static int counters_count;

void bp_emulated_counter(const int *n, bp_emulated_site site)
{
  for (int c = 0; c < counters_count; ++c)
    if (counters[c].n == n)
      return;
  if (counters_count == COUNTERS)
    fail_at(site, "more than %d variables are counted up", COUNTERS);
  counters[counters_count].n = n;
  counters[counters_count++].site = site;
}

void bp_emulated_pause(void)
{
  sched_yield();
}

/* One that is a little off spoils only one of the next launches, maybe the tenth. */
static void check_counters(void)
{
  for (int c = 0; c < counters_count; ++c)
    if (*counters[c].n != 0)
      fail_at(counters[c].site, "the launch leaves a counter at %d, not at 0 as it found it",
              *counters[c].n);
}

static void set_extents(const bp_job_launch *shape)
{
  bp_emulated_block_extent =
      (bp_emulated_index){shape->threads[0], shape->threads[1], shape->threads[2]};
  bp_emulated_grid_extent = (bp_emulated_index){shape->grid, 1, 1};
  bp_emulated_blocks = (int)(shape->blocks - shape->first);
  bp_emulated_block = (bp_emulated_index){1, 0, 0};
  threads_count = (int)(shape->threads[0] * shape->threads[1] * shape->threads[2]);
}

/* The first block, and from there steps that reach each once. */
typedef struct {
  unsigned count, step;
} block_order;

static unsigned common_divisor(unsigned a, unsigned b)
{
  return b == 0 ? a : common_divisor(b, a % b);
}

static block_order draw_order(unsigned count)
{
  block_order o = {count, 1};
  do
    o.step = 1 + (unsigned)(next_random() % (count + 1));
  while (common_divisor(o.step, count) > 1);
  return o;
}

static unsigned block_at(const block_order *o, unsigned n)
{
  return (unsigned)(((uint64_t)n * o->step) % o->count);
}

void launch_run(const launch *l, const bp_job_launch *shape, uint64_t seed, bool reversed)
{
  set_extents(shape);
  if (l->kernel->threads_max && threads_count > l->kernel->threads_max)
    fail_at(l->kernel->site, "launched with %d threads per block, bounded to %d", threads_count,
            l->kernel->threads_max);
  random_state = seed;
  order_reversed = reversed;
  launch_here = l;
  memory_start_launch(shape->shared);
  const block_order o = draw_order(shape->blocks - shape->first);
  int count = 0, ended = 0;
  for (unsigned n = 0; n < o.count; ++n) {
    if (count == TOGETHER_MAX)
      fail_at(threads->site, "more than %d blocks wait for each other", TOGETHER_MAX);
    first_fiber = count * threads_count;
    fibers_create(first_fiber + threads_count);
    const unsigned block = shape->first + block_at(&o, reversed ? o.count - 1 - n : n);
    if (run_block(block)) {
      memory_end_block(block);
      ++ended;
    } else {
      put_aside(count++);
    }
  }
  if (count > 0 && ended > 0)
    fail_alone(count, ended);
  run_meetings(count, 0);
  if (shape->first == 0) /* else most blocks have not counted */
    check_counters();
}
