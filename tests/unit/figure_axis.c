/* figure_axis.c -- tests of axes. */
#include "test.h"

#include "base/text.h"
#include "report/axis.h"
#include "report/svg.h"
#include <math.h>

TEST(axis, ticks_are_round_and_inside)
{
  static const double ends[][2] = {{0, 1}, {0, 22.9}, {16.92, 17.18}, {0, 31000},
                                   {5, 5}, {0, 1e-7}, {1e17, 1e17}};
  for (size_t n = 0; n < sizeof ends / sizeof *ends; ++n) {
    bp_axis axis = bp_axis_linear(ends[n][0], ends[n][1], 6);
    CHECK(axis.ticks_count >= 3 && axis.ticks_count <= 12, "%d ticks", axis.ticks_count);
    CU_ASSERT(axis.low <= ends[n][0] && axis.high >= ends[n][1]);
    CU_ASSERT(axis.ticks[0] >= axis.low && axis.ticks[axis.ticks_count - 1] <= axis.high * 1.0001);
  }
  bp_axis axis = bp_axis_log(0.3, 40, 14);
  char label[40];
  CU_ASSERT(axis.ticks_count == 6 && axis.ticks[0] == 0.5 && axis.ticks[5] == 20);
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &axis, 0.5), "0.5");
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &axis, 12500), "12.5k");
  axis = bp_axis_log(1, 1e6, 8);
  CU_ASSERT(axis.ticks_count == 7);
}

TEST(axis, any_ends_will_do)
{
  static const double odd[][2] = {{0, 5e-324},
                                  {1e300, 1e300},
                                  {-INFINITY, INFINITY},
                                  {0, INFINITY},
                                  {INFINITY, INFINITY},
                                  {1e-320, 0.1},
                                  {NAN, 1},
                                  {1, NAN},
                                  {NAN, NAN},
                                  {1e300, 0}};
  for (size_t n = 0; n < sizeof odd / sizeof *odd; ++n) {
    bp_axis axes[] = {bp_axis_linear(odd[n][0], odd[n][1], 6),
                      bp_axis_log(odd[n][0], odd[n][1], 8)};
    for (int a = 0; a < 2; ++a)
      CHECK(axes[a].high > axes[a].low && isfinite(bp_axis_at(&axes[a], 1)) &&
                axes[a].ticks_count >= 0 && axes[a].ticks_count <= BP_AXIS_TICKS,
            "case %zu of kind %d", n, a);
  }
}

/* "2k, 5k, 10k", not "2000, 5000, 10k". */
TEST(axis, labels_are_of_one_kind)
{
  bp_axis large = bp_axis_log(1500, 30000, 14), small = bp_axis_linear(0, 6000, 4);
  char label[40];
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &large, 2000), "2k");
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &large, 20000), "20k");
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &small, 2000), "2000");
}

/* A text too long for its place keeps as much of itself as fits. */
TEST(axis, names_are_cut_where_they_end)
{
  bp_text svg = {0};
  bp_svg_fitted_text(&svg, 0, 0, BP_SVG_START, BP_LETTERS_USUAL, BP_INK, "one two three four", 12,
                     80);
  CU_ASSERT(strstr(bp_text_string(&svg), ">one two t...<title>one two three four<") != NULL);
  bp_text_destroy(&svg);
}
