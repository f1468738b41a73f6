/* search.c -- tests of the search for a fast choice, on made-up times. */
#include "test.h"

#include "base/memory.h"
#include "measure/search.h"
#include <string.h>

static bp_variant variants[] = {
    {.id = "bp1.0/a",
     .options = {{(char *)"x", NULL, 1, 128, 1},
                 {(char *)"y", NULL, 1, 8, 1},
                 {(char *)"z", NULL, 0, 1, 0}},
     .options_count = 3},
    {.id = "bp1.0/b", .options = {{(char *)"x", NULL, 1, 128, 1}}, .options_count = 1},
    {.id = "bp1.0/c"},
};

typedef struct {
  int room, timed;
  int64_t most; /* x * y may not be more */
} bench;

static double seconds_of(const bp_choice *c)
{
  if (c->variant == &variants[0]) /* a valley at x = 12, y = 3, z = 1 */
    return 1 + 0.3 * fabs(log((double)c->option[0] / 12)) +
           0.3 * fabs(log((double)c->option[1] / 3)) + 0.2 * (c->option[2] == 0);
  if (c->variant == &variants[1])
    return c->option[0] == 5 ? INFINITY : 1.5;
  return 9;
}

static void time_all(void *context, bp_candidate *candidates, int count)
{
  bench *b = context;
  for (int n = 0; n < count; ++n)
    candidates[n].seconds = seconds_of(&candidates[n].choice);
  b->timed += count;
}

static bool fits(void *context, const bp_choice *choice)
{
  const bench *b = context;
  return choice->option[0] * choice->option[1] <= b->most;
}

static int room(void *context)
{
  const bench *b = context;
  return b->room - b->timed;
}

static int run(bench *b, bp_candidate **found)
{
  const bp_search search = {time_all, fits, room, b};
  bp_choice seeds[4];
  for (int n = 0; n < 3; ++n)
    seeds[n] = bp_choice_standard(&variants[n]);
  seeds[3] = seeds[0]; /* the same twice */
  return bp_search_run(&search, seeds, 4, found);
}

TEST(search, finds_the_valley_in_few_steps)
{
  bench b = {.room = 1000, .most = 10000};
  bp_candidate *found;
  int count = run(&b, &found);
  CU_ASSERT_EQUAL(count, b.timed);
  CHECK(count < 100, "%d tried of 2048", count);
  CU_ASSERT(found[0].choice.variant == &variants[0] && found[0].choice.option[0] == 12 &&
            found[0].choice.option[1] == 3 && found[0].choice.option[2] == 1);
  for (int n = 1; n < count; ++n) {
    CU_ASSERT(found[n - 1].seconds <= found[n].seconds);
    for (int m = 0; m < n; ++m)
      CU_ASSERT(!bp_choice_is_same(&found[n].choice, &found[m].choice));
  }
  bp_free(found);
}

TEST(search, stays_where_it_fits)
{
  bench b = {.room = 1000, .most = 16};
  bp_candidate *found;
  int count = run(&b, &found);
  for (int n = 0; n < count; ++n)
    CU_ASSERT(found[n].choice.option[0] * found[n].choice.option[1] <= 16);
  CHECK(found[0].choice.option[0] * found[0].choice.option[1] >= 12, "%lld, %lld",
        (long long)found[0].choice.option[0], (long long)found[0].choice.option[1]);
  bp_free(found);
}

TEST(search, ends_where_there_is_no_more_room)
{
  for (int most = 0; most < 12; ++most) {
    bench b = {.room = most, .most = 10000};
    bp_candidate *found;
    CU_ASSERT_EQUAL(run(&b, &found), most);
    CU_ASSERT_EQUAL(b.timed, most);
    bp_free(found);
  }
}

static bp_variant from_zero = {
    .id = "bp1.0/d", .options = {{(char *)"x", NULL, 0, 127, 0}}, .options_count = 1};

/* Of little use is as bad as none. */
static void time_from_zero(void *context, bp_candidate *candidates, int count)
{
  (void)context;
  for (int n = 0; n < count; ++n) {
    int64_t x = candidates[n].choice.option[0];
    candidates[n].seconds = x < 5 || x > 40 ? 2 : 1 + 0.1 * fabs(log((double)x / 20));
  }
}

static bool fits_always(void *context, const bp_choice *choice)
{
  (void)context, (void)choice;
  return true;
}

static int room_always(void *context)
{
  (void)context;
  return 100;
}

TEST(search, goes_from_zero_to_where_an_option_matters)
{
  const bp_search search = {time_from_zero, fits_always, room_always, NULL};
  const bp_choice seed = bp_choice_standard(&from_zero);
  bp_candidate *found;
  int count = bp_search_run(&search, &seed, 1, &found);
  CHECK(count < 20, "%d tried of 128", count);
  CHECK(found[0].choice.option[0] >= 15 && found[0].choice.option[0] <= 25, "%lld",
        (long long)found[0].choice.option[0]);
  bp_free(found);
}
