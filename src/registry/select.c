/* select.c -- matching patterns, rungs and sweeps against the registry. */
#include "registry/select.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/bake_off.h"
#include "registry/best.h"
#include "registry/operand.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  bp_choice *items;
  int count, capacity;
} choices;

/* A choice met twice keeps the name of a rung if one of them has it. */
static void add(choices *list, const bp_choice *choice)
{
  for (int n = 0; n < list->count; ++n)
    if (bp_choice_is_same(&list->items[n], choice) &&
        (!*choice->rung || strcmp(list->items[n].rung, choice->rung) == 0))
      return;
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 16;
    list->items = bp_realloc(list->items, (size_t)list->capacity, sizeof *list->items);
  }
  list->items[list->count++] = *choice;
}

/* All combinations of the sweeps' values that apply to the choice. */
static bp_status add_swept(choices *list, bp_choice choice, const bp_sweep *sweeps, int count)
{
  if (count == 0) {
    add(list, &choice);
    return BP_OK;
  }
  if (!bp_choice_has(choice.variant, sweeps->name))
    return add_swept(list, choice, sweeps + 1, count - 1);
  bp_status status = BP_OK;
  for (int n = 0; n < sweeps->count && !status; ++n) {
    status = bp_choice_set(&choice, sweeps->name, sweeps->values[n]);
    if (!status)
      status = add_swept(list, choice, sweeps + 1, count - 1);
  }
  return status;
}

bool bp_select_means(const char *pattern, const bp_variant *variant)
{
  const size_t length = strcspn(pattern, "/");
  char *problem = bp_strndup(pattern, length);
  const bool is_problem =
      strcmp(bp_bake_off_kernels(problem), variant->problem) == 0 &&
      (!bp_bake_off_of_solver(problem) || bp_variant_takes(variant, BP_OPERAND_schedule));
  bp_free(problem);
  return strcmp(pattern, "all") == 0 || strcmp(pattern, variant->text->file) == 0 ||
         (is_problem && bp_matches(pattern[length] ? pattern + length + 1 : "*", variant->name)) ||
         bp_matches(pattern, variant->name) || bp_matches(pattern, variant->id);
}

static bool is_language(const bp_variant *variant, const bp_selection *s)
{
  return strcmp(variant->problem, s->problem) == 0 && variant->language == s->language;
}

static bp_best_wanted wanted_of(const bp_selection *s)
{
  return (bp_best_wanted){.device = s->device,
                          .problem = s->asked ? s->asked : s->problem,
                          .degree = s->degree,
                          .points = s->points,
                          .elements = s->elements,
                          .sms = s->sms,
                          .limits = s->limits,
                          .op = s->op,
                          .space = s->space,
                          .language = s->language};
}

static bool is_swept(const bp_selection *s, const bp_variant *variant)
{
  for (int n = 0; n < s->sweeps_count; ++n)
    if (bp_choice_has(variant, s->sweeps[n].name))
      return true;
  return false;
}

/* With the options of the tables; a sweep changes one of the standard ones. */
static bp_status start_choice(const bp_selection *s, const bp_variant *variant, bp_choice *choice)
{
  const bp_best_wanted wanted = wanted_of(s);
  *choice = bp_choice_standard(variant);
  return s->is_tuned && !is_swept(s, variant) && variant->lowest <= s->degree &&
                 s->degree <= variant->highest
             ? bp_best_options(&wanted, choice)
             : BP_OK;
}

static bp_status add_variant(choices *list, const bp_selection *s, const bp_variant *variant)
{
  bp_choice choice;
  bp_status status = start_choice(s, variant, &choice);
  return status ? status : add_swept(list, choice, s->sweeps, s->sweeps_count);
}

/* Published ones have all their options. */
static bp_status add_rung(choices *list, const bp_selection *s, const bp_rung *rung,
                          const bp_variant *variant)
{
  bp_choice choice = bp_choice_standard(variant);
  bp_status status = bp_bake_off_find(rung->problem) ? start_choice(s, variant, &choice) : BP_OK;
  choice.rung = rung->name;
  if (!status)
    status = bp_choice_set_all(&choice, rung->options);
  return status ? status : add_swept(list, choice, s->sweeps, s->sweeps_count);
}

static bp_status add_rungs(choices *list, const bp_selection *s, const char *pattern)
{
  bp_status status = BP_OK;
  for (int n = 0; n < bp_rungs_count && s->language == BP_LANGUAGE_CUDA && !status; ++n) {
    const bp_rung *rung = &bp_rungs[n];
    if (strcmp(rung->problem, s->problem) != 0 || !bp_matches(pattern, rung->name))
      continue;
    char *id = bp_format("%s/%s", rung->problem, rung->variant);
    const bp_variant *variant = bp_variant_find(id, BP_LANGUAGE_CUDA);
    bp_free(id);
    if (variant)
      status = add_rung(list, s, rung, variant);
  }
  return status;
}

static bp_status add_best(choices *list, const bp_selection *s)
{
  const bp_best_wanted wanted = wanted_of(s);
  bp_choice best;
  bool found;
  bp_status status = s->for_ranks ? bp_best_find_for_ranks(&wanted, &best, &found)
                                  : bp_best_find(&wanted, &best, &found);
  return status || !found ? status : add_swept(list, best, s->sweeps, s->sweeps_count);
}

