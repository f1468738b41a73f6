/* table.c -- the table that a user reads first. */
#include "report/report.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/columns.h"
#include "report/group.h"
#include "report/number.h"
#include "report/scaling.h"
#include "report/sizes.h"
#include "report/species.h"
#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 24, GAP = 2, LIVE_WIDTH = 8 };

static const char BOLD[] = "\033[1m", DIM[] = "\033[2m", RED[] = "\033[31m", YELLOW[] = "\033[33m",
                  PLAIN[] = "\033[0m";

typedef struct {
  const bp_group *group;
  const bp_style *style;
  bp_text *text;
  const bp_column *all, *columns[COLUMNS_MAX];
  int widths[COLUMNS_MAX], count;
  int mark;     /* columns before the first one: '*' or '~' for the fastest, a flag */
  bool is_live; /* most rows are not known yet */
} table;

static void switch_to(const table *t, const char *code)
{
  if (t->style->color)
    bp_text_append(t->text, code);
}

static void spaces(bp_text *text, int count)
{
  if (count > 0)
    bp_text_appendf(text, "%*s", count, "");
}

static const char *title_of(const bp_column *column, bool unicode)
{
  return unicode && strcmp(column->title, "+-") == 0 ? "\xc2\xb1" : column->title;
}

/* What stands in a cell, to be destroyed; "" in a row without figures. */
static bp_text cell_of(const table *t, const bp_column *column, const bp_row *row)
{
  bp_text raw = {0}, cell = {0};
  if (row->status == BP_ROW_OK || column->names)
    column->print(t->group, row, t->style->unicode, &raw);
  bp_safe_line(&cell, bp_text_string(&raw));
  bp_text_destroy(&raw);
  return cell;
}

static int width_of(const table *t, const bp_column *column)
{
  int widest = bp_style_width(title_of(column, t->style->unicode));
  if (t->is_live && !column->names)
    widest = widest > LIVE_WIDTH ? widest : LIVE_WIDTH;
  for (int64_t n = 0; n < t->group->count; ++n) {
    bp_text cell = cell_of(t, column, t->group->rows[n]);
    int width = bp_style_width(bp_text_string(&cell));
    widest = width > widest ? width : widest;
    bp_text_destroy(&cell);
  }
  return widest;
}

static int total_width(const table *t)
{
  int total = t->mark - GAP;
  for (int c = 0; c < t->count; ++c)
    total += t->widths[c] + GAP;
  return total;
}

/* Leaves out the least important column; false when all that are left must stay. */
static bool drop_column(table *t)
{
  int worst = 0;
  for (int c = 1; c < t->count; ++c)
    if (t->columns[c]->priority > t->columns[worst]->priority)
      worst = c;
  if (t->columns[worst]->priority == 0)
    return false;
  --t->count;
  for (int c = worst; c < t->count; ++c) {
    t->columns[c] = t->columns[c + 1];
    t->widths[c] = t->widths[c + 1];
  }
  return true;
}

static void choose_columns(table *t)
{
  for (const bp_column *column = t->all; column->title; ++column) {
    const bool is_note =
        !column[1].title; /* of any width: it stands below its row where lines have ends */
    if ((is_note && t->style->width > 0) || !(t->is_live || bp_column_is_shown(column, t->group)))
      continue;
    if (!is_note && !bp_column_is_shown(column, t->group))
      continue;
    BP_ASSERT(t->count < COLUMNS_MAX);
    t->columns[t->count] = column;
    t->widths[t->count++] = width_of(t, column);
  }
  while (t->style->width > 0 && total_width(t) > t->style->width && drop_column(t))
    continue;
}

/* A cell and the gap before it; nothing is left behind at the end of a line. */
static void print_cell(const table *t, int c, const char *cell)
{
  int missing = t->widths[c] - bp_style_width(cell);
  bool left = t->columns[c]->left;
  spaces(t->text, c ? GAP : 0);
  spaces(t->text, left ? 0 : missing);
  bp_text_append(t->text, cell);
  spaces(t->text, left && c + 1 < t->count ? missing : 0);
}

