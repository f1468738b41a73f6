/* best.c -- finding the row that fits, in the shipped table and the user's. */
#include "registry/best.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/bake_off.h"
#include "registry/architecture.h"
#include "registry/operand.h"
#include <math.h>
#include <string.h>

/* The nearest row so far. */
typedef struct {
  const bp_best_wanted *wanted;
  bool for_ranks;
  bool of_any_device;     /* fewer elements and so on, until they fit */
  const bp_variant *only; /* whose options are looked for; NULL: any variant */
  bp_choice choice;
  bool is_own;     /* the row is of the device's name */
  double distance; /* INFINITY: none yet */
} search;

/* How far the sizes are apart; 1000, more than any two numbers are, where one of them is not known. A row of
 * any number of points is further away, one of another map of elements more so, one of another problem with the
 * same kernels still more, and one of stored doubles for another space further than any. */
static double distance_of(const bp_best *row, const bp_best_wanted *wanted)
{
  const int64_t elements = wanted->elements;
  const double other = (strcmp(row->problem, wanted->problem) == 0 ? 0 : 10000) +
                       (row->points == BP_BEST_ANY_POINTS ? 3000 : 0) +
                       (row->geometry == wanted->space.geometry ? 0
                        : row->geometry                         ? 5000
                                                                : 30000) +
                       (row->precision != wanted->space.precision ? 30000 : 0);
  if (row->elements == 0 || elements == 0)
    return other + (row->elements == elements ? 0 : 1000);
  return other + fabs(log((double)row->elements / (double)elements));
}

static const bp_variant *variant_of(const bp_best *row, bp_language language)
{
  char *id = bp_format("%s/%s", bp_bake_off_kernels(row->problem), row->variant);
  const bp_variant *variant = bp_variant_find(id, language);
  bp_free(id);
  return variant;
}

/* Its degree, its geometry and its precision. solve/level is for levels alone, solve/mapped for a caller's
 * vectors; both take options of others, too. */
static bool has_space(const bp_variant *variant, const bp_best_wanted *wanted)
{
  return variant && wanted->degree >= variant->lowest && wanted->degree <= variant->highest &&
         (!wanted->space.geometry || variant->geometries & 1u << wanted->space.geometry) &&
         bp_variant_has_precision(variant, wanted->space) &&
         (!bp_variant_is_level(variant) || wanted->space.level) &&
         (!bp_variant_takes(variant, BP_OPERAND_targets) || wanted->space.mapped) &&
         bp_variant_takes(variant, BP_OPERAND_schedule) == wanted->space.multigrid;
}

/* The variant with those values that are not the other one's standard, as far as it has the option and the
 * value is in its range. */
static void take_options(bp_choice *choice, const bp_variant *variant)
{
  const bp_choice other = *choice, usual = bp_choice_standard(other.variant);
  *choice = bp_choice_standard(variant);
  for (int n = 0; n < variant->options_count; ++n) {
    const bp_variant_option *o = &variant->options[n];
    const int64_t value = bp_choice_option(&other, o->name, o->standard);
    if (value != bp_choice_option(&usual, o->name, value) && o->low <= value && value <= o->high)
      choice->option[n] = value;
  }
}

/* NAME-ranks with these options; false if there is none of that degree. */
static bool make_namesake(bp_choice *choice, const bp_best_wanted *wanted)
{
  char *id = bp_format("%s-ranks", choice->variant->id);
  const bp_variant *variant = bp_variant_find(id, wanted->language);
  bp_free(id);
  if (!has_space(variant, wanted))
    return false;
  take_options(choice, variant);
  return true;
}

static bool is_same_way(const bp_variant *a, const bp_variant *b)
{
  return strcmp(a->way ? a->way : "", b->way ? b->way : "") == 0;
}

static bool has_points(const bp_best *row, int points)
{
  return row->points == points || (row->points == BP_BEST_ANY_POINTS && points);
}

/* Rows of stored doubles are for every geometry and precision, others for their own precision; of one map of
 * elements for all maps. */
static bool is_for(const bp_best *row, bp_space space)
{
  return (!row->geometry || space.geometry) &&
         (!row->precision || row->precision == space.precision);
}

/* Blocks that wait for each other run at once, one on a multiprocessor. */
static bool runs_at_once(const bp_choice *choice, const bp_best_wanted *wanted)
{
  const bp_bake_off *solve = bp_bake_off_find(wanted->problem);
  bp_name names[BP_NAMES_MAX];
  int64_t blocks = 0;
  if (!solve || wanted->sms == 0)
    return true;
  bp_choice_names(choice, bp_bake_off_operator(solve, 0), bp_bake_off_space(solve, wanted->degree),
                  wanted->elements, 1, wanted->sms, names);
  for (int n = 0; n < choice->variant->launches_count && blocks <= wanted->sms; ++n) {
    const bp_launch *launch = &choice->variant->launches[n];
    if (launch->together && launch->blocks)
      BP_ASSERT(bp_expression_evaluate(launch->blocks, names, &blocks) == BP_OK);
  }
  return blocks <= wanted->sms;
}