static bp_status add_pattern(choices *list, const bp_selection *s, const char *pattern)
{
  int count;
  if (strcmp(pattern, "best") == 0)
    return add_best(list, s);
  const bp_variant *all = bp_variants(&count);
  bp_status status = BP_OK;
  for (int n = 0; n < count && !status; ++n)
    if (is_language(&all[n], s) && bp_select_means(pattern, &all[n]))
      status = add_variant(list, s, &all[n]);
  const bool is_all = strcmp(pattern, "all") == 0 || strcmp(pattern, "*") == 0;
  return status || is_all ? status : add_rungs(list, s, pattern);
}

int bp_select(const bp_selection *selection, bp_choice **result, bp_status *status)
{
  choices list = {0};
  *status = BP_OK;
  for (int n = 0; n < selection->patterns_count && !*status; ++n)
    *status = add_pattern(&list, selection, selection->patterns[n]);
  *result = list.items;
  return list.count;
}

/* ---- checking what was asked for ---- */

static bool is_known(const char *pattern)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  if (strcmp(pattern, "best") == 0 || strcmp(pattern, "all") == 0)
    return true;
  for (int n = 0; n < count; ++n)
    if (strcmp(all[n].problem, "peaks") != 0 && bp_select_means(pattern, &all[n]))
      return true;
  for (int n = 0; n < bp_rungs_count; ++n)
    if (bp_matches(pattern, bp_rungs[n].name))
      return true;
  return false;
}

static bp_status unknown_pattern(const char *place, const char *pattern)
{
  int count, names_count = 0;
  const bp_variant *all = bp_variants(&count);
  const char **names = bp_alloc(3 * (size_t)count + (size_t)bp_rungs_count + 2, sizeof *names);
  for (int n = 0; n < count; ++n) {
    names[names_count++] = all[n].problem;
    names[names_count++] = all[n].name;
    names[names_count++] = all[n].id;
  }
  for (int n = 0; n < bp_rungs_count; ++n)
    names[names_count++] = bp_rungs[n].name;
  names[names_count++] = "best";
  names[names_count++] = "all";
  const char *near = bp_suggestion(pattern, names, (size_t)names_count);
  bp_free(names);
  return bp_fail(
      BP_BAD_INPUT,
      "%s: expected the name or glob of a variant or a rung, 'best' or 'all', found '%s'%s", place,
      pattern, *near ? near : " (`bp list` shows them)");
}

static bp_status check_sweep(const char *place, const bp_sweep *sweep)
{
  int count, names_count = 0;
  const bp_variant *all = bp_variants(&count);
  const char **names = bp_alloc((size_t)count * BP_OPTIONS_MAX + 1, sizeof *names);
  bool has = false, in_range = true;
  int64_t low = INT64_MAX, high = INT64_MIN, bad = 0;
  for (int n = 0; n < count; ++n)
    for (int o = 0; o < all[n].options_count; ++o) {
      const bp_variant_option *option = &all[n].options[o];
      names[names_count++] = option->name;
      if (strcmp(option->name, sweep->name) != 0)
        continue;
      has = true;
      low = option->low < low ? option->low : low;
      high = option->high > high ? option->high : high;
    }
  const char *near = bp_suggestion(sweep->name, names, (size_t)names_count);
  bp_free(names);
  if (!has)
    return bp_fail(BP_BAD_INPUT, "%s: expected an option of some variant, found '%s'%s", place,
                   sweep->name, near);
  for (int n = 0; n < sweep->count && in_range; ++n) {
    in_range = low <= sweep->values[n] && sweep->values[n] <= high;
    bad = sweep->values[n];
  }
  if (!in_range)
    return bp_fail(BP_BAD_INPUT, "%s.%s: expected %lld..%lld, found %lld", place, sweep->name,
                   (long long)low, (long long)high, (long long)bad);
  return BP_OK;
}

bool bp_select_is_file(const char *pattern)
{
  const char *end = strrchr(pattern, '.');
  return end && (strcmp(end, ".c") == 0 || strcmp(end, ".cu") == 0);
}

bp_status bp_select_check(const char *place, const char *const *patterns, int patterns_count,
                          const bp_sweep *sweeps, int sweeps_count)
{
  bp_status status = BP_OK;
  const bp_variant *added;
  for (int n = 0; n < patterns_count && !status; ++n)
    if (bp_select_is_file(patterns[n]))
      status = bp_registry_add(patterns[n], &added);
  for (int n = 0; n < patterns_count && !status; ++n) {
    char *problem = bp_strndup(patterns[n], strcspn(patterns[n], "/"));
    const char *kernels = bp_bake_off_kernels(problem);
    if (!is_known(patterns[n]))
      status = unknown_pattern(place, patterns[n]);
    else if (strcmp(kernels, problem) != 0)
      bp_tell("bp: %s runs the kernels of %s", problem, kernels);
    bp_free(problem);
  }
  for (int n = 0; n < sweeps_count && !status; ++n)
    status = check_sweep("options", &sweeps[n]);
  return status;
}
