/* pdf.h -- a figure as PDF, through librsvg's rsvg-convert where that is installed. */
#ifndef BP_REPORT_PDF_H
#define BP_REPORT_PDF_H

#include "base/status.h"
#include "base/text.h"
#include <stdio.h>

/* BP_ENVIRONMENT where there is no rsvg-convert, or it fails. */
bp_status bp_pdf_write(const bp_text *svg, FILE *stream);

#endif
