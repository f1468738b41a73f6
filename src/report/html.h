/* html.h -- a record as one page that needs nothing else: figures, tables, environment, how to read it. */
#ifndef BP_REPORT_HTML_H
#define BP_REPORT_HTML_H

#include "report/figure.h"

/* Inline styles, SVG and a few lines of script; no network. Raw samples stay in the record. */
void bp_report_html(const bp_record *record, const bp_wishes *wishes, bp_text *text);

#endif
