/* solve_wave.c -- `bp solve --problem wave`: steps from a standing wave or from sources, with snapshots and
 * receivers. */
#include "solve_wave.h"
#include "assembled.h"
#include "bench/open.h"
#include "solve_picture.h"
#include "terminal.h"

#include "base/memory.h"
#include "base/text.h"
#include "solve/vtu.h"
#include "solve/wave_device.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, POWER_ITERATIONS = 40 };

typedef struct {
  bp_comm *comm;
  int threads;
  bp_assembled assembled;
  bp_wave *wave;
  const char *backend, *variant;
  int steps, every; /* every: steps from snapshot to snapshot, 0: none */
  int done;
  double frequency;
  bool has_slice;
  int slice_axis;
  double slice_share;
  double *now, *before;
  double *signals, *traces; /* [source][step], [receiver][step] */
  bp_device *device;        /* NULL: the literal steps */
  bp_choice choice;
  bp_wave_device *on_device;
} stepping;

/* ---- what is asked for ---- */

/* "x,y,z" or several between semicolons. */
static bp_status add_points(stepping *s, const char *option, const char *text)
{
  bp_status status = BP_OK;
  const bool is_source = strcmp(option, "source") == 0;
  for (const char *at = text; at && *at && !status;) {
    double x[3];
    int used = 0;
    if (sscanf(at, " %lf , %lf , %lf %n", &x[0], &x[1], &x[2], &used) != 3 ||
        (at[used] != ';' && at[used] != '\0'))
      return bp_fail(BP_BAD_INPUT, "--%s: expected x,y,z or several between semicolons, found '%s'",
                     option, at);
    status = bp_wave_points_add(s->assembled.system, is_source, x, &s->wave->points);
    at += used + (at[used] == ';');
  }
  return status;
}

/* "z", or "z=0.3" for a share of the box; NULL: none. */
static bp_status read_slice(stepping *s, const char *where)
{
  static const char axes[] = "xyz";
  const char *axis = where && *where ? strchr(axes, *where) : NULL;
  double share = 0.5;
  int used = 1;
  if (!where)
    return BP_OK;
  if (!axis || (where[1] && (sscanf(where + 1, "=%lf%n", &share, &used) != 1 || where[1 + used])) ||
      !(share >= 0 && share <= 1))
    return bp_fail(BP_BAD_INPUT,
                   "--slice: expected x, y or z, or x=0.3 for a share of the box, found '%s'",
                   where);
  s->has_slice = true;
  s->slice_axis = (int)(axis - axes);
  s->slice_share = share;
  return BP_OK;
}

/* The step: given, or a part of the largest by power iteration, which finds a little less than there is. */
static bp_status find_dt(stepping *s, const bp_arguments *arguments)
{
  const double spare = 1.02;
  const double largest = spare * bp_wave_largest(s->wave, POWER_ITERATIONS);
  const double limit = 2 / sqrt(largest);
  s->wave->dt = bp_argument_has(arguments, "dt") ? bp_argument_double(arguments, "dt")
                                                 : bp_argument_double(arguments, "cfl") * limit;
  printf("largest eigenvalue %.6g, dt %.6g, %.3g of the largest, %d steps to t = %.6g\n", largest,
         s->wave->dt, s->wave->dt / limit, s->steps, s->steps * s->wave->dt);
  if (s->wave->dt < limit * spare)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "--dt: expected less than %.6g, where steps are stable, found %.6g",
                 limit, s->wave->dt);
}

static void begin(stepping *s)
{
  const size_t size = (size_t)bp_system_size(s->assembled.system), steps = (size_t)s->steps;
  const bp_wave_points *points = &s->wave->points;
  s->now = bp_alloc(size, sizeof *s->now);
  s->before = bp_alloc(size, sizeof *s->before);
  s->signals = bp_alloc((size_t)points->sources * steps, sizeof *s->signals);
  s->traces = bp_alloc((size_t)points->receivers * steps, sizeof *s->traces);
  if (points->sources == 0) {
    bp_wave_standing(s->wave, 0, s->now);
    bp_wave_standing(s->wave, -s->wave->dt, s->before);
  }
  for (int n = 0; n < points->sources; ++n)
    for (int k = 0; k < s->steps; ++k)
      s->signals[n * s->steps + k] = bp_wave_ricker(s->frequency, k * s->wave->dt);
}

