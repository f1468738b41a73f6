/* events.c -- lines for whoever listens. */
#include "bench/events.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 1000 };

void bp_events_progress(const bp_events *events, const char *format, ...)
{
  char line[LINE_MAX_BYTES];
  va_list list;
  if (!events->progress)
    return;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  events->progress(events->context, line);
}

void bp_events_message(const bp_events *events, const char *format, ...)
{
  char line[LINE_MAX_BYTES];
  va_list list;
  if (!events->message)
    return;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  events->message(events->context, line);
}

bool bp_events_interrupted(const bp_events *events)
{
  return events->interrupted && *events->interrupted;
}
