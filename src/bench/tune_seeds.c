/* tune_seeds.c -- seeds from the tables, from earlier cases and from the variants' headers. */
#include "bench/tune_seeds.h"

#include "base/memory.h"
#include "registry/best.h"
#include <string.h>

int bp_tune_number(const bp_variant *variant)
{
  int count;
  return (int)(variant - bp_variants(&count));
}

static bool has_value(const bp_config_numbers *values, int64_t value)
{
  for (int n = 0; n < values->count; ++n)
    if (values->items[n] == value)
      return true;
  return false;
}

/* Where nothing is asked for, sums whose order changes, and with it the bits, are not tried. */
static bool has_order_asked_for(const bp_choice *choice, const bp_config_options *options)
{
  for (int n = 0; n < options->count; ++n)
    if (strcmp(options->items[n].name, "atomic") == 0)
      return true;
  return bp_choice_option(choice, "atomic", 0) == 0;
}

/* NAME-ranks is tried beside its like only: one rank takes no row of it (best.h). */
bool bp_tune_is_wanted(const bp_tuner *tuner, const bp_case *c, const bp_choice *choice)
{
  const bp_config_options *options = &tuner->cases->config->options;
  const bp_variant *v = choice->variant;
  bool is_asked_for = false, is_all_for_ranks = true;
  if (!has_order_asked_for(choice, options))
    return false;
  for (int n = 0; n < c->choices_count; ++n) {
    is_asked_for = is_asked_for || c->choices[n].variant == v;
    is_all_for_ranks = is_all_for_ranks && bp_variant_is_namesake(c->choices[n].variant);
  }
  is_asked_for = is_asked_for && (is_all_for_ranks || !bp_variant_is_namesake(v));
  for (int o = 0; o < v->options_count && is_asked_for; ++o)
    for (int n = 0; n < options->count && is_asked_for; ++n)
      is_asked_for = strcmp(options->items[n].name, v->options[o].name) != 0 ||
                     has_value(&options->items[n].values, choice->option[o]);
  return is_asked_for;
}

typedef struct {
  int64_t threads, shared; /* of the largest block */
} launch_size;

static bool find_size(const bp_tuner *tuner, const bp_case *c, const bp_choice *choice,
                      launch_size *size)
{
  const bp_build build = {*choice, c->op, c->space};
  return bp_shapes_fit(tuner->cases->device, &build, c->elements, &size->threads, &size->shared);
}

bool bp_tune_fits(const bp_tuner *tuner, const bp_case *c, const bp_choice *choice)
{
  launch_size size;
  return bp_variant_check(choice->variant, c->op, c->space) == BP_OK &&
         bp_tune_is_wanted(tuner, c, choice) && find_size(tuner, c, choice, &size);
}

typedef struct {
  bp_choice *items;
  int count;
} choices;

static void add(choices *list, const bp_choice *choice)
{
  for (int n = 0; n < list->count; ++n)
    if (bp_choice_is_same(&list->items[n], choice))
      return;
  list->items = bp_realloc(list->items, (size_t)list->count + 1, sizeof *list->items);
  list->items[list->count++] = *choice;
}

/* Where an option gives a block more threads, as many as make a block of moderate size. */
static bp_choice filled(const bp_tuner *tuner, const bp_case *c, bp_choice choice)
{
  enum { THREADS = 256, SHARED = 64 << 10 };
  launch_size size, larger;
  if (!find_size(tuner, c, &choice, &size) || size.threads == 0)
    return choice;
  for (int o = 0; o < choice.variant->options_count; ++o) {
    bp_choice next = choice;
    next.option[o] *= 2;
    while (next.option[o] <= choice.variant->options[o].high &&
           find_size(tuner, c, &next, &larger) && larger.threads > size.threads &&
           larger.threads <= THREADS && larger.shared <= SHARED) {
      choice = next;
      size = larger;
      next.option[o] *= 2;
    }
  }
  return choice;
}

/* The case's own choices, those of variants that were fast in the last case first. */
static void add_variants(const bp_tuner *tuner, const bp_case *c, choices *seeds)
{
  int first = seeds->count, count = c->choices_count;
  const double *ratios = tuner->ratios;
  for (int n = 0; n < count; ++n)
    add(seeds, &c->choices[n]);
  for (int n = first + 1; n < seeds->count; ++n)
    for (int m = n; m > first && ratios[bp_tune_number(seeds->items[m].variant)] <
                                     ratios[bp_tune_number(seeds->items[m - 1].variant)];
         --m) {
      bp_choice swapped = seeds->items[m];
      seeds->items[m] = seeds->items[m - 1];
      seeds->items[m - 1] = swapped;
    }
  for (int n = first, last = seeds->count; n < last; ++n) {
    bp_choice more = filled(tuner, c, seeds->items[n]);
    add(seeds, &more);
  }
}

int bp_tune_seeds(const bp_tuner *tuner, const bp_case *c, const bp_choice *hints, int hints_count,
                  bp_choice **result)
{
  const bp_best_wanted wanted = bp_case_wanted(tuner->cases, c);
  choices seeds = {0};
  bp_choice shipped, *known = NULL;
  bp_status status;
  if (bp_best_find_shipped(&wanted, &shipped))
    add(&seeds, &shipped);
  for (int n = 0; n < hints_count; ++n)
    add(&seeds, &hints[n]);
  int count = bp_best_all(&wanted, &known, &status);
  for (int n = 0; n < count; ++n)
    add(&seeds, &known[n]);
  bp_free(known);
  add_variants(tuner, c, &seeds);
  int kept = 0;
  for (int n = 0; n < seeds.count; ++n)
    if (bp_tune_fits(tuner, c, &seeds.items[n]))
      seeds.items[kept++] = seeds.items[n];
  *result = seeds.items;
  return kept;
}
