/* figure.c -- tests of all figures: well-formed, finite, complete. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"
#include "report/report.h"
#include <math.h>

TEST(figure, all_are_well_formed)
{
  bp_peer items[] = {figure_peer("other <b>", "bp1.0", 2, 1e-4),
                     figure_peer("other <b>", "bp3.0", 7, 1e-4)};
  bp_peers peers = {.items = items, .count = 2};
  bp_wishes wishes = {.peers = &peers, .title = "a & b"};
  bp_record *record = figure_on_ranks();
  for (int n = 0; n < BP_FIGURES; ++n) {
    bp_text svg = {0};
    CHECK(bp_figure_file(&bp_figures[n], record, &wishes, &svg) == BP_OK, "%s: %s",
          bp_figures[n].name, bp_message());
    const char *wrong = figure_ill_formed(svg.data);
    CHECK(!wrong, "%s: %s", bp_figures[n].name, wrong);
    CHECK(!figure_has_bad_number(svg.data), "%s", bp_figures[n].name);
    CHECK(strncmp(svg.data, "<svg ", 5) == 0 && strstr(svg.data, "prefers-color-scheme:dark"), "%s",
          bp_figures[n].name);
    CHECK(!strstr(svg.data, "<bold>") && !strstr(svg.data, "<b>"), "%s: not escaped",
          bp_figures[n].name);
    CHECK(strstr(svg.data, ">a &amp; b<") != NULL, "%s: no headline", bp_figures[n].name);
    const char *unpainted = figure_without_color(svg.data);
    CHECK(!unpainted, "%s: %.60s", bp_figures[n].name, unpainted);
    CHECK(!strstr(svg.data, "var(") && !strstr(svg.data, "currentColor"), "%s needs CSS",
          bp_figures[n].name);
    bp_text_destroy(&svg);
  }
  bp_record_destroy(record);
}

/* Records as users have them: one row, one wrong row, none, no samples, no copy. */
TEST(figure, little_data_is_no_trouble)
{
  for (int trial = 0; trial < 5; ++trial) {
    sample_recipe one = figure_full;
    one.problems = one.degrees = one.variants = 1;
    one.samples = 3;
    bp_record *record = trial == 2 ? bp_record_create(0, NULL) : sample_record(&one);
    if (trial == 1)
      record->rows[0].status = BP_ROW_WRONG;
    if (trial == 3) {
      bp_free(record->rows[0].seconds.samples);
      record->rows[0].seconds.samples = NULL;
    }
    if (trial == 4)
      record->rows[0].copy.seconds.statistics.count = 0,
      record->rows[0].copy.seconds.statistics.median = 0;
    for (int n = 0; n < BP_FIGURES; ++n) {
      bp_text svg = {0};
      if (bp_figure_file(&bp_figures[n], record, &(bp_wishes){0}, &svg) == BP_OK)
        CHECK(!figure_ill_formed(svg.data) && !figure_has_bad_number(svg.data), "%s, trial %d",
              bp_figures[n].name, trial);
      bp_text_destroy(&svg);
    }
    bp_text html = {0};
    bp_report_html(record, &(bp_wishes){0}, &html);
    CHECK(!figure_ill_formed(html.data), "trial %d: %s", trial, figure_ill_formed(html.data));
    bp_text_destroy(&html);
    bp_record_destroy(record);
  }
}

/* Rows that the reader would refuse: nothing is drawn outside an array, and the page is whole. */
TEST(figure, absurd_times_are_no_trouble)
{
  static const double times[][2] = {{5e-324, 5e-324}, {1, 1e-300}, {1, 1e300}, {1e300, 1e300}};
  for (size_t trial = 0; trial < sizeof times / sizeof *times; ++trial) {
    bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 3, .variants = 1, .faults = true);
    for (int64_t r = 0; r < record->rows_count; ++r) {
      bp_timing *t = &record->rows[r].seconds;
      t->statistics.minimum = t->statistics.median = t->statistics.maximum = times[trial][0];
      record->rows[r].setup_seconds = times[trial][1];
      for (int64_t n = 0; n < t->statistics.count; n += 2)
        t->samples[n] = times[trial][1];
    }
    bp_record_add_bound(record, record->rows[0].device, "fma", "GFLOPS", 1e308, "measured");
    bp_text html = {0};
    bp_report_html(record, &(bp_wishes){0}, &html);
    CHECK(!figure_ill_formed(html.data), "trial %zu: %s", trial, figure_ill_formed(html.data));
    bp_text_destroy(&html);
    bp_record_destroy(record);
  }
}

