/* tune_case.c -- from seeds to the fastest choice of a case. */
#include "tune_case.h"
#include "stage.h"
#include "tune_seeds.h"

#include "base/clock.h"
#include "base/memory.h"
#include "kernel/best.h"
#include "measure/sampler.h"
#include "measure/search.h"
#include "measure/verify.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STRIKES = 2, FINALISTS = 3 };

/* How near to the fastest a candidate must come to be timed again. */
static const double near = 1.02;

/* A kernel that fails after so many seconds did not end, or took the device along. */
static const double long_failure = 3;

typedef struct {
  bp_tuner *tuner;
  const bp_case *c;
  bp_stage stage;
  double deadline;      /* of the search */
  double fastest;       /* seconds of the fastest candidate that is right */
  double per_candidate; /* seconds of the search; 0: not known yet */
  bool *is_told;        /* of each variant: that no plan could be made */
  int *strikes;         /* of each variant: candidates that failed */
  int tried;
} tuning;

static int number_of(const bp_variant *variant)
{
  return bp_tune_number(variant);
}

static bool is_interrupted(const tuning *t)
{
  return *t->tuner->interrupted;
}

static bool fits(void *context, const bp_choice *choice)
{
  const tuning *t = context;
  int v = number_of(choice->variant);
  return !t->tuner->is_left_out[v] && t->strikes[v] < STRIKES &&
         bp_tune_fits(t->tuner, t->c, choice);
}

/* ---- timing ---- */

/* Whether the caches are to be hot, or cold: both, where the mean of the two is to be least. */
static bool is_asked_for(const tuning *t, bool cold)
{
  const char *cache = t->tuner->cases->config->measure.cache;
  return strcmp(cache, "both") == 0 || strcmp(cache, cold ? "cold" : "hot") == 0;
}

static int modes(const tuning *t)
{
  return is_asked_for(t, false) + is_asked_for(t, true);
}

static bp_sampling sampling_of(const tuning *t, bool cold, double warmup, double seconds,
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
      .interrupted = t->tuner->interrupted,
  };
}

/* A line on stderr: on a terminal it takes the place of the progress. */
static void tell(const tuning *t, const bp_choice *choice, const char *message)
{
  char *options = bp_choice_options(choice);
  fprintf(stderr, "%sbp tune: %s%s%s, N=%d, %lld elements: %.*s\n",
          isatty(STDERR_FILENO) ? "\r\033[K" : "", choice->variant->id, *options ? " " : "",
          options, t->c->degree, (long long)t->c->elements, (int)strcspn(message, "\n"), message);
  bp_free(options);
}

/* A candidate of which no plan could be made: bp_message() says why. Told of one of a variant. */
static void complain(tuning *t, const bp_choice *choice)
{
  bool *is_told = &t->is_told[number_of(choice->variant)];
  if (!*is_told)
    tell(t, choice, bp_message());
  *is_told = true;
}

/* bp_message() says what happened; it took so many seconds. */
static void strike(tuning *t, const bp_choice *choice, bp_status status, double seconds)
{
  int v = number_of(choice->variant);
  tell(t, choice, bp_message());
  t->tuner->wrong += status == BP_WRONG;
  ++t->strikes[v];
  if (seconds > long_failure) {
    t->tuner->is_left_out[v] = true;
    fprintf(stderr, "bp tune: %s is left out from here on: it failed after %.0f s\n",
            choice->variant->id, seconds);
  }
}

/* The fastest sample, of each mode; INFINITY where interrupted. */
static bp_status sample(const tuning *t, bp_plan *plan, double warmup, double most, int samples,
                        double *seconds)
{
  bp_status status = BP_OK;
  *seconds = 0;
  for (int cold = 0; cold < 2 && !status; ++cold)
    if (is_asked_for(t, cold)) {
      const bp_sampling sampling = sampling_of(t, cold, warmup, most, samples);
      bp_sampled s = {.plan = plan};
      bp_sample(&s, 1, &sampling);
      status = s.status;
      if (status)
        bp_fail(status, "%s", s.message);
      *seconds += s.count ? bp_statistics_of(s.samples, s.count).minimum / modes(t) : INFINITY;
      bp_sampled_destroy(&s);
    }
  return status;
}

static bp_status verify(tuning *t, bp_plan *plan)
{
  double error;
  return bp_verify(plan, t->stage.reference, t->stage.v, &error);
}

