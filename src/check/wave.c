/* wave.c -- steps of a wave, compared with the literal ones. */
#include "check/solve.h"

#include "base/memory.h"
#include "base/random.h"
#include "solve/wave_device.h"
#include <math.h>
#include <string.h>

/* The last source is silent at first. */
enum { STEPS = 6, STEPS_MAX = 20, SILENT = 3, SILENT_LONG = 12 };

/* Both ends of a run, and what was said and heard on the way. */
typedef struct {
  int steps;
  double *now, *before, *exact, *exact_before, signals[BP_WAVE_SOURCES_MAX * STEPS_MAX],
      traces[BP_WAVE_RECEIVERS_MAX * STEPS_MAX], expected[BP_WAVE_RECEIVERS_MAX * STEPS_MAX];
} run;

static void run_destroy(run *r)
{
  bp_free(r->now);
  bp_free(r->before);
  bp_free(r->exact);
  bp_free(r->exact_before);
}

/* Random values where nothing is fixed. */
static run run_create(const bp_wave *wave, int steps)
{
  const int64_t size = bp_system_size(wave->system);
  run r = {.steps = steps,
           .now = bp_alloc_array((size_t)size, sizeof(double)),
           .before = bp_alloc_array((size_t)size, sizeof(double)),
           .exact = bp_alloc_array((size_t)size, sizeof(double)),
           .exact_before = bp_alloc_array((size_t)size, sizeof(double))};
  bp_random random = bp_random_start(3);
  for (int64_t n = 0; n < size; ++n) {
    r.now[n] = wave->mass[n] > 0 ? 2 * bp_random_unit(&random) - 1 : 0;
    r.before[n] = wave->mass[n] > 0 ? 2 * bp_random_unit(&random) - 1 : 0;
  }
  const int sources = wave->points.sources;
  for (int n = 0; n < sources * steps; ++n)
    r.signals[n] = sin(1 + n) / (wave->dt * wave->dt);
  for (int k = 0; k < (steps > STEPS ? SILENT_LONG : SILENT) && sources; ++k)
    r.signals[(sources - 1) * steps + k] = 0;
  memcpy(r.exact, r.now, (size_t)size * sizeof *r.now);
  memcpy(r.exact_before, r.before, (size_t)size * sizeof *r.now);
  return r;
}

/* Of an element of order 1 or 2, whose diagonal may be bent. */
static void place_on_diagonal(const bp_mesh *mesh, int64_t e, double part, double x[3])
{
  const int64_t size = bp_mesh_element_nodes(mesh);
  const int32_t *node = mesh->node + size * e;
  const double *a = mesh->x + 3 * (int64_t)node[0], *b = mesh->x + 3 * (int64_t)node[size - 1],
               *middle = mesh->x + 3 * (int64_t)node[size / 2];
  for (int d = 0; d < 3; ++d) {
    const double m = mesh->order > 1 ? middle[d] : (a[d] + b[d]) / 2;
    x[d] = (1 - part) * (1 - 2 * part) * a[d] + 4 * part * (1 - part) * m +
           part * (2 * part - 1) * b[d];
  }
}

/* Inside elements of `mesh`, the whole one, and at corners, where several meet, all of which lie on the
 * boundary. As many as there can be of each on one mesh, a few elsewhere. */
bp_status bp_check_points(bp_wave *wave, const bp_mesh *mesh)
{
  static const double parts[] = {0.3, 0.5, 0, 0.5, 0, 0.7, 1, 0.4};
  enum { FEW_SOURCES = 3, FEW_RECEIVERS = 5, PARTS = sizeof parts / sizeof *parts };
  const bool all = mesh->elements == BP_CHECK_FAN;
  const int sources = all ? BP_WAVE_SOURCES_MAX : FEW_SOURCES,
            receivers = all ? BP_WAVE_RECEIVERS_MAX : FEW_RECEIVERS;
  bp_status status = BP_OK;
  for (int n = 0; n < sources + receivers && !status; ++n) {
    const int64_t e =
        ((n % 2 ? mesh->elements - 1 : mesh->elements / 3) + 7 * (n / PARTS)) % mesh->elements;
    double x[3];
    place_on_diagonal(mesh, e, parts[n % PARTS], x);
    status = bp_wave_points_add(wave->system, n < sources, x, &wave->points);
  }
  return status;
}

