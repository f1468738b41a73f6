/* terminal.c -- the main figure in characters: GFLOPS by degree under the roofline. */
#include "report/report.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/axis.h"
#include "report/group.h"
#include "report/number.h"
#include "report/series.h"
#include <math.h>
#include <string.h>

enum { LINES = 14, SHOWN_MOST = 5, LEFT = 8, WIDEST_STEP = 6, WIDTH_MOST = 200 };

/* Colours that stand apart on light and dark grounds, and letters that do without them. */
static const char *const colors[SHOWN_MOST] = {"\033[34m", "\033[33m", "\033[32m", "\033[35m",
                                               "\033[36m"};
/* Full ones, and hollow ones of rows that are marked in the table. */
static const char *const marks[2][2 * SHOWN_MOST] = {
    {"A", "B", "C", "D", "E", "a", "b", "c", "d", "e"},
    {"\xe2\x97\x8f", "\xe2\x96\xa0", "\xe2\x96\xb2", "\xe2\x97\x86", "\xe2\x96\xbc", "\xe2\x97\x8b",
     "\xe2\x96\xa1", "\xe2\x96\xb3", "\xe2\x97\x87", "\xe2\x96\xbd"}};
static const char *const roofs[2] = {"-", "\xe2\x94\x80"};

/* What stands in a cell: 0 nothing, 1 the roofline, 2 + n the mark of series n. */
typedef struct {
  unsigned char cells[LINES + 1][WIDTH_MOST];
  int width, step; /* columns of the data, columns per degree */
  bool has_marked;
  bp_axis y;
  const bp_style *style;
} canvas;

static int line_of(const canvas *c, double value)
{
  return (int)lround(LINES * (1 - (value - c->y.low) / (c->y.high - c->y.low)));
}

static void put(canvas *c, int column, double value, unsigned char what)
{
  int line = isfinite(value) ? line_of(c, value) : -1;
  if (line >= 0 && line <= LINES && column >= 0 && column < c->width)
    c->cells[line][column] = what;
}

/* The roofline goes straight from degree to degree; marks overwrite it, the best series last. */
static void draw(canvas *c, const bp_series_set *set, const int *top, int count)
{
  for (int column = 0; column < c->width; ++column) {
    double at = set->first + (column + 0.5) / c->step - 0.5; /* degree, with its fraction */
    int degree = (int)fmin(fmax(floor(at), set->first), set->last);
    int next = degree < set->last && at > degree ? degree + 1 : degree;
    if (!set->best[degree] || !set->best[next])
      continue;
    double here = bp_row_roofline_gflops(set->best[degree]);
    put(c, column, here + (bp_row_roofline_gflops(set->best[next]) - here) * (at - degree), 1);
  }
  for (int t = count - 1; t >= 0; --t)
    for (int degree = set->first; degree <= set->last; ++degree) {
      const bp_row *row = set->series[top[t]].rows[degree];
      if (row)
        put(c, (degree - set->first) * c->step + c->step / 2, bp_row_gflops(row),
            (unsigned char)(2 + t + (bp_row_is_marked(row) ? SHOWN_MOST : 0)));
      c->has_marked |= row && bp_row_is_marked(row);
    }
}

static void print_cell(const canvas *c, unsigned char what, bp_text *text)
{
  bool color = c->style->color;
  if (what < 2) {
    bp_text_append(text, what ? roofs[c->style->unicode] : " ");
    return;
  }
  bp_text_appendf(text, "%s%s%s", color ? colors[(what - 2) % SHOWN_MOST] : "",
                  marks[c->style->unicode][what - 2], color ? "\033[0m" : "");
}

static void print_lines(const canvas *c, bp_text *text)
{
  for (int line = 0; line <= LINES; ++line) {
    const char *bar = c->style->unicode ? "\xe2\x94\x82" : "|";
    char label[40] = "";
    for (int n = 0; n < c->y.ticks_count; ++n)
      if (line_of(c, c->y.ticks[n]) == line)
        bp_axis_label(label, &c->y, c->y.ticks[n]);
    bp_text_appendf(text, "%*s %s", LEFT - 2, label, bar);
    int last = c->width;
    while (last > 0 && !c->cells[line][last - 1])
      --last;
    for (int column = 0; column < last; ++column)
      print_cell(c, c->cells[line][column], text);
    bp_text_append(text, "\n");
  }
}

