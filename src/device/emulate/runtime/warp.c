/* warp.c -- what the threads of a warp do together: the last to come does it for all of them. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"a warp barrier", "bp_shuffle",      "bp_shuffle_xor",
                                    "bp_shuffle_up",  "bp_shuffle_down", "bp_mma"};

typedef struct {
  thread *lane[WARP];
  int lanes; /* less than 32 in the last warp of a block */
} warp;

static warp warp_of(const thread *t)
{
  warp w;
  int first = t->seen.number / WARP * WARP;
  w.lanes = threads_count - first < WARP ? threads_count - first : WARP;
  for (int n = 0; n < w.lanes; ++n)
    w.lane[n] = &threads[first + n];
  return w;
}

/* ---- the operations ---- */

static int source_of(const thread *t, int lane)
{
  int argument = t->request.argument, source = lane;
  switch (t->request.operation) {
  case BP_EMULATED_SHUFFLE:
    return argument & (WARP - 1);
  case BP_EMULATED_SHUFFLE_XOR:
    source = lane ^ argument;
    break;
  case BP_EMULATED_SHUFFLE_UP:
    source = lane - argument;
    break;
  default:
    source = lane + argument;
    break;
  }
  return source >= 0 && source < WARP ? source : lane;
}

static void shuffle(const warp *w)
{
  uint64_t passed[WARP];
  for (int n = 0; n < WARP; ++n)
    passed[n] = poison_of(0, false, n); /* what a lane passes that does not exist */
  for (int n = 0; n < w->lanes; ++n)
    memcpy(&passed[n], w->lane[n]->request.x, 8);
  for (int n = 0; n < w->lanes; ++n)
    memcpy(w->lane[n]->request.x, &passed[source_of(w->lane[n], n)], 8);
}

static void multiply(const warp *w)
{
  int rows = w->lane[0]->request.rows, depth = w->lane[0]->request.depth, halves = rows / 8;
  double A[16][16], B[16][8];
  for (int n = 0; n < WARP; ++n) {
    const warp_request *r = &w->lane[n]->request;
    int g = n / 4, q = n % 4;
    for (int i = 0; i < halves * depth / 4; ++i)
      A[g + 8 * (i % halves)][q + 4 * (i / halves)] = r->a[i];
    for (int i = 0; i < depth / 4; ++i)
      B[q + 4 * i][g] = r->b[i];
  }
  bp_emulated_count_flops(2 * rows * 8 * depth);
  for (int n = 0; n < WARP; ++n) {
    double *c = w->lane[n]->request.c;
    for (int i = 0; i < 2 * halves; ++i)
      for (int k = 0; k < depth; ++k)
        c[i] += A[n / 4 + 8 * (i / 2)][k] * B[k][2 * (n % 4) + i % 2];
  }
}

static void perform(const warp *w, bp_emulated_site site)
{
  bp_emulated_operation operation = w->lane[0]->request.operation;
  if (operation == BP_EMULATED_MMA && w->lanes < WARP)
    fail_at(site, "bp_mma in a warp of %d threads: a whole warp is expected", w->lanes);
  trap_site = site;
  if (operation == BP_EMULATED_MMA)
    multiply(w);
  else if (operation != BP_EMULATED_WARP_BARRIER)
    shuffle(w);
  trap_site.file = NULL;
}

/* ---- coming together ---- */

static _Noreturn void fail_divergent(const thread *a, const thread *b)
{
  char one[64], other[64];
  print_thread(a, one, sizeof one);
  print_thread(b, other, sizeof other);
  fail_at(a->site, "divergent warp: %s is at %s here, %s at %s at %s:%d", one,
          names[a->request.operation], other, names[b->request.operation], b->site.file,
          b->site.line);
}

static bool is_same_request(const thread *a, const thread *b)
{
  return a->request.operation == b->request.operation && is_same_site(a->site, b->site);
}

static struct {
  int arrived;
  const thread *first; /* of these; the others' requests are its own */
} meetings[THREADS_MAX / WARP];

void warps_start_block(void)
{
  memset(meetings, 0, sizeof meetings);
}

static void come_together(bp_emulated_site site)
{
  thread *t = self();
  const int number = t->seen.number / WARP, left = threads_count - number * WARP;
  t->site = site;
  if (meetings[number].arrived == 0)
    meetings[number].first = t;
  else if (!is_same_request(meetings[number].first, t))
    fail_divergent(meetings[number].first, t);
  if (++meetings[number].arrived < (left < WARP ? left : WARP)) {
    thread_wait(AT_WARP, site);
  } else {
    const warp w = warp_of(t);
    perform(&w, site);
    count_together(number * WARP, WARP);
    meetings[number].arrived = 0;
    for (int n = 0; n < w.lanes; ++n)
      w.lane[n]->state = READY;
    fiber_yield();
  }
}

void bp_emulated_warp_barrier(bp_emulated_site site)
{
  self()->request = (warp_request){.operation = BP_EMULATED_WARP_BARRIER};
  come_together(site);
}

void bp_emulated_shuffle(bp_emulated_operation operation, void *x, int argument,
                         bp_emulated_site site)
{
  self()->request = (warp_request){.operation = operation, .argument = argument, .x = x};
  come_together(site);
}

void bp_emulated_mma(int rows, int depth, double *c, const double *a, const double *b,
                     bp_emulated_site site)
{
  self()->request = (warp_request){
      .operation = BP_EMULATED_MMA, .rows = rows, .depth = depth, .c = c, .a = a, .b = b};
  come_together(site);
}