static void step_by_the_book(const bp_wave *wave, run *r)
{
  for (int k = 0; k < r->steps; ++k) {
    double now[BP_WAVE_SOURCES_MAX];
    for (int n = 0; n < wave->points.sources; ++n)
      now[n] = r->signals[n * r->steps + k];
    bp_wave_step(wave, now, r->exact, r->exact_before);
    double *next = r->exact_before;
    r->exact_before = r->exact;
    r->exact = next;
    for (int n = 0; n < wave->points.receivers; ++n)
      r->expected[n * r->steps + k] =
          bp_wave_points_value(wave->system, &wave->points, n, r->exact);
  }
}

static double largest_difference(int64_t count, const double *x, const double *expected)
{
  double worst = 0, largest = 1e-300;
  for (int64_t n = 0; n < count; ++n) {
    const double d = fabs(x[n] - expected[n]);
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
    largest = fmax(largest, fabs(expected[n]));
  }
  return worst / largest;
}

/* Twice where both must give the same bits. */
static bp_status step_on_device(bp_device *device, const bp_choice *choice, const bp_wave *wave,
                                run *r)
{
  const int64_t size = bp_system_size(wave->system);
  bp_wave_device *d = NULL;
  bp_plan *plan = NULL;
  bp_status status = bp_wave_device_create(device, wave, r->now, r->before, true, &d);
  if (!status && wave->points.sources)
    status = bp_wave_device_signal(d, r->signals, r->steps);
  if (!status)
    status = bp_wave_device_plan(d, choice, r->steps, &plan);
  if (!status)
    status = bp_wave_device_run(d, plan, r->now, r->before, r->traces);
  if (!status && bp_check_repeats(device, choice, wave->system)) {
    double again[BP_WAVE_RECEIVERS_MAX * STEPS_MAX];
    double *now = bp_alloc_array((size_t)size, sizeof *now),
           *before = bp_alloc_array((size_t)size, sizeof *before);
    status = bp_wave_device_run(d, plan, now, before, again);
    if (!status)
      status = bp_check_bits(r->now, now, size, "u of unknown");
    if (!status)
      status = bp_check_bits(r->traces, again, (int64_t)wave->points.receivers * r->steps,
                             "the receivers' value");
    bp_free(now);
    bp_free(before);
  }
  bp_plan_destroy(plan);
  bp_wave_device_destroy(d);
  return status;
}

/* Step by step, with and without sources and receivers. */
static bp_status check_wave(bp_device *device, const bp_choice *choice, bp_system *system,
                            bool has_points, int steps)
{
  static const double tolerance = 1e-12;
  bp_wave *wave;
  bp_wave_create(system, 0.9, &wave);
  bp_status status = has_points ? bp_check_points(wave, system->mesh) : BP_OK;
  run r = run_create(wave, steps);
  step_by_the_book(wave, &r);
  const int64_t size = bp_system_size(wave->system);
  if (!status)
    status = step_on_device(device, choice, wave, &r);
  const double difference =
      status ? 0
             : fmax(fmax(largest_difference(size, r.now, r.exact),
                         largest_difference(size, r.before, r.exact_before)),
                    largest_difference(wave->points.receivers * steps, r.traces, r.expected));
  if (difference > tolerance)
    status =
        bp_fail(BP_WRONG, "%s, %s: %d steps differ by %.2g, tolerance %.2g",
                system->unknowns->fixed ? "fixed" : "free",
                has_points ? "sources and receivers" : "no sources", steps, difference, tolerance);
  run_destroy(&r);
  bp_wave_destroy(wave);
  return status;
}

bp_status bp_check_waves(bp_device *device, const bp_choice *choice, bp_system_options options,
                         const bp_mesh *mesh)
{
  const bool is_long = mesh->elements <= BP_CHECK_TURNED && options.space.degree <= BP_CHECK_QUICK;
  bp_status status = BP_OK;
  for (int n = 0; n < 2 && !status; ++n) {
    bp_system *system = NULL;
    options.lambda = 0;
    options.all_free = n;
    status = bp_system_create(options, mesh, &system);
    if (!status)
      status = check_wave(device, choice, system, (n + mesh->elements) % 2 == 0,
                          is_long ? STEPS_MAX : STEPS);
    bp_system_destroy(system);
  }
  return status;
}
