/* wave.h -- the steps of a wave, a part of them after the other, for who looks at it on the way. */
#ifndef BP_WORK_WAVE_H
#define BP_WORK_WAVE_H

#include "solve/wave_device.h"
#include "work/assembled.h"

/* A stage of kind wave; base.u: now. */
typedef struct {
  bp_stage base;
  bp_wave *wave;
  double largest;          /* the largest eigenvalue, as far as it was looked for; else 0 */
  bp_wave_device *kernels; /* NULL: the steps are literal */
  int steps, done;
  double *before;      /* one step before now */
  double *signals;     /* signals[source][step] of the whole run */
  double *traces;      /* traces[receiver][step], of whom the last ones listen where sources are */
  int receivers;       /* that were asked for */
  double energy, norm; /* at the beginning; the norm of u */
} bp_waves;

static inline bp_waves *bp_waves_of(bp_stage *stage)
{
  return (bp_waves *)stage;
}

/* So many steps more, with kernels or, without a choice, literally. BP_SKIPPED: kernels cannot run here. */
bp_status bp_waves_go(bp_waves *waves, const bp_choice *choice, int steps);

/* One step more, by kernels, that ends what bp_waves_go began; and whether all of it is right. */
bp_status bp_waves_go_last(bp_waves *waves, const bp_choice *choice, bp_stage_outcome *outcome);

#endif
