/* style.h -- what the place that a report is written to can show. */
#ifndef BP_REPORT_STYLE_H
#define BP_REPORT_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  bool terminal;
  bool color;   /* a terminal, and NO_COLOR not set, TERM not "dumb" */
  bool unicode; /* the locale's characters are UTF-8 */
  int width;    /* columns; 0: no limit */
} bp_style;

/* COLUMNS, where set, goes before the terminal's own width. */
bp_style bp_style_of(FILE *stream);

/* Columns that `text` (UTF-8) takes, escape sequences for colours not counted. */
int bp_style_width(const char *text);

#endif
