/* columns.c -- what each column of a table shows. */
#include "report/columns.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

/* What else is to know of a column. */
enum {
  LEFT = 1,     /* aligned */
  NAME = 2,     /* says which row it is: shown for wrong and skipped rows, too */
  OPTIONAL = 4, /* not shown where it is empty in all rows */
  OPERATORS = 8,
  SOLVES = 16, /* of these alone */
  ON_GPUS = 32,
  ON_CPUS = 64, /* may come there, of a table that grows */
  ON_ALL = ON_GPUS | ON_CPUS,
  MARK = 128,
  VARIANT = 256,
  NOTE = 512 /* stand elsewhere, or look different, in some form */
};

/* ---- values ---- */

#define VALUE(name, expression)                                                                    \
  static double name##_of(const bp_row *row)                                                       \
  {                                                                                                \
    return expression;                                                                             \
  }

VALUE(degree, row->degree)
VALUE(dofs, row->dofs > 0 ? (double)row->dofs : NAN)
VALUE(iterations, (double)row->iterations)
VALUE(outer, row->outer_iterations >= 0 ? (double)row->outer_iterations : NAN)
VALUE(applications, row->applications >= 0 ? (double)row->applications : NAN)
VALUE(time, isfinite(bp_row_gbytes_per_second(row)) ? row->seconds.statistics.median : NAN)
VALUE(whole, row->applications >= 0 ? (double)row->iterations * time_of(row) : NAN)
VALUE(mdofs, 1e-6 * (double)row->dofs / whole_of(row))
VALUE(bytes, row->bytes > 0 ? (double)row->bytes / dofs_of(row) : NAN)
VALUE(gbytes, row->bytes > 0 ? bp_row_gbytes_per_second(row) : NAN)
VALUE(watts, isnan(row->power.joules) ? NAN : row->power.watts)
VALUE(solve, row->power.joules * row->iterations)
VALUE(joule, 1e-9 * dofs_of(row) / row->power.joules)
VALUE(error, row->error)
VALUE(tolerance, row->tolerance)
VALUE(residual, row->true_residual)
VALUE(solution, row->solution_error)
VALUE(least, bp_row_gflops(row) / bp_row_least_fraction(row))

/* Half the width of the interval over the median; of too few samples it is no more than their range. */
static double spread_of(const bp_row *row)
{
  const bp_statistics *s = &row->seconds.statistics;
  return isfinite(time_of(row)) && !bp_row_has_few_samples(row)
             ? 0.5 * (s->high - s->low) / s->median
             : NAN;
}

/* ---- texts ---- */

#define PRINT(name, ...)                                                                           \
  static void print_##name(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)  \
  {                                                                                                \
    (void)group;                                                                                   \
    (void)unicode;                                                                                 \
    __VA_ARGS__;                                                                                   \
  }

PRINT(variant, bp_text_append(text, row->variant))
PRINT(rung, bp_text_append(text, row->rung))
PRINT(bound, bp_text_append(text, bp_bound_names[bp_row_bound(row)]))
PRINT(note, bp_row_print_note(row, text))

/* A rung stands for its options. */
PRINT(options, if (!*row->rung) bp_group_print_options(group, row, text))

/* Where they differ from row to row. */
PRINT(elements, bp_number number;
      if (!group->same_elements) bp_text_append(text, bp_number_grouped(number, row->elements)))

/* '*' or '~' for the fastest, then a flag. */
static void print_mark(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)
{
  static const char *const marks[] = {" ", "*", "~"};
  const char flag = bp_row_flag(row);
  const bp_mark mark = bp_group_mark(group, row);
  (void)unicode;
  if (mark || flag != ' ')
    bp_text_appendf(text, "%s%.*s", marks[mark], flag != ' ', &flag);
}

/* Wider than the median itself it is a range, which no percentage tells. */
static void print_spread(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)
{
  const bp_statistics *s = &row->seconds.statistics;
  bp_number low, high;
  (void)group;
  if (spread_of(row) > 1)
    bp_text_appendf(text, "%s..%s", bp_number_seconds(low, s->low, unicode),
                    bp_number_seconds(high, s->high, unicode));
  else
    bp_text_append(text, bp_number_percent(low, spread_of(row)));
}