/* A short sample; what comes near to the fastest gets a longer one. What is faster is verified: to do so with
 * all would take most of the time, and the last ones are verified in any case. */
static bp_status time_plan(tuning *t, bp_plan *plan, double *seconds)
{
  bp_status status = sample(t, plan, 2e-3, 0.02, 3, seconds);
  if (status || *seconds > near * t->fastest)
    return status;
  status = sample(t, plan, 0, 0.05, 20, seconds);
  if (status || !(*seconds < t->fastest))
    return status;
  status = verify(t, plan);
  if (!status)
    t->fastest = *seconds;
  return status;
}

static double time_choice(tuning *t, const bp_choice *choice)
{
  bp_plan *plan = NULL;
  double seconds = INFINITY;
  ++t->tried;
  bp_status status = bp_plan_create(t->stage.workspace, choice, &plan);
  double start = bp_clock();
  if (plan)
    status = time_plan(t, plan, &seconds);
  if (status && plan)
    strike(t, choice, status, bp_clock() - start);
  else if (status)
    complain(t, choice);
  bp_plan_destroy(plan);
  return status ? INFINITY : seconds;
}

static void show_progress(const tuning *t)
{
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K%s N=%d, %lld elements: %d tried, fastest %.3g us", t->c->op->name,
            t->c->degree, (long long)t->c->elements, t->tried, 1e6 * t->fastest);
}

/* ---- the calls of search.h ---- */

static void compile(const tuning *t, const bp_candidate *candidates, int count)
{
  bp_device *device = t->tuner->cases->device;
  if (!device->backend->prepare)
    return;
  size_t size = (size_t)count;
  bp_choice *all = bp_alloc(size, sizeof *all);
  const bp_operator **ops = bp_alloc(size, sizeof *ops);
  int *degrees = bp_alloc(size, sizeof *degrees);
  for (int n = 0; n < count; ++n) {
    all[n] = candidates[n].choice;
    ops[n] = t->c->op;
    degrees[n] = t->c->degree;
  }
  device->backend->prepare(device, all, ops, degrees, count);
  bp_free(all);
  bp_free(ops);
  bp_free(degrees);
}

/* At least one candidate is timed, however late it is. */
static void time_all(void *context, bp_candidate *candidates, int count)
{
  tuning *t = context;
  double start = bp_clock();
  int done = 0;
  compile(t, candidates, count);
  for (int n = 0; n < count; ++n) {
    bool is_late = bp_clock() > t->deadline && isfinite(t->fastest);
    candidates[n].seconds = INFINITY;
    if (is_late || is_interrupted(t) || !fits(t, &candidates[n].choice))
      continue;
    candidates[n].seconds = time_choice(t, &candidates[n].choice);
    ++done;
    show_progress(t);
  }
  if (done)
    t->per_candidate = (bp_clock() - start) / done;
}

/* As many as compile at once, a few times over, when there is time for them by what the last ones took. */
static int room(void *context)
{
  const tuning *t = context;
  double left = t->deadline - bp_clock(), most = 3 * omp_get_num_procs();
  if (is_interrupted(t))
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
} final;

/* False where it cannot be had or is wrong. */
static bool add_finalist(tuning *t, const bp_choice *choice, final *f)
{
  bp_plan *plan = NULL;
  double start = bp_clock();
  bp_status status = bp_plan_create(t->stage.workspace, choice, &plan);
  if (plan && !status)
    status = verify(t, plan);
  if (status && plan)
    strike(t, choice, status, bp_clock() - start);
  else if (status)
    complain(t, choice);
  if (status || !plan) {
    bp_plan_destroy(plan);
    return false;
  }
  f->plans[f->count++] = plan;
  return true;
}

static bool has_failed(const tuning *t, const bp_candidate *found, int count,
                       const bp_choice *choice)
{
  for (int n = 0; n < count; ++n)
    if (bp_choice_is_same(&found[n].choice, choice) && !isfinite(found[n].seconds))
      return true;
  return t->tuner->is_left_out[number_of(choice->variant)];
}

/* In turns, by what each takes when nothing disturbs. What has failed in one mode is left out of the
 * other. */
