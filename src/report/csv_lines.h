/* csv_lines.h -- the lines of a CSV text, cell by cell: quotes as in RFC 4180, lines that end with LF or
 * CRLF. */
#ifndef BP_REPORT_CSV_LINES_H
#define BP_REPORT_CSV_LINES_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

enum { BP_CSV_COLUMNS = 256 };

typedef struct {
  const char *name; /* of the file, for messages */
  char *text, *at;  /* a copy, cut into cells as it is read; what is still to be read */
  int line, count;  /* the line that the cells stand on, from 1; how many columns */
  const char *heads[BP_CSV_COLUMNS], *cells[BP_CSV_COLUMNS];
} bp_csv_lines;

/* Copies `data`; to be destroyed. */
bp_csv_lines *bp_csv_lines_create(const char *name, const char *data, size_t size);
void bp_csv_lines_destroy(bp_csv_lines *csv);

bool bp_csv_is_at_end(const bp_csv_lines *csv);
/* The line that begins with '#', without that, as one text; NULL where there is none here. */
const char *bp_csv_take_comment(bp_csv_lines *csv);
/* The names of the columns. BP_BAD_INPUT as below. */
bp_status bp_csv_take_heads(bp_csv_lines *csv);
/* As many cells as there are columns; BP_BAD_INPUT with `name:line: expected, found` for anything else. */
bp_status bp_csv_take_cells(bp_csv_lines *csv);

/* NULL where there is no such column. */
const char *bp_csv_cell(const bp_csv_lines *csv, const char *column);

#endif
