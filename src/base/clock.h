/* clock.h -- the time, for telling how long something takes. */
#ifndef BP_BASE_CLOCK_H
#define BP_BASE_CLOCK_H

/* Seconds since some moment in the past; never goes back. */
double bp_clock(void);

/* Since *begin, which becomes now. */
double bp_clock_lap(double *begin);

#endif