static void print_peak(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)
{
  const double peak = bp_record_bound(group->record, row->device, "peak bandwidth");
  bp_number number;
  (void)unicode;
  bp_text_append(text, bp_number_four(number, peak * (double)row->flops / (double)row->bytes));
}

static void note(bp_text *text, size_t before, const char *what)
{
  bp_text_appendf(text, "%s%s", text->length > before ? "; " : "", what);
}

/* Those of a hundredth and more, of their sum. */
static void print_shares(const bp_row *row, bp_text *text)
{
  const char *comma = "";
  double sum = 0;
  for (int64_t n = 0; n < row->shares.count; ++n)
    sum += row->shares.items[n].seconds;
  for (int64_t n = 0; n < row->shares.count; ++n) {
    const bp_row_share *s = &row->shares.items[n];
    bp_number number;
    if (s->seconds < 0.01 * sum)
      continue;
    bp_text_appendf(text, "%s%s", comma, s->part);
    if (s->degree > 0 && n < row->shares.count - 1)
      bp_text_appendf(text, " %d", (int)s->degree);
    bp_text_appendf(text, " %s", bp_number_percent(number, s->seconds / sum));
    comma = ", ";
  }
}

void bp_row_print_note(const bp_row *row, bp_text *text)
{
  bp_number overhead;
  const size_t before = text->length;
  const char *why = row->copy.waited;
  if (row->power.throttle && *row->power.throttle) {
    note(text, before, "throttled: ");
    bp_text_append(text, row->power.throttle);
  }
  if (bp_row_is_busy(row))
    note(text, before, row->busy);
  if (row->waited && *row->waited)
    note(text, before, row->waited);
  if (bp_row_has_copy_waited(row)) {
    note(text, before, "the copy ");
    bp_text_append(text, why && *why ? why : "waited");
  }
  if (bp_row_is_overhead(row)) {
    note(text, before, bp_number_percent(overhead, fmin(1, bp_row_overhead_fraction(row))));
    bp_text_append(text, " overhead");
  }
  if (bp_row_fits_cache(row))
    note(text, before, "in cache");
  if (bp_row_has_few_samples(row))
    note(text, before, "too few samples");
  if (row->shares.count > 0) {
    note(text, before, "shares: ");
    print_shares(row, text);
  }
}

char *bp_row_tip(const bp_row *row)
{
  bp_number time, gflops, fraction;
  char *label = bp_row_label(row);
  bp_text tip = {0};
  bp_text_appendf(&tip, "%s N=%d: %s, %s GFLOPS, %s of the roofline", label, row->degree,
                  bp_number_seconds(time, row->seconds.statistics.median, true),
                  bp_number_four(gflops, bp_row_gflops(row)),
                  bp_number_percent(fraction, bp_row_roofline_fraction(row)));
  if (bp_row_is_marked(row)) {
    bp_text_append(&tip, "; ");
    bp_row_print_note(row, &tip);
  }
  bp_free(label);
  return tip.data;
}

/* ---- the columns ---- */

#define TEXT(name)            BP_COLUMN_TEXT, NULL, print_##name
#define NUMBER(format, value) BP_COLUMN_##format, value, NULL
#define NAMES                                                                                      \
  {"mark", "* ~ and a letter for what to know: see below", 0, LEFT | NAME | MARK, TEXT(mark)},     \
      {"N", "polynomial degree", 0, NAME, NUMBER(WHOLE, degree_of)},                               \
      {"variant", "the kernel", 0, LEFT | NAME | VARIANT, TEXT(variant)},                          \
  {                                                                                                \
    "rung", "name of variant and options on a published ladder", 3, LEFT | NAME | OPTIONAL,        \
        TEXT(rung)                                                                                 \
  }

static const char OPTIONS[] = "compile-time options of the kernel, those that vary";
static const char ELEMENTS[] = "elements of the mesh";
static const char WHAT_ELSE[] = "what else to know, or why there are no figures";
static const char LEAST_BOUND[] = "which one that is, as far as 80 % of it are reached; overhead "
                                  "where that is more than a fifth of the time";

