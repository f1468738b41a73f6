/* report.c -- tests of the tables: what people read is right, complete and fits. */
#include "sample.h"
#include "test.h"

#include "base/memory.h"
#include "report/group.h"
#include "report/number.h"
#include "report/report.h"
#include <locale.h>

static const sample_recipe recipe = SAMPLE_RECIPE(.problems = 1, .degrees = 2, .variants = 4,
                                                  .samples = 20, .faults = true, .seed = 5);

TEST(number, four_digits)
{
  static const struct {
    double value;
    const char *text;
  } cases[] = {{12345.6, "12346"}, {9999.6, "10000"},    {5650.04, "5650"}, {999.96, "1000"},
               {97.786, "97.79"},  {1, "1.000"},         {0.5, "0.5000"},   {0.01234567, "0.01235"},
               {0, "0"},           {-3.14159, "-3.142"}, {NAN, "-"},        {INFINITY, "-"}};
  bp_number out;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n)
    CHECK(strcmp(bp_number_four(out, cases[n].value), cases[n].text) == 0, "%s for %s", out,
          cases[n].text);
}

TEST(number, units)
{
  bp_number out;
  CU_ASSERT_STRING_EQUAL(bp_number_seconds(out, 4.1234e-5, false), "41.23 us");
  CU_ASSERT_STRING_EQUAL(bp_number_seconds(out, 9.99999e-4, false), "1.000 ms");
  CU_ASSERT_STRING_EQUAL(bp_number_seconds(out, 12.34, true), "12.34 s");
  CU_ASSERT_STRING_EQUAL(bp_number_seconds(out, 3e-9, true), "3.000 ns");
  CU_ASSERT_STRING_EQUAL(bp_number_percent(out, 0.97849), "97.8 %");
  CU_ASSERT_STRING_EQUAL(bp_number_percent(out, 0.00212), "0.21 %");
  CU_ASSERT_STRING_EQUAL(bp_number_grouped(out, 1234567), "1,234,567");
  CU_ASSERT_STRING_EQUAL(bp_number_grouped(out, -123), "-123");
  CU_ASSERT_STRING_EQUAL(bp_number_count(out, 2097152), "2.097 M");
  CU_ASSERT_STRING_EQUAL(bp_number_count(out, 512), "512");
  CU_ASSERT_STRING_EQUAL(bp_number_small(out, 2.34e-16), "2.3e-16");
  CU_ASSERT_STRING_EQUAL(bp_number_small(out, 9.97e-3), "1.0e-02");
  CU_ASSERT_STRING_EQUAL(bp_number_small(out, 0), "0");
}

static char *table_of(const bp_record *record, bp_style style)
{
  bp_text text = {0};
  bp_report_table(record, false, &style, &text);
  return text.data;
}

TEST(table, shows_rows_and_says_why_not)
{
  bp_record *record = sample_record(&recipe);
  char *text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "bp1.0 on cube.msh, 4,096 elements, NVIDIA H200 (cuda), hot\n") == text);
  CU_ASSERT(strstr(text, "WRONG: error 3.1e-02 at element 7") != NULL);
  CU_ASSERT(strstr(text, "skipped: needs 96 kB of shared memory") != NULL);
  CU_ASSERT(strstr(text, "throttled: power cap") != NULL);
  CU_ASSERT(strstr(text, "1 of 8 rows WRONG") != NULL);
  CU_ASSERT(strstr(text, "\n*  1  cube") != NULL);
  CU_ASSERT(strstr(text, "\n   1  slab") != NULL);
  CU_ASSERT(strchr(text, '\033') == NULL && strstr(text, " us  ") != NULL);
  bp_free(text);
  bp_record_destroy(record);
}

