/* tasks.c -- from what was asked for to choices and degrees. */
#include "check/tasks.h"
#include "check/solve.h"

#include "base/memory.h"
#include "device/shape.h"
#include "registry/best.h"
#include <string.h>

typedef struct {
  const bp_device *device;
  bp_selection selection;
  unsigned degrees;
  bp_check_tasks *tasks;
  bool has_points; /* somebody asked for some */
  int first;       /* task of the variant at hand */
  bp_element_geometry geometry;
} maker;

/* ---- tasks ---- */

static unsigned degrees_of(const bp_variant *variant)
{
  unsigned up_to = (2u << variant->highest) - 1;
  return up_to & ~((1u << variant->lowest) - 1);
}

/* A choice that is there already takes the degrees along. */
static void add(maker *m, const bp_choice *choice, unsigned degrees, bool is_other, int beyond)
{
  bp_check_tasks *t = m->tasks;
  degrees &= degrees_of(choice->variant) & m->degrees;
  for (int n = m->first; n < t->count && is_other; ++n)
    if (bp_choice_is_same(&t->items[n].choice, choice) && t->items[n].beyond == beyond &&
        t->items[n].ranks == 0 && t->items[n].geometry == m->geometry) {
      t->items[n].degrees |= degrees;
      return;
    }
  if (is_other && !degrees)
    return;
  t->items = bp_realloc(t->items, (size_t)t->count + 1, sizeof *t->items);
  t->items[t->count++] = (bp_check_task){*choice, degrees, is_other, beyond, 0, m->geometry};
}

/* ---- degrees ---- */

static bool fits(const maker *m, const bp_choice *choice, int degree, int beyond)
{
  const bp_operator *op = bp_operator_of_kernels(choice->variant->problem, 0);
  const bp_bake_off *rows[BP_BAKE_OFFS];
  bp_build build = {*choice, op, {0}};
  if (!op) {
    BP_ASSERT(bp_check_rows(choice->variant, rows) > 0);
    build.op = bp_bake_off_operator(rows[0], 1);
  }
  build.space = op ? bp_operator_space_with(op, degree, beyond, "own")
                   : bp_bake_off_space_with(rows[0], degree, beyond, "own");
  build.space.geometry = m->geometry;
  int64_t threads, shared;
  return bp_shapes_fit(m->device, &build, 1, &threads, &shared);
}

/* One or two of the degrees at which it can be launched, of two only one; they go round with the number of
 * tasks. */
static unsigned some_degrees(const maker *m, const bp_choice *choice, int how_many, int beyond)
{
  int list[BP_DEGREE_MAX + 1] = {0}, count = 0, at = m->tasks->count * 5;
  unsigned wanted = m->degrees & degrees_of(choice->variant), some = 0;
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree)
    if (wanted & 1u << degree && fits(m, choice, degree, beyond))
      list[count++] = degree;
  for (int n = 0; n < how_many && n < (count + 1) / 2; ++n)
    some |= 1u << list[(at + n * count / 2) % count];
  return some;
}

/* ---- other choices of a variant ---- */

static bool is_switch(const bp_variant_option *o)
{
  return o->low == 0 && o->high == 1;
}

static bool has_switch(const bp_variant *variant)
{
  bool has = false;
  for (int n = 0; n < variant->options_count; ++n)
    has = has || is_switch(&variant->options[n]);
  return has;
}

/* `wish`, or one more where that is the option's own, as far as it can go. */
static int64_t second_value(const bp_variant_option *o, int64_t wish)
{
  int64_t value = wish == o->standard ? wish + 1 : wish;
  value = value > o->high ? o->high : value < o->low ? o->low : value;
  return value == o->standard ? o->low : value;
}

/* All options but switches at `wish` or near it. */
static bp_choice second_choice(const bp_variant *variant, int64_t wish, bool switched)
{
  bp_choice choice = bp_choice_standard(variant);
  for (int n = 0; n < variant->options_count; ++n) {
    const bp_variant_option *o = &variant->options[n];
    choice.option[n] = !is_switch(o) ? second_value(o, wish)
                       : switched    ? 1 - o->standard
                                     : o->standard;
  }
  return choice;
}

