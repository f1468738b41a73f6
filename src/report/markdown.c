/* markdown.c -- tables for documents. */
#include "report/report.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/columns.h"
#include "report/group.h"
#include <string.h>

static void append_cell(bp_text *text, const char *cell, bool bold)
{
  bp_text_append(text, bold ? " **" : " ");
  bp_safe_markdown(text, cell);
  bp_text_append(text, bold ? "** |" : " |");
}

static bool has_reasons(const bp_group *group)
{
  for (int64_t n = 0; n < group->count; ++n)
    if (group->rows[n]->status != BP_ROW_OK)
      return true;
  return false;
}

static void append_row(const bp_group *group, int64_t n, bool reasons, bp_text *text)
{
  const bp_row *row = group->rows[n];
  bp_mark mark = bp_group_mark(group, n);
  bool best = mark == BP_MARK_BEST;
  bp_text_append(text, "|");
  for (const bp_column *column = bp_columns; column->title; ++column) {
    bp_text cell = {0};
    if (!bp_column_is_shown(column, group))
      continue;
    if (mark == BP_MARK_TIED && strcmp(column->title, "variant") == 0)
      bp_text_append(&cell, "~ ");
    if (row->status == BP_ROW_OK || column->names)
      column->print(group, row, true, &cell);
    append_cell(text, bp_text_string(&cell), best && column->names && cell.length > 0);
    bp_text_destroy(&cell);
  }
  if (reasons) {
    bp_text reason = {0};
    bp_columns_print_reason(row, &reason);
    append_cell(text, row->status == BP_ROW_OK ? "ok" : bp_text_string(&reason), false);
    bp_text_destroy(&reason);
  }
  bp_text_append(text, "\n");
}

static void append_group(const bp_group *group, bp_text *text)
{
  bool reasons = has_reasons(group);
  char *title = bp_group_title(group, ", ");
  bp_text_append(text, "### ");
  bp_safe_markdown(text, title);
  bp_text_append(text, "\n\n|");
  bp_free(title);
  for (const bp_column *column = bp_columns; column->title; ++column)
    if (bp_column_is_shown(column, group))
      append_cell(text, column->title, false);
  bp_text_append(text, reasons ? " status |\n|" : "\n|");
  for (const bp_column *column = bp_columns; column->title; ++column)
    if (bp_column_is_shown(column, group))
      bp_text_append(text, column->left ? ":--|" : "--:|");
  bp_text_append(text, reasons ? ":--|\n" : "\n");
  for (int64_t n = 0; n < group->count; ++n)
    append_row(group, n, reasons, text);
}

void bp_report_markdown(const bp_record *record, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  for (int64_t g = 0; g < groups.count; ++g) {
    bp_text_append(text, g ? "\n" : "");
    append_group(&groups.groups[g], text);
  }
  bp_text_append(text,
                 "\nBold: faster than all other variants of its degree; ~ the fastest and those "
                 "that `bp compare` does not tell from it. bp ");
  bp_safe_markdown(text, record->version);
  bp_text_append(text, ", ");
  bp_safe_markdown(text, record->time);
  bp_text_append(text, record->interrupted ? ", interrupted:\n\n    " : ":\n\n    ");
  bp_text command = {0};
  bp_safe_lines(&command, record->command);
  for (const char *c = bp_text_string(&command); *c; ++c)
    bp_text_append(text, *c == '\n' ? "\n    " : (char[]){*c, 0});
  bp_text_append(text, "\n");
  bp_text_destroy(&command);
  bp_groups_destroy(&groups);
}
