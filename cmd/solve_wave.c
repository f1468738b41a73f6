/* solve_wave.c -- steps from a standing wave or from sources, with snapshots and receivers. */
#include "solve_wave.h"

#include "base/memory.h"
#include "solve/vtu.h"
#include "solve/wave_slice.h"
#include "terminal.h"
#include "work/assembled.h"
#include "work/wave.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A plane through the box. */
typedef struct {
  int axis; /* -1: none is asked for */
  double share;
} slice;

/* "z", or "z=0.3" for a share of the box; NULL: none. */
static bp_status read_slice(const char *where, slice *s)
{
  static const char axes[] = "xyz";
  const char *axis = where && *where ? strchr(axes, *where) : NULL;
  int used = 1;
  *s = (slice){.axis = -1, .share = 0.5};
  if (!where)
    return BP_OK;
  if (!axis ||
      (where[1] && (sscanf(where + 1, "=%lf%n", &s->share, &used) != 1 || where[1 + used])) ||
      !(s->share >= 0 && s->share <= 1))
    return bp_fail(BP_BAD_INPUT,
                   "--slice: expected x, y or z, or x=0.3 for a share of the box, found '%s'",
                   where);
  s->axis = (int)(axis - axes);
  return BP_OK;
}

bp_status bp_solve_wave_check(const bp_arguments *arguments)
{
  slice plane;
  return read_slice(bp_argument_string(arguments, "slice"), &plane);
}

static double real_of(const bp_arguments *arguments, const char *option)
{
  return bp_argument_has(arguments, option) ? bp_argument_double(arguments, option) : 0;
}

/* ---- files ---- */

static bp_status write_snapshot(const bp_one_case *one)
{
  const bp_waves *w = bp_waves_of(one->stage);
  const bp_files to = bp_one_case_files(one);
  bp_whole whole;
  char *name = bp_format("u-%06d", w->done);
  char *path = bp_format("%s-%s.vtu", one->prefix, name);
  bp_status status = bp_assembled_whole(one->stage, w->base.u, &whole);
  if (!status && whole.u) {
    const int64_t count = bp_system_size(&whole.system);
    status = to.write(to.context, name, BP_NPY_FLOAT64, 1, &count, whole.u);
    if (!status)
      status = bp_vtu_write(path, &whole.system, "u", whole.u);
    if (!status)
      bp_print(stdout, "wrote %s\n", path);
  }
  bp_whole_destroy(&whole);
  bp_free(name);
  bp_free(path);
  return bp_comm_agree(one->stage->comm, status);
}

/* PREFIX-traces.npy (steps, receivers), after each step; PREFIX-times.npy (steps). */
static bp_status write_traces(const bp_waves *w, const bp_files *to)
{
  const int64_t shape[2] = {w->steps, w->receivers};
  double *rows = bp_alloc((size_t)w->steps * (size_t)w->receivers, sizeof *rows);
  double *times = bp_alloc((size_t)w->steps, sizeof *times);
  for (int k = 0; k < w->steps; ++k) {
    times[k] = (k + 1) * w->wave->dt;
    for (int n = 0; n < w->receivers; ++n)
      rows[k * w->receivers + n] = w->traces[n * w->steps + k];
  }
  bp_status status = to->write(to->context, "times", BP_NPY_FLOAT64, 1, shape, times);
  if (!status && w->receivers)
    status = to->write(to->context, "traces", BP_NPY_FLOAT64, 2, shape, rows);
  bp_free(rows);
  bp_free(times);
  return status;
}

/* A picture of the plane asked for, on the terminal and as PREFIX-slice.svg. */
static bp_status draw_plane(const slice *plane, const bp_whole *whole, const char *prefix)
{
  enum { POINTS = 72 };
  bp_wave_slice picture;
  bp_text text = {0};
  bp_wave_slice_create(&whole->system, whole->u, plane->axis, plane->share, POINTS, &picture);
  bp_wave_slice_draw(&picture, &text);
  fputs(bp_text_string(&text), stdout);
  bp_text_destroy(&text);
  char *path = bp_format("%s-slice.svg", prefix);
  bp_status status = bp_wave_slice_write(&picture, path);
  if (!status)
    bp_print(stdout, "wrote %s\n", path);
  bp_free(path);
  bp_wave_slice_destroy(&picture);
  return status;
}