static void print_head(const table *t)
{
  switch_to(t, DIM);
  spaces(t->text, t->mark);
  for (int c = 0; c < t->count; ++c)
    print_cell(t, c, title_of(t->columns[c], t->style->unicode));
  switch_to(t, PLAIN);
  bp_text_append(t->text, "\n");
}

/* Words in lines that fit, each begun at column `indent`; the first is there already. */
static void print_wrapped(bp_text *text, const char *words, int indent, int width)
{
  int room = width > indent + 20 ? width - indent : 0, at = 0;
  while (*words) {
    size_t length = strcspn(words, " ");
    int columns = 0;
    for (size_t n = 0; n < length; ++n)
      columns += ((unsigned char)words[n] & 0xc0) != 0x80;
    if (room && at && at + 1 + columns > room) {
      bp_text_append(text, "\n");
      spaces(text, indent);
      at = 0;
    }
    bp_text_append(text, at ? " " : "");
    bp_text_append_bytes(text, words, length);
    at += columns + (at > 0);
    words += length + strspn(words + length, " ");
  }
}

/* A row without figures: its name, then why. */
static void print_reason(const table *t, const bp_row *row)
{
  int at = t->mark;
  bp_text reason = {0}, safe = {0};
  switch_to(t, row->status == BP_ROW_WRONG ? RED : DIM);
  for (int c = 0; c < t->count && t->columns[c]->names; ++c) {
    bp_text cell = cell_of(t, t->columns[c], row);
    print_cell(t, c, bp_text_string(&cell));
    at += t->widths[c] + GAP;
    bp_text_destroy(&cell);
  }
  spaces(t->text, GAP);
  bp_columns_print_reason(row, &reason);
  bp_safe_line(&safe, bp_text_string(&reason));
  print_wrapped(t->text, bp_text_string(&safe), at, t->style->width);
  bp_text_destroy(&reason);
  bp_text_destroy(&safe);
  switch_to(t, PLAIN);
}

static void print_figures(const table *t, const bp_row *row)
{
  for (int c = 0; c < t->count; ++c) {
    bp_text cell = cell_of(t, t->columns[c], row);
    print_cell(t, c, bp_text_string(&cell));
    bp_text_destroy(&cell);
  }
  while (t->text->data[t->text->length - 1] == ' ') /* an empty last cell */
    t->text->data[--t->text->length] = '\0';
}

/* Its title and the head. */
static void begin_group(table *t)
{
  char *title = bp_group_title(t->group, t->style->unicode ? " \xc2\xb7 " : ", ");
  t->count = 0;
  t->mark = t->group->has_flags || t->is_live ? 3 : 2;
  choose_columns(t);
  switch_to(t, BOLD);
  bp_safe_line(t->text, title);
  switch_to(t, PLAIN);
  bp_text_append(t->text, "\n");
  bp_free(title);
  print_head(t);
}

static void print_note(const table *t, const bp_row *row)
{
  const int indent = t->mark + 2;
  bp_text note = {0}, safe = {0};
  bp_row_print_note(row, &note);
  if (note.length && t->style->width > 0 && row->status == BP_ROW_OK) {
    bp_safe_line(&safe, note.data);
    bp_text_append(t->text, "\n");
    switch_to(t, DIM);
    spaces(t->text, indent);
    print_wrapped(t->text, safe.data, indent, t->style->width);
    switch_to(t, PLAIN);
  }
  bp_text_destroy(&note);
  bp_text_destroy(&safe);
}

static void print_row(const table *t, int64_t n)
{
  static const char *const marks[] = {" ", "*", "~"};
  const bp_row *row = t->group->rows[n];
  bp_mark mark = bp_group_mark(t->group, n);
  bool best = mark == BP_MARK_BEST && !bp_row_is_marked(row);
  switch_to(t, best ? BOLD : "");
  bp_text_appendf(t->text, "%s%-*c", marks[mark], t->mark - 1, bp_row_flag(row));
  if (row->status == BP_ROW_OK)
    print_figures(t, row);
  else
    print_reason(t, row);
  switch_to(t, best ? PLAIN : "");
  print_note(t, row);
  bp_text_append(t->text, "\n");
}