/* With 3 or 4 elements in a block and the like, so that no count is a multiple; 2 where no more fit. */
static void add_second(maker *m, const bp_variant *variant, bool switched, int how_many)
{
  bp_choice choice;
  unsigned degrees = 0;
  for (int64_t wish = 3; wish > 1 && !degrees; --wish) {
    choice = second_choice(variant, wish, switched);
    degrees = some_degrees(m, &choice, how_many, 0);
  }
  add(m, &choice, degrees, true, 0);
}

/* Each small value of each option at some degree. */
static void add_small(maker *m, const bp_variant *variant)
{
  enum { MOST = 8 };
  for (int64_t wish = 2; wish <= MOST; ++wish) {
    const bp_choice choice = second_choice(variant, wish, false);
    bool is_met = false;
    for (int n = 0; n < variant->options_count; ++n)
      is_met = is_met || (!is_switch(&variant->options[n]) && choice.option[n] == wish);
    if (is_met && wish != 3)
      add(m, &choice, some_degrees(m, &choice, 1, 0), true, 0);
  }
}

static bp_status add_rungs(maker *m, const bp_variant *variant)
{
  bp_status status = BP_OK;
  for (int n = 0; n < bp_rungs_count && !status; ++n) {
    const bp_rung *rung = &bp_rungs[n];
    bp_choice choice = bp_choice_standard(variant);
    if (strcmp(rung->problem, variant->problem) != 0 || strcmp(rung->variant, variant->name) != 0 ||
        variant->language != BP_LANGUAGE_CUDA)
      continue;
    status = bp_choice_set_all(&choice, rung->options);
    if (!status)
      add(m, &choice, some_degrees(m, &choice, 2, 0), true, 0);
  }
  return status;
}

/* Each at the degrees that its rows have. */
static bp_status add_best(maker *m, const bp_variant *variant)
{
  bp_status status = BP_OK;
  for (int degree = variant->lowest; degree <= variant->highest && !status; ++degree) {
    const bp_best_wanted wanted = {
        .device = "", .problem = variant->problem, .degree = degree, .language = variant->language};
    bp_choice *choices = NULL;
    int count = m->degrees & 1u << degree ? bp_best_all(&wanted, &choices, &status) : 0;
    for (int n = 0; n < count && !status; ++n)
      if (choices[n].variant == variant && fits(m, &choices[n], degree, 0))
        add(m, &choices[n], 1u << degree, true, 0);
    bp_free(choices);
  }
  return status;
}

static const bp_operator *operator_of(const bp_variant *variant)
{
  const bp_bake_off *rows[BP_BAKE_OFFS];
  const bp_operator *op = bp_operator_of_kernels(variant->problem, 0);
  if (!op && bp_check_rows(variant, rows) > 0)
    op = bp_operator_find(rows[0]->operator);
  BP_ASSERT(op);
  return op;
}

static void add_ranks(maker *m, const bp_variant *variant, bp_choice choice)
{
  enum { MOST = 3 };
  bp_check_tasks *t = m->tasks;
  if (!bp_variant_is_for_ranks(variant) || m->device->backend == &bp_backend_cuda)
    return;
  for (int ranks = 2; ranks <= MOST; ++ranks) {
    const unsigned degrees = some_degrees(m, &choice, 1, 0);
    t->items = bp_realloc(t->items, (size_t)t->count + 1, sizeof *t->items);
    t->items[t->count++] = (bp_check_task){choice, degrees, true, 0, ranks, m->geometry};
  }
}

static void add_geometries(maker *m, const bp_variant *variant)
{
  const bp_choice choice = bp_choice_standard(variant);
  if (m->geometry || m->selection.space.precision)
    return;
  for (m->geometry = BP_STORED + 1; m->geometry < BP_GEOMETRIES; ++m->geometry)
    if (variant->geometries & 1u << m->geometry)
      add(m, &choice, some_degrees(m, &choice, 1, 0), true, 0);
  m->geometry = BP_STORED;
}

/* Another number of points than the bake-off's, which goes round, too. */
static void add_points(maker *m, const bp_variant *variant)
{
  const bp_operator *op = operator_of(variant);
  const int own = op->points_beyond;
  const bp_choice choice = bp_choice_standard(variant);
  if (!variant->most || bp_operator_is_collocated(op))
    return;
  int count = variant->most - variant->fewest + 1;
  int beyond = variant->fewest + m->tasks->count % count;
  if (beyond == own)
    beyond = beyond == variant->most ? variant->fewest : beyond + 1;
  if (beyond != own)
    add(m, &choice, some_degrees(m, &choice, 2, beyond), true, beyond);
}

