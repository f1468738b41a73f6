/* tune_case.c -- from seeds to the fastest choice of a case. */
#include "bench/tune_case.h"
#include "bench/tune_seeds.h"
#include "bench/tune_time.h"

#include "base/clock.h"
#include "base/memory.h"
#include "measure/search.h"
#include "registry/best.h"
#include <math.h>
#include <omp.h>

enum { STRIKES = 2, FINALISTS = 3 };

static bool fits(void *context, const bp_choice *choice)
{
  const bp_tuning *t = context;
  int v = bp_tune_number(choice->variant);
  return !t->tuner->is_left_out[v] && t->strikes[v] < STRIKES &&
         bp_tune_fits(t->tuner, t->c, choice);
}

/* ---- the calls of search.h ---- */

static void compile(const bp_tuning *t, const bp_candidate *candidates, int count)
{
  bp_build *builds = bp_alloc((size_t)count, sizeof *builds);
  for (int n = 0; n < count; ++n)
    builds[n] = (bp_build){candidates[n].choice, t->c->op, t->c->space};
  bp_plans_build(t->tuner->cases->device, builds, count);
  bp_free(builds);
}

/* At least one candidate is timed, however late it is. */
static void time_all(void *context, bp_candidate *candidates, int count)
{
  bp_tuning *t = context;
  double start = bp_clock();
  int done = 0;
  compile(t, candidates, count);
  for (int n = 0; n < count; ++n) {
    bool is_late = bp_clock() > t->deadline && isfinite(t->fastest);
    candidates[n].seconds = INFINITY;
    if (is_late || bp_tuning_is_interrupted(t) || !fits(t, &candidates[n].choice))
      continue;
    candidates[n].seconds = bp_tuning_time(t, &candidates[n].choice);
    ++done;
    bp_tuning_show(t);
  }
  if (done)
    t->per_candidate = (bp_clock() - start) / done;
}

/* As many as compile at once, a few times over, when there is time for them by what the last ones took. */
static int room(void *context)
{
  const bp_tuning *t = context;
  double left = t->deadline - bp_clock(), most = 3 * omp_get_num_procs();
  if (bp_tuning_is_interrupted(t))
    return 0;
  if (!isfinite(t->fastest))
    return left > 0 || t->tried == 0 ? omp_get_num_procs() : 0;
  return (int)fmax(0, fmin(most, left / fmax(t->per_candidate, 1e-6)));
}

/* ---- the last ones against each other ---- */

typedef struct {
  bp_plan *plans[FINALISTS + 1];
  bp_floor times[FINALISTS + 1]; /* INFINITY: it failed */
  int count;
  int shipped; /* -1: not among them */
  char *busy;  /* what disturbed one of them; NULL: nothing */
} final;

/* False where it cannot be had or is wrong. */
static bool add_finalist(bp_tuning *t, const bp_choice *choice, final *f)
{
  bp_plan *plan = NULL;
  double start = bp_clock();
  bp_status status = bp_tuning_plan(t, choice, &plan);
  if (plan && !status)
    status = bp_tuning_verify(t, plan);
  if (status && plan)
    bp_tuning_strike(t, choice, status, bp_clock() - start);
  else if (status)
    bp_tuning_complain(t, choice);
  if (status) {
    bp_plan_destroy(plan);
    return false;
  }
  f->plans[f->count++] = plan;
  return true;
}

static bool has_failed(const bp_tuning *t, const bp_candidate *found, int count,
                       const bp_choice *choice)
{
  for (int n = 0; n < count; ++n)
    if (bp_choice_is_same(&found[n].choice, choice) && !isfinite(found[n].seconds))
      return true;
  return t->tuner->is_left_out[bp_tune_number(choice->variant)];
}

/* In turns, by what each takes when nothing disturbs. What has failed in one mode is left out of the
 * other. */
static void time_finalists(const bp_tuning *t, final *f, bool cold)
{
  const bp_sampling sampling = bp_tuning_sampling(t, cold, 5e-3, 0.15, 1000);
  bp_sampled sampled[FINALISTS + 1] = {0};
  int place[FINALISTS + 1], count = 0;
  for (int n = 0; n < f->count; ++n)
    if (isfinite(f->times[n].value)) {
      place[count] = n;
      sampled[count++].plan = f->plans[n];
    }
  bp_sample(sampled, count, &sampling);
  for (int n = 0; n < count; ++n) {
    const bp_sampled *s = &sampled[n];
    bp_floor *sum = &f->times[place[n]], here = {INFINITY, INFINITY, INFINITY};
    if (!s->status && s->count > 0)
      here = bp_statistics_floor(s->samples, s->count, 0.05);
    if (s->busy && !f->busy)
      f->busy = bp_strdup(s->busy);
    if (s->status && !bp_tuning_is_interrupted(t))
      bp_tuning_tell(t, &s->plan->choice, s->message);
    const double share = 1.0 / bp_tuning_modes(t) / s->plan->iterations;
    *sum = (bp_floor){sum->value + here.value * share, sum->low + here.low * share,
                      sum->high + here.high * share};
    bp_sampled_destroy(&sampled[n]);
  }
}