static void print_degrees(const canvas *c, const bp_series_set *set, bp_text *text)
{
  int at = 0;
  bp_text_appendf(text, "%*s", LEFT, "N ");
  for (int degree = set->first; degree <= set->last; ++degree) {
    int column = (degree - set->first) * c->step + c->step / 2;
    if (at && column <= at) /* no room behind the one before */
      continue;
    bp_text_appendf(text, "%*s%d", column - at, "", degree);
    at = column + 1 + (degree > 9);
  }
  bp_text_append(text, "\n");
}

/* One entry of the legend, on a new line where this one is full. */
static void print_name(const canvas *c, int *at, unsigned char what, const char *name,
                       bp_text *text)
{
  int width = (what ? 2 : 0) + bp_style_width(name) + 3;
  if (*at + width > LEFT + (c->style->width ? c->style->width - LEFT : WIDTH_MOST)) {
    bp_text_appendf(text, "\n%*s", LEFT, "");
    *at = LEFT;
  } else if (*at > LEFT) {
    bp_text_append(text, "   ");
  }
  if (what) {
    print_cell(c, what, text);
    bp_text_append(text, " ");
  }
  bp_text_append(text, name);
  *at += width;
}

static void print_names(const canvas *c, const bp_series_set *set, const int *top, int count,
                        bp_text *text)
{
  int at = LEFT, others = -count;
  bp_text_appendf(text, "%*s", LEFT, "");
  print_name(c, &at, 1, "roofline of the copy", text);
  for (int t = 0; t < count; ++t) {
    bp_text label = {0};
    bp_safe_line(&label, set->series[top[t]].label);
    print_name(c, &at, (unsigned char)(2 + t), bp_text_string(&label), text);
    bp_text_destroy(&label);
  }
  for (int n = 0; n < set->count; ++n)
    others += set->series[n].score > 0;
  if (others > 0) {
    char *name = bp_format("%d slower not shown", others);
    print_name(c, &at, 0, name, text);
    bp_free(name);
  }
  if (c->has_marked)
    print_name(c, &at, 0,
               c->style->unicode ? "hollow: marked in the table" : "small: marked in the table",
               text);
  bp_text_append(text, "\n");
}

static void append_group(const bp_group *group, const bp_style *style, bp_text *text)
{
  bp_series_set set = bp_series_of(group);
  int top[SHOWN_MOST], count = bp_series_top(&set, SHOWN_MOST, top);
  int degrees = set.last - set.first + 1, room = style->width > 0 ? style->width : 80;
  double most = bp_series_most(&set);
  canvas *c = bp_alloc(1, sizeof *c);
  c->style = style;
  c->step = degrees > 0 ? (room - LEFT - 1) / degrees : 0;
  c->step = c->step > WIDEST_STEP ? WIDEST_STEP : c->step;
  c->width = c->step * degrees;
  /* A figure of one point says no more than the table does. */
  if (degrees > 1 && most > 0 && c->step > 0 && c->width <= WIDTH_MOST) {
    char *title = bp_group_title(group, style->unicode ? " \xc2\xb7 " : ", ");
    c->y = bp_axis_linear(0, most, 4);
    c->y.high = most; /* ticks are round, the end need not be */
    draw(c, &set, top, count);
    bp_text_append(text, "\nGFLOPS of ");
    bp_safe_line(text, title);
    bp_text_append(text, "\n");
    print_lines(c, text);
    print_degrees(c, &set, text);
    print_names(c, &set, top, count, text);
    bp_free(title);
  }
  bp_free(c);
  bp_series_destroy(&set);
}

void bp_report_figure_terminal(const bp_record *record, const bp_style *style, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  for (int64_t g = 0; g < groups.count; ++g)
    append_group(&groups.groups[g], style, text);
  bp_groups_destroy(&groups);
}
