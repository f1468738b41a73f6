/* terminal.c -- progress, messages and signals. */
#include "terminal.h"

#include "base/memory.h"
#include "base/safe.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t caught; /* 0: none */
static struct sigaction before[SIGNALS];

static void on_signal(int number)
{
  if (caught)
    _exit(128 + number);
  caught = number;
}

void bp_terminal_catch(void)
{
  const struct sigaction action = {.sa_handler = on_signal};
  caught = 0;
  for (int n = 0; n < SIGNALS; ++n) {
    sigaction(signals[n], &action, &before[n]);
    if (signals[n] == SIGHUP && before[n].sa_handler == SIG_IGN) /* nohup */
      sigaction(signals[n], &before[n], NULL);
  }
}

void bp_terminal_release(void)
{
  for (int n = 0; n < SIGNALS; ++n)
    sigaction(signals[n], &before[n], NULL);
}

bp_status bp_terminal_status(bp_status status)
{
  return status != BP_INTERRUPTED || caught == SIGINT || !caught ? status
                                                                 : (bp_status)(128 + caught);
}

void bp_print(FILE *stream, const char *format, ...)
{
  bp_text safe = {0};
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
  char *text = bp_alloc(size, 1);
  vsnprintf(text, size, format, list);
  va_end(again);
  va_end(list);
  bp_safe_lines(&safe, text);
  fputs(bp_text_string(&safe), stream);
  bp_text_destroy(&safe);
  bp_free(text);
}

/* ---- progress ---- */

static struct {
  pthread_mutex_t lock;
  char line[1000]; /* what is under way */
} now = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* BP_PROGRESS: another number of seconds, for tests. */
static struct timespec interval(void)
{
  const char *given = getenv("BP_PROGRESS");
  double seconds = given ? atof(given) : 30;
  return (struct timespec){.tv_sec = (time_t)seconds,
                           .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
}

/* A thread, since what takes long tells nobody: set-up, a compilation, one sample. */
static void *repeat_progress(void *unused)
{
  const struct timespec pause = interval();
  while (nanosleep(&pause, NULL) == 0) {
    pthread_mutex_lock(&now.lock);
    dprintf(STDERR_FILENO, "%s\n", now.line);
    pthread_mutex_unlock(&now.lock);
  }
  return unused;
}

/* Signals are for the threads that were there before. */
static void start_repeating(void)
{
  pthread_t thread;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (pthread_create(&thread, NULL, repeat_progress, NULL) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Between two cases nothing is under way: without a terminal the last line stays. */
static void show_progress(void *context, const char *line)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)context;
  if (isatty(STDERR_FILENO)) {
    fputs("\r\033[K", stderr);
    bp_print(stderr, "%s", line);
    fflush(stderr);
  } else if (*line) {
    bp_text safe = {0};
    bp_safe_line(&safe, line);
    pthread_mutex_lock(&now.lock);
    snprintf(now.line, sizeof now.line, "%s", bp_text_string(&safe));
    pthread_mutex_unlock(&now.lock);
    bp_text_destroy(&safe);
    pthread_once(&once, start_repeating);
  }
}

static void show_message(void *context, const char *line)
{
  (void)context;
  fputs(isatty(STDERR_FILENO) ? "\r\033[K" : "", stderr);
  bp_print(stderr, "%s\n", line);
}

bp_events bp_terminal_events(void)
{
  return (bp_events){.progress = show_progress, .message = show_message, .interrupted = &caught};
}
