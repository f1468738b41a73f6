/* figure_ladder.c -- tests of the ladder. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"

TEST(figure, ladders_of_every_kind_of_name)
{
  static const char *const names[] = {"k1", "k2", "2d-k1", "2d-bonus", "2d-k10", "2d-k9"};
  sample_recipe recipe = figure_full;
  recipe.problems = recipe.degrees = 1;
  recipe.variants = 6;
  bp_record *record = sample_record(&recipe);
  for (int n = 0; n < 6; ++n) {
    bp_record_set(&record->rows[n].rung, names[n]);
    bp_record_set(&record->rows[n].variant, "columns");
    bp_record_set(&record->rows[n].options, n % 2 ? "pad=1" : "pad=0");
  }
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_panel panel = {0};
  CU_ASSERT(figure_panels("ladder", &drawing) == 2);
  CU_ASSERT_FATAL(bp_ladder_draw(&drawing, 1, &panel));
  const char *nine = strstr(panel.svg.data, ">2d-k9 "), *ten = strstr(panel.svg.data, ">2d-k10 ");
  const char *bonus = strstr(panel.svg.data, ">2d-bonus ");
  CU_ASSERT(nine && ten && bonus && nine < ten && ten < bonus);
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

/* Every column of numbers has a heading; a name is whole, or cut and then whole under the mouse. */
TEST(figure, ladders_have_headings_and_whole_names)
{
  static const char *const names[] = {
      "symmetric-columns", "a-name-that-is-much-too-long-to-be-drawn-beside-a-bar-of-any-width"};
  sample_recipe recipe = figure_full;
  recipe.problems = recipe.degrees = 1;
  recipe.variants = 2;
  recipe.faults = false;
  bp_record *record = sample_record(&recipe);
  bp_record_set(&record->rows[0].rung, "2d-k9");
  bp_record_set(&record->rows[1].rung, "2d-bonus");
  for (int n = 0; n < 2; ++n)
    bp_record_set(&record->rows[n].variant, names[n]);
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_panel panel = {0};
  CU_ASSERT_FATAL(bp_ladder_draw(&drawing, 0, &panel));
  const char *svg = panel.svg.data;
  CU_ASSERT(strstr(svg, ">GFLOPS<") && strstr(svg, ">roofline<") && strstr(svg, ">rung before<"));
  CU_ASSERT(strstr(svg, ">2d-k9 symmetric-columns</text>") != NULL);
  char *whole = bp_format("...<title>2d-bonus %s</title></text>", names[1]);
  CHECK(strstr(svg, whole) != NULL, "no %s", whole);
  bp_free(whole);
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}