/* ---- all of a variant ---- */

static bp_status add_variant(maker *m, const bp_variant *variant)
{
  bp_choice *choices, standard = bp_choice_standard(variant), last = standard;
  bool is_whole = false, is_set = m->selection.sweeps_count > 0, is_asked = false;
  bp_status status;
  m->selection.problem = variant->problem;
  m->selection.degree = variant->lowest;
  m->selection.language = variant->language;
  m->first = m->tasks->count;
  int count = bp_select(&m->selection, &choices, &status);
  for (int n = 0; n < count && !status; ++n)
    if (choices[n].variant == variant) {
      is_asked = true;
      last = choices[n];
      add(m, &last, m->degrees, false, 0);
      is_whole = is_whole || (!*choices[n].rung && bp_choice_is_same(&choices[n], &standard));
    }
  bp_free(choices);
  if (status || !(is_set ? is_asked : is_whole))
    return status;
  add_ranks(m, variant, is_set ? last : standard);
  if (is_set)
    return status;
  add_second(m, variant, false, 2);
  if (has_switch(variant))
    add_second(m, variant, true, 1);
  add_small(m, variant);
  if (!m->has_points)
    add_points(m, variant);
  add_geometries(m, variant);
  status = add_rungs(m, variant);
  return status ? status : add_best(m, variant);
}

/* Kernels on a caller's vectors are no solves; the tests of libbp look at them. */
static bool is_checked(const bp_variant *variant)
{
  const bp_bake_off *rows[BP_BAKE_OFFS];
  if (bp_variant_takes(variant, BP_OPERAND_targets))
    return false;
  return bp_operator_of_kernels(variant->problem, 0) || bp_check_rows(variant, rows) > 0;
}

/* Emulated solves take long: two degrees, unless some were asked for. */
static unsigned usual_degrees(const bp_device *device, const bp_variant *variant, bool all_degrees)
{
  bool is_solve = !bp_operator_of_kernels(variant->problem, 0);
  return is_solve && device->backend->is_emulation && all_degrees ? 3u << variant->lowest : ~0u;
}

/* An option that no variant to be checked has would be ignored in silence. */
static bp_status check_sweep(const bp_check_tasks *tasks, const char *option)
{
  for (int n = 0; n < tasks->count; ++n)
    if (bp_choice_has(tasks->items[n].choice.variant, option))
      return BP_OK;
  return tasks->count
             ? bp_fail(BP_BAD_INPUT,
                       "options: expected options of the selected variants, found '%s', which "
                       "none of them has",
                       option)
             : BP_OK;
}

bp_status bp_check_tasks_create(const bp_device *device, const bp_selection *selection,
                                unsigned degrees, bool has_points, bp_element_geometry geometry,
                                bp_check_tasks *tasks)
{
  maker m = {.device = device,
             .selection = *selection,
             .degrees = degrees,
             .has_points = has_points,
             .geometry = geometry,
             .tasks = tasks};
  int count;
  const bp_variant *all = bp_variants(&count);
  bp_status status = BP_OK;
  bool all_degrees = degrees == (2u << BP_DEGREE_MAX) - 2;
  *tasks = (bp_check_tasks){0};
  for (int n = 0; n < count && !status; ++n)
    if (all[n].language == device->backend->language && is_checked(&all[n]) &&
        bp_variant_has_precision(&all[n], selection->space) &&
        (selection->space.precision == BP_DOUBLE || /* as p-multigrid's iterations are */
         !bp_variant_takes(&all[n], BP_OPERAND_schedule))) {
      m.degrees = degrees & usual_degrees(device, &all[n], all_degrees);
      status = add_variant(&m, &all[n]);
    }
  for (int n = 0; n < selection->sweeps_count && !status; ++n)
    status = check_sweep(tasks, selection->sweeps[n].name);
  return status;
}

void bp_check_tasks_destroy(bp_check_tasks *tasks)
{
  bp_free(tasks->items);
  *tasks = (bp_check_tasks){0};
}