const bp_column bp_columns[] = {
    NAMES,
    {"options", OPTIONS, 1, LEFT | NAME | OPTIONAL, TEXT(options)},
    {"DOFs", "unknowns: nodes that elements share count once", 8, 0, NUMBER(COUNT, dofs_of)},
    {"iterations", "of a solve", 6, SOLVES, NUMBER(WHOLE, iterations_of)},
    {"in double", "iterations in double, around all those in single", 6, SOLVES | OPTIONAL,
     NUMBER(WHOLE, outer_of)},
    {"time", "median time of one application or iteration", 0, 0, NUMBER(SECONDS, time_of)},
    {"+-", "half the 95 % confidence interval of that median", 6, 0, TEXT(spread)},
    {"GFLOPS", "1e9 floating point operations per second, by the model", 0, OPERATORS,
     NUMBER(FOUR, bp_row_gflops)},
    {"GDOF/s", "1e9 unknowns per second and iteration", 0, SOLVES,
     NUMBER(FOUR, bp_row_gdofs_per_second)},
    {"GDOF/s", "1e9 unknowns per second", 1, OPERATORS, NUMBER(FOUR, bp_row_gdofs_per_second)},
    {"of copy", "part of what a copy of as many bytes, timed beside it, allows", 0, 0,
     NUMBER(PERCENT, bp_row_roofline_fraction)},
    {"of bound", "the same of the least of copy, arithmetic, shared memory and core", 3,
     OPTIONAL | ON_ALL, NUMBER(PERCENT, bp_row_bound_fraction)},
    {"least bound", LEAST_BOUND, 2, LEFT | OPTIONAL | ON_ALL, TEXT(bound)},
    {"to solution", "median time of all iterations, to the tolerance", 3, SOLVES | OPTIONAL,
     NUMBER(SECONDS, whole_of)},
    {"MDOF/s", "1e6 unknowns over that", 3, SOLVES | OPTIONAL, NUMBER(FOUR, mdofs_of)},
    {"applied", "how often the operator of the mesh was applied in it", 6, SOLVES | OPTIONAL,
     NUMBER(WHOLE, applications_of)},
    {"error", "largest difference from the reference, normalised", 9, OPERATORS,
     NUMBER(SMALL, error_of)},
    {"residual", "the true one after the solve, of the first", 9, SOLVES,
     NUMBER(SMALL, residual_of)},
    {"elements", ELEMENTS, 4, OPTIONAL, TEXT(elements)},
    {"B/DOF", "bytes that an iteration moves per unknown, by the model", 4, SOLVES,
     NUMBER(FOUR, bytes_of)},
    {"GB/s", "1e9 bytes read and written per second, by the model", 5, 0, NUMBER(FOUR, gbytes_of)},
    {"roofline", "GFLOPS if the bytes moved as fast as the copy timed beside it", 4, OPERATORS,
     NUMBER(FOUR, bp_row_roofline_gflops)},
    {"of least",
     "the same of the bytes that any scheme has to move: 56 per unknown and the factors", 3, SOLVES,
     NUMBER(PERCENT, bp_row_least_fraction)},
    {"W", "power while the row ran alone", 11, OPTIONAL, NUMBER(FOUR, watts_of)},
    {"J", "energy of a solve", 11, OPTIONAL | SOLVES, NUMBER(FOUR, solve_of)},
    {"GDOF/J", "1e9 unknowns, of a solve times iterations, per joule", 11, OPTIONAL,
     NUMBER(FOUR, joule_of)},
    {"L2 error", "of the known solution's norm", 10, SOLVES, NUMBER(SMALL, solution_of)},
    {"tolerance", "the error allowed", 10, OPERATORS, NUMBER(SMALL, tolerance_of)},
    {"note", WHAT_ELSE, 12, LEFT | OPTIONAL | ON_ALL | NOTE, TEXT(note)},
    {0},
};