static bp_status draw_slice(const bp_one_case *one, const char *where)
{
  slice plane;
  bp_whole whole;
  if (read_slice(where, &plane) || plane.axis < 0)
    return BP_OK;
  bp_status status = bp_assembled_whole(one->stage, one->stage->u, &whole);
  if (!status && whole.u)
    status = draw_plane(&plane, &whole, one->prefix);
  bp_whole_destroy(&whole);
  return bp_comm_agree(one->stage->comm, status);
}

/* ---- steps ---- */

/* In parts that end where u is written; the last step is one of its own, which is judged. */
static bp_status step_and_write(const bp_one_case *one, int every)
{
  bp_waves *w = bp_waves_of(one->stage);
  bp_stage_outcome outcome;
  bp_status status = every ? write_snapshot(one) : BP_OK;
  while (w->done < w->steps && !status) {
    const int left = w->steps - w->done, part = every ? every - w->done % every : left;
    const int now = part < left ? part : left;
    const bool is_judged = now == left && one->choice;
    status = bp_waves_go(w, one->choice, now - is_judged);
    if (!status && is_judged)
      status = bp_waves_go_last(w, one->choice, &outcome);
    if (!status && every && (w->done % every == 0 || w->done == w->steps))
      status = write_snapshot(one);
  }
  const char *id = one->choice ? one->choice->variant->id : one->command;
  if (status == BP_SKIPPED)
    return bp_fail_at(BP_ENVIRONMENT, id);
  if (status == BP_WRONG && bp_one_case_prints(one))
    fprintf(stderr, "bp solve: %s: %s\n", id, bp_message());
  return status;
}

/* What is known without a source: the energy stays, and in a box the wave itself. */
static bp_status judge_swing(bp_waves *w)
{
  const double tolerance = 1e-9,
               drift = bp_wave_energy(w->wave, w->base.u, w->before) / w->energy - 1;
  printf("energy %.6g, changed by %.3g of it\n", w->energy, drift);
  if (w->base.c->box[0]) {
    double *exact = bp_alloc((size_t)bp_system_size(w->base.system), sizeof *exact);
    bp_wave_standing(w->wave, w->done * w->wave->dt, exact);
    printf("standing wave: L2 error %.3g, of the amplitude's norm %.3g\n",
           bp_wave_distance(w->wave, w->base.u, exact), w->norm);
    bp_free(exact);
  }
  if (fabs(drift) <= tolerance)
    return BP_OK;
  if (w->base.comm->rank == 0)
    fprintf(stderr, "bp solve: the energy changed by %.2g of it, tolerance %.2g\n", drift,
            tolerance);
  return BP_WRONG;
}

static void print_beginning(const bp_one_case *one)
{
  const bp_waves *w = bp_waves_of(one->stage);
  const double dt = w->wave->dt;
  bp_one_case_print(one);
  printf("largest eigenvalue %.6g, dt %.6g, %.3g of the largest, %d steps to t = %.6g\n",
         w->largest, dt, dt * sqrt(w->largest) / 2, w->steps, w->steps * dt);
}

static bp_status write_files(const bp_arguments *arguments, const bp_one_case *one)
{
  const bp_files to = bp_one_case_files(one);
  bp_status status = one->c->kind->files(one->stage, &to);
  if (!status && bp_one_case_prints(one))
    status = write_traces(bp_waves_of(one->stage), &to);
  status = bp_comm_agree(one->stage->comm, status);
  return status ? status : draw_slice(one, bp_argument_string(arguments, "slice"));
}

bp_status bp_solve_wave(const bp_arguments *arguments, bp_one_case *one)
{
  const bp_wave_options wave = {.dt = real_of(arguments, "dt"),
                                .cfl = bp_argument_double(arguments, "cfl"),
                                .frequency = real_of(arguments, "frequency"),
                                .sources = bp_argument_string(arguments, "source"),
                                .receivers = bp_argument_string(arguments, "receiver")};
  bp_status status = bp_one_case_begin(one, (bp_stage_options){.wave = &wave});
  if (status)
    return status;
  bp_waves *w = bp_waves_of(one->stage);
  print_beginning(one);
  status = step_and_write(one, (int)bp_argument_int(arguments, "snapshots"));
  if (!status && w->wave->points.sources == 0)
    status = judge_swing(w);
  if (status && status != BP_WRONG)
    return status;
  bp_status written = write_files(arguments, one);
  return written ? written : status;
}