static bool is_reference(const stepping *s)
{
  return strcmp(s->backend, "reference") == 0;
}

/* What ranks do not do. */
static bp_status check_for_ranks(const stepping *s)
{
  const char *option = s->has_slice ? "--slice" : "--snapshots";
  if (s->comm->size > 1 && is_reference(s))
    return bp_fail(BP_BAD_INPUT,
                   "bp solve: --ranks: expected --backend cpu, cuda or emulate, found %s",
                   s->backend);
  if (s->comm->size > 1 && (s->has_slice || s->every))
    return bp_fail(BP_BAD_INPUT, "%s: expected one rank, found %d", option, s->comm->size);
  return BP_OK;
}

static bp_status open_device(stepping *s)
{
  const bp_device_options options = {.graph = true, .threads = s->threads};
  if (is_reference(s))
    return BP_OK;
  bp_status status = bp_bench_open_on(bp_backend_find(s->backend), options, s->comm, &s->device);
  if (!status)
    status = bp_comm_agree(
        s->comm, bp_assembled_choose(&s->assembled, s->device, s->variant, "loops", &s->choice));
  if (!status)
    status = bp_wave_device_create(s->device, s->wave, s->now, s->before, true, &s->on_device);
  return status;
}

/* ---- steps ---- */

static void step_by_the_book(stepping *s, int steps)
{
  const bp_wave_points *p = &s->wave->points;
  double signals[BP_WAVE_SOURCES_MAX] = {0};
  for (int k = s->done; k < s->done + steps; ++k) {
    for (int n = 0; n < p->sources; ++n)
      signals[n] = s->signals[n * s->steps + k];
    bp_wave_step(s->wave, signals, s->now, s->before);
    double *next = s->before;
    s->before = s->now;
    s->now = next;
    for (int n = 0; n < p->receivers; ++n)
      s->traces[n * s->steps + k] = bp_wave_points_value(s->assembled.system, p, n, s->now);
  }
}

static bp_status step_on_device(stepping *s, int steps)
{
  const bp_wave_points *p = &s->wave->points;
  double *signals = bp_alloc((size_t)p->sources * (size_t)steps, sizeof *signals);
  double *traces = bp_alloc((size_t)p->receivers * (size_t)steps, sizeof *traces);
  bp_plan *plan = NULL;
  for (int n = 0; n < p->sources; ++n)
    memcpy(signals + n * steps, s->signals + n * s->steps + s->done,
           (size_t)steps * sizeof *signals);
  bp_status status = bp_wave_device_set(s->on_device, s->now, s->before);
  if (!status)
    status = bp_wave_device_signal(s->on_device, signals, steps);
  if (!status)
    status = bp_wave_device_plan(s->on_device, &s->choice, steps, &plan);
  status = bp_comm_agree(s->comm, status);
  if (!status)
    status = bp_wave_device_run(s->on_device, plan, s->now, s->before, traces);
  for (int n = 0; n < p->receivers && !status; ++n)
    memcpy(s->traces + n * s->steps + s->done, traces + n * steps, (size_t)steps * sizeof *traces);
  bp_plan_destroy(plan);
  bp_free(signals);
  bp_free(traces);
  return status == BP_SKIPPED ? bp_fail_at(BP_ENVIRONMENT, s->choice.variant->id) : status;
}

static bp_status go(stepping *s, int steps)
{
  bp_status status = BP_OK;
  if (steps == 0)
    return BP_OK;
  if (s->device)
    status = step_on_device(s, steps);
  else
    step_by_the_book(s, steps);
  s->done += steps;
  return status;
}