const bp_column bp_roofline_columns[] = {
    NAMES,
    {"options", OPTIONS, 3, LEFT | NAME | OPTIONAL, TEXT(options)},
    {"elements", ELEMENTS, 9, OPTIONAL, TEXT(elements)},
    {"copy GB/s", "of a copy of as many bytes", 8, 0, NUMBER(FOUR, bp_row_copy_gbytes_per_second)},
    {"copy", "the bytes at that speed", 0, 0, NUMBER(FOUR, bp_row_roofline_gflops)},
    {"peak b/w", "the bytes at the theoretical bandwidth", 7, OPTIONAL, TEXT(peak)},
    {"arithm.", "the flops at the peak of arithmetic", 1, 0,
     NUMBER(FOUR, bp_row_arithmetic_gflops)},
    {"shared", "the traffic at the speed of shared memory", 1, OPTIONAL | ON_GPUS,
     NUMBER(FOUR, bp_row_shared_gflops)},
    {"core", "the same kernel on data in a core's L2", 1, OPTIONAL | ON_CPUS,
     NUMBER(FOUR, bp_row_core_gflops)},
    {"least", "the bytes that any scheme has to move, at the copy's speed", 4, SOLVES,
     NUMBER(FOUR, least_of)},
    {"GFLOPS", "what the kernel reaches", 0, 0, NUMBER(FOUR, bp_row_gflops)},
    {"of copy", "part of that bound", 0, 0, NUMBER(PERCENT, bp_row_roofline_fraction)},
    {"of least", "part of that bound", 4, SOLVES, NUMBER(PERCENT, bp_row_least_fraction)},
    {"of bound", "part of the least of copy, arithmetic, shared memory and core", 2, 0,
     NUMBER(PERCENT, bp_row_bound_fraction)},
    {"least bound", LEAST_BOUND, 2, LEFT, TEXT(bound)},
    {"note", WHAT_ELSE, 12, LEFT | OPTIONAL | ON_ALL | NOTE, TEXT(note)},
    {0},
};

/* ---- the table of a group ---- */

static void print_number(bp_column_format format, double value, bool unicode, bp_text *text)
{
  bp_number number;
  switch (format) {
  case BP_COLUMN_WHOLE:
    if (isfinite(value))
      bp_number_grouped(number, (int64_t)value);
    else
      bp_number_four(number, value);
    break;
  case BP_COLUMN_COUNT:
    bp_number_count(number, value);
    break;
  case BP_COLUMN_SECONDS:
    bp_number_seconds(number, value, unicode);
    break;
  case BP_COLUMN_PERCENT:
    bp_number_percent(number, value);
    break;
  case BP_COLUMN_SMALL:
    bp_number_small(number, value);
    break;
  default:
    bp_number_four(number, value);
  }
  bp_text_append(text, number);
}

/* Why there are no figures: "WRONG: ..." or "skipped: ..."; nothing of a row that is ok. */
static void print_reason(const bp_row *row, bp_text *text)
{
  static const char *const names[] = {[BP_ROW_WRONG] = "WRONG", [BP_ROW_SKIPPED] = "skipped"};
  if (row->status == BP_ROW_OK)
    return;
  bp_text_appendf(text, "%s%s%s", names[row->status], *row->reason ? ": " : "", row->reason);
  if (row->status == BP_ROW_WRONG && !*row->reason) {
    bp_number error, tolerance;
    bp_text_appendf(text, ": error %s, %s allowed", bp_number_small(error, row->error),
                    bp_number_small(tolerance, row->tolerance));
  }
}

static char *cell_of(const bp_rows_table *t, const bp_column *column, const bp_row *row)
{
  const bool unicode = t->form != BP_FORM_TERMINAL || t->style->unicode;
  bp_text text = {0};
  if (t->form == BP_FORM_MARKDOWN && (column->traits & VARIANT) &&
      bp_group_mark(t->group, row) == BP_MARK_TIED)
    bp_text_append(&text, "~ ");
  if ((column->traits & NOTE) && t->form != BP_FORM_TERMINAL)
    print_reason(row, &text);
  if (row->status != BP_ROW_OK && !(column->traits & NAME))
    return text.data;
  if (column->print)
    column->print(t->group, row, unicode, &text);
  else
    print_number(column->format, column->value(row), unicode, &text);
  return text.data;
}

