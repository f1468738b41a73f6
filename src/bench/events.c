/* events.c -- lines for whoever listens. */
#include "bench/events.h"

#include <math.h>
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

void bp_events_duration(char text[BP_LEFT_BYTES], double seconds)
{
  if (seconds < 100)
    snprintf(text, BP_LEFT_BYTES, "%.0f s", ceil(seconds));
  else if (seconds < 6000)
    snprintf(text, BP_LEFT_BYTES, "%.0f min", seconds / 60);
  else
    snprintf(text, BP_LEFT_BYTES, "%.1f h", seconds / 3600);
}

void bp_events_left(char left[BP_LEFT_BYTES], double spent, int done, int all)
{
  char duration[BP_LEFT_BYTES];
  left[0] = '\0';
  if (done == 0 || done >= all)
    return;
  bp_events_duration(duration, spent / done * (all - done));
  snprintf(left, BP_LEFT_BYTES, ", about %.20s left", duration);
}

bool bp_events_interrupted(const bp_events *events)
{
  return events->interrupted && *events->interrupted;
}
