/* check_children.c -- starting, watching and ending the processes that check. */
#include "check_children.h"
#include "terminal.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bench/events.h"
#include "device/emulate/emulate.h"
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_SILENT = 5, SECONDS_BETWEEN = 30 };

/* One task's process. */
typedef struct {
  bp_check check; /* with this task's tally */
  const bp_check_task *task;
  pid_t pid;    /* 0: none runs */
  FILE *output; /* NULL: standard output */
  bool is_done;
  double told; /* `since` of the kernel that is known to be slow */
} child;

/* ---- one child ---- */

/* Whatever else has failed there. */
static void fail_as_a_whole(const child *k, char *what)
{
  bp_check_print_failure(&k->check, &k->task->choice, what);
  ++k->check.shared->failed;
  bp_free(what);
}

/* It ends with its parent, which must not have used OpenMP: those threads would not exist in the child. */
static _Noreturn void be_child(const child *k, pid_t parent, int threads)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    bp_leave(1);
  if (threads)
    omp_set_num_threads(threads);
  if (k->output && dup2(fileno(k->output), STDOUT_FILENO) < 0)
    bp_leave(1);
  bp_check_choice(&k->check, k->task);
  fflush(stdout);
  bp_leave(0);
}

static void start(child *k, bool is_parallel, int threads)
{
  k->output = is_parallel ? tmpfile() : NULL;
  fflush(stdout);
  pid_t parent = getpid();
  k->pid = fork();
  if (k->pid == 0)
    be_child(k, parent, threads);
  if (k->pid > 0)
    return;
  k->is_done = true;
  fail_as_a_whole(k, bp_strdup("no process could be started for it"));
}

static void copy_output(child *k)
{
  char part[4096];
  size_t length;
  if (!k->output)
    return;
  rewind(k->output);
  while ((length = fread(part, 1, sizeof part, k->output)) > 0)
    fwrite(part, 1, length, stdout);
  fclose(k->output);
}

static void tell_end(const child *k, int how)
{
  const bp_tally *t = k->check.shared;
  if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM && t->limit)
    fail_as_a_whole(k, bp_format("did not end in %d s", t->limit));
  else if (WIFSIGNALED(how))
    fail_as_a_whole(k, bp_format("crashed: %s", strsignal(WTERMSIG(how))));
  else if (WEXITSTATUS(how) != 0)
    fail_as_a_whole(k, bp_format("its process ended with %d", WEXITSTATUS(how)));
}

/* Says who is waited for, once for each kernel that takes long. */
static void tell_slow(child *k)
{
  const bp_tally *t = k->check.shared;
  if (!t->limit || bp_clock() < t->since + SECONDS_SILENT || t->since <= k->told)
    return;
  k->told = t->since;
  bp_print(stderr, "bp check: waits for %s, N=%d, %lld elements, for at most %d s\n",
           k->task->choice.variant->id, t->degree, (long long)t->elements, t->limit);
}

/* ---- outcomes ---- */

/* The line of a choice that passed or was skipped, or had more failures than were shown. */
static void print_outcome(const bp_choice *choice, const bp_tally *t)
{
  char *options = bp_choice_options(choice);
  if (!t->passed && !t->failed && t->skipped)
    bp_print(stdout, "skip  %-22s %s%s%s\n", choice->variant->id, options, *options ? ": " : "",
             t->why);
  else if (!t->failed)
    bp_print(stdout, "ok    %-22s %s%s%d passed%s%s\n", choice->variant->id, options,
             *options ? ": " : "", t->passed, t->skipped ? ", some cannot run here: " : "", t->why);
  else if (t->failed > BP_CHECK_FAILURES_SHOWN)
    bp_print(stdout, "      %s %s%s%d passed, %d failed, of which %d are shown\n",
             choice->variant->id, options, *options ? ": " : "", t->passed, t->failed,
             BP_CHECK_FAILURES_SHOWN);
  fflush(stdout);
  bp_free(options);
}