/* Of a table that grows: anything may come. */
static bool is_still_to_come(const bp_column *column, const bp_row *row)
{
  const bool is_possible = (strcmp(row->backend, "cuda") == 0 && (column->traits & ON_GPUS)) ||
                           (strcmp(row->backend, "cpu") == 0 && (column->traits & ON_CPUS));
  return is_possible && row->status == BP_ROW_OK && row->seconds.statistics.count == 0;
}

static bool is_shown(const bp_rows_table *t, const bp_column *column)
{
  const bool is_solve = bp_row_is_solve(t->group->rows[0]);
  if ((column->traits & (is_solve ? OPERATORS : SOLVES)) ||
      ((column->traits & MARK) && t->form == BP_FORM_MARKDOWN) ||
      ((column->traits & NOTE) && t->form == BP_FORM_TERMINAL && t->style->width > 0))
    return false;
  bool is = !(column->traits & OPTIONAL);
  for (int64_t n = 0; n < t->group->count && !is; ++n) {
    const bp_row *row = t->group->rows[n];
    char *cell = cell_of(t, column, row);
    is = (cell && *cell && strcmp(cell, "-") != 0) || is_still_to_come(column, row);
    bp_free(cell);
  }
  return is;
}

static const char *title_of(const bp_rows_table *t, const bp_column *column)
{
  const bool is_terminal = t->form == BP_FORM_TERMINAL;
  if ((column->traits & MARK) && is_terminal)
    return "";
  return strcmp(column->title, "+-") == 0 && (!is_terminal || t->style->unicode) ? "\xc2\xb1"
                                                                                 : column->title;
}

void bp_rows_table_fill(bp_rows_table *t)
{
  enum { LIVE = 8, MOST = sizeof t->shown / sizeof *t->shown };
  const char *titles[MOST + 1] = {NULL};
  int count = 0;
  for (const bp_column *column = t->all; column->title; ++column)
    if (is_shown(t, column)) {
      BP_ASSERT(count < MOST);
      t->shown[count] = column;
      titles[count++] = title_of(t, column);
    }
  t->table = bp_table_create((int)t->group->count, titles);
  for (int c = 0; c < count; ++c) {
    const unsigned traits = t->shown[c]->traits;
    t->table.columns[c] = (bp_table_column){.title = titles[c],
                                            .meaning = t->shown[c]->meaning,
                                            .is_left = traits & LEFT,
                                            .is_name = traits & NAME,
                                            .priority = t->shown[c]->priority,
                                            .gap = c == 1 ? 1 : 2 * (c > 0),
                                            .width = t->is_live && !(traits & NAME) ? LIVE : 0};
  }
  t->table.columns[0].width = t->is_live ? 2 : 1; /* marks */
  for (int n = 0; n < t->table.rows_count; ++n)
    bp_rows_table_update(t, n);
}

void bp_rows_table_update(bp_rows_table *t, int n)
{
  static const char *const colors[] = {NULL, BP_RED, BP_DIM}, *const css[] = {NULL, "wrong",
                                                                              "skipped"};
  const bp_row *row = t->group->rows[n];
  const bool is_best = bp_group_mark(t->group, row) == BP_MARK_BEST && !bp_row_is_marked(row);
  const bool has_reason = row->status != BP_ROW_OK && t->form == BP_FORM_TERMINAL;
  bp_text note = {0};
  for (int c = 0; c < t->table.columns_count; ++c) {
    const bp_column *column = t->shown[c];
    bp_table_put(&t->table, n, c, cell_of(t, column, row));
    if (column->value && row->status == BP_ROW_OK)
      t->table.values[n * t->table.columns_count + c] = column->value(row);
  }
  if (t->form == BP_FORM_TERMINAL && (has_reason || t->style->width > 0)) {
    print_reason(row, &note);
    if (!has_reason)
      bp_row_print_note(row, &note);
  }
  bp_free(t->table.rows[n].note);
  t->table.rows[n] = (bp_table_row){.color = is_best ? BP_BOLD : colors[row->status],
                                    .css = is_best ? "best" : css[row->status],
                                    .is_bold = is_best,
                                    .has_reason = has_reason,
                                    .note = note.data};
}
