/* status.c -- the message of the last failure, one per thread. */
#include "base/status.h"

#include "base/memory.h"
#include "base/safe.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[8192];

bp_status bp_fail(bp_status status, const char *format, ...)
{
  char text[sizeof message]; /* the arguments may point into the old message */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bp_safe_copy(message, sizeof message, text);
  return status;
}

bp_status bp_fail_at(bp_status status, const char *place)
{
  return bp_fail(status, "%.1000s: %.7000s", place, message);
}

const char *bp_message(void)
{
  return message;
}

static bp_listener *listening, *ending;
static _Thread_local void (*hearing)(void *of, const char *line);
static _Thread_local void *hearer;

void bp_listen_here(void (*hear)(void *of, const char *line), void *of)
{
  hearing = hear;
  hearer = of;
}

void bp_listen(bp_listener *hear, bp_listener *end)
{
  listening = hear;
  ending = end;
}

void bp_tell(const char *format, ...)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bp_text told;
  char text[2000];
  bp_text line = {0};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bp_safe_line(&line, text);
  if (hearing)
    hearing(hearer, bp_text_string(&line));
  bp_text_append(&line, "\n");
  pthread_mutex_lock(&lock);
  if (listening && !strstr(bp_text_string(&told), line.data)) {
    bp_text_append(&told, line.data);
    line.data[line.length - 1] = '\0';
    listening(line.data);
  }
  pthread_mutex_unlock(&lock);
  bp_text_destroy(&line);
}

_Noreturn void bp_end(const char *format, ...)
{
  char line[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (ending)
    ending(line);
  abort();
}

_Noreturn void bp_assert_failed(const char *condition, const char *file, int line)
{
  fprintf(stderr, "bp: %s:%d: this must hold and does not: %s (a bug in bp, please report it)\n",
          file, line, condition);
  abort();
}
