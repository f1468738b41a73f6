/* energy.h -- what a plan's work costs, by the device's own counter, running it alone: a GPU's by its
 * management library, a CPU's by RAPL where its files may be read (usually by root). */
#ifndef BP_BENCH_ENERGY_H
#define BP_BENCH_ENERGY_H

#include "device/plan.h"

enum { BP_ENERGY_SECONDS = 2 }; /* at least: a counter moves every few tens of milliseconds */

typedef struct {
  double joules; /* of one application, hot; NaN: unknown */
  double watts;  /* mean meanwhile */
} bp_energy;

/* For so many seconds, after one of warm-up. Unknown of several ranks, without a counter, when the plan
 * fails, and where a GPU's counter and its power over time are more than a twentieth apart. */
bp_energy bp_energy_of(bp_plan *plan, double seconds);

/* Counters of a machine's processors, which begin anew at their range. */
enum { BP_RAPL_MOST = 64 };
typedef struct {
  int count; /* 0: there are none, or they may not be read */
  double joules[BP_RAPL_MOST], range[BP_RAPL_MOST];
} bp_rapl;

bp_rapl bp_rapl_read(const char *folder); /* of the kernel: /sys/class/powercap */
double bp_rapl_since(const bp_rapl *before, const bp_rapl *now);

#endif
