/* record.c -- the fuzzers' view of the record reader, JSON and CSV, and of all that is made of a record. */
#include "fuzz.h"

#include "base/memory.h"
#include "report/compare.h"
#include "report/figure.h"
#include "report/report.h"
#include <string.h>

const char *const fuzz_words[] = {"\"schema\": 1,",
                                  "\"rows\": [",
                                  "\"meshes\": [",
                                  "\"bounds\": [",
                                  "\"samples\": [",
                                  "\"seconds\": {",
                                  "\"count\": ",
                                  "\"min\": ",
                                  "\"median\": ",
                                  "\"max\": ",
                                  "\"interval\": [",
                                  "\"degree\": ",
                                  "\"rung\": \"2d-k3\",",
                                  "\"status\": \"wrong\"",
                                  "\"options\": {\"pad\": 1}",
                                  "\"power\": {\"throttle\": \"hot\"}",
                                  "\"target_dofs\": 20000000,",
                                  "\"ranks\": 4,",
                                  "\"ranks\": 0,",
                                  "\"communication\": \"mpi\",",
                                  "\"preconditioner\": \"jacobi\",",
                                  "\"quadrature\": \"N+3\",",
                                  "\"iterations\": ",
                                  "\"residual\": ",
                                  "\"problem\": \"wave\",",
                                  "\"problem\": \"gradient-tet\",",
                                  "\"problem\": \"pair\",",
                                  "\"value\": 1e308",
                                  "5e-324",
                                  "1e-12",
                                  "1e308",
                                  "9007199254740992",
                                  "null",
                                  "true",
                                  "{}",
                                  "[]",
                                  ",",
                                  "\"",
                                  "\\u001b[31m",
                                  "\\u202e",
                                  "</script>",
                                  "<script>",
                                  "|",
                                  "`",
                                  "\x1b[2J",
                                  "\xc2\x9b",
                                  "\xff",
                                  "problem,variant,",
                                  ",,,",
                                  "\n",
                                  "\r\n",
                                  "\"\"",
                                  NULL};

/* What a terminal obeys, but newlines and tabs. */
static bool has_controls(const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c)
    if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f ||
        (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
      return true;
  return false;
}

static void check_terminal(const bp_record *record)
{
  static const bp_style styles[] = {{.width = 80}, {.unicode = true}};
  for (size_t n = 0; n < sizeof styles / sizeof *styles; ++n) {
    bp_text text = {0};
    bp_report_table(record, n > 0, &styles[n], &text);
    bp_report_figure_terminal(record, &styles[n], &text);
    BP_ASSERT(!has_controls(bp_text_string(&text)));
    bp_text_destroy(&text);
  }
}

static int count_of(const char *text, const char *what)
{
  int count = 0;
  for (const char *at = text; (at = strstr(at, what)); ++at)
    ++count;
  return count;
}

/* No text of the record becomes an element or leaves its attribute. */
static void check_pages(const bp_record *record)
{
  bp_text page = {0};
  bp_report_html(record, &(bp_wishes){0}, &page);
  BP_ASSERT(count_of(page.data, "<script") == 1 && count_of(page.data, "</script") == 1);
  BP_ASSERT(!has_controls(page.data));
  bp_text_destroy(&page);
  for (int f = 0; f < BP_FIGURES; ++f) {
    bp_text svg = {0};
    if (bp_figure_file(&bp_figures[f], record, &(bp_wishes){0}, &svg) == BP_OK)
      BP_ASSERT(count_of(svg.data, "<script") == 0 && !has_controls(svg.data));
    bp_text_destroy(&svg);
  }
  bp_text markdown = {0};
  bp_report_markdown(record, &markdown);
  BP_ASSERT(!has_controls(bp_text_string(&markdown)));
  bp_text_destroy(&markdown);
}

/* What was accepted is written, read back and written the same; its CSV is read back as well. */
static void check_round_trip(const bp_record *record)
{
  bp_text once = {0}, twice = {0}, csv = {0};
  bp_record *again = NULL;
  bp_record_write_json(record, &once);
  BP_ASSERT(bp_record_read_bytes("again", once.data, once.length, &again) == BP_OK);
  bp_record_write_json(again, &twice);
  BP_ASSERT(strcmp(once.data, twice.data) == 0);
  bp_record_destroy(again);
  bp_report_csv(record, &csv);
  BP_ASSERT(bp_record_read_bytes("csv", csv.data, csv.length, &again) == BP_OK);
  BP_ASSERT(again->rows_count == record->rows_count);
  bp_record_destroy(again);
  bp_text_destroy(&once);
  bp_text_destroy(&twice);
  bp_text_destroy(&csv);
}

static void check_compare(const bp_record *record, const char *data, size_t size)
{
  static const bp_style style = {.width = 80};
  bp_text text = {0};
  bp_record *other = NULL;
  BP_ASSERT(bp_record_read_bytes("other", data, size, &other) == BP_OK);
  bp_comparison *c = bp_compare(record, other, 0.05);
  bp_comparison_table(c, &style, &text);
  BP_ASSERT(!has_controls(bp_text_string(&text)) && c->regressions == 0);
  bp_comparison_json(c, &text);
  bp_comparison_destroy(c);
  bp_record_destroy(other);
  bp_text_destroy(&text);
}

bp_status fuzz_read(const char *data, size_t size)
{
  bp_record *record = NULL;
  bp_status status = bp_record_read_bytes("f", data, size, &record);
  BP_ASSERT((status == BP_OK) == (record != NULL));
  if (record) {
    check_terminal(record);
    check_pages(record);
    check_round_trip(record);
    check_compare(record, data, size);
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 1000 && !strchr(bp_message(), '\n'));
  }
  bp_record_destroy(record);
  return status;
}
