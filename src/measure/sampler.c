/* sampler.c -- rounds of samples. */
#include "measure/sampler.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include <math.h>

enum { REFERENCE_SAMPLES_CAP = 4096 };

typedef struct {
  double spent;     /* seconds of samples so far */
  double taken;     /* the same; with the flushing where samples are cold */
  double next_look; /* samples at which the interval is computed next: it costs a sort */
} progress;

static bool is_interrupted(const bp_sampling *sampling)
{
  return sampling->interrupted && *sampling->interrupted;
}

static void fail(bp_sampled *s, bp_status status)
{
  s->stopped = "interrupted";
  if (status == BP_INTERRUPTED)
    return;
  s->status = status;
  s->message = bp_strdup(bp_message());
  s->stopped = "failed";
}

static double length_of(const bp_sampled *s, const bp_sampling *sampling)
{
  return sampling->sample_seconds * (s->part > 0 ? s->part : 1);
}

/* Runs the plan for the warm-up time and finds how many applications fill a sample. */
static void warm_up(bp_sampled *s, const bp_sampling *sampling)
{
  double start = bp_clock(), fastest = INFINITY, length = length_of(s, sampling);
  double warmup = s->most ? fmin(sampling->warmup, 4 * length) : sampling->warmup;
  int64_t repetitions = 1;
  do {
    double seconds;
    bp_status status = bp_plan_time(s->plan, repetitions, false, &seconds);
    if (status) {
      fail(s, status);
      return;
    }
    fastest = seconds < fastest ? seconds : fastest;
    if (seconds * (double)repetitions < length)
      repetitions *= 2;
  } while (bp_plan_agree(s->plan, bp_clock() - start) < warmup && !is_interrupted(sampling));
  s->repetitions = 1;
  if ((!sampling->cold || s->hot) && fastest < length)
    s->repetitions = (int64_t)ceil(length / fmax(fastest, 1e-9));
}

static bool is_confident(const bp_sampled *s, const bp_sampling *sampling)
{
  bp_statistics t = bp_statistics_of(s->samples, s->count);
  return t.count >= 6 && 0.5 * (t.high - t.low) <= sampling->confidence * t.median;
}

/* Why sampling ends here, or NULL to go on. */
static const char *reason_to_stop(const bp_sampled *s, progress *p, const bp_sampling *sampling)
{
  if (s->count >= sampling->max_samples)
    return "max_samples";
  if (s->count < sampling->min_samples)
    return p->spent >= 4 * sampling->max_time ? "max_time" : NULL;
  if (p->taken >= sampling->max_time)
    return "max_time";
  if (p->spent < sampling->min_time || (double)s->count < p->next_look)
    return NULL;
  p->next_look = (double)s->count * 1.2;
  return is_confident(s, sampling) ? "confidence" : NULL;
}

static void take_sample(bp_sampled *s, progress *p, const bp_sampling *sampling, bp_busy *busy)
{
  double seconds, start = bp_clock();
  bool cold = sampling->cold && !s->hot;
  bp_status status = bp_plan_time(s->plan, s->repetitions, cold, &seconds);
  if (status) {
    fail(s, status);
    return;
  }
  if ((s->count & (s->count - 1)) == 0) {
    size_t most = (size_t)(s->count ? 2 * s->count : 1);
    s->samples = bp_realloc(s->samples, most, sizeof(double));
    s->own = bp_realloc(s->own, most, sizeof(double));
    s->waiting = bp_realloc(s->waiting, most, sizeof(double));
  }
  s->own[s->count] = s->plan->own_seconds;
  s->waiting[s->count] = s->plan->own_waiting;
  s->samples[s->count++] = seconds;
  p->spent += seconds * (double)s->repetitions;
  if (busy) /* all of it counts, as waiting does in all of it: flushed caches, too */
    s->late += bp_busy_is_late(bp_plan_agree(s->plan, bp_busy_waited(busy)),
                               fmax(bp_clock() - start, seconds * (double)s->repetitions));
  p->taken += cold ? bp_plan_agree(s->plan, bp_clock() - start) : seconds * (double)s->repetitions;
}

/* Takes one sample of each that still needs some; false when none does. */
static bool take_round(bp_sampled *sampled, progress *p, int count, const bp_sampling *sampling,
                       bp_busy *busy)
{
  bool working = false, only_references = true;
  for (int n = 0; n < count; ++n)
    only_references = only_references && sampled[n].reference;
  for (int n = 0; n < count; ++n) {
    bp_sampled *s = &sampled[n];
    if (s->stopped || is_interrupted(sampling))
      continue;
    bool is_extra = s->reference && s->count >= (s->most ? s->most : REFERENCE_SAMPLES_CAP);
    if (!is_extra)
      take_sample(s, &p[n], sampling, busy);
    if (!s->stopped && (!s->reference || only_references))
      s->stopped = reason_to_stop(s, &p[n], sampling);
    working = working || (!s->stopped && (!s->reference || only_references));
  }
  return working && !is_interrupted(sampling);
}

void bp_sample(bp_sampled *sampled, int count, const bp_sampling *sampling)
{
  progress *p = bp_alloc((size_t)count, sizeof *p);
  for (int n = 0; n < count; ++n)
    if (!is_interrupted(sampling))
      warm_up(&sampled[n], sampling);
  bp_busy *busy = bp_busy_start(sampling->busy);
  while (take_round(sampled, p, count, sampling, busy))
    continue;
  const bp_busy_share share = bp_busy_stop(busy);
  for (int n = 0; n < count; ++n) {
    sampled[n].busy = bp_busy_reason(sampled[n].late, sampled[n].count, share);
    if (!sampled[n].stopped)
      sampled[n].stopped = is_interrupted(sampling) ? "interrupted" : "with the others";
  }
  bp_free(p);
}

void bp_sampled_destroy(bp_sampled *sampled)
{
  bp_free(sampled->samples);
  bp_free(sampled->own);
  bp_free(sampled->waiting);
  bp_free(sampled->busy);
  bp_free(sampled->message);
}
