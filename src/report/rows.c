/* rows.c -- the tables that a user reads first: of all rows, at once or as they come. */
#include "report/report.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/columns.h"
#include "report/number.h"
#include "report/scaling.h"
#include "report/sizes.h"
#include "report/species.h"
#include <string.h>

static void print_line(const bp_style *style, const char *color, const char *line, bp_text *text)
{
  bp_style_switch(style, color, text);
  bp_safe_line(text, line);
  bp_style_switch(style, color ? BP_PLAIN : NULL, text);
  bp_text_append(text, "\n");
}

/* ---- the tables ---- */

/* Its title and the head. */
static void begin_group(bp_rows_table *t, bp_text *text)
{
  char *title = bp_group_title(t->group, t->style->unicode ? " \xc2\xb7 " : ", ");
  bp_rows_table_fill(t);
  print_line(t->style, BP_BOLD, title, text);
  bp_table_fit(&t->table, t->style);
  bp_table_print_head(&t->table, t->style, text);
  bp_free(title);
}

static void print_groups(const bp_groups *groups, const bp_column *columns, const bp_style *style,
                         bp_text *text)
{
  for (int64_t g = 0; g < groups->count; ++g) {
    bp_rows_table t = {.all = columns, .group = &groups->groups[g], .style = style};
    bp_text_append(text, g ? "\n" : "");
    begin_group(&t, text);
    for (int n = 0; n < t.table.rows_count; ++n)
      bp_table_print_row(&t.table, n, style, text);
    bp_table_destroy(&t.table);
  }
}

/* ---- what stands below them ---- */

/* What each flag means, and how many rows have it. */
static void print_flags(const bp_record *record, const bp_style *style, bp_text *text)
{
  for (const bp_flag *f = bp_flags; f->flag; ++f) {
    long long count = 0;
    for (int64_t n = 0; n < record->rows_count; ++n)
      count += bp_row_flag(&record->rows[n]) == f->flag;
    char *line = bp_format("%c %lld row%s %s", f->flag, count, count == 1 ? "" : "s", f->means);
    if (count)
      print_line(style, BP_YELLOW, line, text);
    bp_free(line);
  }
}

static void print_marks(const bp_groups *groups, bp_text *text)
{
  bool has[BP_MARK_TIED + 1] = {false};
  for (int64_t g = 0; g < groups->count; ++g)
    for (int64_t n = 0; n < groups->groups[g].count; ++n)
      has[bp_group_mark(&groups->groups[g], groups->groups[g].rows[n])] = true;
  if (has[BP_MARK_BEST])
    bp_text_append(text, "* faster than all other variants of its degree\n");
  if (has[BP_MARK_TIED])
    bp_text_append(text, "~ the fastest and those that bp compare does not tell from it\n");
}

static void print_end(const bp_record *record, const bp_groups *groups, const bp_style *style,
                      bp_text *text)
{
  bp_text remarks = {0};
  long long wrong = 0;
  bool is_emulated = false;
  for (int64_t n = 0; n < record->rows_count; ++n) {
    wrong += record->rows[n].status == BP_ROW_WRONG;
    is_emulated |= strcmp(record->rows[n].backend, "emulate") == 0;
  }
  char *line = bp_format("%lld of %lld rows WRONG: no rate is given for them", wrong,
                         (long long)record->rows_count);
  if (record->rows_count == 0)
    bp_text_append(text, "no rows\n");
  bp_scalings_print(record, style, text);
  bp_species_print(record, text);
  bp_sizes_print(record, style->unicode, &remarks);
  print_marks(groups, &remarks);
  print_flags(record, style, &remarks);
  if (wrong)
    print_line(style, BP_RED, line, &remarks);
  if (is_emulated)
    bp_text_append(&remarks, "emulated: results are verified, times mean nothing\n");
  if (record->interrupted)
    bp_text_append(&remarks, "interrupted: these are the rows finished until then\n");
  bp_text_append(text, remarks.length ? "\n" : "");
  bp_text_append(text, bp_text_string(&remarks));
  bp_text_destroy(&remarks);
  bp_free(line);
}

static void print_bounds(const bp_record *record, const bp_style *style, bp_text *text)
{
  bp_text_append(text, "\nbounds above are in GFLOPS of the model\n");
  if (record->rows_count && bp_row_is_solve(&record->rows[0]))
    bp_text_append(text, "least: an iteration that moves its factors and 56 bytes an unknown\n");
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *b = &record->bounds[n];
    bp_number value;
    char *line = bp_format("  %-16s %8s %s (%s)", b->name, bp_number_four(value, b->value), b->unit,
                           b->source);
    print_line(style, NULL, line, text);
    bp_free(line);
  }
}

void bp_report_table(const bp_record *record, bool is_roofline, const bp_style *style,
                     bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  print_groups(&groups, is_roofline ? bp_roofline_columns : bp_columns, style, text);
  if (is_roofline)
    print_bounds(record, style, text);
  print_end(record, &groups, style, text);
  bp_groups_destroy(&groups);
}

