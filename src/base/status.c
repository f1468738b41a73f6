/* status.c -- the message of the last failure, one per thread. */
#include "base/status.h"

#include "base/safe.h"
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

_Noreturn void bp_assert_failed(const char *condition, const char *file, int line)
{
  fprintf(stderr, "bp: %s:%d: this must hold and does not: %s (a bug in bp, please report it)\n",
          file, line, condition);
  abort();
}