/* The fastest; the shipped one stays where nothing is clearly faster. -1: none. */
static int winner_of(const bp_tuning *t, const final *f)
{
  const bp_floor *times = f->times;
  int first = -1;
  for (int n = 0; n < f->count; ++n)
    if (isfinite(times[n].value) && bp_tune_is_wanted(t->tuner, t->c, &f->plans[n]->choice) &&
        (first < 0 || times[n].value < times[first].value))
      first = n;
  int shipped = f->shipped;
  if (first >= 0 && shipped >= 0 && times[shipped].low <= times[first].high &&
      times[shipped].value <= 1.005 * times[first].value &&
      bp_tune_is_wanted(t->tuner, t->c, &f->plans[shipped]->choice))
    first = shipped;
  return first;
}

static bp_status decide(bp_tuning *t, const bp_candidate *found, int count, bp_tuned *tuned)
{
  final f = {.shipped = -1};
  if (tuned->has_shipped && !has_failed(t, found, count, &tuned->shipped))
    add_finalist(t, &tuned->shipped, &f);
  f.shipped = f.count - 1;
  for (int n = 0, taken = 0; n < count && taken < FINALISTS && isfinite(found[n].seconds); ++n)
    if (fits(t, &found[n].choice) &&
        !(tuned->has_shipped && bp_choice_is_same(&found[n].choice, &tuned->shipped)))
      taken += add_finalist(t, &found[n].choice, &f);
  for (int cold = 0; cold < 2; ++cold)
    if (bp_cases_have(t->tuner->cases, cold))
      time_finalists(t, &f, cold);
  int first = winner_of(t, &f);
  bp_status status = BP_OK;
  if (first < 0) {
    status = bp_fail(BP_ENVIRONMENT, "no candidate of %d could be timed", t->tried);
  } else if (f.busy) {
    status =
        bp_fail(BP_ENVIRONMENT, "not stored: %s; end other work, or take fewer --threads", f.busy);
  } else {
    status = bp_tuning_verify(t, f.plans[first]);
    tuned->choice = f.plans[first]->choice;
    tuned->seconds = f.times[first].value;
  }
  if (f.shipped >= 0 && isfinite(f.times[f.shipped].value))
    tuned->shipped_seconds = f.times[f.shipped].value;
  for (int n = 0; n < f.count; ++n)
    bp_plan_destroy(f.plans[n]);
  bp_free(f.busy);
  return status;
}

/* ---- a case ---- */

static void note_ratios(const bp_tuning *t, const bp_candidate *found, int count)
{
  for (int n = count - 1; n >= 0; --n) /* the fastest of a variant comes last */
    if (isfinite(found[n].seconds))
      t->tuner->ratios[bp_tune_number(found[n].choice.variant)] =
          found[n].seconds / found[0].seconds;
}

static bp_status search(bp_tuning *t, const bp_choice *hints, int hints_count, bp_tuned *tuned)
{
  const bp_search calls = {time_all, fits, room, t};
  bp_choice *seeds = NULL;
  int seeds_count = bp_tune_seeds(t->tuner, t->c, hints, hints_count, &seeds);
  bp_candidate *found = NULL;
  int count = bp_search_run(&calls, seeds, seeds_count, &found);
  note_ratios(t, found, count);
  bp_status status = bp_tuning_is_interrupted(t) ? BP_INTERRUPTED : decide(t, found, count, tuned);
  tuned->tried = t->tried;
  tuned->is_cut = t->tried < seeds_count;
  bp_free(seeds);
  bp_free(found);
  return bp_tuning_is_interrupted(t) ? BP_INTERRUPTED : status;
}

bp_status bp_tune_case(bp_tuner *tuner, const bp_case *c, const bp_choice *hints, int hints_count,
                       double seconds, bp_tuned *tuned)
{
  const bp_best_wanted wanted = bp_case_wanted(tuner->cases, c);
  int variants;
  bp_variants(&variants);
  bp_tuning t = {.tuner = tuner, .c = c, .fastest = INFINITY};
  t.deadline =
      bp_clock() + seconds - fmin(bp_tuning_modes(&t), seconds / 4); /* for the last ones */
  t.strikes = bp_alloc((size_t)variants, sizeof *t.strikes);
  t.is_told = bp_alloc((size_t)variants, sizeof *t.is_told);
  *tuned = (bp_tuned){.shipped_seconds = NAN};
  tuned->has_shipped = bp_best_find_shipped(&wanted, &tuned->shipped);
  bp_tuning_show(&t);
  const bp_stage_options options = {.measured = true};
  bp_status status =
      bp_stage_create(c, tuner->cases->config, tuner->cases->device, options, &t.stage);
  if (!status)
    status = search(&t, hints, hints_count, tuned);
  bp_events_progress(tuner->events, "%s", "");
  bp_stage_destroy(t.stage);
  bp_free(t.strikes);
  bp_free(t.is_told);
  bp_free(t.right);
  return status;
}

void bp_tuner_create(const bp_cases *cases, const bp_events *events, bp_tuner *tuner)
{
  int variants;
  bp_variants(&variants);
  *tuner = (bp_tuner){.cases = cases, .events = events, .place = bp_busy_here(1)};
  tuner->ratios = bp_alloc((size_t)variants, sizeof *tuner->ratios);
  tuner->is_left_out = bp_alloc((size_t)variants, sizeof *tuner->is_left_out);
}

void bp_tuner_destroy(bp_tuner *tuner)
{
  bp_free(tuner->ratios);
  bp_free(tuner->is_left_out);
}
