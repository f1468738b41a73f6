/* busy.h -- whether other work had the processors while something was timed. The kernel tells how long each
 * thread was ready and had none, and what all processors did. A row that others slow down has a median and a
 * narrow interval like any other, and the copy beside it is as slow, so nothing else gives it away. */
#ifndef BP_MEASURE_BUSY_H
#define BP_MEASURE_BUSY_H

#include <stdbool.h>
#include <stdint.h>

/* Where the kernel tells it. */
typedef struct {
  const char *
      folder; /* with self/task/N/schedstat of each thread (nanoseconds run, waited), and stat, whose
                         first line has the ticks of all processors */
  int ranks;  /* processes of this host that share the work */
} bp_busy_place;

/* /proc; of tests another one, which BP_PROC names. */
bp_busy_place bp_busy_here(int ranks);

/* A watch over the threads that the process has now; `place` NULL: one that sees nothing. */
typedef struct bp_busy bp_busy;
bp_busy *bp_busy_start(const bp_busy_place *place);

/* Seconds since the last call, or the start, that a thread was ready to run and had no processor; of the
 * thread that waited longest. */
double bp_busy_waited(bp_busy *busy);

/* What of all processors' time since the start went elsewhere: `stolen` by a hypervisor, `others`: used by
 * other programs. 0 where it is not known, or the time was too short to tell. Ends the watch; NULL is legal. */
typedef struct {
  double stolen, others;
} bp_busy_share;
bp_busy_share bp_busy_stop(bp_busy *busy);

/* Whether a sample that took so long was slowed by so much waiting. */
bool bp_busy_is_late(double waited, double seconds);

/* Why `late` of `count` samples, taken while others had that share, are not the kernel's time; NULL: they
 * are. Free with bp_free. */
char *bp_busy_reason(int64_t late, int64_t count, bp_busy_share share);

#endif
