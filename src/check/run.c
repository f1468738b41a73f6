/* run.c -- starting, watching and ending the processes that check. */
#include "check/task.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/emulate/emulate.h"
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_SILENT = 5 };

/* One task's process. */
typedef struct {
  bp_checked task;
  pid_t pid; /* 0: none runs */
  bool is_done;
  double told; /* `since` of the kernel that is known to be slow */
} child;

/* All of them, and who hears of them. */
typedef struct {
  child *children;
  int count;
  void (*show)(const char *lines);
  const bp_events *events;
  bp_tally *total;
  double begin;
} children;

/* ---- one child ---- */

/* It ends with its parent, which must not have used OpenMP: those threads would not exist in the child. */
static _Noreturn void be_child(const child *k, pid_t parent, int threads)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    bp_leave(1);
  if (threads)
    omp_set_num_threads(threads);
  bp_checked_run(&k->task);
  bp_leave(0);
}

static void start(child *k, int threads)
{
  pid_t parent = getpid();
  k->pid = fork();
  if (k->pid == 0)
    be_child(k, parent, threads);
  k->is_done = k->pid < 0;
  if (k->is_done)
    bp_checked_fail(&k->task, "no process could be started for it");
}

/* Of what ended by itself and well, the tally says all. */
static void tell_end(const child *k, int how)
{
  const bp_tally *t = k->task.tally;
  char *what = NULL;
  if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM && t->limit)
    what = bp_format("did not end in %d s", t->limit);
  else if (WIFSIGNALED(how))
    what = bp_format("crashed: %s", strsignal(WTERMSIG(how)));
  else if (WEXITSTATUS(how) != 0)
    what = bp_format("its process ended with %d", WEXITSTATUS(how));
  if (what)
    bp_checked_fail(&k->task, what);
  bp_free(what);
}

/* Says who is waited for, once for each kernel that takes long. */
static void tell_slow(const children *all, child *k)
{
  const bp_tally *t = k->task.tally;
  if (!t->limit || bp_clock() < t->since + SECONDS_SILENT || t->since <= k->told)
    return;
  k->told = t->since;
  bp_events_message(all->events, "bp check: waits for %s, N=%d, %lld elements, for at most %d s",
                    k->task.task->choice.variant->id, t->degree, (long long)t->elements, t->limit);
}

static void reap(const children *all, child *k)
{
  int how;
  pid_t ended = waitpid(k->pid, &how, WNOHANG);
  if (ended == 0)
    tell_slow(all, k);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return;
  k->is_done = true;
  if (ended > 0)
    tell_end(k, how);
}

/* ---- outcomes ---- */

/* The line of a choice that passed or was skipped, or had more failures than were shown; free it. */
static char *outcome_of(const bp_checked *task)
{
  const bp_tally *t = task->tally;
  const char *id = task->task->choice.variant->id;
  char *options = bp_choice_options(&task->task->choice), *line = NULL;
  const char *colon = *options ? ": " : "";
  if (!t->passed && !t->failed && t->skipped)
    line = bp_format("skip  %-22s %s%s%s\n", id, options, colon, t->why);
  else if (!t->failed)
    line = bp_format("ok    %-22s %s%s%d passed%s%s\n", id, options, colon, t->passed,
                     t->skipped ? ", some cannot run here: " : "", t->why);
  else if (t->failed > BP_CHECK_FAILURES_SHOWN)
    line = bp_format("      %s %s%s%d passed, %d failed, of which %d are shown\n", id, options,
                     colon, t->passed, t->failed, BP_CHECK_FAILURES_SHOWN);
  bp_free(options);
  return line ? line : bp_strdup("");
}

static void add_up(const children *all, const child *k)
{
  const bp_tally *t = k->task.tally;
  bp_tally *total = all->total;
  char *outcome = outcome_of(&k->task);
  bp_events_progress(all->events, "%s", "");
  all->show(t->lines);
  all->show(outcome);
  bp_free(outcome);
  total->passed += t->passed;
  total->failed += t->failed;
  if (t->skipped && !total->skipped)
    memcpy(total->why, t->why, sizeof total->why);
  total->skipped += t->skipped;
}

static void tell_left(const children *all, int done)
{
  char left[BP_LEFT_BYTES];
  bp_events_left(left, bp_clock() - all->begin, done, all->count);
  bp_events_progress(all->events, "bp check: %d of %d done%s", done, all->count, left);
}

/* ---- all of them ---- */

static void wait_a_little(void)
{
  const struct timespec pause = {.tv_nsec = 5000000};
  nanosleep(&pause, NULL);
}

/* `shown` goes on as far as tasks have ended; those after it wait for their turn to be shown. */
static void run_children(const children *all, int at_once, int threads)
{
  child *k = all->children;
  int started = 0, running = 0;
  for (int shown = 0; shown < all->count;) {
    while (started < all->count && running < at_once) {
      start(&k[started], threads);
      running += !k[started++].is_done;
    }
    for (int n = shown; n < started; ++n)
      if (!k[n].is_done) {
        reap(all, &k[n]);
        running -= k[n].is_done;
      }
    if (k[shown].is_done) {
      add_up(all, &k[shown++]);
      tell_left(all, shown);
    } else {
      wait_a_little();
    }
  }
}

/* Its crashes are the device's, not the process's. */
static void run_here(const children *all)
{
  for (int n = 0; n < all->count; ++n) {
    bp_checked_run(&all->children[n].task);
    add_up(all, &all->children[n]);
    tell_left(all, n + 1);
  }
}

bp_status bp_check_run(const bp_check *check, const bp_check_tasks *tasks,
                       void (*show)(const char *lines), const bp_events *events, bp_tally *total)
{
  const size_t bytes = ((size_t)tasks->count + 1) * sizeof(bp_tally);
  const int processors = omp_get_max_threads();
  bp_tally *tallies = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tallies == MAP_FAILED)
    return bp_fail(BP_ENVIRONMENT, "bp check: no shared memory for %zu bytes", bytes);
  children all = {.children = bp_alloc((size_t)tasks->count + 1, sizeof(child)),
                  .show = show,
                  .events = events,
                  .total = total,
                  .begin = bp_clock()};
  for (int n = 0; n < tasks->count; ++n)
    if (tasks->items[n].degrees) {
      all.children[all.count].task = (bp_checked){check, &tasks->items[n], &tallies[all.count]};
      ++all.count;
    }
  const int most = processors < all.count ? processors : all.count;
  const int at_once = check->backend != &bp_backend_emulate ? 1 : most;
  if (check->backend == &bp_backend_cuda)
    run_here(&all);
  else
    run_children(&all, at_once, at_once > 1 ? processors / at_once : 0);
  bp_events_progress(events, "%s", "");
  munmap(tallies, bytes);
  bp_free(all.children);
  return BP_OK;
}