TEST(table, fits_where_it_can)
{
  bp_record *record = sample_record(&recipe);
  for (int width = 60; width <= 200; width += 7) {
    char *text = table_of(record, (bp_style){.terminal = true, .width = width, .unicode = true});
    CU_ASSERT(strstr(text, "GFLOPS") && strstr(text, "of copy"));
    CU_ASSERT((width < 80 || strstr(text, "GDOF/s")) && (width > 60 || !strstr(text, "roofline")));
    CU_ASSERT(width < 193 || strstr(text, "tolerance"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
      CHECK(bp_style_width(line) <= width || strstr(line, "bp1.0 on"), "width %d: %s", width, line);
    bp_free(text);
  }
  bp_record_destroy(record);
}

TEST(table, colours_only_where_asked_for)
{
  bp_record *record = sample_record(&recipe);
  char *text = table_of(record, (bp_style){.terminal = true, .color = true});
  CU_ASSERT(strstr(text, "\033[31m") && strstr(text, "\033[1m"));
  bp_free(text);
  bp_record_destroy(record);
}

TEST(markdown, tables_have_as_many_cells_in_every_row)
{
  bp_record *record = sample_record(&recipe);
  bp_text text = {0};
  bp_record_set(&record->rows[4].reason, "a | b\nc <script>");
  bp_report_markdown(record, &text);
  int lines = 0, cells = 0;
  for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
    int bars = 0;
    if (*line != '|')
      continue;
    for (char *c = line; *c; ++c)
      bars += *c == '|' && c[-(c > line)] != '\\';
    cells = lines++ ? cells : bars;
    CHECK(bars == cells, "%s", line);
  }
  CU_ASSERT(lines == 10);
  bp_text_destroy(&text);
  bp_record_destroy(record);
}

/* What has quotes and commas in it reads back; whatever has another number of cells would not. */
TEST(csv, every_line_has_every_field)
{
  bp_record *record = sample_record(&recipe), *back = NULL;
  bp_text text = {0};
  bp_record_set(&record->rows[5].reason, "needs \"sm_90\", found less");
  bp_report_csv(record, &text);
  CU_ASSERT_FATAL(bp_record_read_bytes("memory", text.data, text.length, &back) == BP_OK);
  CU_ASSERT_EQUAL(back->rows_count, 8);
  CU_ASSERT_STRING_EQUAL(back->rows[5].reason, record->rows[5].reason);
  bp_text_destroy(&text);
  bp_record_destroy(record);
  bp_record_destroy(back);
}

TEST(csv, wrong_rows_have_no_rate)
{
  bp_record *record = bp_record_create(0, NULL);
  bp_row *row = bp_record_add_row(record);
  static const double seconds[] = {0.25};
  bp_text text = {0};
  row->flops = row->bytes = row->dofs = row->copy.bytes = 1000;
  row->seconds = bp_timing_of(seconds, 1);
  row->copy.seconds = bp_timing_of(seconds, 1);
  row->status = BP_ROW_WRONG;
  bp_report_csv(record, &text);
  CU_ASSERT(strstr(text.data, ",0.25,0.25,0.25,0.25,0.25,1,,,,1000,") != NULL);
  bp_text_destroy(&text);
  bp_record_destroy(record);
}

TEST(report, formats_by_name)
{
  bp_report_format format = BP_REPORT_TABLE;
  CU_ASSERT(bp_report_format_find("csv", "a.json", &format) == BP_OK && format == BP_REPORT_CSV);
  CU_ASSERT(bp_report_format_find("auto", "a.b/c.json", &format) == BP_OK &&
            format == BP_REPORT_JSON);
  CU_ASSERT(bp_report_format_find("auto", "a.json/c", &format) == BP_OK &&
            format == BP_REPORT_TABLE);
  CU_ASSERT(bp_report_format_find("auto", NULL, &format) == BP_OK && format == BP_REPORT_TABLE);
  CU_ASSERT(bp_report_format_find("markdwn", NULL, &format) == BP_BAD_INPUT);
  CU_ASSERT(strstr(bp_message(), "found 'markdwn'; did you mean 'markdown'?") != NULL);
}

/* A locale with decimal commas, where the machine has one, changes no figure. */
TEST(report, locale_changes_nothing)
{
  bp_record *record = sample_record(&recipe);
  bp_text before = {0}, after = {0};
  bp_style style = {0};
  bp_report_table(record, false, &style, &before);
  bp_report_csv(record, &before);
  if (!setlocale(LC_ALL, "de_DE.UTF-8"))
    setlocale(LC_ALL, "de_DE");
  bp_report_table(record, false, &style, &after);
  bp_report_csv(record, &after);
  setlocale(LC_ALL, "C");
  CU_ASSERT_STRING_EQUAL(before.data, after.data);
  bp_text_destroy(&before);
  bp_text_destroy(&after);
  bp_record_destroy(record);
}

/* 2 us of launches in 3 us: neither the fastest nor a fraction of anything. */
TEST(table, overhead_is_no_result)
{
  bp_record *record = sample_record(&recipe);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bp_row *row = &record->rows[n];
    if (row->degree == 1)
      row->overhead_seconds = 0.5 * row->seconds.statistics.median;
  }
  char *text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "\n*  1") == NULL && strstr(text, "\n~  1") == NULL);
  CU_ASSERT(strstr(text, "\n o 1  cube") != NULL);
  CU_ASSERT(strstr(text, "50.0 % overhead") != NULL);
  CU_ASSERT(strstr(text, "o 4 rows mostly overhead") != NULL);
  CU_ASSERT(isnan(bp_row_roofline_fraction(&record->rows[0])));
  CU_ASSERT(isfinite(bp_row_gflops(&record->rows[0])));
  bp_free(text);
  bp_record_destroy(record);
}

