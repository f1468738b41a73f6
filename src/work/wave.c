/* wave.c -- the wave equation: its beginning, its steps, and the one judge of them. */
#include "work/wave.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has(const bp_operator *op, const bp_bake_off *row)
{
  (void)op;
  return row && bp_bake_off_is_wave(row);
}

/* Now, before and the mass read, next written. */
static int64_t bytes(const bp_case *c, const bp_choice *choice, const bp_device *device)
{
  enum { NUMBERS = 4 };
  return bp_assembled_bytes(c, choice, device, NUMBERS);
}

static int64_t flops(const bp_case *c)
{
  enum { EACH = 4 };
  return bp_assembled_flops(c, EACH);
}

static size_t count_of(const bp_waves *w)
{
  return (size_t)bp_system_size(w->base.system);
}

static double *copy_of(const bp_waves *w, const double *values)
{
  double *copy = bp_alloc_array(count_of(w), sizeof *copy);
  memcpy(copy, values, count_of(w) * sizeof *copy);
  return copy;
}

/* ---- the beginning ---- */

/* "x,y,z" or several between semicolons. */
static bp_status add_points(bp_waves *w, bool is_source, const char *option, const char *text)
{
  bp_status status = BP_OK;
  for (const char *at = text; at && *at && !status;) {
    double x[3];
    int used = 0;
    if (sscanf(at, " %lf , %lf , %lf %n", &x[0], &x[1], &x[2], &used) != 3 ||
        (at[used] != ';' && at[used] != '\0'))
      return bp_fail(BP_BAD_INPUT, "--%s: expected x,y,z or several between semicolons, found '%s'",
                     option, at);
    status = bp_wave_points_add(w->base.system, is_source, x, &w->wave->points);
    at += used + (at[used] == ';');
  }
  return status;
}

/* What kernels hear where sources are tells what these do to the energy. */
static bp_status listen(bp_waves *w, const bp_wave_options *o)
{
  bp_wave_points *points = &w->wave->points;
  bp_status status = add_points(w, true, "source", o->sources);
  if (!status)
    status = add_points(w, false, "receiver", o->receivers);
  w->receivers = points->receivers;
  if (!status && points->receivers + points->sources > BP_WAVE_RECEIVERS_MAX)
    status = bp_fail(BP_BAD_INPUT, "--receiver: expected at most %d beside %d sources, found %d",
                     BP_WAVE_RECEIVERS_MAX - points->sources, points->sources, points->receivers);
  return status ? status : add_points(w, false, "source", o->sources);
}

/* Power iteration finds a little less than there is. */
static bp_status find_dt(bp_waves *w, const bp_wave_options *o)
{
  enum { ITERATIONS = 40 };
  const double spare = 1.02;
  w->largest = spare * bp_wave_largest(w->wave, ITERATIONS);
  const double limit = 2 / sqrt(w->largest);
  w->wave->dt = o->dt > 0 ? o->dt : o->cfl * limit;
  if (w->wave->dt < limit * spare)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "--dt: expected less than %.6g, where steps are stable, found %.6g",
                 limit, w->wave->dt);
}

static void rest_or_swing(bp_waves *w)
{
  double *now = w->base.u;
  const size_t size = count_of(w) * sizeof *now;
  memset(now, 0, size);
  memset(w->before, 0, size);
  if (w->wave->points.sources == 0) {
    bp_wave_standing(w->wave, 0, now);
    bp_wave_standing(w->wave, -w->wave->dt, w->before);
  }
}

static void begin(bp_waves *w, double frequency)
{
  const bp_wave_points *points = &w->wave->points;
  const double dt = w->wave->dt, usual = 8 / (w->steps * dt);
  w->before = bp_alloc_array(count_of(w), sizeof *w->before);
  w->signals = bp_alloc((size_t)points->sources * (size_t)w->steps, sizeof *w->signals);
  w->traces = bp_alloc((size_t)points->receivers * (size_t)w->steps, sizeof *w->traces);
  rest_or_swing(w);
  w->energy = points->sources ? 0 : bp_wave_energy(w->wave, w->base.u, w->before);
  w->norm = bp_wave_norm(w->wave, w->base.u);
  for (int n = 0; n < points->sources; ++n)
    for (int k = 0; k < w->steps; ++k)
      w->signals[n * w->steps + k] = bp_wave_ricker(frequency > 0 ? frequency : usual, k * dt);
}

