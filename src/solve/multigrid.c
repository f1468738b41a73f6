/* multigrid.c -- making a cycle, and running it by itself. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "base/text.h"
#include "kernels/abi/multigrid.h"
#include "solve/inner_products.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bp_status bp_multigrid_levels(const char *text, int degree, int degrees[BP_MULTIGRID_LEVELS],
                              int *count)
{
  *count = 0;
  if (strcmp(text, "auto") == 0) {
    for (int n = degree; n > 1; n = (n + 1) / 2)
      degrees[(*count)++] = n;
    degrees[(*count)++] = 1;
    return BP_OK;
  }
  const char *at = text;
  for (bool is_right = true; is_right;) {
    char *end;
    const long n = strtol(at, &end, 10);
    is_right = end > at && n >= 1 && n <= degree &&
               (*count ? n < degrees[*count - 1] : n == degree) && (*end == '-' || n == 1);
    if (is_right)
      degrees[(*count)++] = (int)n;
    if (is_right && *end == '\0')
      return BP_OK;
    at = end + 1;
  }
  return bp_fail(BP_BAD_INPUT, "levels: expected degrees that fall from %d to 1, found '%s'",
                 degree, text);
}

const char *const bp_smoothers[] = {"jacobi", "schwarz", "ras"};

char *bp_multigrid_describe(const bp_multigrid_options *options, int degree)
{
  const bp_multigrid_options *o = options;
  bp_text text = {0};
  int degrees[BP_MULTIGRID_LEVELS], count;
  if (bp_multigrid_levels(o->levels, degree, degrees, &count))
    count = 0;
  for (int n = 0; n < count; ++n)
    bp_text_appendf(&text, "%s%d", n ? "-" : "levels=", degrees[n]);
  bp_text_appendf(&text, " smoother=%s smoothing=%d", bp_smoothers[o->smoother], o->smoothing[0]);
  if (o->smoothing[1] != o->smoothing[0])
    bp_text_appendf(&text, ",%d", o->smoothing[1]);
  bp_text_appendf(&text, "%s coarse=%d", o->is_first_kind ? " chebyshev=first" : "", o->coarse);
  if (o->is_double)
    bp_text_append(&text, " cycle=double");
  return text.data;
}

void bp_multigrid_set_smoother(const bp_multigrid *m, double largest, bp_chebyshev smoother[2])
{
  static const double least = 0.1 / 1.1; /* of the first kind's interval, by its end */
  for (int n = 0; n < 2; ++n)
    smoother[n] = m->options.is_first_kind
                      ? bp_chebyshev_first(m->options.smoothing[n], least * largest, largest)
                      : bp_chebyshev_of(m->options.smoothing[n], largest);
}

/* ---- running parts of it ---- */

/* A level's vector on the device. */
static bp_array vector_at(const bp_multigrid *m, const bp_elements_level *l, bp_address at)
{
  return (bp_array){.name = "a level's vector",
                    .data = at,
                    .count = l->assembled.space.fields * bp_multigrid_vectors(l).stride,
                    .bytes = bp_cycled_bytes(m->outer.assembled.space),
                    .is_narrow = !m->outer.assembled.space.double_cycle};
}

/* There fields are `stride` apart, here `count`; and back. */
static bp_status put(bp_multigrid *m, const bp_elements_level *l, bp_address to, const double *x)
{
  const bp_level_vectors v = bp_multigrid_vectors(l);
  const bp_array array = vector_at(m, l, to);
  double *all = bp_alloc((size_t)array.count, sizeof *all);
  for (int64_t f = 0; f < l->assembled.space.fields; ++f)
    memcpy(all + f * v.stride, x + f * v.rows, (size_t)v.rows * sizeof *x);
  bp_status status = bp_array_write(m->device, &array, all);
  bp_free(all);
  return status;
}

static bp_status take(bp_multigrid *m, const bp_elements_level *l, bp_address from, double *x)
{
  const bp_level_vectors v = bp_multigrid_vectors(l);
  const bp_array array = vector_at(m, l, from);
  double *all = bp_alloc_array((size_t)array.count, sizeof *all);
  bp_status status = bp_array_read(m->device, &array, all);
  for (int64_t f = 0; f < l->assembled.space.fields && !status; ++f)
    memcpy(x + f * v.rows, all + f * v.stride, (size_t)v.rows * sizeof *x);
  bp_free(all);
  return status;
}

