/* figure_html.c -- tests of the page: no text of a record becomes markup or control characters. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"
#include "report/compare.h"
#include "report/record_fields.h"
#include "report/report.h"

TEST(html, a_full_sweep_is_one_small_page)
{
  bp_record *record = sample_record(&figure_full);
  bp_text html = {0};
  bp_report_html(record, &(bp_wishes){0}, &html);
  const char *wrong = figure_ill_formed(html.data);
  CHECK(!wrong, "%s", wrong);
  CHECK(html.length < 1000000, "%zu bytes", html.length);
  CU_ASSERT(figure_count(html.data, "<tr") == 3 + 3 * 15 * 15);
  CU_ASSERT(figure_count(html.data, "<tr class=\"best\">") == 3 * 15);
  CU_ASSERT(figure_count(html.data, "<tr class=\"wrong\">") == 3);
  CU_ASSERT(strstr(html.data, "&lt;b&gt;&amp;amp;") != NULL); /* of the config */
  CU_ASSERT(strstr(html.data, "bp run 'configs/my sweep.yaml'") != NULL);
  bp_text_destroy(&html);
  bp_record_destroy(record);
}

/* What other work slowed is neither bold nor quoted nor filled, and says so wherever it stands. */
TEST(html, marked_rows_are_seen)
{
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 15, .variants = 3);
  bp_text html = {0};
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (record->rows[n].degree != 7)
      bp_record_set(&record->rows[n].busy, "busy: others");
  bp_report_html(record, &(bp_wishes){0}, &html);
  CU_ASSERT_EQUAL(figure_count(html.data, "<tr class=\"best\">"), 1);
  CU_ASSERT_EQUAL(figure_count(html.data, ">b</td>"), 3 * (15 - 1));
  CU_ASSERT_EQUAL(figure_count(html.data, ">busy: others</td>"), 3 * (15 - 1));
  CU_ASSERT(strstr(html.data, " reaches <b>") && strstr(html.data, " %</b> (N=7) of what a copy"));
  CU_ASSERT(strstr(html.data, ">hollow: marked, see the table") != NULL);
  CU_ASSERT(strstr(html.data, "<b>b</b> 42 rows slowed by other work") != NULL);
  for (int64_t n = 0; n < record->rows_count; ++n)
    bp_record_set(&record->rows[n].busy, "busy: others");
  bp_text_destroy(&html);
  bp_report_html(record, &(bp_wishes){0}, &html);
  CU_ASSERT(!strstr(html.data, " reaches <b>") && strstr(html.data, "no row at memory") != NULL);
  CU_ASSERT_EQUAL(figure_count(html.data, "<tr class=\"best\">"), 0);
  bp_text_destroy(&html);
  bp_record_destroy(record);
}

/* Problems stand in their order, whatever the record's. */
TEST(html, problems_in_their_order)
{
  static const char *const names[] = {"bp3.5", "bp3.0", "bp1.0"};
  bp_record *record = sample_record(&figure_full);
  bp_text html = {0};
  for (int64_t n = 0; n < record->rows_count; ++n)
    bp_record_set(&record->rows[n].problem, names[3 * n / record->rows_count]);
  bp_report_html(record, &(bp_wishes){0}, &html);
  const char *tables = strstr(html.data, "id=\"tables\"");
  const char *a = strstr(tables, "<h3>bp1.0"), *b = strstr(tables, "<h3>bp3.0"),
             *c = strstr(tables, "<h3>bp3.5");
  CU_ASSERT(a && b && c && a < b && b < c);
  bp_text_destroy(&html);
  bp_record_destroy(record);
}

/* Markup in every text of a record comes out as text, in the page and in every figure. */
static void spoil(void *base, const bp_field *fields, const char *text)
{
  for (const bp_field *f = fields; f->key; ++f)
    if (f->kind == BP_FIELD_STRING || f->kind == BP_FIELD_MAYBE_TEXT)
      bp_record_set((char **)((char *)base + f->offset), text);
}

