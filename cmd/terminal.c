/* terminal.c -- progress, messages and signals. */
#include "terminal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/safe.h"
#include <stdarg.h>
#include <unistd.h>

static const double INTERVAL = 30; /* seconds between lines of progress without a terminal */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
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
         : caught == SIGTERM                                     ? BP_TERMINATED
                                                                 : BP_HUNG_UP;
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

static void show_progress(void *context, const char *line)
{
  static double last;
  double now = bp_clock();
  (void)context;
  if (isatty(STDERR_FILENO)) {
    fputs("\r\033[K", stderr);
    bp_print(stderr, "%s", line);
  } else if (*line && (last == 0 || now - last > INTERVAL)) {
    if (last != 0)
      bp_print(stderr, "%s\n", line);
    last = now;
  }
  fflush(stderr);
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