/* ---- what the device allows ---- */

/* Threads of the largest block, and shared memory of the one that has most. What has no value as yet counts
 * as nothing. */
static void find_block(const bp_choice *choice, const bp_best_wanted *wanted, int64_t *threads,
                       int64_t *shared)
{
  bp_name names[BP_NAMES_MAX];
  bp_choice_names(choice, wanted->op, wanted->space, wanted->elements, 1, wanted->sms, names);
  *threads = *shared = 0;
  for (int n = 0; n < choice->variant->launches_count; ++n) {
    const bp_launch *launch = &choice->variant->launches[n];
    int64_t all = 1, value;
    for (int d = 0; d < 3; ++d)
      all *= bp_expression_evaluate(launch->threads[d], names, &value) ? 1 : value;
    *threads = all > *threads ? all : *threads;
    if (!bp_expression_evaluate(launch->shared, names, &value) && value > *shared)
      *shared = value;
  }
}

/* Barriers and buffers that kernels have beside what their launch lines ask for. */
enum { STATIC_SHARED = 4096, RESERVED = 1024 };

static bool fits(const bp_choice *choice, const bp_best_wanted *wanted)
{
  const bp_best_limits *limits = &wanted->limits;
  int64_t threads, shared;
  if (!limits->sm || !wanted->op)
    return true;
  find_block(choice, wanted, &threads, &shared);
  return !*bp_feature_lacking(choice->variant->requires, limits->sm) &&
         threads <= limits->threads_max && shared <= limits->shared_max;
}

/* An option of that name becomes half, or one less; false where it cannot. */
static bool take_less(bp_choice *choice, const char *name)
{
  for (int n = 0; n < choice->variant->options_count; ++n) {
    const bp_variant_option *o = &choice->variant->options[n];
    const int64_t less = choice->option[n] > 8 ? choice->option[n] / 2 : choice->option[n] - 1;
    if (strcmp(o->name, name) != 0 || less < o->low)
      continue;
    choice->option[n] = less;
    return true;
  }
  return false;
}

/* Whether so many blocks as the choice wants for a multiprocessor have room there. */
static bool has_room(const bp_choice *choice, const bp_best_wanted *wanted)
{
  const int64_t blocks = bp_choice_option(choice, "blocks_per_sm", 1);
  int64_t threads, shared;
  find_block(choice, wanted, &threads, &shared);
  return blocks * (shared + STATIC_SHARED + RESERVED) <= wanted->limits.shared_max + RESERVED;
}

/* First to a block that fits, then to blocks that do together: smaller ones before fewer. At last less
 * goes through shared memory. */
static bool make_fit(bp_choice *choice, const bp_best_wanted *wanted)
{
  static const char *const less[] = {"elements_per_block", "stages", "slots", "pieces", "cubes",
                                     "consumer_groups",    "warps",  NULL},
                           *const fewer[] = {"elements_per_block", "blocks_per_sm", NULL};
  bp_best_wanted room = *wanted;
  room.limits.shared_max -= STATIC_SHARED;
  if (*bp_feature_lacking(choice->variant->requires, wanted->limits.sm))
    return false;
  if (fits(choice, wanted) && has_room(choice, wanted))
    return true;
  for (int n = 0; less[n] && !fits(choice, &room);)
    n += !take_less(choice, less[n]);
  for (int n = 0; fewer[n] && !has_room(choice, wanted);)
    n += !take_less(choice, fewer[n]);
  if (!fits(choice, &room))
    (void)take_less(choice, "staged");
  if (!fits(choice, &room) && bp_choice_option(choice, "in_l2", 1) == 0)
    (void)bp_choice_set(choice, "in_l2", 1);
  return fits(choice, &room);
}

static bool has_class(const bp_best_wanted *wanted)
{
  return wanted->limits.class && *wanted->limits.class;
}

/* Where there are classes, rows of any device come after those of the device's own class. */
static bool is_of_device(const bp_best *row, const bp_best_wanted *wanted)
{
  if (!wanted->device || !has_class(wanted))
    return !wanted->device || bp_matches(row->device, wanted->device);
  return strcmp(row->device, "*") != 0 &&
         (bp_matches(row->device, wanted->device) || bp_matches(row->device, wanted->limits.class));
}