/* ---- a table that grows ---- */

struct bp_live {
  bp_record
      *planned; /* its first `known` rows are copies of the real ones, and have their strings */
  bp_row *rows; /* as they were planned */
  int64_t known, group, row;
  bp_groups groups;
  bp_style style;
  bp_rows_table t;
  bool is_first; /* nothing was printed yet */
  bool is_roofline;
};

bp_live *bp_live_create(bp_record *planned, const bp_style *style, bool is_roofline)
{
  const size_t count = (size_t)planned->rows_count;
  bp_live *live = bp_alloc(1, sizeof *live);
  *live = (bp_live){.planned = planned,
                    .rows = bp_alloc(count, sizeof *live->rows),
                    .groups = bp_groups_of(planned),
                    .style = *style,
                    .t = {.all = is_roofline ? bp_roofline_columns : bp_columns, .is_live = true},
                    .is_first = true,
                    .is_roofline = is_roofline};
  live->t.style = &live->style;
  if (count)
    memcpy(live->rows, planned->rows, count * sizeof *live->rows);
  return live;
}

static bool is_known(const bp_live *live, const bp_row *row)
{
  return row - live->planned->rows < live->known;
}

/* All of a degree, whose marks depend on each other. */
static bool is_degree_known(const bp_live *live, const bp_group *group, int64_t n)
{
  for (int64_t m = n; m < group->count && group->rows[m]->degree == group->rows[n]->degree; ++m)
    if (!is_known(live, group->rows[m]))
      return false;
  return true;
}

static void print_next(bp_live *live, bp_text *text)
{
  if (live->row == 0 || !live->t.group) {
    bp_text_append(text, live->is_first ? "" : "\n");
    bp_table_destroy(&live->t.table);
    live->t.group = &live->groups.groups[live->group];
    live->is_first = false;
    begin_group(&live->t, text);
  }
  bp_rows_table_update(&live->t, (int)live->row);
  bp_table_print_row(&live->t.table, (int)live->row, &live->style, text);
}

/* Goes on as far as rows are known; `is_last`: without those that are not. */
static void print_known(bp_live *live, bool is_last, bp_text *text)
{
  for (; live->group < live->groups.count; ++live->group, live->row = 0, live->t.group = NULL)
    for (const bp_group *g = &live->groups.groups[live->group]; live->row < g->count; ++live->row) {
      bool is_begun = live->row > 0 && g->rows[live->row - 1]->degree == g->rows[live->row]->degree;
      if (is_last && !is_known(live, g->rows[live->row]))
        continue;
      if (!is_last && !is_begun && !is_degree_known(live, g, live->row))
        return;
      print_next(live, text);
    }
}

void bp_live_add(bp_live *live, const bp_row *row, bp_text *text)
{
  BP_ASSERT(live->known < live->planned->rows_count);
  live->planned->rows[live->known++] = *row;
  print_known(live, false, text);
}

void bp_live_finish(bp_live *live, const bp_record *record, bp_text *text)
{
  for (int64_t n = live->known; n < live->planned->rows_count; ++n)
    live->planned->rows[n].degree = -1; /* nobody's rival */
  print_known(live, true, text);
  bp_groups groups = bp_groups_of(record);
  if (live->is_roofline)
    print_bounds(record, &live->style, text);
  print_end(record, &groups, &live->style, text);
  bp_groups_destroy(&groups);
  bp_groups_destroy(&live->groups);
  bp_table_destroy(&live->t.table);
  for (int64_t n = 0; n < live->known; ++n)
    live->planned->rows[n] = live->rows[n];
  bp_free(live->rows);
  bp_record_destroy(live->planned);
  bp_free(live);
}

/* ---- documents ---- */

void bp_report_markdown(const bp_record *record, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  bp_text command = {0};
  for (int64_t g = 0; g < groups.count; ++g) {
    bp_rows_table t = {.all = bp_columns, .group = &groups.groups[g], .form = BP_FORM_MARKDOWN};
    char *title = bp_group_title(t.group, ", ");
    bp_text_append(text, g ? "\n### " : "### ");
    bp_safe_markdown(text, title);
    bp_text_append(text, "\n\n");
    bp_rows_table_fill(&t);
    bp_table_append(&t.table, BP_FORM_MARKDOWN, NULL, text);
    bp_table_destroy(&t.table);
    bp_free(title);
  }
  bp_text_append(text,
                 "\nBold: faster than all other variants of its degree; ~ the fastest and those "
                 "that `bp compare` does not tell from it. bp ");
  bp_safe_markdown(text, record->version);
  bp_text_append(text, ", ");
  bp_safe_markdown(text, record->time);
  bp_text_append(text, record->interrupted ? ", interrupted:\n\n    " : ":\n\n    ");
  bp_safe_lines(&command, record->command);
  for (const char *c = bp_text_string(&command); *c; ++c)
    bp_text_append(text, *c == '\n' ? "\n    " : (char[]){*c, 0});
  bp_text_append(text, "\n");
  bp_text_destroy(&command);
  bp_groups_destroy(&groups);
}
