/* table.h -- a table of texts, and its forms: for a terminal, a document, a page. */
#ifndef BP_REPORT_TABLE_H
#define BP_REPORT_TABLE_H

#include "base/text.h"
#include "report/style.h"

extern const char BP_BOLD[], BP_DIM[], BP_RED[], BP_GREEN[], BP_YELLOW[], BP_PLAIN[];

/* Appends one of these where the style has colours. */
void bp_style_switch(const bp_style *style, const char *color, bp_text *text);

typedef struct {
  const char *title;
  const char *meaning; /* one sentence, for those who do not know it; NULL: none */
  bool is_left;        /* aligned */
  bool is_name;        /* says which row it is */
  int priority;        /* where space is short the highest goes first; 0 stays */
  int gap;             /* blanks before it on a terminal */
  int width;           /* of it there; at least so wide */
} bp_table_column;

typedef struct {
  const char *color; /* on a terminal; NULL: as the rest */
  const char *css;   /* on a page; NULL: as the rest */
  bool is_bold;      /* its names, in a document */
  bool has_reason;   /* the note stands instead of what is no name */
  char *note;        /* on a terminal, below the row; NULL: none */
} bp_table_row;

typedef struct {
  bp_table_column *columns;
  bp_table_row *rows;
  char **cells;   /* [row * columns_count + column]; NULL: empty */
  double *values; /* of cells, to sort by; NaN: what is printed tells */
  int columns_count, rows_count;
} bp_table;

/* Columns are at the right, two blanks apart, until somebody says otherwise. `titles` ends with NULL. */
bp_table bp_table_create(int rows, const char *const *titles);
void bp_table_destroy(bp_table *table);

/* Takes the cell, or copies it. */
void bp_table_put(bp_table *table, int row, int column, char *cell);
void bp_table_set(bp_table *table, int row, int column, const char *cell);
const char *bp_table_cell(const bp_table *table, int row, int column);
/* Takes a column with its cells away. */
void bp_table_drop(bp_table *table, int column);

/* For a terminal: finds the widths, and leaves out columns where the style has too few. */
void bp_table_fit(bp_table *table, const bp_style *style);
void bp_table_print_head(const bp_table *table, const bp_style *style, bp_text *text);
/* Nothing is left behind at the end of a line. */
void bp_table_print_row(const bp_table *table, int row, const bp_style *style, bp_text *text);
/* In any form. Markdown is GitHub's; a page's headings sort. `style` is a terminal's; others need none. */
typedef enum { BP_FORM_TERMINAL, BP_FORM_MARKDOWN, BP_FORM_HTML } bp_form;
void bp_table_append(bp_table *table, bp_form form, const bp_style *style, bp_text *text);

#endif
