/* figure_heatmap.c -- tests of the heat map and its scale. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"

#include <math.h>
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

/* What WCAG 2 calls the relative luminance of "#rrggbb". */
static double luminance_of(const char *color)
{
  static const double weights[] = {0.2126, 0.7152, 0.0722};
  unsigned channels[3] = {0};
  double sum = 0;
  CU_ASSERT(sscanf(color, "#%2x%2x%2x", &channels[0], &channels[1], &channels[2]) == 3);
  for (int c = 0; c < 3; ++c) {
    double value = channels[c] / 255.0;
    sum += weights[c] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/* Of the letters as they are drawn on a cell of that colour. */
static double contrast_of(const char *shade, bool is_dark)
{
  bp_text text = {0};
  bp_svg_text_attributes(&text, BP_LETTERS_CELL, is_dark ? BP_LIGHT : BP_DARK);
  const char *fill = strstr(text.data, "fill=\"");
  CU_ASSERT_FATAL(fill != NULL);
  double a = luminance_of(fill + 6) + 0.05, b = luminance_of(shade) + 0.05;
  bp_text_destroy(&text);
  return fmax(a, b) / fmin(a, b);
}

/* 4.5 : 1 is what WCAG 2 wants of letters of this size. */
TEST(figure, digits_are_read_on_every_shade)
{
  for (int n = 0; n <= 1300; ++n) {
    char shade[8];
    bool is_dark;
    bp_svg_shade(shade, 1e-3 * n, &is_dark);
    double contrast = contrast_of(shade, is_dark);
    CHECK(contrast >= 4.5, "%.1f %% on %s: %.2f", 0.1 * n, shade, contrast);
  }
}

/* Degrees that nobody ran are no columns; a row without a rate is a sign that is explained, not 0 %. */
TEST(heatmap, has_no_empty_columns_and_no_false_zero)
{
  static const int degrees[] = {3, 7, 11};
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 3, .variants = 2);
  for (int64_t n = 0; n < record->rows_count; ++n)
    record->rows[n].degree = degrees[record->rows[n].degree - 1];
  bp_row *row = &record->rows[0];
  row->overhead_seconds = row->seconds.statistics.median;
  char *svg = figure_panel("heatmap", record, NULL, 0);
  CU_ASSERT(strstr(svg, ">3<") && strstr(svg, ">7<") && strstr(svg, ">11<") && !strstr(svg, ">5<"));
  CU_ASSERT_EQUAL(figure_count(svg, ">?<"), 1);
  CU_ASSERT(strstr(svg, "?: disturbed, mostly overhead, or no copy<") != NULL);
  bp_free(svg);
  bp_record_destroy(record);
}
