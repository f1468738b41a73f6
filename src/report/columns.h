/* columns.h -- the columns of the tables for people, and the table of a group in each form. */
#ifndef BP_REPORT_COLUMNS_H
#define BP_REPORT_COLUMNS_H

#include "report/group.h"
#include "report/table.h"

typedef enum {
  BP_COLUMN_TEXT, /* by `print` */
  BP_COLUMN_WHOLE,
  BP_COLUMN_COUNT,
  BP_COLUMN_SECONDS,
  BP_COLUMN_FOUR,
  BP_COLUMN_PERCENT,
  BP_COLUMN_SMALL
} bp_column_format;

typedef struct {
  const char *title, *meaning;
  int priority;    /* where space is short the highest goes first; 0 stays */
  unsigned traits; /* see columns.c */
  bp_column_format format;
  double (*value)(const bp_row *row);
  void (*print)(const bp_group *group, const bp_row *row, bool unicode, bp_text *text);
} bp_column;

/* Each ends with a column whose title is NULL: those of a run, and of the bounds in GFLOPS of the model. */
extern const bp_column bp_columns[], bp_roofline_columns[];

/* The table of a group. */
typedef struct {
  const bp_group *group;
  const bp_column *all;
  bp_form form;
  const bp_style *style;
  bool is_live; /* most rows are not known yet */
  const bp_column *shown[32];
  bp_table table;
} bp_rows_table;

/* Those columns that have something to show. `t` has all but the last two members. To be destroyed by
 * bp_table_destroy. */
void bp_rows_table_fill(bp_rows_table *t);
/* Row n as it is now. */
void bp_rows_table_update(bp_rows_table *t, int n);

/* All that is to know of a row, the weightiest first; nothing where there is nothing. */
void bp_row_print_note(const bp_row *row, bp_text *text);

/* "columns N=7: 41.2 us, 5650 GFLOPS, 97.8 % of the roofline", for the mouse; free with bp_free. */
char *bp_row_tip(const bp_row *row);

#endif