static void print_groups(const bp_record *record, const bp_column *columns, const bp_style *style,
                         bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  for (int64_t g = 0; g < groups.count; ++g) {
    table t = {.all = columns, .group = &groups.groups[g], .style = style, .text = text};
    bp_text_append(text, g ? "\n" : "");
    begin_group(&t);
    for (int64_t n = 0; n < t.group->count; ++n)
      print_row(&t, n);
  }
  bp_groups_destroy(&groups);
}

static void print_colored(const table *t, const char *color, const char *line)
{
  switch_to(t, color);
  bp_text_append(t->text, line);
  switch_to(t, PLAIN);
  bp_text_append(t->text, "\n");
}

/* What each flag means, and how many rows have it. */
static void print_flags(const table *t, const bp_record *record)
{
  for (size_t f = 0; bp_flags[f].flag; ++f) {
    long long count = 0;
    for (int64_t n = 0; n < record->rows_count; ++n)
      count += bp_row_flag(&record->rows[n]) == bp_flags[f].flag;
    char *line = bp_format("%c %lld row%s %s", bp_flags[f].flag, count, count == 1 ? "" : "s",
                           bp_flags[f].means);
    if (count)
      print_colored(t, YELLOW, line);
    bp_free(line);
  }
}

static void print_marks(const table *t, const bp_groups *groups)
{
  bool has[BP_MARK_TIED + 1] = {false};
  for (int64_t g = 0; g < groups->count; ++g)
    for (int64_t n = 0; n < groups->groups[g].count; ++n)
      has[bp_group_mark(&groups->groups[g], n)] = true;
  if (has[BP_MARK_BEST])
    bp_text_append(t->text, "* faster than all other variants of its degree\n");
  if (has[BP_MARK_TIED])
    bp_text_append(t->text, "~ the fastest and those that bp compare does not tell from it\n");
}

static void print_remarks(const bp_record *record, const bp_groups *groups, const bp_style *style,
                          bp_text *text)
{
  bp_text remarks = {0};
  table t = {.style = style, .text = &remarks};
  long long wrong = 0;
  for (int64_t n = 0; n < record->rows_count; ++n)
    wrong += record->rows[n].status == BP_ROW_WRONG;
  bp_sizes_print(record, style->unicode, &remarks);
  print_marks(&t, groups);
  print_flags(&t, record);
  char *line = bp_format("%lld of %lld rows WRONG: no rate is given for them", wrong,
                         (long long)record->rows_count);
  if (wrong)
    print_colored(&t, RED, line);
  if (bp_record_has_backend(record, "emulate"))
    bp_text_append(&remarks, "emulated: results are verified, times mean nothing\n");
  if (record->interrupted)
    bp_text_append(&remarks, "interrupted: these are the rows finished until then\n");
  bp_text_append(text, remarks.length ? "\n" : "");
  bp_text_append(text, bp_text_string(&remarks));
  bp_text_destroy(&remarks);
  bp_free(line);
}

/* What stands below the tables. */
static void print_end(const bp_record *record, const bp_style *style, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  if (record->rows_count == 0)
    bp_text_append(text, "no rows\n");
  bp_scalings_print(record, style->unicode, text);
  bp_species_print(record, text);
  print_remarks(record, &groups, style, text);
  bp_groups_destroy(&groups);
}

static void print_bounds(const bp_record *record, bp_text *text)
{
  bp_text_append(text, "\nbounds above are in GFLOPS of the model\n");
  if (record->rows_count && bp_row_is_solve(&record->rows[0]))
    bp_text_append(text, "least: an iteration that moves its factors and 56 bytes an unknown\n");
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *b = &record->bounds[n];
    bp_number value;
    char *line = bp_format("  %-16s %8s %s (%s)", b->name, bp_number_four(value, b->value), b->unit,
                           b->source);
    bp_safe_line(text, line);
    bp_text_append(text, "\n");
    bp_free(line);
  }
}