/* The last step, which the literal one has to agree with. */
static bp_status go_last(stepping *s)
{
  const double tolerance = 1e-11;
  const size_t bytes = (size_t)bp_system_size(s->assembled.system) * sizeof *s->now;
  double *exact = bp_alloc_array(bytes, 1), *from = bp_alloc_array(bytes, 1);
  double signals[BP_WAVE_SOURCES_MAX] = {0};
  for (int n = 0; n < s->wave->points.sources; ++n)
    signals[n] = s->signals[n * s->steps + s->done];
  memcpy(exact, s->before, bytes);
  memcpy(from, s->now, bytes);
  bp_status status = go(s, 1);
  bp_wave_step(s->wave, signals, from, exact);
  const double size = bp_wave_norm(s->wave, exact),
               error = bp_wave_distance(s->wave, s->now, exact) / (size > 0 ? size : 1);
  if (!status && !(error <= tolerance))
    status = bp_fail(BP_WRONG, "%s: the last step is off by %.2g, tolerance %.2g",
                     s->choice.variant->id, error, tolerance);
  if (status == BP_WRONG && s->comm->rank == 0)
    fprintf(stderr, "bp solve: %s\n", bp_message());
  bp_free(exact);
  bp_free(from);
  return status;
}

/* ---- files ---- */

static bp_status write_snapshot(const stepping *s)
{
  char *name = bp_format("u-%06d", s->done);
  char *path = bp_format("%s-%s.vtu", s->assembled.prefix, name);
  bp_status status = bp_assembled_write_vector(&s->assembled, name, s->now);
  if (!status)
    status = bp_vtu_write(path, s->assembled.system, "u", s->now);
  if (!status)
    bp_print(stdout, "wrote %s\n", path);
  bp_free(name);
  bp_free(path);
  return status;
}

/* PREFIX-traces.npy (steps, receivers), after each step; PREFIX-times.npy (steps). */
static bp_status write_traces(const stepping *s)
{
  const int receivers = s->wave->points.receivers;
  const int64_t shape[2] = {s->steps, receivers};
  double *rows = bp_alloc((size_t)s->steps * (size_t)receivers, sizeof *rows);
  double *times = bp_alloc((size_t)s->steps, sizeof *times);
  for (int k = 0; k < s->steps; ++k) {
    times[k] = (k + 1) * s->wave->dt;
    for (int n = 0; n < receivers; ++n)
      rows[k * receivers + n] = s->traces[n * s->steps + k];
  }
  bp_status status = bp_write_npy(s->assembled.prefix, "times", BP_NPY_FLOAT64, 1, shape, times);
  if (!status && receivers)
    status = bp_write_npy(s->assembled.prefix, "traces", BP_NPY_FLOAT64, 2, shape, rows);
  bp_free(rows);
  bp_free(times);
  return status;
}

/* A picture of the plane asked for, on the terminal and as PREFIX-slice.svg. */
static bp_status draw_slice(const stepping *s)
{
  enum { POINTS = 72 };
  if (!s->has_slice)
    return BP_OK;
  bp_wave_slice slice;
  bp_wave_slice_create(s->assembled.system, s->now, s->slice_axis, s->slice_share, POINTS, &slice);
  bp_picture_print(&slice);
  char *path = bp_format("%s-slice.svg", s->assembled.prefix);
  bp_status status = bp_picture_write(path, &slice);
  if (!status)
    bp_print(stdout, "wrote %s\n", path);
  bp_free(path);
  bp_wave_slice_destroy(&slice);
  return status;
}

/* ---- all of it ---- */

static bp_status step_and_write(stepping *s)
{
  bp_status status = s->every ? write_snapshot(s) : BP_OK;
  while (s->done < s->steps && !status) {
    int left = s->steps - s->done, chunk = s->every ? s->every - s->done % s->every : left;
    chunk = chunk < left ? chunk : left;
    const int most = s->assembled.system->problem->iterations;
    chunk = chunk < most ? chunk : most;
    const bool is_last = chunk == left && s->device;
    status = go(s, is_last ? chunk - 1 : chunk);
    if (!status && is_last)
      status = go_last(s);
    if (!status && s->every && (s->done % s->every == 0 || s->done == s->steps))
      status = write_snapshot(s);
  }
  return status;
}

