/* columns.h -- the columns of the tables for people. */
#ifndef BP_REPORT_COLUMNS_H
#define BP_REPORT_COLUMNS_H

#include "report/group.h"
#include "report/style.h"

typedef struct {
  const char *title;
  const char *meaning; /* one sentence, for those who do not know it */
  bool left;           /* aligned */
  bool names;          /* says which row it is: shown for wrong and skipped rows too */
  int priority;        /* where space is short the highest goes first; 0 stays */
  bool (*is_shown)(const bp_group *group); /* NULL: always */
  void (*print)(const bp_group *group, const bp_row *row, bool unicode, bp_text *text);
  double (*value)(const bp_row *row); /* to sort by; NULL: what is printed tells */
} bp_column;

bool bp_column_is_shown(const bp_column *column, const bp_group *group);

/* Each ends with a column whose title is NULL: those of a run, and of the bounds in GFLOPS of the model. */
extern const bp_column bp_columns[], bp_roofline_columns[];

/* All that is to know of a row, the weightiest first; nothing where there is nothing. */
void bp_row_print_note(const bp_row *row, bp_text *text);

/* "columns N=7: 41.2 us, 5650 GFLOPS, 97.8 % of the roofline", for the mouse; free with bp_free. */
char *bp_row_tip(const bp_row *row);

/* Why there are no figures: "WRONG: ..." or "skipped: ..."; "" for a row that is ok. */
void bp_columns_print_reason(const bp_row *row, bp_text *text);

#endif
