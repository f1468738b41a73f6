/* async.c -- asynchronous and bulk copies. Bytes move as late as a GPU may move them: when a thread
 * waits for them, so that a kernel that forgot to wait finds poison. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static void transfers_add(transfers *list, transfer t)
{
  list->items = grown(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = t;
}

/* Word by word, for each is counted. */
static void move_bytes(const transfer *t)
{
  volatile uint64_t *to = t->to;
  const volatile uint64_t *from = t->from;
  const int words = t->bytes / 8;
  for (int n = 0; n < words; ++n) {
    to[n] = from[n];
    count_copy((const void *)(uintptr_t)&to[n], (const void *)(uintptr_t)&from[n]);
  }
  if (t->bytes % 8) /* a float, which is not counted */
    *(volatile uint32_t *)&to[words] = *(const volatile uint32_t *)&from[words];
}

/* The oldest `count` come. */
static void transfers_finish(transfers *list, int count)
{
  for (int n = 0; n < count; ++n)
    move_bytes(&list->items[n]);
  list->count -= count;
  memmove(list->items, list->items + count, (size_t)list->count * sizeof *list->items);
}

/* How many are in no group of the latest `groups`; what is in none stays under way. */
static int transfers_before(const transfers *list, int groups)
{
  int count = 0;
  while (count < list->count && list->items[count].group < list->committed - groups)
    ++count;
  return count;
}

/* `spare`: how many of the last bytes may lie behind the global array. */
static void check_transfer(const char *name, const void *shared, const void *global, int bytes,
                           int align, int spare, bp_emulated_site site)
{
  char what[160];
  if (bytes <= 0 || bytes % align || (uintptr_t)shared % (uintptr_t)align ||
      (uintptr_t)global % (uintptr_t)align)
    fail_at(site, "%s of %d bytes: size and both addresses must be multiples of %d", name, bytes,
            align);
  if (!memory_is_shared(shared, bytes)) {
    memory_describe(shared, what, sizeof what);
    fail_at(site, "%s of %d bytes: its shared side, %s, is not inside one shared array", name,
            bytes, what);
  }
  if (!memory_is_global(global, bytes - spare)) {
    memory_describe(global, what, sizeof what);
    fail_at(site, "%s of %d bytes: its global side, %s, is not inside one array", name, bytes,
            what);
  }
}

/* ---- copies that a thread waits for by groups ---- */

/* Of a thread's asynchronous copies those that were under way when it told an mbarrier of them. */
typedef struct {
  thread *of;
  int barrier, copies;
} report;

static report *reports;
static int reports_count, reports_capacity;

/* Copies of a thread come, the oldest `count`; reports of it count those that are left. */
static void deliver_copies(thread *of, int count)
{
  transfers_finish(&of->copies, count);
  for (int n = 0; n < reports_count; ++n)
    if (reports[n].of == of)
      reports[n].copies = reports[n].copies > count ? reports[n].copies - count : 0;
}

static void copy(const transfer *t, bool is_async)
{
  if (is_async)
    transfers_add(&self()->copies, *t);
  else
    move_bytes(t);
}

void bp_emulated_async_copy(void *to, const void *from, int bytes, bool is_async,
                            bp_emulated_site site)
{
  transfer t = {to, from, bytes, self()->copies.committed};
  const char *const name = bytes == 4   ? "bp_async_copy4"
                           : bytes == 8 ? "bp_async_copy8"
                                        : "bp_async_copy16";
  check_transfer(name, to, from, bytes, bytes, 0, site);
  copy(&t, is_async);
}

/* All but a double, or three floats: what comes from behind the array is as good as not written. */
enum { SPARE = 12 };

static int bytes_there(const void *from, int bytes)
{
  int there = bytes;
  while (there > bytes - SPARE && !memory_is_global(from, there))
    there -= (int)sizeof(float);
  return there;
}

void bp_emulated_slot_copy(void *to, const void *from, int bytes, bool is_async,
                           bp_emulated_site site)
{
  check_transfer("bp_slot_copy", to, from, bytes, 16, SPARE, site);
  transfer t = {to, from, bytes_there(from, bytes), self()->copies.committed};
  copy(&t, is_async);
}

void bp_emulated_async_commit(void)
{
  ++self()->copies.committed;
}

void bp_emulated_async_wait(int groups)
{
  deliver_copies(self(), transfers_before(&self()->copies, groups));
}

void bp_emulated_bulk_store(void *to, const void *from, int bytes, bp_emulated_site site)
{
  transfer t = {to, from, bytes, self()->stores.committed};
  check_transfer("bp_bulk_store", from, to, bytes, 16, 0, site);
  transfers_add(&self()->stores, t);
}

void bp_emulated_bulk_commit(void)
{
  ++self()->stores.committed;
}

void bp_emulated_bulk_wait(int groups)
{
  transfers_finish(&self()->stores, transfers_before(&self()->stores, groups));
}

/* ---- mbarriers ---- */

typedef struct {
  void *address;
  int arrivals, lacking; /* per phase; in this one */
  int threads;           /* whose asynchronous copies are still to come */
  long long bytes;       /* expected and not yet come */
  int phase;
} mbarrier;

/* `bytes`: as they are reported; the transfer has less where the last double lies behind the array. */
typedef struct {
  transfer transfer;
  int barrier, bytes;
} load;

