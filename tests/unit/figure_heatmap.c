/* figure_heatmap.c -- tests of the heat map and its scale. */
#include "figure_sample.h"
#include "test.h"

#include <stdlib.h>

/* A scale on which good and very good kernels look alike says nothing. */
TEST(figure, shades_tell_95_from_105)
{
  static const double fractions[] = {0.8, 0.9, 0.95, 1, 1.05, 1.1};
  unsigned last[3] = {0};
  for (size_t n = 0; n < sizeof fractions / sizeof *fractions; ++n) {
    char shade[8];
    unsigned color[3];
    bool is_dark;
    int difference = 0;
    bp_svg_shade(shade, fractions[n], &is_dark);
    CU_ASSERT(sscanf(shade, "#%2x%2x%2x", &color[0], &color[1], &color[2]) == 3);
    for (int c = 0; c < 3; ++c) {
      difference += abs((int)color[c] - (int)last[c]);
      last[c] = color[c];
    }
    CHECK(difference > 70, "%s at %g differs by %d from the one before", shade, fractions[n],
          difference);
  }
}

/* Where each problem has one row per degree, the map has a row per problem. */
TEST(heatmap, has_a_row_per_problem)
{
  sample_recipe recipe = figure_full;
  recipe.variants = 1;
  bp_record *record = sample_record(&recipe);
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_panel panel = {0};
  CU_ASSERT(figure_panels("heatmap", &drawing) == 1);
  CU_ASSERT_FATAL(bp_heatmap_draw(&drawing, 0, &panel));
  CU_ASSERT(strstr(panel.svg.data, ">bp1.0<") && strstr(panel.svg.data, ">bp3.0<") &&
            strstr(panel.svg.data, ">bp3.5<"));
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}
