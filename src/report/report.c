/* report.c -- the formats a record can be written in, by name. */
#include "report/report.h"

#include "base/memory.h"
#include "report/style.h"
#include <string.h>

static void append_figure(const bp_record *record, const bp_figure *figure, bp_text *text)
{
  if (bp_figure_file(figure, record, &(bp_wishes){0}, text)) { /* no rows: a picture that says so */
    bp_svg_begin(text, 400, 40, "no rows", true);
    bp_svg_text(text, 12, 24, BP_SVG_START, BP_LETTERS_USUAL, BP_INK, bp_message());
    bp_svg_end(text);
  }
}

const char *const bp_report_formats[] = {"table", "markdown", "csv", "json", "html", "svg", NULL};

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
  const size_t count = BP_REPORT_SVG + 1;
  if (strcmp(name, "auto") == 0)
    name = format_of_file(file);
  for (size_t n = 0; n < count; ++n)
    if (strcmp(name, bp_report_formats[n]) == 0) {
      *format = (bp_report_format)n;
      return BP_OK;
    }
  bp_text names = {0};
  for (size_t n = 0; n < count; ++n)
    bp_text_appendf(&names, "%s%s", n ? ", " : "", bp_report_formats[n]);
  bp_fail(BP_BAD_INPUT, "expected a format (%s), found '%s'%s", names.data, name,
          bp_suggestion(name, bp_report_formats, count));
  bp_text_destroy(&names);
  return BP_BAD_INPUT;
}

void bp_report_append(const bp_record *record, bp_report_format format, const bp_wishes *wishes,
                      bp_text *text)
{
  if (format == BP_REPORT_HTML)
    bp_report_html(record, wishes, text);
  else if (format == BP_REPORT_CSV)
    bp_report_csv(record, text);
  else if (format == BP_REPORT_JSON)
    bp_record_write_json(record, text);
  else if (format == BP_REPORT_SVG)
    append_figure(record, bp_figure_usual(record), text);
  else
    bp_report_markdown(record, text);
  if (format == BP_REPORT_MARKDOWN && wishes->peers)
    bp_peers_append(wishes->peers, record, BP_FORM_MARKDOWN, NULL, text);
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
  if (format == BP_REPORT_TABLE)
    bp_report_table(record, false, &style, &text);
  else
    bp_report_append(record, format, &(bp_wishes){0}, &text);
  write_text(&text, stream);
}

void bp_report_write_figure(const bp_record *record, const char *name, FILE *stream)
{
  bp_text text = {0};
  append_figure(record, bp_figure_find(name), &text);
  write_text(&text, stream);
}

void bp_report_figure_terminal(const bp_record *record, const bp_style *style, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  for (int64_t g = 0; g < groups.count; ++g) {
    bp_plot plot = bp_gflops_plot(&groups.groups[g]);
    plot.title = bp_group_title(&groups.groups[g], style->unicode ? " \xc2\xb7 " : ", ");
    bp_plot_print(&plot, style, text);
  }
  bp_groups_destroy(&groups);
}