static void time_finalists(const tuning *t, final *f, bool cold)
{
  const bp_sampling sampling = sampling_of(t, cold, 5e-3, 0.15, 1000);
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
    else if (s->status && !is_interrupted(t))
      tell(t, &s->plan->choice, s->message);
    *sum = (bp_floor){sum->value + here.value / modes(t), sum->low + here.low / modes(t),
                      sum->high + here.high / modes(t)};
    bp_sampled_destroy(&sampled[n]);
  }
}

/* The fastest; the shipped one stays where nothing is clearly faster. -1: none. */
static int winner_of(const tuning *t, const final *f)
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

static bp_status decide(tuning *t, const bp_candidate *found, int count, bp_tuned *tuned)
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
    if (is_asked_for(t, cold))
      time_finalists(t, &f, cold);
  int first = winner_of(t, &f);
  bp_status status = BP_OK;
  if (first < 0) {
    status = bp_fail(BP_ENVIRONMENT, "no candidate of %d could be timed", t->tried);
  } else {
    status = verify(t, f.plans[first]);
    tuned->choice = f.plans[first]->choice;
    tuned->seconds = f.times[first].value;
  }
  if (f.shipped >= 0 && isfinite(f.times[f.shipped].value))
    tuned->shipped_seconds = f.times[f.shipped].value;
  for (int n = 0; n < f.count; ++n)
    bp_plan_destroy(f.plans[n]);
  return status;
}

/* ---- a case ---- */

static void note_ratios(const tuning *t, const bp_candidate *found, int count)
{
  for (int n = count - 1; n >= 0; --n) /* the fastest of a variant comes last */
    if (isfinite(found[n].seconds))
      t->tuner->ratios[number_of(found[n].choice.variant)] = found[n].seconds / found[0].seconds;
}

static bp_status search(tuning *t, const bp_choice *hints, int hints_count, bp_tuned *tuned)
{
  const bp_search calls = {time_all, fits, room, t};
  bp_choice *seeds = NULL;
  int seeds_count = bp_tune_seeds(t->tuner, t->c, hints, hints_count, &seeds);
  bp_candidate *found = NULL;
  int count = bp_search_run(&calls, seeds, seeds_count, &found);
  note_ratios(t, found, count);
  bp_status status = is_interrupted(t) ? BP_INTERRUPTED : decide(t, found, count, tuned);
  tuned->tried = t->tried;
  tuned->is_cut = t->tried < seeds_count;
  bp_free(seeds);
  bp_free(found);
  return is_interrupted(t) ? BP_INTERRUPTED : status;
}

bp_status bp_tune_case(bp_tuner *tuner, const bp_case *c, const bp_choice *hints, int hints_count,
                       double seconds, bp_tuned *tuned)
{
  const bp_device *device = tuner->cases->device;
  const bp_best_wanted wanted = {device->name, c->op->name, c->degree, c->elements,
                                 device->backend->language};
  int variants;
  bp_variants(&variants);
  tuning t = {.tuner = tuner, .c = c, .fastest = INFINITY};
  t.deadline = bp_clock() + seconds - fmin(modes(&t), seconds / 4); /* for the last ones */
  t.strikes = bp_alloc((size_t)variants, sizeof *t.strikes);
  t.is_told = bp_alloc((size_t)variants, sizeof *t.is_told);
  *tuned = (bp_tuned){.shipped_seconds = NAN};
  tuned->has_shipped = bp_best_find_shipped(&wanted, &tuned->shipped);
  show_progress(&t);
  bp_status status = bp_stage_create(tuner->cases, c, &t.stage);
  if (!status)
    status = search(&t, hints, hints_count, tuned);
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K");
  bp_stage_destroy(&t.stage);
  bp_free(t.strikes);
  bp_free(t.is_told);
  return status;
}

void bp_tuner_create(const bp_cases *cases, const volatile sig_atomic_t *interrupted,
                     bp_tuner *tuner)
{
  int variants;
  bp_variants(&variants);
  *tuner = (bp_tuner){.cases = cases, .interrupted = interrupted};
  tuner->ratios = bp_alloc((size_t)variants, sizeof *tuner->ratios);
  tuner->is_left_out = bp_alloc((size_t)variants, sizeof *tuner->is_left_out);
}

void bp_tuner_destroy(bp_tuner *tuner)
{
  bp_free(tuner->ratios);
  bp_free(tuner->is_left_out);
}