/* Row and copy both five times too slow are 101 % of each other. */
TEST(table, what_other_work_slowed_is_no_result)
{
  bp_record *record = sample_record(&recipe);
  bp_row *row = &record->rows[0];
  row->arithmetic_gflops = 1e6;
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (record->rows[n].degree == 1)
      record->rows[n].busy = bp_strdup("busy: other programs had 80 % of the processors' time");
  CU_ASSERT(isnan(bp_row_roofline_fraction(row)) && isnan(bp_row_bound_fraction(row)));
  CU_ASSERT(isnan(bp_row_least_fraction(row)) && bp_row_is_marked(row));
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_UNKNOWN);
  row->overhead_seconds = row->seconds.statistics.median;
  CU_ASSERT_EQUAL(bp_row_flag(row), 'b'); /* empty launches are slow, too */
  char *text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "\n*b 1") == NULL && strstr(text, "\n~b 1") == NULL);
  CU_ASSERT(strstr(text, "\n b 1  cube") && strstr(text, "had 80 % of the processors"));
  CU_ASSERT(strstr(text, "\nb 4 rows slowed by other work") != NULL);
  bp_free(text);
  const int64_t all = record->rows_count;
  CU_ASSERT_EQUAL(bp_record_drop_unfinished(record), 4); /* to be measured again */
  CU_ASSERT_EQUAL(record->rows_count, all - 4);
  bp_record_destroy(record);
}

/* Three samples have no interval, and nothing is said of who is faster; a note is never cut off. */
TEST(table, few_samples_are_not_tied)
{
  bp_record *record = sample_record(&recipe);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bp_row *row = &record->rows[n];
    row->seconds.statistics.count = row->degree == 1 ? 3 : row->seconds.statistics.count;
  }
  char *text = table_of(record, (bp_style){0});
  CU_ASSERT(!strstr(text, "\n~  1") && !strstr(text, "\n*  1") && strstr(text, "too few samples"));
  CU_ASSERT(strstr(text, "\n*  2") != NULL);
  bp_free(text);
  text = table_of(record, (bp_style){.width = 60});
  CU_ASSERT(strstr(text, "\n     too few samples\n") != NULL);
  bp_free(text);
  bp_record_destroy(record);
}

/* A copy of 40 times its time makes 2,500 % of a kernel: no fraction, no best one, and a mark. */
TEST(table, waiting_is_no_result)
{
  bp_record *record = sample_record(&recipe);
  bp_row *row = &record->rows[0];
  row->arithmetic_gflops = 1e6;
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (record->rows[n].degree == 1)
      record->rows[n].copy.waited = bp_strdup("waited: two peaks");
  CU_ASSERT(isnan(bp_row_roofline_fraction(row)) && isnan(bp_row_bound_fraction(row)));
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_UNKNOWN);
  CU_ASSERT(isfinite(bp_row_gflops(row)));
  char *text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "\n*w 1") == NULL && strstr(text, "\n~w 1") == NULL);
  CU_ASSERT(strstr(text, "\n w 1  cube") && strstr(text, "the copy waited: two peaks"));
  bp_free(text);
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (record->rows[n].degree == 1) {
      bp_record_set(&record->rows[n].copy.waited, "");
      bp_record_set(&record->rows[n].waited, "waited: the median is 9 times the minimum");
    }
  CU_ASSERT(bp_row_roofline_fraction(row) > 0);
  row->copy.seconds.statistics.median *= 40; /* and nothing strange about its samples */
  CU_ASSERT(isnan(bp_row_roofline_fraction(row)) && bp_row_has_waited(row));
  text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "\n*w 1") == NULL && strstr(text, "\n~w 1") == NULL);
  CU_ASSERT(strstr(text, "\n w 1  cube") != NULL);
  bp_free(text);
  bp_record_set(&row[3].waited, ""); /* the fastest: nobody knows how fast the others are */
  text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "\n~  1  cube") != NULL);
  bp_free(text);
  bp_record_destroy(record);
}

