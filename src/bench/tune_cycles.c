/* tune_cycles.c -- one thing changed at a time: the smoother, the levels, the degrees of its polynomials;
 * from the fastest again, until nothing is faster. */
#include "bench/tune_cycles.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "measure/sampler.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What counts as faster; how much slower a smoother may have been to be looked at again. */
static const double faster = 0.99, hopeless = 1.5;

typedef struct {
  const bp_cases *cases;
  bp_config *config;
  const bp_case *c;
  bp_cycles_kept kept;
  const bp_events *events;
  bp_stage *stage;
  bp_cycles *all;
  int fastest;           /* -1: none yet */
  double deadline, last; /* what the last one took */
} search;

bp_cycles_kept bp_cycles_kept_of(const bp_config *config)
{
  return (bp_cycles_kept){bp_config_where(config, "levels"), bp_config_where(config, "smoother"),
                          bp_config_where(config, "smoothing")};
}

char *bp_cycle_smoothing(const bp_cycle *cycle)
{
  const int *s = cycle->smoothing;
  return s[0] == s[1] ? bp_format("%d", s[0]) : bp_format("%d,%d", s[0], s[1]);
}

/* ---- one of them ---- */

static bp_status configure(const search *s, const char *levels, const bp_cycle *cycle)
{
  char *smoothing = bp_cycle_smoothing(cycle);
  bp_status status = bp_config_set(s->config, "levels", levels, "levels");
  if (!status)
    status = bp_config_set(s->config, "smoother", bp_smoothers[cycle->smoother], "smoother");
  if (!status)
    status = bp_config_set(s->config, "smoothing", smoothing, "smoothing");
  bp_free(smoothing);
  return status;
}

static const bp_choice *choice_of(const bp_case *c)
{
  for (int n = 0; n < c->choices_count; ++n)
    if (bp_variant_takes(c->choices[n].variant, BP_OPERAND_schedule))
      return &c->choices[n];
  return NULL;
}

static bp_status sample(const search *s, bp_plan *plan, bp_cycle *cycle)
{
  const bool is_host = s->cases->device->backend->language == BP_LANGUAGE_C;
  const bp_busy_place place = bp_busy_here(1);
  const bp_sampling sampling = {.warmup = 0.01,
                                .max_time = 0.3,
                                .min_samples = 3,
                                .max_samples = 20,
                                .confidence = 0.002,
                                .sample_seconds = 1e-3,
                                .interrupted = s->events->interrupted,
                                .busy = is_host ? &place : NULL};
  bp_sampled sampled = {.plan = plan};
  bp_sample(&sampled, 1, &sampling);
  bp_status status = sampled.status;
  if (status)
    bp_fail(status, "%s", sampled.message);
  cycle->is_busy = sampled.busy;
  cycle->seconds =
      sampled.count ? bp_statistics_of(sampled.samples, sampled.count).minimum : INFINITY;
  bp_sampled_destroy(&sampled);
  return status;
}

/* What is faster than all before is verified. */
static bp_status time_plan(search *s, bp_plan *plan, bp_cycle *cycle)
{
  bp_stage_outcome outcome = bp_stage_unknown;
  bp_status status = bp_stage_find_iterations(s->stage, plan, &outcome);
  if (status)
    return status == BP_WRONG
               ? bp_fail(BP_SKIPPED, "more than %d iterations", bp_stage_iterations(s->config))
               : status;
  cycle->iterations = bp_plan_iterations(plan);
  status = sample(s, plan, cycle);
  if (!status && (s->fastest < 0 || cycle->seconds < s->all->items[s->fastest].seconds))
    status = bp_stage_judge(s->stage, plan, &outcome);
  return status;
}

static void show(const search *s, const bp_cycle *cycle)
{
  char *smoothing = bp_cycle_smoothing(cycle),
       *found = cycle->failure
                    ? bp_strdup(cycle->failure)
                    : bp_format("%d iterations, %.4g ms", cycle->iterations, 1e3 * cycle->seconds);
  bp_events_progress(s->events, "%s N=%d, %lld elements: [%d] %s %s %s: %s", bp_case_problem(s->c),
                     s->c->space.degree, (long long)s->c->elements, s->all->count,
                     bp_smoothers[cycle->smoother], cycle->levels, smoothing, found);
  bp_free(found);
  bp_free(smoothing);
}