/* A step from u with nothing before is 2 u - dt^2 M^-1 A u. */
static bp_status begin_application(bp_waves *w)
{
  bp_status status = bp_assembled_input(&w->base);
  w->before = bp_alloc(count_of(w), sizeof *w->before);
  return status;
}

static bp_status create(bp_stage *s)
{
  static const double part_of_bound = 0.9;
  bp_waves *w = bp_waves_of(s);
  const bp_wave_options *o = s->options.wave;
  w->steps = s->options.applies ? 1 : (int)s->config->iterations;
  bp_status status = bp_assembled_begin(s, w->steps);
  if (status)
    return status;
  bp_wave_create(s->system, part_of_bound, &w->wave);
  if (o)
    status = find_dt(w, o);
  if (!status && o)
    status = listen(w, o);
  if (!status && s->options.applies)
    status = begin_application(w);
  else if (!status)
    begin(w, o ? o->frequency : 0);
  return status || s->options.literal ? status
                                      : bp_wave_device_create(s->device, w->wave, s->u, w->before,
                                                              s->options.guarded, &w->kernels);
}

static void destroy(bp_stage *s)
{
  bp_waves *w = bp_waves_of(s);
  bp_wave_device_destroy(w->kernels);
  bp_wave_destroy(w->wave);
  bp_free(w->before);
  bp_free(w->signals);
  bp_free(w->traces);
}

static bp_status plan_of(bp_stage *s, const bp_choice *choice, int steps, bp_plan **plan)
{
  return bp_wave_device_plan(bp_waves_of(s)->kernels, choice, s->options.applies ? 1 : steps, plan);
}

/* ---- steps ---- */

static void step_by_the_book(bp_waves *w, int steps)
{
  const bp_wave_points *p = &w->wave->points;
  double signals[BP_WAVE_SOURCES_MAX] = {0};
  for (int k = w->done; k < w->done + steps; ++k) {
    for (int n = 0; n < p->sources; ++n)
      signals[n] = w->signals[n * w->steps + k];
    bp_wave_step(w->wave, signals, w->base.u, w->before);
    double *next = w->before;
    w->before = w->base.u;
    w->base.u = next;
    for (int n = 0; n < p->receivers; ++n)
      w->traces[n * w->steps + k] = bp_wave_points_value(w->base.system, p, n, w->base.u);
  }
}

/* From now and before on, to these. */
static bp_status run_kernels(bp_waves *w, bp_plan *plan)
{
  const bp_wave_points *p = &w->wave->points;
  const int steps = plan->iterations;
  double *signals = bp_alloc((size_t)p->sources * (size_t)steps, sizeof *signals);
  double *traces = bp_alloc((size_t)p->receivers * (size_t)steps, sizeof *traces);
  for (int n = 0; n < p->sources; ++n)
    memcpy(signals + n * steps, w->signals + n * w->steps + w->done,
           (size_t)steps * sizeof *signals);
  bp_status status = bp_wave_device_set(w->kernels, w->base.u, w->before);
  if (!status && p->sources)
    status = bp_wave_device_signal(w->kernels, signals, steps);
  status = bp_comm_agree(w->base.comm, status);
  if (!status)
    status =
        bp_wave_device_run(w->kernels, plan, w->base.u, w->before, p->receivers ? traces : NULL);
  for (int n = 0; n < p->receivers && !status; ++n)
    memcpy(w->traces + n * w->steps + w->done, traces + n * steps, (size_t)steps * sizeof *traces);
  bp_free(signals);
  bp_free(traces);
  w->done += steps;
  return status;
}