static bp_record *spoiled(const char *text)
{
  bp_record *record = figure_two_sizes();
  bp_record_add_fact(record, text, text);
  bp_record_add_mesh(record);
  bp_record_add_bound(record, "", "", "GFLOPS", 1, "");
  spoil(record, bp_record_fields, text);
  spoil(&record->meshes[record->meshes_count - 1], bp_mesh_fields, text);
  spoil(&record->bounds[record->bounds_count - 1], bp_bound_fields, text);
  for (int64_t n = 0; n < record->rows_count; n += 7) {
    bp_row *row = &record->rows[n];
    spoil(row, bp_row_fields, text);
    char *options = bp_format("%s=1", text);
    bp_record_set(&row->options, options);
    bp_free(options);
  }
  return record;
}

static const char markup[] = "</title></script></style></pre><img/src=x/onerror=alert(1)>\"'&lt;";

TEST(html, no_text_of_a_record_becomes_markup)
{
  bp_record *record = spoiled(markup);
  bp_text page = {0};
  bp_report_html(record, &(bp_wishes){0}, &page);
  CHECK(!figure_ill_formed(page.data), "%s", figure_ill_formed(page.data));
  CU_ASSERT_EQUAL(figure_count(page.data, "<img"), 0);
  CU_ASSERT_EQUAL(figure_count(page.data, "</title>"), figure_count(page.data, "<title>"));
  CU_ASSERT_EQUAL(figure_count(page.data, "</script>"), 1);
  CU_ASSERT(figure_count(page.data, "&lt;img/src=x/onerror=alert(1)&gt;&quot;'&amp;lt;") > 20);
  for (int f = 0; f < BP_FIGURES; ++f) {
    bp_text svg = {0};
    if (bp_figure_file(&bp_figures[f], record, &(bp_wishes){0}, &svg) == BP_OK)
      CHECK(figure_count(svg.data, "<img") == 0 && !figure_ill_formed(svg.data), "%s",
            bp_figures[f].name);
    bp_text_destroy(&svg);
  }
  bp_text markdown = {0};
  bp_report_markdown(record, &markdown);
  char *command =
      strstr(markdown.data, "\n    <"); /* the command: code, in which nothing is special */
  CU_ASSERT_FATAL(command != NULL);
  *command = '\0';
  CU_ASSERT_EQUAL(figure_count(markdown.data, "<img"), figure_count(markdown.data, "\\<img"));
  bp_text_destroy(&markdown);
  bp_text_destroy(&page);
  bp_record_destroy(record);
}

/* What a terminal obeys is shown. */
TEST(report, control_characters_reach_no_reader)
{
  bp_record *record = spoiled("a\x1b[2J\tb\rc\x9b d\xe2\x80\xae | e\x07\xc2\x9b");
  bp_text text = {0};
  const bp_style style = {.width = 200};
  bp_report_table(record, false, &style, &text);
  bp_report_figure_terminal(record, &style, &text);
  bp_comparison *c = bp_compare(record, record, 0.05);
  bp_comparison_table(c, &style, &text);
  bp_comparison_destroy(c);
  bp_report_markdown(record, &text);
  bp_report_html(record, &(bp_wishes){0}, &text);
  size_t clean = strcspn(text.data, "\x1b\r\x07");
  CHECK(clean == text.length, "found %.80s", text.data + clean);
  CU_ASSERT_EQUAL(figure_count(text.data, "\xc2\x9b") + figure_count(text.data, "c\x9b"), 0);
  CU_ASSERT_EQUAL(figure_count(text.data, "\xe2\x80\xae"), 0);
  CU_ASSERT(figure_count(text.data, "a\\x1b[2J\\x09b\\x0dc\\x9b d\\u202e | e\\x07\\u009b") > 3);
  CU_ASSERT(figure_count(text.data, "d\\u202e \\| e\\x07") > 3); /* in a cell of Markdown */
  bp_text_destroy(&text);
  bp_record_destroy(record);
}