static bool is_over(const search *s)
{
  return bp_events_interrupted(s->events) ||
         (s->all->count > 0 && bp_clock() + s->last > s->deadline);
}

/* Its place; -1: it was not tried, for time is over, or a device is lost. */
static int try(search *s, bp_cycle wanted, bp_status *status)
{
  bp_cycles *all = s->all;
  for (int n = 0; n < all->count; ++n)
    if (strcmp(all->items[n].levels, wanted.levels) == 0 &&
        all->items[n].smoother == wanted.smoother &&
        memcmp(all->items[n].smoothing, wanted.smoothing, sizeof wanted.smoothing) == 0)
      return n;
  all->is_cut = all->is_cut || is_over(s);
  if (*status || all->is_cut)
    return -1;
  const double begin = bp_clock();
  bp_plan *plan = NULL;
  wanted.failure = NULL;
  wanted.seconds = INFINITY;
  *status = configure(s, wanted.levels, &wanted);
  if (!*status)
    *status = bp_stage_plan(s->stage, choice_of(s->c), bp_stage_iterations(s->config), &plan);
  if (!*status) {
    wanted.setup_seconds = plan->details.setup_seconds;
    *status = time_plan(s, plan, &wanted);
  }
  bp_plan_destroy(plan);
  all->is_wrong |= *status == BP_WRONG;
  wanted.is_own = all->count == 0;
  if (*status) {
    wanted.failure = bp_strdup(bp_message());
    wanted.seconds = INFINITY;
  }
  if (*status == BP_WRONG || *status == BP_SKIPPED)
    *status = BP_OK; /* the others go on */
  all->items = bp_realloc(all->items, (size_t)all->count + 1, sizeof *all->items);
  all->items[all->count] = wanted;
  if (!wanted.failure && (s->fastest < 0 || wanted.seconds < all->items[s->fastest].seconds))
    s->fastest = all->count;
  ++all->count;
  s->last = bp_clock() - begin;
  show(s, &wanted);
  return all->count - 1;
}

/* ---- which ---- */

static void write_levels(const int *degrees, int count, char levels[40])
{
  bp_text text = {0};
  for (int n = 0; n < count; ++n)
    bp_text_appendf(&text, "%s%d", n ? "-" : "", degrees[n]);
  strncpy(levels, bp_text_string(&text), 39);
  bp_text_destroy(&text);
}

/* Halved degrees, one between the first and 1, two thirds of each: 7-4-2-1, 7-3-1, 7-5-3-1. */
enum { HALVED, ONE_BETWEEN, THIRDS, KINDS };
static void find_levels(int kind, int degree, char levels[40])
{
  int degrees[BP_MULTIGRID_LEVELS], count = 0, n = degree;
  while (n > 1) {
    degrees[count++] = n;
    n = kind == HALVED        ? (n + 1) / 2
        : kind == ONE_BETWEEN ? (count == 1 ? n / 2 : 1)
        : n > 3               ? (2 * n + 1) / 3
                              : 1;
  }
  degrees[count++] = 1;
  write_levels(degrees, count, levels);
}

static void try_levels(search *s, bp_status *status)
{
  const bp_cycle from = s->all->items[s->fastest];
  for (int kind = 0; kind < KINDS && !s->kept.levels; ++kind) {
    bp_cycle next = from;
    memset(next.levels, 0, sizeof next.levels);
    find_levels(kind, s->c->space.degree, next.levels);
    try(s, next, status);
  }
}

static double fastest_with(const search *s, bp_smoother smoother)
{
  double seconds = INFINITY;
  for (int n = 0; n < s->all->count; ++n)
    if (s->all->items[n].smoother == smoother)
      seconds = fmin(seconds, s->all->items[n].seconds);
  return seconds;
}

/* The diagonal takes polynomials of higher degree. */
static void try_smoothers(search *s, bool is_first, bp_status *status)
{
  enum { HIGHER = 5 };
  const bp_cycle from = s->all->items[is_first ? 0 : s->fastest];
  const bool has_stiffness = s->c->op->components > 1;
  for (int n = 0; n < (has_stiffness ? 3 : 1) && !s->kept.smoother; ++n) {
    bp_cycle next = from;
    next.smoother = (bp_smoother)n;
    if (is_first || fastest_with(s, next.smoother) < hopeless * s->all->items[s->fastest].seconds)
      try(s, next, status);
  }
  if (is_first && from.smoother == BP_SMOOTHER_JACOBI && !s->kept.smoothing) {
    bp_cycle next = from;
    next.smoothing[0] = next.smoothing[1] = HIGHER;
    try(s, next, status);
  }
}

