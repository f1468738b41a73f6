/* axis.h -- where values lie on a figure, and which of them get a tick. */
#ifndef BP_REPORT_AXIS_H
#define BP_REPORT_AXIS_H

#include <stdbool.h>

enum { BP_AXIS_TICKS = 32 };

typedef struct {
  bool is_log;
  double low, high; /* values at the ends */
  double from, to;  /* pixels there; from > to for an axis upwards */
  double ticks[BP_AXIS_TICKS];
  int ticks_count, decimals; /* of the ticks' labels */
} bp_axis;

/* Widens low..high to round numbers; about `wanted` ticks. high <= low gives low..low + 1, or twice `low`
 * where that is more. Any ends will do, here and below: what is not finite is moved to what is. */
bp_axis bp_axis_linear(double low, double high, int wanted);
/* From low to high as they are (0 < low), ticks at powers of ten, and at 2 and 5 times those where
 * these are about `wanted` at most. */
bp_axis bp_axis_log(double low, double high, int wanted);
/* One tick per whole number (or every second, third...), half a step of room at either end. */
bp_axis bp_axis_whole(int low, int high, int wanted);

double bp_axis_at(const bp_axis *axis, double value);

/* The label of a tick: "0.5", "20", "10k"; `out` holds 40 bytes and is returned. */
char *bp_axis_label(char out[40], const bp_axis *axis, double tick);

#endif
