/* report.c -- the formats a record can be written in, by name. */
#include "report/report.h"

#include "report/figure.h"
#include "report/html.h"
#include "report/style.h"
#include <string.h>

static void write_table(const bp_record *record, FILE *stream, bp_text *text)
{
  bp_style style = bp_style_of(stream);
  bp_report_table(record, &style, text);
}

static void write_markdown(const bp_record *record, FILE *stream, bp_text *text)
{
  (void)stream;
  bp_report_markdown(record, text);
}

static void write_csv(const bp_record *record, FILE *stream, bp_text *text)
{
  (void)stream;
  bp_report_csv(record, text);
}

static void write_json(const bp_record *record, FILE *stream, bp_text *text)
{
  (void)stream;
  bp_record_write_json(record, text);
}

static void write_html(const bp_record *record, FILE *stream, bp_text *text)
{
  (void)stream;
  bp_report_html(record, &bp_no_wishes, text);
}

static void append_figure(const bp_record *record, const bp_figure *figure, bp_text *text)
{
  if (bp_figure_file(figure, record, &bp_no_wishes, text)) { /* no rows: a picture that says so */
    bp_svg_begin(text, 400, 40, "no rows", true);
    bp_svg_text(text, 12, 24, BP_SVG_START, "", bp_message());
    bp_svg_end(text);
  }
}

static void write_svg(const bp_record *record, FILE *stream, bp_text *text)
{
  (void)stream;
  append_figure(record, &bp_figures[0], text);
}

const char *const bp_report_formats[] = {"table", "markdown", "csv", "json", "html", "svg", NULL};

static void (*const writers[])(const bp_record *, FILE *, bp_text *) = {
    write_table, write_markdown, write_csv, write_json, write_html, write_svg};

bp_status bp_report_format_find(const char *name, bp_report_format *format)
{
  size_t count = sizeof writers / sizeof *writers;
  for (size_t n = 0; n < count; ++n)
    if (strcmp(name, bp_report_formats[n]) == 0) {
      *format = (bp_report_format)n;
      return BP_OK;
    }
  const char *nearest = bp_nearest(name, bp_report_formats, count);
  bp_text names = {0};
  for (size_t n = 0; n < count; ++n)
    bp_text_appendf(&names, "%s%s", n ? ", " : "", bp_report_formats[n]);
  bp_fail(BP_BAD_INPUT, "expected a format (%s), found '%s'%s%s%s", names.data, name,
          nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  bp_text_destroy(&names);
  return BP_BAD_INPUT;
}

void bp_report_write(const bp_record *record, bp_report_format format, FILE *stream)
{
  bp_text text = {0};
  writers[format](record, stream, &text);
  fwrite(bp_text_string(&text), 1, text.length, stream);
  bp_text_destroy(&text);
}

void bp_report_write_figure(const bp_record *record, const char *name, FILE *stream)
{
  const bp_figure *figure = bp_figure_find(name);
  bp_text text = {0};
  BP_ASSERT(figure);
  append_figure(record, figure, &text);
  fwrite(bp_text_string(&text), 1, text.length, stream);
  bp_text_destroy(&text);
}