void bp_report_table(const bp_record *record, const bp_style *style, bp_text *text)
{
  print_groups(record, bp_columns, style, text);
  print_end(record, style, text);
}

void bp_report_roofline(const bp_record *record, const bp_style *style, bp_text *text)
{
  print_groups(record, bp_roofline_columns, style, text);
  print_bounds(record, text);
  print_end(record, style, text);
}

/* ---- a table that grows ---- */

struct bp_live {
  bp_record
      *planned; /* its first `known` rows are copies of the real ones, and have their strings */
  bp_row *rows; /* as they were planned */
  int64_t known, group, row;
  bp_groups groups;
  bp_style style;
  table t;
  bool is_first; /* nothing was printed yet */
  bool is_roofline;
};

bp_live *bp_live_create(bp_record *planned, const bp_style *style, bool is_roofline)
{
  bp_live *live = bp_alloc(1, sizeof *live);
  *live = (bp_live){.planned = planned,
                    .style = *style,
                    .t = {.all = is_roofline ? bp_roofline_columns : bp_columns},
                    .is_first = true,
                    .is_roofline = is_roofline};
  const size_t count = (size_t)planned->rows_count;
  live->rows = bp_alloc(count, sizeof *live->rows);
  if (count)
    memcpy(live->rows, planned->rows, count * sizeof *live->rows);
  live->groups = bp_groups_of(planned);
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
  live->t.text = text;
  if (live->row == 0 || !live->t.group) {
    bp_text_append(text, live->is_first ? "" : "\n");
    live->t.group = &live->groups.groups[live->group];
    live->is_first = false;
    begin_group(&live->t);
  }
  print_row(&live->t, live->row);
}

/* Goes on as far as rows are known; `is_last`: without those that are not. */
static void print_known(bp_live *live, bool is_last, bp_text *text)
{
  live->t.style = &live->style;
  live->t.is_live = true;
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
  if (live->is_roofline)
    print_bounds(record, text);
  print_end(record, &live->style, text);
  bp_groups_destroy(&live->groups);
  for (int64_t n = 0; n < live->known; ++n)
    live->planned->rows[n] = live->rows[n];
  bp_free(live->rows);
  bp_record_destroy(live->planned);
  bp_free(live);
}

void bp_report_row_line(const bp_row *row, const bp_style *style, bp_text *text)
{
  bp_number time, rate, bandwidth, fraction;
  table t = {.style = style, .text = text};
  char *label = bp_row_label(row), *problem = bp_row_problem(row);
  bp_safe_line(text, problem);
  bp_free(problem);
  bp_text_appendf(text, " N=%d ", row->degree);
  bp_safe_line(text, label);
  bp_text_append(text, "  ");
  bp_free(label);
  if (row->status != BP_ROW_OK) {
    switch_to(&t, row->status == BP_ROW_WRONG ? RED : DIM);
    bp_text reason = {0};
    bp_columns_print_reason(row, &reason);
    bp_safe_line(text, bp_text_string(&reason));
    bp_text_destroy(&reason);
    switch_to(&t, PLAIN);
    return;
  }
  if (strcmp(row->backend, "emulate") == 0) {
    bp_text_append(text, "right");
    return;
  }
  bool is_solve = bp_row_is_solve(row);
  bp_text_appendf(
      text, "%s  %s %s  %s GB/s  %s of roofline",
      bp_number_seconds(time, row->seconds.statistics.median, style->unicode),
      bp_number_four(rate, is_solve ? bp_row_gdofs_per_second(row) : bp_row_gflops(row)),
      is_solve ? "GDOF/s" : "GFLOPS", bp_number_four(bandwidth, bp_row_gbytes_per_second(row)),
      bp_number_percent(fraction, bp_row_roofline_fraction(row)));
}