enum { MBARRIERS_MAX = 256 };
static mbarrier mbarriers[MBARRIERS_MAX];
static int mbarriers_count;
static load *loads;
static int loads_count, loads_capacity;

void async_start_block(void)
{
  mbarriers_count = loads_count = reports_count = 0;
}

static int find_mbarrier(const void *address)
{
  for (int n = 0; n < mbarriers_count; ++n)
    if (mbarriers[n].address == address)
      return n;
  return -1;
}

static mbarrier *started_mbarrier(const void *address, bp_emulated_site site)
{
  int n = find_mbarrier(address);
  if (n < 0)
    fail_at(site, "an mbarrier is used that bp_mbarrier_start has not started");
  return &mbarriers[n]; /* cppcheck-suppress negativeIndex -- fail_at does not return */
}

void bp_emulated_mbarrier_start(void *barrier, int arrivals, bp_emulated_site site)
{
  int n = find_mbarrier(barrier);
  if (!memory_is_shared(barrier, 8))
    fail_at(site, "bp_mbarrier_start: the mbarrier must lie in shared memory");
  if (n < 0 && mbarriers_count == MBARRIERS_MAX)
    fail_at(site, "more than %d mbarriers in one block", MBARRIERS_MAX);
  n = n < 0 ? mbarriers_count++ : n;
  mbarriers[n] = (mbarrier){.address = barrier, .arrivals = arrivals, .lacking = arrivals};
  memset(barrier, 0, 8);
}

static void end_phase(mbarrier *b)
{
  if (b->lacking > 0 || b->threads > 0 || b->bytes != 0)
    return;
  b->lacking = b->arrivals;
  ++b->phase;
}

/* Who waits finds out whether the phase has ended, or brings the bytes that end it. */
static void wake_waiting(const mbarrier *b)
{
  for (int n = 0; n < threads_count; ++n)
    if (threads[n].state == AT_MBARRIER && threads[n].mbarrier == b->address)
      threads[n].state = READY;
}

static void arrive(mbarrier *b, bp_emulated_site site)
{
  if (b->lacking == 0)
    fail_at(site, "more arrivals at an mbarrier than the %d of its start", b->arrivals);
  if (--b->lacking == 0) {
    end_phase(b);
    wake_waiting(b);
  }
}

void bp_emulated_mbarrier_arrive(void *barrier, int bytes, bp_emulated_site site)
{
  mbarrier *b = started_mbarrier(barrier, site);
  b->bytes += bytes;
  arrive(b, site);
}

void bp_emulated_slot_arrive(void *barrier, bool is_arrival, bp_emulated_site site)
{
  mbarrier *b = started_mbarrier(barrier, site);
  const report r = {self(), (int)(b - mbarriers), self()->copies.count};
  reports = grown(reports, reports_count, &reports_capacity, sizeof *reports);
  reports[reports_count++] = r;
  ++b->threads;
  if (is_arrival)
    arrive(b, site);
}

void bp_emulated_bulk_load(void *to, const void *from, int bytes, void *barrier,
                           bp_emulated_site site)
{
  transfer t = {to, from, bytes, 0};
  started_mbarrier(barrier, site);
  check_transfer("bp_slot_copy", to, from, bytes, 16, SPARE, site);
  loads = grown(loads, loads_count, &loads_capacity, sizeof *loads);
  load l = {t, find_mbarrier(barrier), bytes};
  l.transfer.bytes = bytes_there(from, bytes);
  loads[loads_count++] = l;
}

static void deliver_reported(int barrier)
{
  int kept = 0;
  for (int n = 0; n < reports_count; ++n) {
    if (reports[n].barrier == barrier)
      deliver_copies(reports[n].of, reports[n].copies);
    else
      reports[kept++] = reports[n];
  }
  reports_count = kept;
  mbarriers[barrier].threads = 0;
}

/* Moves what reports to this mbarrier. */
static void deliver_loads(int barrier)
{
  int kept = 0;
  deliver_reported(barrier);
  for (int n = 0; n < loads_count; ++n) {
    if (loads[n].barrier == barrier) {
      move_bytes(&loads[n].transfer);
      mbarriers[barrier].bytes -= loads[n].bytes;
    } else {
      loads[kept++] = loads[n];
    }
  }
  loads_count = kept;
}

void bp_emulated_mbarrier_wait(void *barrier, int parity, bp_emulated_site site)
{
  mbarrier *b = started_mbarrier(barrier, site);
  while ((b->phase & 1) == (parity & 1)) {
    int phase = b->phase;
    if (b->lacking == 0) {
      deliver_loads((int)(b - mbarriers));
      end_phase(b);
      if (b->phase != phase)
        wake_waiting(b);
    }
    if (b->phase == phase) {
      self()->mbarrier = barrier;
      thread_wait(AT_MBARRIER, site);
    }
  }
}

void mbarrier_describe(const void *barrier, char *text, size_t size)
{
  const mbarrier *b = &mbarriers[find_mbarrier(barrier)];
  snprintf(text, size, "%d of %d arrivals and %lld bytes have not come", b->lacking, b->arrivals,
           b->bytes);
}

void async_finish_thread(void)
{
  char who[64];
  if (self()->stores.count == 0)
    return;
  print_thread(self(), who, sizeof who);
  fail_at(self()->site, "%s exits while bulk stores still read shared memory: BP_BULK_WAIT_READ(0)",
          who);
}