static bool choice_of(const bp_best *row, const bp_best_wanted *wanted, bp_choice *choice)
{
  const char *kernels = bp_bake_off_kernels(wanted->problem);
  if (strcmp(bp_bake_off_kernels(row->problem), kernels) != 0 || wanted->degree < row->lowest ||
      wanted->degree > row->highest || !has_points(row, wanted->points) ||
      !is_for(row, wanted->space))
    return false;
  const bp_variant *variant = variant_of(row, wanted->language);
  if (!has_space(variant, wanted))
    return false;
  *choice = bp_choice_standard(variant);
  return bp_choice_set_all(choice, row->options) == BP_OK && runs_at_once(choice, wanted);
}

/* A row of NAME-ranks is for ranks alone; of others they take what they can run, or the namesakes. */
static bool make_runnable(const search *s, bp_choice *choice)
{
  return s->for_ranks ? bp_variant_is_for_ranks(choice->variant) || make_namesake(choice, s->wanted)
                      : !bp_variant_is_namesake(choice->variant);
}

/* A solve without rows of its own takes the options of one with the same operator: further away than any row
 * of its own. */
static bool make_only(const search *s, bp_choice *choice, double *distance)
{
  enum { OF_ANOTHER = 1000000 };
  if (choice->variant == s->only)
    return true;
  if (!bp_bake_off_find(s->only->problem) || !is_same_way(s->only, choice->variant))
    return false;
  take_options(choice, s->only);
  *distance += OF_ANOTHER;
  return runs_at_once(choice, s->wanted);
}

static void look_at(search *s, const bp_best *row, const char *table)
{
  bp_choice choice;
  double distance = distance_of(row, s->wanted);
  if (distance >= s->distance || (!s->of_any_device && !is_of_device(row, s->wanted)) ||
      !choice_of(row, s->wanted, &choice))
    return;
  if (!(s->only ? make_only(s, &choice, &distance) : make_runnable(s, &choice)) ||
      distance >= s->distance)
    return;
  if (!(s->of_any_device ? make_fit(&choice, s->wanted) : fits(&choice, s->wanted)))
    return;
  s->distance = distance;
  s->is_own = s->wanted->device && bp_matches(row->device, s->wanted->device);
  s->choice = choice;
  s->choice.from = table;
  s->choice.from_line = row->line;
}

static void look_at_shipped(search *s)
{
  for (int n = 0; n < bp_best_shipped_count; ++n)
    look_at(s, &bp_best_shipped[n], "kernels/best");
}

static bool is_known(const bp_best *row, bp_language language)
{
  const bp_variant *variant = variant_of(row, language);
  bp_choice choice = variant ? bp_choice_standard(variant) : (bp_choice){0};
  return variant && bp_choice_set_all(&choice, row->options) == BP_OK;
}

/* Rows of variants or options that are not there any more are passed over; one line tells so. */
static void tell_outdated(const bp_best_table *own)
{
  const bp_best *first = NULL;
  int count = 0;
  for (int n = 0; n < own->count; ++n) {
    const bp_best *row = &own->lines[n].row;
    if (!own->lines[n].fields || is_known(row, BP_LANGUAGE_C) || is_known(row, BP_LANGUAGE_CUDA))
      continue;
    first = count++ ? first : row;
  }
  if (count)
    bp_tell("%s:%d: passed over%s: this bp has no %s/%s%s%s; 'bp tune' finds a new choice",
            own->path, first->line, count > 1 ? ", as are others" : "", first->problem,
            first->variant, *first->options ? " " : "", first->options);
}

/* Read once; as long as the program lives. */
static bp_status own_table(const bp_best_table **table)
{
  static bp_best_table own;
  static bool is_read;
  bp_status status = BP_OK;
  if (!is_read) {
    char *path = bp_best_path();
    bp_best_table_destroy(&own);
    status = path ? bp_best_read(path, &own) : BP_OK;
    is_read = !status;
    bp_free(path);
    if (is_read)
      tell_outdated(&own);
  }
  *table = &own;
  return status;
}

static void look_at_all(search *s, const bp_best_table *own)
{
  for (int n = 0; n < own->count; ++n)
    if (own->lines[n].fields)
      look_at(s, &own->lines[n].row, own->path);
  look_at_shipped(s);
}

/* Where no row fits: the standard options of variants that hold elements, not matrices. */
static void look_at_standard(search *s)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count && s->distance == INFINITY; ++n) {
    bp_choice choice = bp_choice_standard(&all[n]);
    if (all[n].language != s->wanted->language || !has_space(&all[n], s->wanted) ||
        strcmp(all[n].problem, bp_bake_off_kernels(s->wanted->problem)) != 0 ||
        bp_variant_takes(&all[n], BP_OPERAND_columns) ||
        (s->for_ranks ? !bp_variant_is_for_ranks(&all[n]) : bp_variant_is_namesake(&all[n])) ||
        (s->wanted->limits.sm && !make_fit(&choice, s->wanted)))
      continue;
    s->choice = choice;
    s->distance = 0;
  }
}

