/* report.h -- a record in the forms that people and programs read. All append to a text; nothing is
 * measured or decided here. */
#ifndef BP_REPORT_REPORT_H
#define BP_REPORT_REPORT_H

#include "report/figure.h"
#include "report/record.h"
#include "report/style.h"
#include <stdio.h>

typedef enum {
  BP_REPORT_TABLE,
  BP_REPORT_MARKDOWN,
  BP_REPORT_CSV,
  BP_REPORT_JSON,
  BP_REPORT_HTML,
  BP_REPORT_SVG /* one figure: bp_figure_usual */
} bp_report_format;

/* "table", "markdown" ...; ends with NULL, in the order of the enum. */
extern const char *const bp_report_formats[];
/* "auto" is what the ending of `file` says (.json, .csv ...), otherwise, and where it is NULL, a table.
 * BP_BAD_INPUT, naming the nearest one, where there is no such format. */
bp_status bp_report_format_find(const char *name, const char *file, bp_report_format *format);

/* In any format but the table's, with the peers that are wished for. */
void bp_report_append(const bp_record *record, bp_report_format format, const bp_wishes *wishes,
                      bp_text *text);

/* In the style that suits `stream`. Errors of the stream are found by bp_output_finish. */
void bp_report_write(const bp_record *record, bp_report_format format, FILE *stream);

/* One figure as SVG; `name` is one of figure.h. */
void bp_report_write_figure(const bp_record *record, const char *name, FILE *stream);

/* One table per problem, mesh, device and cache mode; columns are left out by priority where they
 * do not fit into style->width. Ends with what needs saying: wrong and skipped rows, throttling. Or the same of
 * what bounds each row, with the device's bounds at the end. */
void bp_report_table(const bp_record *record, bool is_roofline, const bp_style *style,
                     bp_text *text);

/* One of these tables while its rows come: `planned` has all of them, in the order in which they will come,
 * with what says which row each is; it becomes the table's. A row is printed when all rows above it and of its
 * degree are known; the pointers in it stay valid. The end prints what is left, says what needs saying, and
 * frees. */
typedef struct bp_live bp_live;
bp_live *bp_live_create(bp_record *planned, const bp_style *style, bool is_roofline);
void bp_live_add(bp_live *live, const bp_row *row, bp_text *text);
void bp_live_finish(bp_live *live, const bp_record *record, bp_text *text);

/* The same for documents (GitHub's tables). */
void bp_report_markdown(const bp_record *record, bp_text *text);

/* One page that needs nothing else: figures, tables, environment, how to read it. Inline styles, SVG and a
 * few lines of script; no network. Raw samples stay in the record. */
void bp_report_html(const bp_record *record, const bp_wishes *wishes, bp_text *text);

/* One line per row with every field of the record but the samples; empty where a figure does not
 * apply, so a wrong row has no rate. RFC 4180 with '\n', 17 digits. */
void bp_report_csv(const bp_record *record, bp_text *text);

/* The rate by degree in characters, for a terminal: one figure per group of two degrees or more, as wide as
 * style->width allows; without style->unicode in ASCII. */
void bp_report_figure_terminal(const bp_record *record, const bp_style *style, bp_text *text);

#endif