/* Without blanks, of which a table that grows may have more, and up to the remarks. */
static char *squeezed(const char *text)
{
  bp_text out = {0};
  for (; *text && strncmp(text, "\n\n*", 3) != 0; ++text)
    if (*text != ' ')
      bp_text_append_bytes(&out, text, 1);
  return out.data;
}

/* A table that grows has the rows of a whole one, each degree when it is known. */
static void check_growing(bool is_roofline)
{
  bp_record *record = sample_record(&recipe), *planned = sample_record(&recipe);
  const bp_style style = {0};
  bp_text text = {0}, whole = {0};
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bp_row *row = &planned->rows[n];
    bp_free(row->seconds.samples);
    row->seconds = (bp_timing){0};
    row->status = BP_ROW_OK;
    record->rows[n].arithmetic_gflops = 31e3;
    record->rows[n].shared_gbytes_per_second = row->degree == 1 ? NAN : 30e3;
    if (row->degree == 1) /* no bound, but others will have one */
      bp_record_set(&record->rows[n].copy.waited, "waited");
  }
  bp_live *live = bp_live_create(planned, &style, is_roofline);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bp_live_add(live, &record->rows[n], &text);
    CU_ASSERT((n >= 3) == (text.data && strstr(text.data, "\n w 1  slab") != NULL));
    CU_ASSERT((n >= 7) == (text.data && strstr(text.data, " 2  cube") != NULL));
  }
  bp_live_finish(live, record, &text);
  bp_report_table(record, is_roofline, &style, &whole);
  CU_ASSERT(is_roofline == (strstr(whole.data, "peak b/w") != NULL));
  CU_ASSERT(
      is_roofline ==
      (strstr(whole.data, "  peak bandwidth       4800 GB/s (clock and bus width)\n") != NULL));
  char *a = squeezed(whole.data), *b = squeezed(text.data);
  CHECK(strcmp(a, b) == 0, "%s\nand\n%s", a, b);
  bp_free(a);
  bp_free(b);
  bp_text_destroy(&whole);
  bp_text_destroy(&text);
  bp_record_destroy(record);
}

TEST(table, grows)
{
  check_growing(false);
  check_growing(true);
}

TEST(table, bounds)
{
  bp_record *record = sample_record(&recipe);
  bp_row *row = &record->rows[0];
  row->arithmetic_gflops = 1e6;
  CU_ASSERT(bp_row_roofline_fraction(row) < 0.8);
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_NONE);
  row->copy.seconds.statistics.median *= 0.81 / bp_row_roofline_fraction(row);
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_MEMORY);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_bound_fraction(row), bp_row_roofline_fraction(row), 1e-12);
  row->arithmetic_gflops = 1.1 * bp_row_gflops(row);
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_ARITHMETIC);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_bound_fraction(row), 1 / 1.1, 1e-12);
  row->arithmetic_gflops *= 0.5; /* above the peak: so it executes fewer flops than the model's */
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_UNKNOWN);
  row->executed_flops = row->flops / 2;
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_ARITHMETIC);
  CHECK(bp_row_bound_fraction(row) <= 1, "%g", bp_row_bound_fraction(row));
  row->arithmetic_gflops = 1e6;
  row->shared_gbytes_per_second =
      1e-9 * (double)(row->shared_traffic * row->elements) / row->seconds.statistics.median;
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_SHARED);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_bound_fraction(row), 1, 1e-9);
  row->core_seconds = row->seconds.statistics.median; /* as slow on data in L2 */
  row->shared_gbytes_per_second *= 1.01;
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_CORE);
  row->core_seconds = 0.8 * row->seconds.statistics.median;
  CU_ASSERT_EQUAL(bp_row_bound(row), BP_BOUND_SHARED);
  row->cache_bytes = row->bytes;
  CU_ASSERT_EQUAL(bp_row_flag(row), 'c');
  bp_record_set(&row->cache, "cold");
  CU_ASSERT_EQUAL(bp_row_flag(row), ' ');
  bp_record_set(&row->backend, "emulate");
  CU_ASSERT(isnan(bp_row_gflops(row)) && isnan(bp_row_gdofs_per_second(row)));
  char *text = table_of(record, (bp_style){0});
  CU_ASSERT(strstr(text, "emulated: ") != NULL);
  bp_free(text);
  bp_record_destroy(record);
}
