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

static bp_sampling sampling_of(const tuning *t, double warmup, double seconds, int samples)
{
  return (bp_sampling){
      .cold = strcmp(t->tuner->cases->config->measure.cache, "cold") == 0,
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

/* The fastest sample; INFINITY where interrupted. */
static bp_status sample(const bp_sampling *sampling, bp_plan *plan, double *seconds)
{
  bp_sampled sampled = {.plan = plan};
  bp_sample(&sampled, 1, sampling);
  bp_status status = sampled.status;
  if (status)
    bp_fail(status, "%s", sampled.message);
  *seconds = sampled.count ? bp_statistics_of(sampled.samples, sampled.count).minimum : INFINITY;
  bp_sampled_destroy(&sampled);
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
  const bp_sampling quick = sampling_of(t, 2e-3, 0.02, 3), longer = sampling_of(t, 0, 0.05, 20);
  bp_status status = sample(&quick, plan, seconds);
  if (status || *seconds > near * t->fastest)
    return status;
  status = sample(&longer, plan, seconds);
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
  bp_sampled sampled[FINALISTS + 1];
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
  f->sampled[f->count++].plan = plan;
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

/* The fastest, by what each takes when nothing disturbs; the shipped one stays where nothing is clearly
 * faster. -1: none. */
static int winner_of(const tuning *t, const final *f, bp_floor *times)
{
  int first = -1;
  for (int n = 0; n < f->count; ++n) {
    const bp_sampled *s = &f->sampled[n];
    bool is_good = !s->status && s->count > 0;
    times[n] = is_good ? bp_statistics_floor(s->samples, s->count, 0.05)
                       : (bp_floor){INFINITY, INFINITY, INFINITY};
    if (is_good && bp_tune_is_wanted(t->tuner, t->c, &s->plan->choice) &&
        (first < 0 || times[n].value < times[first].value))
      first = n;
  }
  int shipped = f->shipped;
  if (first >= 0 && shipped >= 0 && times[shipped].low <= times[first].high &&
      times[shipped].value <= 1.005 * times[first].value &&
      bp_tune_is_wanted(t->tuner, t->c, &f->sampled[shipped].plan->choice))
    first = shipped;
  return first;
}

static bp_status decide(tuning *t, const bp_candidate *found, int count, bp_tuned *tuned)
{
  const bp_sampling sampling = sampling_of(t, 5e-3, 0.15, 1000);
  bp_floor times[FINALISTS + 1];
  final f = {.shipped = -1};
  if (tuned->has_shipped && !has_failed(t, found, count, &tuned->shipped))
    add_finalist(t, &tuned->shipped, &f);
  f.shipped = f.count - 1;
  for (int n = 0, taken = 0; n < count && taken < FINALISTS && isfinite(found[n].seconds); ++n)
    if (fits(t, &found[n].choice) &&
        !(tuned->has_shipped && bp_choice_is_same(&found[n].choice, &tuned->shipped)))
      taken += add_finalist(t, &found[n].choice, &f);
  bp_sample(f.sampled, f.count, &sampling);
  int first = winner_of(t, &f, times);
  bp_status status = BP_OK;
  if (first < 0) {
    status = bp_fail(BP_ENVIRONMENT, "no candidate of %d could be timed", t->tried);
  } else {
    status = verify(t, f.sampled[first].plan);
    tuned->choice = f.sampled[first].plan->choice;
    tuned->seconds = times[first].value;
  }
  if (f.shipped >= 0 && isfinite(times[f.shipped].value))
    tuned->shipped_seconds = times[f.shipped].value;
  for (int n = 0; n < f.count; ++n) {
    bp_plan_destroy(f.sampled[n].plan);
    bp_sampled_destroy(&f.sampled[n]);
  }
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
  t.deadline = bp_clock() + seconds - fmin(1, seconds / 4); /* the last ones take that long */
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
