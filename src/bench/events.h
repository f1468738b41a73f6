/* events.h -- what whoever runs cases hears of them while they run: the library itself prints nothing. */
#ifndef BP_BENCH_EVENTS_H
#define BP_BENCH_EVENTS_H

#include "report/record.h"
#include <signal.h>

/* Any member may be NULL. */
typedef struct {
  /* All rows that will come, in order, with what says which row each is; it becomes the listener's. */
  void (*planned)(void *context, bp_record *planned);
  void (*row)(void *context, const bp_row *row);     /* one is finished */
  void (*progress)(void *context, const char *line); /* what is under way; "" when nothing is */
  void (*message)(void *context, const char *line);  /* something that a person should know */
  void *context;
  const volatile sig_atomic_t *interrupted; /* becomes true: stop soon */
} bp_events;

void bp_events_progress(const bp_events *events, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bp_events_message(const bp_events *events, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* ", about 3 min left" when `done` of `all` took `spent` seconds; "" while nothing tells. */
enum { BP_LEFT_BYTES = 40 };
void bp_events_left(char left[BP_LEFT_BYTES], double spent, int done, int all);

/* "12 s", "3 min", "1.5 h". */
void bp_events_duration(char text[BP_LEFT_BYTES], double seconds);

bool bp_events_interrupted(const bp_events *events);

#endif