/* As another architecture a device is known by its class alone, and that is told in its name. */
static void tell_foreign(const search *s)
{
  static bool is_told;
  const bp_best_wanted *w = s->wanted;
  if (is_told || s->is_own || !has_class(w) || !w->device || !*w->device ||
      strstr(w->device, "sm_"))
    return;
  is_told = true;
  bp_tell("best: not tuned on %s: options of its class (%s), or any that fit; 'bp tune' finds its "
          "own",
          w->device, w->limits.class);
}

static bp_status find(search *s, bp_choice *choice, bool *found)
{
  const bp_best_table *own;
  bp_status status = own_table(&own);
  *found = false;
  if (status)
    return status;
  look_at_all(s, own);
  if (s->distance == INFINITY && s->wanted->limits.sm && s->wanted->op) {
    s->of_any_device = true;
    look_at_all(s, own);
    look_at_standard(s);
  }
  if (s->distance == INFINITY && s->wanted->space.multigrid) /* there is one */
    look_at_standard(s);
  *found = s->distance < INFINITY;
  *choice = s->choice;
  if (*found)
    tell_foreign(s);
  else if (s->wanted->limits.sm && s->wanted->op && *s->wanted->device)
    bp_tell("best: no kernel of %s in %s precision fits at N = %d, with %lld bytes of shared "
            "memory a block",
            s->wanted->problem, bp_precisions[s->wanted->space.precision], s->wanted->degree,
            (long long)s->wanted->limits.shared_max);
  return BP_OK;
}

bp_status bp_best_find(const bp_best_wanted *wanted, bp_choice *choice, bool *found)
{
  search s = {.wanted = wanted, .distance = INFINITY};
  return find(&s, choice, found);
}

bp_status bp_best_find_for_ranks(const bp_best_wanted *wanted, bp_choice *choice, bool *found)
{
  search s = {.wanted = wanted, .for_ranks = true, .distance = INFINITY};
  bp_status status = find(&s, choice, found);
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count && !status && !*found; ++n) {
    *found = all[n].language == wanted->language && has_space(&all[n], wanted) &&
             strcmp(all[n].problem, bp_bake_off_kernels(wanted->problem)) == 0 &&
             bp_variant_is_for_ranks(&all[n]);
    if (*found)
      *choice = bp_choice_standard(&all[n]);
  }
  return status;
}

bool bp_best_find_shipped(const bp_best_wanted *wanted, bp_choice *choice)
{
  search s = {.wanted = wanted, .distance = INFINITY};
  look_at_shipped(&s);
  *choice = s.choice;
  return s.distance < INFINITY;
}

bp_status bp_best_options(const bp_best_wanted *wanted, bp_choice *choice)
{
  search s = {.wanted = wanted, .only = choice->variant, .distance = INFINITY};
  const bp_best_table *own;
  if (s.only->options_count == 0)
    return BP_OK;
  bp_status status = own_table(&own);
  if (status)
    return status;
  look_at_all(&s, own);
  if (s.distance == INFINITY && wanted->limits.sm && wanted->op) {
    s.of_any_device = true;
    look_at_all(&s, own);
  }
  if (s.distance < INFINITY)
    *choice = s.choice;
  else if (wanted->limits.sm && wanted->op)
    (void)make_fit(choice, wanted);
  return BP_OK;
}

typedef struct {
  const bp_best_wanted *wanted;
  bp_choice *items;
  int count;
} choices;

static void add(choices *list, const bp_best *row)
{
  bp_choice choice;
  if (!is_of_device(row, list->wanted) || !choice_of(row, list->wanted, &choice) ||
      (list->wanted->limits.sm && list->wanted->op && !make_fit(&choice, list->wanted)))
    return;
  for (int n = 0; n < list->count; ++n)
    if (bp_choice_is_same(&list->items[n], &choice))
      return;
  list->items = bp_realloc(list->items, (size_t)list->count + 1, sizeof *list->items);
  list->items[list->count++] = choice;
}

int bp_best_all(const bp_best_wanted *wanted, bp_choice **result, bp_status *status)
{
  bp_best_wanted anywhere = *wanted;
  choices list = {.wanted = &anywhere};
  const bp_best_table *own;
  anywhere.device = NULL;
  *status = own_table(&own);
  for (int n = 0; n < own->count && !*status; ++n)
    if (own->lines[n].fields)
      add(&list, &own->lines[n].row);
  for (int n = 0; n < bp_best_shipped_count; ++n)
    add(&list, &bp_best_shipped[n]);
  *result = list.items;
  return list.count;
}
