/* tune_time.c -- short samples first, longer ones of what comes near to the fastest, verified when it is. */
#include "bench/tune_time.h"
#include "bench/tune_seeds.h"

#include "base/clock.h"
#include "base/memory.h"
#include "measure/statistics.h"
#include "measure/verify.h"
#include <math.h>
#include <string.h>

/* How near to the fastest a candidate must come to be timed again. */
static const double near = 1.02;

/* A kernel that fails after so many seconds did not end, or took the device along. */
static const double long_failure = 3;

bool bp_tuning_is_interrupted(const bp_tuning *t)
{
  return bp_events_interrupted(t->tuner->events);
}

int bp_tuning_modes(const bp_tuning *t)
{
  return bp_cases_have(t->tuner->cases, false) + bp_cases_have(t->tuner->cases, true);
}

bp_sampling bp_tuning_sampling(const bp_tuning *t, bool cold, double warmup, double seconds,
                               int samples)
{
  return (bp_sampling){
      .cold = cold,
      .warmup = warmup,
      .min_time = 0,
      .max_time = seconds,
      .min_samples = 3,
      .max_samples = samples,
      .confidence = 0.002,
      .sample_seconds = 1e-3,
      .interrupted = t->tuner->events->interrupted,
      .busy = t->tuner->cases->device->backend->language == BP_LANGUAGE_C ? &t->tuner->place : NULL,
  };
}

void bp_tuning_tell(const bp_tuning *t, const bp_choice *choice, const char *message)
{
  char *options = bp_choice_options(choice);
  bp_events_message(t->tuner->events, "bp tune: %s%s%s, N=%d, %lld elements: %.*s",
                    choice->variant->id, *options ? " " : "", options, t->c->space.degree,
                    (long long)t->c->elements, (int)strcspn(message, "\n"), message);
  bp_free(options);
}

void bp_tuning_complain(bp_tuning *t, const bp_choice *choice)
{
  bool *is_told = &t->is_told[bp_tune_number(choice->variant)];
  if (!*is_told)
    bp_tuning_tell(t, choice, bp_message());
  *is_told = true;
}

void bp_tuning_strike(bp_tuning *t, const bp_choice *choice, bp_status status, double seconds)
{
  int v = bp_tune_number(choice->variant);
  bp_tuning_tell(t, choice, bp_message());
  t->tuner->wrong += status == BP_WRONG;
  ++t->strikes[v];
  if (seconds > long_failure) {
    t->tuner->is_left_out[v] = true;
    bp_events_message(t->tuner->events,
                      "bp tune: %s is left out from here on: it failed after %.0f s",
                      choice->variant->id, seconds);
  }
}

bp_status bp_tuning_plan(const bp_tuning *t, const bp_choice *choice, bp_plan **plan)
{
  return bp_stage_plan(t->stage, choice, (int)t->tuner->cases->config->iterations, plan);
}

/* The fastest sample by iterations, of each mode; INFINITY where interrupted. */
static bp_status sample(const bp_tuning *t, bp_plan *plan, double warmup, double most, int samples,
                        double *seconds)
{
  bp_status status = BP_OK;
  *seconds = 0;
  for (int cold = 0; cold < 2 && !status; ++cold)
    if (bp_cases_have(t->tuner->cases, cold)) {
      const bp_sampling sampling = bp_tuning_sampling(t, cold, warmup, most, samples);
      bp_sampled s = {.plan = plan};
      bp_sample(&s, 1, &sampling);
      status = s.status;
      if (status)
        bp_fail(status, "%s", s.message);
      *seconds += s.count ? bp_statistics_of(s.samples, s.count).minimum / plan->iterations /
                                bp_tuning_modes(t)
                          : INFINITY;
      bp_sampled_destroy(&s);
    }
  return status;
}

bp_status bp_tuning_verify(bp_tuning *t, bp_plan *plan)
{
  int n = 0;
  while (n < t->right_count && !bp_choice_is_same(&t->right[n].choice, &plan->choice))
    ++n;
  bp_stage_outcome outcome = n < t->right_count ? t->right[n].outcome : bp_stage_unknown;
  bp_status status = bp_stage_judge(t->stage, plan, &outcome);
  if (status || n < t->right_count)
    return status;
  t->right = bp_realloc(t->right, (size_t)n + 1, sizeof *t->right);
  t->right[t->right_count++] = (bp_tuning_right){plan->choice, outcome};
  return BP_OK;
}

/* A short sample; what comes near to the fastest gets a longer one. What is faster is verified: to do so with
 * all would take most of the time, and the last ones are verified in any case. */
static bp_status time_plan(bp_tuning *t, bp_plan *plan, double *seconds)
{
  bp_status status = sample(t, plan, 2e-3, 0.02, 3, seconds);
  if (status || *seconds > near * t->fastest)
    return status;
  status = sample(t, plan, 0, 0.05, 20, seconds);
  if (status || !(*seconds < t->fastest))
    return status;
  status = bp_tuning_verify(t, plan);
  if (!status)
    t->fastest = *seconds;
  return status;
}

double bp_tuning_time(bp_tuning *t, const bp_choice *choice)
{
  bp_plan *plan = NULL;
  double seconds = INFINITY;
  ++t->tried;
  bp_status status = bp_tuning_plan(t, choice, &plan);
  double start = bp_clock();
  if (plan)
    status = time_plan(t, plan, &seconds);
  if (status && plan)
    bp_tuning_strike(t, choice, status, bp_clock() - start);
  else if (status)
    bp_tuning_complain(t, choice);
  bp_plan_destroy(plan);
  return status ? INFINITY : seconds;
}

void bp_tuning_show(const bp_tuning *t)
{
  char *fastest =
      isfinite(t->fastest) ? bp_format(", fastest %.4g us", 1e6 * t->fastest) : bp_strdup("");
  bp_events_progress(t->tuner->events, "%s N=%d, %lld elements: %d tried%s", bp_case_problem(t->c),
                     t->c->space.degree, (long long)t->c->elements, t->tried, fastest);
  bp_free(fastest);
}