static void add_up(child *k, bp_tally *total)
{
  const bp_tally *t = k->check.shared;
  copy_output(k);
  print_outcome(&k->task->choice, t);
  total->passed += t->passed;
  total->failed += t->failed;
  if (t->skipped && !total->skipped)
    memcpy(total->why, t->why, sizeof total->why);
  total->skipped += t->skipped;
}

/* How far it has come, each half minute. */
static void tell_left(double begin, double *told, int done, int count)
{
  char left[BP_LEFT_BYTES];
  double now = bp_clock();
  if (now < *told + SECONDS_BETWEEN)
    return;
  *told = now;
  bp_events_left(left, now - begin, done, count);
  fprintf(stderr, "bp check: %d of %d done%s\n", done, count, left);
}

/* ---- all of them ---- */

/* A child that has ended gets its last line into its output. */
static void reap(child *k)
{
  int how, copy = -1;
  pid_t ended = waitpid(k->pid, &how, WNOHANG);
  if (ended == 0)
    tell_slow(k);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return;
  k->is_done = true;
  if (ended < 0 || (WIFEXITED(how) && WEXITSTATUS(how) == 0))
    return;
  if (k->output) {
    copy = dup(STDOUT_FILENO);
    dup2(fileno(k->output), STDOUT_FILENO);
  }
  tell_end(k, how);
  fflush(stdout);
  if (copy >= 0) {
    dup2(copy, STDOUT_FILENO);
    close(copy);
  }
}

static void wait_a_little(void)
{
  const struct timespec pause = {.tv_nsec = 5000000};
  nanosleep(&pause, NULL);
}

/* `printed` goes on as far as tasks have ended; those after it wait for their turn to be printed. */
static void run_children(child *children, int count, int at_once, int threads, bp_tally *total)
{
  int started = 0, running = 0;
  double begin = bp_clock(), told = begin;
  for (int printed = 0; printed < count;) {
    while (started < count && running < at_once) {
      start(&children[started], at_once > 1, threads);
      running += !children[started++].is_done;
    }
    for (int n = printed; n < started; ++n)
      if (!children[n].is_done) {
        reap(&children[n]);
        running -= children[n].is_done;
      }
    tell_left(begin, &told, printed, count);
    if (children[printed].is_done)
      add_up(&children[printed++], total);
    else
      wait_a_little();
  }
}

/* Its crashes are the device's, not the process's. */
static void run_here(child *children, int count, bp_tally *total)
{
  double begin = bp_clock(), told = begin;
  for (int n = 0; n < count; ++n) {
    tell_left(begin, &told, n, count);
    bp_check_choice(&children[n].check, children[n].task);
    add_up(&children[n], total);
  }
}

bp_status bp_check_run(const bp_check *check, const bp_check_tasks *tasks, bp_tally *total)
{
  size_t bytes = (size_t)tasks->count * sizeof(bp_tally);
  int processors = omp_get_max_threads(), count = 0;
  child *children = bp_alloc((size_t)tasks->count + 1, sizeof *children);
  bp_tally *tallies =
      bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : NULL;
  if (tallies == MAP_FAILED) {
    bp_free(children);
    return bp_fail(BP_ENVIRONMENT, "bp check: no shared memory for %zu bytes", bytes);
  }
  for (int n = 0; n < tasks->count; ++n)
    if (tasks->items[n].degrees) {
      children[count] = (child){.check = *check, .task = &tasks->items[n]};
      children[count].check.shared = &tallies[count];
      ++count;
    }
  int at_once = check->backend != &bp_backend_emulate ? 1 : processors < count ? processors : count;
  if (check->backend == &bp_backend_cuda)
    run_here(children, count, total);
  else
    run_children(children, count, at_once, at_once > 1 ? processors / at_once : 0, total);
  if (tallies)
    munmap(tallies, bytes);
  bp_free(children);
  return BP_OK;
}