/* What is known without a source: the energy stays, and in a box the wave itself. */
static bp_status judge(const stepping *s, double energy, double norm, bool is_box)
{
  const double tolerance = 1e-9, drift = bp_wave_energy(s->wave, s->now, s->before) / energy - 1;
  const bp_unknowns *u = s->assembled.system->unknowns;
  printf("energy %.6g, changed by %.3g of it\n", energy, drift);
  if (is_box && s->now) {
    double *exact = bp_alloc((size_t)u->count, sizeof *exact);
    bp_wave_standing(s->wave, s->done * s->wave->dt, exact);
    printf("standing wave: L2 error %.3g, of the amplitude's norm %.3g\n",
           bp_wave_distance(s->wave, s->now, exact), norm);
    bp_free(exact);
  }
  if (fabs(drift) <= tolerance)
    return BP_OK;
  bp_fail(BP_WRONG, "the energy changed by %.2g of it, tolerance %.2g", drift, tolerance);
  if (s->comm->rank == 0)
    fprintf(stderr, "bp solve: %s\n", bp_message());
  return BP_WRONG;
}

static bp_status run(stepping *s, const bp_arguments *arguments)
{
  const bool has_sources = s->wave->points.sources, is_box = bp_argument_has(arguments, "box");
  begin(s);
  const double energy = has_sources ? 0 : bp_wave_energy(s->wave, s->now, s->before);
  const double norm = bp_wave_norm(s->wave, s->now);
  bp_status status = open_device(s);
  if (!status)
    status = step_and_write(s);
  if (!status && !has_sources)
    status = judge(s, energy, norm, is_box);
  if (status && status != BP_WRONG)
    return status;
  bp_status written = bp_assembled_write_space(&s->assembled);
  if (!written)
    written = bp_assembled_write_vector(&s->assembled, "u", s->now);
  if (!written && s->comm->rank == 0)
    written = write_traces(s);
  if (!written)
    written = draw_slice(s);
  written = bp_comm_agree(s->comm, written);
  return written ? written : status;
}

static bp_status prepare(stepping *s, const bp_arguments *arguments)
{
  if (!bp_argument_has(arguments, "degree"))
    return bp_fail(BP_BAD_INPUT, "bp solve: expected --degree N, found none");
  const bp_bake_off *row = bp_bake_off_find("wave");
  const bp_system_options options = {
      .row = row, .space = bp_bake_off_space(row, (int)bp_argument_int(arguments, "degree"))};
  s->backend = bp_argument_string(arguments, "backend");
  s->variant = bp_argument_string(arguments, "variants");
  s->steps = bp_argument_has(arguments, "iterations")
                 ? (int)bp_argument_int(arguments, "iterations")
                 : STEPS;
  s->every = (int)bp_argument_int(arguments, "snapshots");
  bp_status status = read_slice(s, bp_argument_string(arguments, "slice"));
  if (!status)
    status = check_for_ranks(s);
  if (!status)
    status = bp_assembled_create(arguments, "bp solve", options, s->comm, &s->assembled);
  if (status)
    return status;
  bp_assembled_print(&s->assembled);
  bp_wave_create(s->assembled.system, 1, &s->wave);
  status = find_dt(s, arguments);
  s->frequency = bp_argument_has(arguments, "frequency")
                     ? bp_argument_double(arguments, "frequency")
                     : 8 / (s->steps * s->wave->dt);
  if (!status)
    status = add_points(s, "source", bp_argument_string(arguments, "source"));
  return status ? status : add_points(s, "receiver", bp_argument_string(arguments, "receiver"));
}

bp_status bp_solve_wave(const bp_arguments *arguments, bp_comm *comm, int threads)
{
  stepping s = {.comm = comm, .threads = threads};
  bp_status status = prepare(&s, arguments);
  if (!status)
    status = run(&s, arguments);
  bp_wave_device_destroy(s.on_device);
  bp_device_destroy(s.device);
  bp_wave_destroy(s.wave);
  bp_free(s.now);
  bp_free(s.before);
  bp_free(s.signals);
  bp_free(s.traces);
  bp_assembled_destroy(&s.assembled);
  return status;
}
