/* rounds.c -- gathering what is sampled in turns. */
#include "bench/rounds.h"

#include "base/memory.h"
#include "fem/pair.h"
#include "measure/waits.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PEAK_SAMPLES = 20, EMPTY_SAMPLES = 4096 };

static bp_sampled *add(bp_rounds *r, bp_plan *plan)
{
  r->items[r->count] = (bp_sampled){.plan = plan};
  return &r->items[r->count++];
}

static void add_peaks(bp_rounds *r)
{
  for (int n = 0; n < r->peaks->count; ++n) {
    bp_sampled *s = add(r, r->peaks->items[n].plan);
    s->reference = s->hot = true;
    s->most = PEAK_SAMPLES;
    s->part = 0.25;
  }
}

static bool is_same_shape(const bp_plan *a, const bp_plan *b)
{
  bool is = a->launches == b->launches;
  for (int n = 0; n < a->launches && is; ++n)
    is = a->shapes[n].blocks == b->shapes[n].blocks &&
         memcmp(a->shapes[n].threads, b->shapes[n].threads, sizeof a->shapes[n].threads) == 0;
  return is;
}

/* The place of launches in that shape; they are sampled once for all plans that have it. */
static int place_of_empty(bp_rounds *r, const bp_plan *plan)
{
  bp_plan *empty;
  if (bp_plan_create_empty(plan, &empty))
    return 0;
  for (int n = 1 + r->peaks->count; n < r->count; ++n)
    if (is_same_shape(r->items[n].plan, empty)) {
      bp_plan_destroy(empty);
      return n;
    }
  bp_sampled *s = add(r, empty);
  s->reference = true;
  s->most = EMPTY_SAMPLES;
  s->part = 0.25;
  return r->count - 1;
}

/* A whole number of the groups that a kernel takes at once, for each thread; 0: L2 does not hold one, or
 * holds all there are. Of operators, whose elements do not know each other. */
static int64_t core_elements(const bp_plan *plan)
{
  const double part = 0.75; /* of L2: the stack and the matrices lie there, too */
  const bp_problem *problem = plan->workspace ? plan->workspace->problem : NULL;
  if (plan->device->backend->language != BP_LANGUAGE_C || !problem || !problem->op ||
      problem->unknowns || bp_problem_is_pair(problem) || bp_operator_is_gradient(problem->op))
    return 0;
  const int64_t group = plan->shapes[0].threads[0];
  const double bytes = (double)bp_operator_bytes(problem->op, problem->space) * (double)group;
  const int64_t groups = (int64_t)(part * (double)sysconf(_SC_LEVEL2_CACHE_SIZE) / bytes);
  const int64_t elements = groups * group * plan->device->sms;
  return elements < plan->elements ? elements : 0;
}

static int place_of_core(bp_rounds *r, const bp_plan *plan)
{
  bp_plan *part;
  const int64_t elements = core_elements(plan);
  if (elements <= 0 || bp_plan_create_part(plan, elements, &part))
    return 0;
  bp_sampled *s = add(r, part);
  s->reference = s->hot = true;
  s->most = PEAK_SAMPLES;
  s->part = 0.25;
  return r->count - 1;
}

bp_status bp_rounds_create(bp_device *device, bp_plan *const *plans, int count, int64_t bytes,
                           bool cold, bp_peaks *peaks, bp_rounds *rounds)
{
  bp_rounds *r = rounds;
  *r = (bp_rounds){.peaks = peaks};
  r->items = bp_alloc(1 + (size_t)peaks->count + 3 * (size_t)count, sizeof *r->items);
  r->kernel = bp_alloc((size_t)count, sizeof *r->kernel);
  r->empty = bp_alloc((size_t)count, sizeof *r->empty);
  r->core = bp_alloc((size_t)count, sizeof *r->core);
  bp_plan *copy = NULL;
  bp_status status = bp_copy_create(device, bytes / 2, cold, &copy);
  if (status)
    return status;
  add(r, copy)->reference = true;
  add_peaks(r);
  for (int n = 0; n < count; ++n)
    if (plans[n])
      r->empty[n] = place_of_empty(r, plans[n]);
  for (int n = 0; n < count; ++n)
    if (plans[n])
      r->core[n] = place_of_core(r, plans[n]);
  for (int n = 0; n < count; ++n)
    if (plans[n]) {
      r->kernel[n] = r->count;
      add(r, plans[n]);
    }
  return BP_OK;
}

void bp_rounds_destroy(bp_rounds *rounds)
{
  for (int n = 0; n < rounds->count; ++n) {
    bool is_peak = n > 0 && n <= rounds->peaks->count;
    if (rounds->items[n].reference && !is_peak)
      bp_plan_destroy(rounds->items[n].plan);
    bp_sampled_destroy(&rounds->items[n]);
  }
  bp_free(rounds->items);
  bp_free(rounds->kernel);
  bp_free(rounds->empty);
  bp_free(rounds->core);
}

static bool has_waited(const bp_sampled *s)
{
  char *what = bp_waits(s->samples, s->count, NAN);
  bp_free(what);
  return what != NULL;
}

/* The figures of all kernels are held against it. */
static void repeat_copy(bp_sampled *copy, const bp_sampling *sampling)
{
  bp_sampled again = {.plan = copy->plan};
  bp_sample(&again, 1, sampling);
  if (!again.status && again.count > 0 && !has_waited(&again) && !again.busy) {
    const bp_sampled first = *copy;
    *copy = again;
    copy->reference = true;
    again = first;
  }
  bp_sampled_destroy(&again);
}

void bp_rounds_run(bp_rounds *rounds, const bp_sampling *sampling)
{
  if (rounds->count == 0 || rounds->items[rounds->count - 1].reference)
    return;
  bp_sample(rounds->items, rounds->count, sampling);
  if (has_waited(&rounds->items[0]))
    repeat_copy(&rounds->items[0], sampling);
  for (int n = 0; n < rounds->peaks->count; ++n) {
    const bp_sampled *s = &rounds->items[1 + n];
    for (int64_t i = 0; i < s->count; ++i)
      bp_peak_note(&rounds->peaks->items[n], s->samples[i]);
  }
}

static double median_at(const bp_rounds *rounds, int place)
{
  const bp_sampled *s = &rounds->items[place];
  return place && s->count ? bp_statistics_of(s->samples, s->count).median : NAN;
}

double bp_rounds_overhead(const bp_rounds *rounds, int n)
{
  return median_at(rounds, rounds->empty[n]);
}

double bp_rounds_core(const bp_rounds *rounds, int n)
{
  const int place = rounds->core[n];
  const bp_plan *part = rounds->items[place].plan;
  return median_at(rounds, place) * (double)part->elements / (double)part->steps[0].elements;
}
