/* report.c -- the formats a record can be written in, by name. */
#include "report/report.h"

#include "report/figure.h"
#include "report/html.h"
#include "report/style.h"
#include <string.h>

static void append_html(const bp_record *record, bp_text *text)
{
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

static void append_svg(const bp_record *record, bp_text *text)
{
  append_figure(record, bp_figure_usual(record), text);
}

const char *const bp_report_formats[] = {"table", "markdown", "csv", "json", "html", "svg", NULL};

/* But the table's, whose style is its stream's. */
static void (*const writers[])(const bp_record *, bp_text *) = {
    NULL, bp_report_markdown, bp_report_csv, bp_record_write_json, append_html, append_svg};

static const char *format_of_file(const char *file)
{
  const char *dot = file ? strrchr(file, '.') : NULL;
  if (dot && strcmp(dot, ".md") == 0)
    return "markdown";
  for (size_t n = 0; dot && bp_report_formats[n]; ++n)
    if (strcmp(dot + 1, bp_report_formats[n]) == 0)
      return bp_report_formats[n];
  return "table";
}

bp_status bp_report_format_find(const char *name, const char *file, bp_report_format *format)
{
  size_t count = sizeof writers / sizeof *writers;
  if (strcmp(name, "auto") == 0)
    name = format_of_file(file);
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

static void write_text(bp_text *text, FILE *stream)
{
  fwrite(bp_text_string(text), 1, text->length, stream);
  bp_text_destroy(text);
}

void bp_report_write(const bp_record *record, bp_report_format format, FILE *stream)
{
  bp_text text = {0};
  bp_style style = bp_style_of(stream);
  if (writers[format])
    writers[format](record, &text);
  else
    bp_report_table(record, &style, &text);
  write_text(&text, stream);
}

void bp_report_write_figure(const bp_record *record, const char *name, FILE *stream)
{
  bp_text text = {0};
  append_figure(record, bp_figure_find(name), &text);
  write_text(&text, stream);
}