bp_status bp_multigrid_run(const bp_multigrid_maker *maker, const bp_elements_level *l,
                           bp_multigrid_io io)
{
  bp_multigrid *m = maker->m;
  const bp_run once = {
      .steps = maker->program->steps, .steps_count = maker->program->count, .repetitions = 1};
  bp_status status = put(m, l, io.in, io.from);
  if (!status)
    status = bp_multigrid_end(maker);
  if (!status)
    status = bp_program_run(m->device, &once, m->choice.variant->id, NULL);
  bp_program_destroy(maker->program);
  if (!status)
    status = take(m, l, io.out, io.to);
  return bp_comm_agree(m->scheme->system->comm, status);
}

bp_status bp_multigrid_cycle(bp_multigrid *multigrid, const double *b, double *x)
{
  const bp_elements_level *l = &multigrid->levels[0];
  bp_program program = {0};
  const bp_multigrid_maker k = bp_multigrid_begin(multigrid, &program);
  bp_multigrid_add_cycle(&k);
  return bp_multigrid_run(
      &k, l, (bp_multigrid_io){bp_multigrid_vectors(l).b, bp_multigrid_result(multigrid), b, x});
}

bp_status bp_multigrid_upload(bp_multigrid *m, const char *name, int64_t count, const void *values,
                              bool is_real, bp_array *array)
{
  const bp_space space = m->outer.assembled.space;
  const int bytes = is_real ? bp_cycled_bytes(space) : (int)sizeof(int);
  bp_status status = bp_array_create(m->device, name, count > 0 ? count : 1, bytes, false, array);
  array->is_narrow = is_real && !space.double_cycle;
  if (count == 0)
    return status ? status : bp_array_clear(m->device, array);
  return status ? status : bp_array_write(m->device, array, values);
}

/* ---- all of it ---- */

/* Each leaves words of sums in state[]. */
static bp_status check_threads(const bp_device *device)
{
  enum { MOST = BP_SOLVE_STATE / BP_MG_SUMS / BP_MG_WORDS };
  return device->backend->language == BP_LANGUAGE_CUDA || device->sms <= MOST
             ? BP_OK
             : bp_fail(BP_SKIPPED, "made for at most %d threads", MOST);
}

static bp_status make(bp_multigrid *m, bool has_levels)
{
  const bp_system *system = m->scheme->system;
  m->outer.system = (bp_system *)(uintptr_t)system;
  m->outer.assembled = *system->problem;
  const double norm = sqrt(bp_system_product(system, NULL, m->scheme->f, m->scheme->f));
  m->scale = norm > 0 && isfinite(norm) ? exp2(-round(log2(norm))) : 1;
  m->schedule = bp_alloc((size_t)BP_SCHEDULE_ROWS * BP_MG_ROW, sizeof *m->schedule);
  bp_status status = check_threads(m->device);
  if (!status && has_levels)
    status = bp_multigrid_levels(m->options.levels, system->problem->space.degree, m->degrees,
                                 &m->count);
  if (!status)
    status = bp_array_create(m->device, "the schedule", (int64_t)BP_SCHEDULE_ROWS * BP_MG_ROW,
                             sizeof *m->schedule, false, &m->schedule_on_device);
  if (!status)
    status = bp_multigrid_make_elements(m);
  return status || !has_levels ? status : bp_multigrid_make_rows(m);
}

static bp_status create(bp_scheme *scheme, const bp_choice *choice,
                        const bp_multigrid_options *options, bp_multigrid **multigrid)
{
  bp_multigrid *m = bp_alloc(1, sizeof *m);
  m->scheme = scheme;
  m->device = scheme->workspace->device;
  m->generation = m->device->generation;
  m->choice = *choice;
  if (options)
    m->options = *options;
  bp_status status = make(m, options);
  *multigrid = status ? NULL : m;
  if (status)
    bp_multigrid_destroy(m);
  return status;
}

bp_status bp_multigrid_create(bp_scheme *scheme, const bp_choice *choice,
                              const bp_multigrid_options *options, bp_multigrid **multigrid)
{
  return create(scheme, choice, options, multigrid);
}

bp_status bp_multigrid_create_around(bp_scheme *scheme, const bp_choice *choice,
                                     bp_multigrid **multigrid)
{
  return create(scheme, choice, NULL, multigrid);
}

void bp_multigrid_destroy(bp_multigrid *multigrid)
{
  bp_multigrid *m = multigrid;
  if (!m)
    return;
  bp_multigrid_destroy_rows(m);
  bp_multigrid_destroy_elements(m);
  bp_array_destroy(m->device, &m->schedule_on_device);
  bp_free(m->schedule);
  bp_free(m);
}
