/* figure_sizes.c -- tests of the rate by size. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "report/sizes.h"

#include <math.h>
#include <stdlib.h>

/* Of a problem at many sizes there is one figure, not one by degree for each. */
TEST(sizes, are_one_figure)
{
  bp_record *record = figure_three_sizes();
  bp_drawing drawing = bp_drawing_of(record, &(bp_wishes){0});
  CU_ASSERT(drawing.all.count == 5 && drawing.groups.count == 3);
  CU_ASSERT(figure_panels("sizes", record) == 1);
  char *svg = figure_panel("sizes", record, NULL, 0);
  CU_ASSERT(strstr(svg, ">N=9, ") || strstr(svg, ">N=9<"));
  bp_free(svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
  record = figure_two_sizes();
  drawing = bp_drawing_of(record, &(bp_wishes){0});
  CU_ASSERT(figure_panels("sizes", record) == 0 && drawing.groups.count == 4);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

TEST(sizes, half_of_the_highest_rate)
{
  static const double dofs[] = {1e2, 1e3, 1e4, 1e5};
  static const double rates[][4] = {{1, 2, 10, 8}, {2, 6, 10, 10}, {5, 6, 7, 8}};
  bp_point some[4], ramp[4], flat[4];
  for (int n = 0; n < 4; ++n) {
    some[n] = (bp_point){.x = dofs[n], .y = rates[0][n]};
    ramp[n] = (bp_point){.x = dofs[n], .y = rates[1][n]};
    flat[n] = (bp_point){.x = dofs[n], .y = rates[2][n]};
  }
  double rate;
  CU_ASSERT_DOUBLE_EQUAL(bp_sizes_reach(some, 4, 0.5, &rate), 1e3 * pow(10, 3.0 / 8), 1e-6);
  CU_ASSERT_DOUBLE_EQUAL(bp_sizes_reach(ramp, 4, 0.5, &rate), 1e2 * pow(10, 3.0 / 4), 1e-6);
  CU_ASSERT(rate == 5);
  CU_ASSERT(isnan(bp_sizes_reach(flat, 4, 0.5, &rate)) &&
            isnan(bp_sizes_reach(flat, 0, 0.5, &rate)));
}

/* The highest rate is where half of it is marked only if more DOFs would not give much more. */
TEST(sizes, rates_that_still_rise_have_no_half)
{
  char backend[] = "cpu";
  bp_row rows[3] = {{0}};
  bp_point p[3];
  double rate;
  for (int n = 0; n < 3; ++n) {
    p[n] = (bp_point){.x = pow(10, 2 + n), .y = pow(2, n), .row = &rows[n]};
    rows[n].overhead_seconds = NAN;
    rows[n].backend = backend;
  }
  CU_ASSERT(!bp_sizes_is_settled(p, 3) && isnan(bp_sizes_reach(p, 3, 0.5, &rate)) && rate == 2);
  p[2].y = 2.1;
  CU_ASSERT(bp_sizes_is_settled(p, 3) &&
            isfinite(bp_sizes_reach(p, 3, 0.5, &rate)) == (p[0].y < rate));
  rows[2].seconds.statistics = (bp_statistics){.median = 2e-6, .count = 1};
  rows[2].overhead_seconds = 1e-6;
  CU_ASSERT(bp_row_is_overhead(&rows[2]) && !bp_sizes_is_settled(p, 3));
  p[1].y = 3; /* the highest is another's */
  CU_ASSERT(bp_sizes_is_settled(p, 3) && !bp_sizes_is_settled(p, 1));
}

/* T(n) = T0 + n / R, T0 = 8 us, R = 20: the last size has all of R but for T0. */
TEST(sizes, floor_of_an_iteration)
{
  static const double dofs[] = {1e3, 1e4, 1e5, 1e6, 1e8};
  bp_point p[5];
  double rate;
  for (int n = 0; n < 5; ++n)
    p[n] = (bp_point){.x = dofs[n], .y = dofs[n] / (8e3 + dofs[n] / 20)};
  CU_ASSERT_DOUBLE_EQUAL(bp_sizes_floor(p, 5), 8e-6, 1e-9);
  double reach = bp_sizes_reach(p, 5, 0.8, &rate); /* 4 T0 R = 640,000, read between 1e5 and 1e6 */
  CU_ASSERT_DOUBLE_EQUAL(rate, 0.8 * p[4].y, 1e-12);
  CU_ASSERT(reach > 5e5 && reach < 9e5);
  CU_ASSERT(isnan(bp_sizes_floor(p, 0)));
}

/* A degree of one size is no line, and has no place among them. */
TEST(sizes, one_size_is_not_drawn)
{
  bp_record *record = figure_three_sizes();
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (record->rows[n].degree == 4 && strcmp(record->rows[n].mesh, "bigger.msh") != 0)
      record->rows[n].degree = 40;
  char *svg = figure_panel("sizes", record, NULL, 0);
  CU_ASSERT(strstr(svg, ">N=5") && !strstr(svg, "N=4"));
  bp_free(svg);
  bp_record_destroy(record);
}

/* Of two sizes nothing is known of what lies between them. */
TEST(sizes, two_are_no_line)
{
  const bp_point p[] = {{.x = 1e3, .y = 1}, {.x = 1e6, .y = 30}, {.x = 1e7, .y = 30.5}};
  double rate;
  CU_ASSERT(isnan(bp_sizes_reach(p, 2, 0.8, &rate)) && isfinite(bp_sizes_reach(p, 3, 0.8, &rate)));
}

/* The text that says N=degree, and the mark before it. */
static const char *name_of(const char *svg, int degree, const char **mark)
{
  char *name = bp_format(">N=%d", degree);
  const size_t length = strlen(name);
  const char *text = strstr(svg, name);
  while (text && text[length] != ',' && text[length] != '<')
    text = strstr(text + 1, name);
  bp_free(name);
  if (!text)
    return NULL;
  while (*text != '<')
    --text;
  for (*mark = text - 1; **mark != '<';)
    --*mark;
  return text;
}

/* Names of all degrees stand apart; the eighth has the colour of the first and another mark. */
TEST(sizes, fifteen_degrees_are_told_apart)
{
  enum { DEGREES = 15, SIZES = 3, LETTERS = 15 };
  sample_recipe recipe = figure_swept;
  recipe.degrees = DEGREES;
  bp_record *record = sample_record(&recipe);
  for (int n = 1; n < SIZES; ++n) {
    bp_record *other = sample_record(&recipe);
    for (int64_t r = 0; r < other->rows_count; ++r) {
      bp_record_set(&other->rows[r].mesh, n == 1 ? "big.msh" : "bigger.msh");
      other->rows[r].dofs <<= 3 * n;
    }
    bp_record_merge(record, other, "other.json");
  }
  char *svg = figure_panel("sizes", record, NULL, 0);
  const char *marks[DEGREES + 1] = {NULL};
  double heights[DEGREES + 1] = {0};
  for (int degree = 1; degree <= DEGREES; ++degree) {
    const char *text = name_of(svg, degree, &marks[degree]);
    CU_ASSERT_FATAL(text != NULL);
    heights[degree] = strtod(strstr(text, " y=\"") + 4, NULL);
    for (int before = 1; before < degree; ++before)
      CU_ASSERT(fabs(heights[degree] - heights[before]) >= LETTERS);
  }
  CU_ASSERT(strncmp(marks[1], marks[8], 4) != 0 && strncmp(marks[1], "<circle", 7) == 0);
  bp_free(svg);
  bp_record_destroy(record);
}