/* By one up or down as long as that is faster. */
static void climb(search *s, int step, bp_status *status)
{
  for (bool is_faster = true; is_faster && s->fastest >= 0;) {
    const int before = s->fastest;
    bp_cycle next = s->all->items[before];
    for (int n = 0; n < 2; ++n)
      next.smoothing[n] += step;
    if (next.smoothing[0] < 1 || next.smoothing[1] < 1 || next.smoothing[0] > BP_CHEBYSHEV_MAX ||
        next.smoothing[1] > BP_CHEBYSHEV_MAX)
      return;
    try(s, next, status);
    is_faster = s->fastest != before;
  }
}

/* One less on one of the ways. */
static void try_sides(search *s, bp_status *status)
{
  const bp_cycle from = s->all->items[s->fastest];
  for (int n = 0; n < 2 && from.smoothing[n] > 1; ++n) {
    bp_cycle next = from;
    --next.smoothing[n];
    try(s, next, status);
  }
}

static bp_cycle first_of(const search *s)
{
  const bp_multigrid_options o = bp_config_multigrid(s->config);
  bp_cycle first = {
      .smoother = o.smoother, .smoothing = {o.smoothing[0], o.smoothing[1]}, .is_own = true};
  if (strcmp(o.levels, "auto") == 0)
    find_levels(HALVED, s->c->space.degree, first.levels);
  else
    strncpy(first.levels, o.levels, sizeof first.levels - 1);
  return first;
}

static int compare(const void *a, const void *b)
{
  const double x = ((const bp_cycle *)a)->seconds, y = ((const bp_cycle *)b)->seconds;
  return (x > y) - (x < y);
}

static bp_status look(search *s)
{
  enum { ROUNDS = 3 };
  bp_status status = BP_OK;
  try(s, first_of(s), &status);
  if (!status)
    try_smoothers(s, true, &status);
  double before = INFINITY;
  for (int round = 0; round < ROUNDS && !status && s->fastest >= 0; ++round) {
    if (s->all->items[s->fastest].seconds > faster * before)
      break;
    before = s->all->items[s->fastest].seconds;
    if (round > 0)
      try_smoothers(s, false, &status);
    try_levels(s, &status);
    if (!s->kept.smoothing) {
      climb(s, 1, &status);
      climb(s, -1, &status);
    }
  }
  if (!status && s->fastest >= 0 && !s->kept.smoothing)
    try_sides(s, &status);
  return status;
}

bp_status bp_tune_cycles(const bp_cases *cases, bp_config *config, const bp_case *c,
                         bp_cycles_kept kept, const bp_events *events, double seconds,
                         bp_cycles *cycles)
{
  search s = {cases, config, c, kept, events, NULL, cycles, -1, bp_clock() + seconds, 0};
  const bp_stage_options options = {.measured = true};
  const bp_cycle own = first_of(&s);
  char *levels = bp_strdup(config->multigrid.levels);
  *cycles = (bp_cycles){0};
  bp_status status = bp_stage_create(c, config, cases->device, options, &s.stage);
  if (!status)
    status = look(&s);
  bp_events_progress(events, "%s", "");
  bp_stage_destroy(s.stage);
  if (!status && s.fastest < 0 && cycles->count > 0)
    status = bp_fail(BP_ENVIRONMENT, "none of %d cycles could be timed: %s", cycles->count,
                     cycles->items[0].failure);
  if (!status)
    status = configure(&s, levels, &own);
  bp_free(levels);
  if (cycles->count > 0)
    qsort(cycles->items, (size_t)cycles->count, sizeof *cycles->items, compare);
  return bp_events_interrupted(events) ? BP_INTERRUPTED : status;
}

void bp_cycles_destroy(bp_cycles *cycles)
{
  for (int n = 0; n < cycles->count; ++n)
    bp_free(cycles->items[n].failure);
  bp_free(cycles->items);
}