bp_status bp_waves_go(bp_waves *w, const bp_choice *choice, int steps)
{
  bp_plan *plan = NULL;
  if (steps == 0)
    return BP_OK;
  if (!choice) {
    step_by_the_book(w, steps);
    w->done += steps;
    return BP_OK;
  }
  bp_status status = bp_comm_agree(w->base.comm, bp_stage_plan(&w->base, choice, steps, &plan));
  if (!status)
    status = run_kernels(w, plan);
  bp_plan_destroy(plan);
  return status;
}

/* ---- right? ---- */

/* What sources did to the energy in the first `steps` steps, by what was heard where they are, which
 * begin at rest: a signal times half of how far u went there from the step before to the step after.
 * *moved: the same without signs. */
static double work_of_sources(const bp_waves *w, int steps, double *moved)
{
  double sum = 0;
  *moved = 0;
  for (int n = 0; n < w->wave->points.sources; ++n) {
    const double *heard = w->traces + (w->receivers + n) * w->steps,
                 *signal = w->signals + n * w->steps;
    for (int k = 0; k < steps; ++k) {
      const double part = signal[k] * (heard[k] - (k > 1 ? heard[k - 2] : 0)) / 2;
      sum += part;
      *moved += fabs(part);
    }
  }
  return sum;
}

/* The largest difference of what receivers say after step k from u there, of the largest u. */
static double error_of_receivers(const bp_waves *w, int k)
{
  const bp_wave_points *p = &w->wave->points;
  const int32_t *here = p->elements + BP_WAVE_SOURCES_MAX;
  double worst = 0, largest = 0;
  for (int n = 0; n < BP_WAVE_RECEIVERS_MAX && here[n] >= 0; ++n) {
    const int number = p->number[BP_WAVE_SOURCES_MAX + n];
    const double d = fabs(w->traces[number * w->steps + k] -
                          bp_wave_points_value(w->base.system, p, n, w->base.u));
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
  }
  for (size_t n = 0; n < count_of(w); ++n)
    largest = fmax(largest, fabs(w->base.u[n]));
  largest = bp_comm_largest(w->base.comm, largest);
  worst = bp_comm_largest(w->base.comm, worst);
  return worst > 0 ? worst / largest : 0;
}

/* The last of all steps, done, literally: from `previous` and, a step before, `exact`, which it
 * overwrites. Before it the energy has to be what there was and what sources gave: that is all steps but
 * the last. */
static bp_status judge_steps(bp_waves *w, const double *previous, double *exact,
                             bp_stage_outcome *outcome)
{
  enum { EPS_OF_A_STEP = 100 };
  const int last = w->done - 1;
  double signals[BP_WAVE_SOURCES_MAX] = {0}, moved;
  for (int n = 0; n < w->wave->points.sources; ++n)
    signals[n] = w->signals[n * w->steps + last];
  const double expected = w->energy + work_of_sources(w, last, &moved),
               energy = bp_wave_step(w->wave, signals, previous, exact),
               most = fmax(fmax(w->energy, moved), fabs(energy)),
               size = bp_wave_norm(w->wave, exact),
               off = bp_wave_distance(w->wave, w->base.u, exact) / (size > 0 ? size : 1),
               drift = fabs(energy - expected) / (most > 0 ? most : 1);
  const double errors[] = {off, drift, error_of_receivers(w, last)};
  outcome->tolerance = EPS_OF_A_STEP * DBL_EPSILON * w->done + 1e-11;
  outcome->error = 0;
  for (size_t n = 0; n < sizeof errors / sizeof *errors; ++n)
    outcome->error = fmax(outcome->error, isnan(errors[n]) ? INFINITY : errors[n]);
  if (outcome->error <= outcome->tolerance)
    return BP_OK;
  return bp_fail(BP_WRONG, "the %s is off by %.2g, tolerance %.2g",
                 errors[2] > outcome->tolerance ? "last step, the energy or a receiver"
                                                : "last step or the energy",
                 outcome->error, outcome->tolerance);
}

