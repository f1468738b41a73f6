/* search.c -- generations of candidates: seeds, then coarse and fine neighbours of what is fastest. */
#include "measure/search.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

enum { LIVE_MAX = 4 };

typedef struct {
  bp_candidate *items;
  int count;
} candidates;

typedef struct {
  const bp_search *search;
  candidates tried, next;
  int generation;
} state;

static void add(candidates *list, const bp_choice *choice)
{
  list->items = bp_realloc(list->items, (size_t)list->count + 1, sizeof *list->items);
  list->items[list->count++] = (bp_candidate){*choice, INFINITY};
}

static bool holds(const candidates *list, const bp_choice *choice)
{
  for (int n = 0; n < list->count; ++n)
    if (bp_choice_is_same(&list->items[n].choice, choice))
      return true;
  return false;
}

static void propose(state *s, const bp_choice *choice)
{
  if (!holds(&s->tried, choice) && !holds(&s->next, choice) &&
      s->search->fits(s->search->context, choice))
    add(&s->next, choice);
}

/* Times what was proposed, as far as there is room. False when there is none. */
static bool try_next(state *s)
{
  int done = 0, room = 1;
  while (done < s->next.count && (room = s->search->room(s->search->context)) > 0) {
    int count = s->next.count - done < room ? s->next.count - done : room;
    s->search->time(s->search->context, s->next.items + done, count);
    for (int n = done; n < done + count; ++n) {
      add(&s->tried, &s->next.items[n].choice);
      s->tried.items[s->tried.count - 1].seconds = s->next.items[n].seconds;
    }
    done += count;
  }
  s->next.count = 0;
  return room > 0;
}

/* ---- neighbours ---- */

static bool is_switch(const bp_variant_option *option)
{
  return option->high - option->low == 1;
}

/* With option `o` at `value`, where it may have that. */
static void propose_value(state *s, bp_choice choice, int o, int64_t value)
{
  const bp_variant_option *option = &choice.variant->options[o];
  if (value < option->low || value > option->high || value == choice.option[o])
    return;
  choice.option[o] = value;
  propose(s, &choice);
}

/* Where doubling begins: the greatest power of two whose square the option may be. */
static int64_t first_step(const bp_variant_option *option)
{
  int64_t step = 1;
  while (4 * step * step <= option->high)
    step *= 2;
  return step;
}

static void propose_coarse(state *s, const bp_choice *at)
{
  for (int o = 0; o < at->variant->options_count; ++o) {
    const bp_variant_option *option = &at->variant->options[o];
    if (is_switch(option)) {
      propose_value(s, *at, o, option->low + option->high - at->option[o]);
    } else {
      propose_value(s, *at, o, at->option[o] ? 2 * at->option[o] : first_step(option));
      propose_value(s, *at, o, at->option[o] / 2);
    }
  }
}

/* Option `a` doubled and `b` halved: what two options share, such as memory, moves from one to the other. */
static void propose_pair(state *s, bp_choice choice, int a, int b)
{
  const bp_variant_option *options = choice.variant->options;
  if (a == b || is_switch(&options[a]) || is_switch(&options[b]))
    return;
  choice.option[a] *= 2;
  if (choice.option[a] <= options[a].high)
    propose_value(s, choice, b, choice.option[b] / 2);
}

static void propose_fine(state *s, const bp_choice *at)
{
  int count = at->variant->options_count;
  for (int o = 0; o < count; ++o)
    if (!is_switch(&at->variant->options[o])) {
      propose_value(s, *at, o, at->option[o] + 1);
      propose_value(s, *at, o, at->option[o] - 1);
    }
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b)
      propose_pair(s, *at, a, b);
}

/* ---- generations ---- */

static int by_seconds(const void *a, const void *b)
{
  double x = ((const bp_candidate *)a)->seconds, y = ((const bp_candidate *)b)->seconds;
  return (x > y) - (x < y);
}

static void sort(const candidates *list)
{
  if (list->count)
    qsort(list->items, (size_t)list->count, sizeof *list->items, by_seconds);
}

/* How many times the fastest's time a variant may take and still be followed. */
static double patience(int generation)
{
  static const double times[] = {2, 1.6, 1.3, 1.15};
  enum { LAST = sizeof times / sizeof *times - 1 };
  return times[generation < LAST ? generation : LAST];
}

static bool is_first_of_variant(const candidates *sorted, int at)
{
  for (int n = 0; n < at; ++n)
    if (sorted->items[n].choice.variant == sorted->items[at].choice.variant)
      return false;
  return true;
}

/* Neighbours of the fastest of each variant that is still followed. */
static void propose_generation(state *s)
{
  const candidates *t = &s->tried;
  int live = 0;
  sort(t);
  for (int n = 0; n < t->count && live < LIVE_MAX; ++n) {
    const bp_candidate *c = &t->items[n];
    if (!isfinite(c->seconds) || c->seconds > patience(s->generation) * t->items[0].seconds)
      break;
    if (!is_first_of_variant(t, n))
      continue;
    ++live;
    int before = s->next.count;
    propose_coarse(s, &c->choice);
    if (s->next.count == before)
      propose_fine(s, &c->choice);
  }
  ++s->generation;
}

int bp_search_run(const bp_search *search, const bp_choice *seeds, int count, bp_candidate **found)
{
  state s = {.search = search};
  for (int n = 0; n < count; ++n)
    propose(&s, &seeds[n]);
  bool goes_on = try_next(&s);
  while (goes_on) {
    propose_generation(&s);
    goes_on = s.next.count > 0 && try_next(&s);
  }
  sort(&s.tried);
  bp_free(s.next.items);
  *found = s.tried.items;
  return s.tried.count;
}