TEST(figure, terminal_figures_fit)
{
  bp_record *record = figure_two_sizes();
  for (int width = 40; width <= 160; width += 13) {
    bp_style style = {.terminal = true, .width = width, .unicode = width % 2};
    bp_text text = {0};
    bp_report_figure_terminal(record, &style, &text);
    CU_ASSERT(strstr(text.data, style.unicode ? "\xe2\x97\x8f" : "A 2d-k15") != NULL);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
      CHECK(bp_style_width(line) <= width || strncmp(line, "GFLOPS of", 9) == 0, "width %d: %s",
            width, line);
    bp_text_destroy(&text);
  }
  bp_record_destroy(record);
}

/* Where rows have no degree that figures by degree show, there is no figure, and no empty frame. */
TEST(figure, no_frame_without_data)
{
  static const char *const names[] = {"gflops", "heatmap", "roofline", "setup"};
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 1, .variants = 3, .faults = true);
  for (int64_t n = 0; n < record->rows_count; ++n)
    record->rows[n].degree = BP_SERIES_DEGREES;
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    CHECK(figure_panels(names[n], record) == 0, "%s", names[n]);
  bp_record_destroy(record);
}

/* Degrees 3, 7 and 11: a line through all three, and no tick at a degree that nobody ran. */
TEST(figure, lines_go_from_one_degree_run_to_the_next)
{
  static const int degrees[] = {3, 7, 11};
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 3, .variants = 1);
  for (int64_t n = 0; n < record->rows_count; ++n)
    record->rows[n].degree = degrees[n];
  char *svg = figure_panel("gflops", record, NULL, 0);
  const char *path = strstr(svg, "<path class=\"s c0\"");
  CU_ASSERT_FATAL(path != NULL);
  path = strstr(path, " d=\"");
  int moves = 0, lines = 0;
  for (const char *at = path + 4; *at != '"'; ++at) {
    moves += *at == 'M';
    lines += *at == 'L';
  }
  CHECK(moves == 1 && lines == 2, "%.60s", path);
  CU_ASSERT(strstr(svg, ">7<") && !strstr(svg, ">5<"));
  bp_free(svg);
  bp_record_destroy(record);
}

/* The copies are each problem's own, in its colour, and begin where its rows do. */
TEST(figure, rooflines_show_each_rows_copy)
{
  bp_record *record = FIGURE_RECORD(.problems = 3, .degrees = 15, .variants = 1);
  char *svg = figure_panel("roofline", record, NULL, 0);
  for (int p = 0; p < 3; ++p) {
    char css[40];
    snprintf(css, sizeof css, "<path class=\"s c%d\"", p);
    const char *band = strstr(svg, css), *line = band ? strstr(band + 1, css) : NULL;
    CU_ASSERT_FATAL(line != NULL);
    double band_x = 0, line_x = 0;
    CU_ASSERT(strstr(band, "stroke-opacity") < strchr(band, '>'));
    CU_ASSERT(sscanf(strstr(band, " d=\"M") + 5, "%lf", &band_x) == 1);
    CU_ASSERT(sscanf(strstr(line, " d=\"M") + 5, "%lf", &line_x) == 1);
    CHECK(band_x == line_x, "copies of problem %d begin at %g, rows at %g", p, band_x, line_x);
  }
  CU_ASSERT(strstr(svg, ">copies of as many bytes<") != NULL);
  bp_free(svg);
  bp_record_destroy(record);
}