bp_status bp_waves_go_last(bp_waves *w, const bp_choice *choice, bp_stage_outcome *outcome)
{
  double *previous = copy_of(w, w->base.u), *exact = copy_of(w, w->before);
  *outcome = bp_stage_unknown;
  bp_status status = bp_waves_go(w, choice, 1);
  if (!status)
    status = judge_steps(w, previous, exact, outcome);
  bp_free(previous);
  bp_free(exact);
  return status;
}

/* All steps but the last from the beginning, then all of them: the values a step earlier, and two. */
static bp_status run_twice(bp_waves *w, bp_plan *plan, double **previous, double **exact)
{
  const int steps = plan->iterations;
  bp_status status = BP_OK;
  w->done = 0;
  rest_or_swing(w);
  if (steps > 1) {
    plan->iterations = steps - 1;
    status = run_kernels(w, plan);
    plan->iterations = steps;
  }
  *previous = copy_of(w, w->base.u);
  *exact = copy_of(w, w->before);
  w->done = 0;
  rest_or_swing(w);
  return status ? status : run_kernels(w, plan);
}

/* Of the amplitude at the beginning: the exact wave passes through 0. */
static double error_of_standing(bp_waves *w)
{
  double *exact = bp_alloc_array(count_of(w), sizeof *exact);
  bp_wave_standing(w->wave, w->done * w->wave->dt, exact);
  const double error = bp_wave_distance(w->wave, w->base.u, exact) / w->norm;
  bp_free(exact);
  return error;
}

static bp_status judge_run(bp_waves *w, bp_plan *plan, bp_stage_outcome *outcome)
{
  double *previous, *exact;
  bp_hash solved = {{0}};
  bp_status status = run_twice(w, plan, &previous, &exact);
  if (!status)
    solved = bp_assembled_hash(&w->base, (int64_t)count_of(w), w->before);
  if (bp_assembled_is_new(&w->base, status, &solved, outcome)) {
    *outcome = bp_stage_unknown;
    if (!status)
      status = judge_steps(w, previous, exact, outcome);
    if (!isnan(outcome->error) && w->base.c->box[0])
      outcome->solution_error = error_of_standing(w);
    if (!status)
      outcome->solved = solved;
  }
  bp_free(previous);
  bp_free(exact);
  return status;
}

/* v = A u from a step. */
static bp_status apply(bp_waves *w, bp_plan *plan)
{
  bp_stage *s = &w->base;
  const double square = w->wave->dt * w->wave->dt;
  bp_status status = bp_wave_device_run(w->kernels, plan, s->v, w->before, NULL);
  for (size_t n = 0; n < count_of(w) && !status; ++n)
    s->v[n] = (2 * s->u[n] - s->v[n]) * w->wave->mass[n] / square;
  return status;
}

static bp_status judge(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  if (!s->options.applies)
    return judge_run(bp_waves_of(s), plan, outcome);
  *outcome = bp_stage_unknown;
  bp_status status = apply(bp_waves_of(s), plan);
  return status ? status : bp_assembled_compare(s, outcome);
}

static bp_status files(bp_stage *s, const bp_files *to)
{
  bp_status status = bp_assembled_space(s, to);
  if (!status)
    status = bp_assembled_vector(s, "u", s->u, to);
  return status || !s->options.applies ? status : bp_assembled_vector(s, "v", s->v, to);
}

const bp_kind bp_kind_wave = {.name = "wave",
                              .has = has,
                              .stage_bytes = sizeof(bp_waves),
                              .has_mesh = true,
                              .unique = bp_case_mesh_unique,
                              .bytes = bytes,
                              .flops = flops,
                              .vectors = bp_assembled_vectors,
                              .create = create,
                              .destroy = destroy,
                              .plan = plan_of,
                              .judge = judge,
                              .compare = bp_assembled_compare,
                              .files = files};
