/* best.c -- finding the row that fits, in the shipped table and the user's. */
#include "registry/best.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/bake_off.h"
#include <math.h>
#include <string.h>

/* The nearest row so far. */
typedef struct {
  const bp_best_wanted *wanted;
  bool for_ranks;
  bp_choice choice;
  double distance; /* INFINITY: none yet */
} search;

/* How far the sizes are apart; 1000, more than any two numbers are, where one of them is not known. A row of
 * any number of points is further away, and one of another problem with the same kernels further than any. */
static double distance_of(const bp_best *row, const bp_best_wanted *wanted)
{
  const int64_t elements = wanted->elements;
  const double other = (strcmp(row->problem, wanted->problem) == 0 ? 0 : 10000) +
                       (row->points == BP_BEST_ANY_POINTS ? 3000 : 0);
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

static bool has_degree(const bp_variant *variant, int degree)
{
  return variant && degree >= variant->lowest && degree <= variant->highest;
}

/* NAME-ranks with the values of those options that both have; false if there is none of that degree. */
static bool make_namesake(bp_choice *choice, const bp_best_wanted *wanted)
{
  const bp_choice alone = *choice;
  char *id = bp_format("%s-ranks", alone.variant->id);
  const bp_variant *variant = bp_variant_find(id, wanted->language);
  bp_free(id);
  if (!has_degree(variant, wanted->degree))
    return false;
  *choice = bp_choice_standard(variant);
  for (int n = 0; n < variant->options_count; ++n)
    for (int o = 0; o < alone.variant->options_count; ++o)
      if (strcmp(variant->options[n].name, alone.variant->options[o].name) == 0)
        choice->option[n] = alone.option[o];
  return true;
}

static bool has_points(const bp_best *row, int points)
{
  return row->points == points || (row->points == BP_BEST_ANY_POINTS && points);
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

static bool choice_of(const bp_best *row, const bp_best_wanted *wanted, bp_choice *choice)
{
  const char *kernels = bp_bake_off_kernels(wanted->problem);
  if (strcmp(bp_bake_off_kernels(row->problem), kernels) != 0 || wanted->degree < row->lowest ||
      wanted->degree > row->highest || !has_points(row, wanted->points) ||
      (wanted->device && !bp_matches(row->device, wanted->device)))
    return false;
  const bp_variant *variant = variant_of(row, wanted->language);
  if (!has_degree(variant, wanted->degree))
    return false;
  *choice = bp_choice_standard(variant);
  return bp_choice_set_all(choice, row->options) == BP_OK && runs_at_once(choice, wanted);
}

/* A row of NAME-ranks is for ranks alone; of others they take what they can run, or the namesakes. */
static void look_at(search *s, const bp_best *row, const char *table)
{
  bp_choice choice;
  double distance = distance_of(row, s->wanted);
  if (distance >= s->distance || !choice_of(row, s->wanted, &choice))
    return;
  if (s->for_ranks ? !bp_variant_is_for_ranks(choice.variant) && !make_namesake(&choice, s->wanted)
                   : bp_variant_is_namesake(choice.variant))
    return;
  s->distance = distance;
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

static bp_status find(search *s, bp_choice *choice, bool *found)
{
  const bp_best_table *own;
  bp_status status = own_table(&own);
  *found = false;
  if (status)
    return status;
  for (int n = 0; n < own->count; ++n)
    if (own->lines[n].fields)
      look_at(s, &own->lines[n].row, own->path);
  look_at_shipped(s);
  *found = s->distance < INFINITY;
  *choice = s->choice;
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
    *found = all[n].language == wanted->language && has_degree(&all[n], wanted->degree) &&
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

typedef struct {
  const bp_best_wanted *wanted;
  bp_choice *items;
  int count;
} choices;

static void add(choices *list, const bp_best *row)
{
  bp_choice choice;
  if (!choice_of(row, list->wanted, &choice))
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
