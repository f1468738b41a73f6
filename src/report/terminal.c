/* terminal.c -- a plot in characters: the thick line, and a letter or a sign for each mark. */
#include "report/plot.h"
#include "report/table.h"

#include "base/memory.h"
#include "base/safe.h"
#include <math.h>
#include <string.h>

enum { LINES = 14, KINDS = 6, LEFT = 8, WIDEST_STEP = 6, WIDTH_MOST = 200 };

/* Colours that stand apart on light and dark grounds, and letters that do without them. */
static const char *const colors[KINDS] = {"\033[34m", "\033[33m", "\033[32m",
                                          "\033[35m", "\033[36m", "\033[31m"};
/* Full ones, and hollow ones of rows that are marked in the table. */
static const char *const marks[2][2 * KINDS] = {
    {"A", "B", "C", "D", "E", "F", "a", "b", "c", "d", "e", "f"},
    {"\xe2\x97\x8f", "\xe2\x96\xa0", "\xe2\x96\xb2", "\xe2\x97\x86", "\xe2\x96\xbc", "\xe2\x96\xb6",
     "\xe2\x97\x8b", "\xe2\x96\xa1", "\xe2\x96\xb3", "\xe2\x97\x87", "\xe2\x96\xbd",
     "\xe2\x96\xb7"}};
static const char *const lines[2] = {"-", "\xe2\x94\x80"};

/* What stands in a cell: 0 nothing, 1 the line, 2 + n the mark of shape n. */
typedef struct {
  unsigned char cells[LINES + 1][WIDTH_MOST];
  int first, width, step; /* the lowest x, columns of the data, columns per unit of x */
  bool has_marked;
  const bp_axis *y;
  const bp_style *style;
} canvas;

static int line_of(const canvas *c, double value)
{
  return (int)lround(LINES * (1 - (value - c->y->low) / (c->y->high - c->y->low)));
}

static int column_of(const canvas *c, double x)
{
  return ((int)lround(x) - c->first) * c->step + c->step / 2;
}

static void put(canvas *c, int column, double value, int what)
{
  int line = isfinite(value) ? line_of(c, value) : -1;
  if (line >= 0 && line <= LINES && column >= 0 && column < c->width)
    c->cells[line][column] = (unsigned char)what;
}

/* Straight from point to point. */
static void put_line(canvas *c, const bp_curve *curve)
{
  const bp_point *last = NULL;
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p) {
    if (!isfinite(p->y))
      continue;
    const int end = column_of(c, p->x), begin = last ? column_of(c, last->x) : end;
    for (int column = begin; column <= end; ++column) {
      double part = end > begin ? (double)(column - begin) / (end - begin) : 1;
      put(c, column, last ? last->y + part * (p->y - last->y) : p->y, 1);
    }
    last = p;
  }
}

static void put_marks(canvas *c, const bp_curve *curve)
{
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p) {
    const bool is_marked = p->row && bp_row_is_marked(p->row);
    put(c, column_of(c, p->x), p->y, 2 + curve->shape + (is_marked ? KINDS : 0));
    c->has_marked |= is_marked;
  }
}

static void print_cell(const canvas *c, int what, bp_text *text)
{
  if (what < 2) {
    bp_text_append(text, what ? lines[c->style->unicode] : " ");
    return;
  }
  bp_style_switch(c->style, colors[(what - 2) % KINDS], text);
  bp_text_append(text, marks[c->style->unicode][what - 2]);
  bp_style_switch(c->style, BP_PLAIN, text);
}

static void print_lines(const canvas *c, bp_text *text)
{
  for (int line = 0; line <= LINES; ++line) {
    char label[40] = "";
    for (int n = 0; n < c->y->ticks_count; ++n)
      if (line_of(c, c->y->ticks[n]) == line)
        bp_axis_label(label, c->y, c->y->ticks[n]);
    bp_text_appendf(text, "%*s %s", LEFT - 2, label, c->style->unicode ? "\xe2\x94\x82" : "|");
    int last = c->width;
    while (last > 0 && !c->cells[line][last - 1])
      --last;
    for (int column = 0; column < last; ++column)
      print_cell(c, c->cells[line][column], text);
    bp_text_append(text, "\n");
  }
}

static void print_ticks(const canvas *c, const bp_axis *x, bp_text *text)
{
  int at = 0;
  bp_text_appendf(text, "%*s", LEFT, "N ");
  for (int n = 0; n < x->ticks_count; ++n) {
    const int tick = (int)lround(x->ticks[n]), column = column_of(c, tick);
    if (at && column <= at) /* no room behind the one before */
      continue;
    bp_text_appendf(text, "%*s%d", column - at, "", tick);
    at = column + 1 + (tick > 9);
  }
  bp_text_append(text, "\n");
}

/* One entry of the legend, on a new line where this one is full. */
static void print_name(const canvas *c, int *at, int what, const char *name, bp_text *text)
{
  bp_text label = {0};
  bp_safe_line(&label, name);
  int width = (what ? 2 : 0) + bp_style_width(bp_text_string(&label)) + 3;
  if (*at + width > (c->style->width ? c->style->width : LEFT + WIDTH_MOST)) {
    bp_text_appendf(text, "\n%*s", LEFT, "");
    *at = LEFT;
  }
  bp_text_append(text, *at > LEFT ? "   " : "");
  if (what)
    print_cell(c, what, text);
  bp_text_append(text, what ? " " : "");
  bp_text_append(text, bp_text_string(&label));
  *at += width;
  bp_text_destroy(&label);
}

/* The line, the marks from the best on, and how many there are that are not shown. */
static void print_names(const canvas *c, const bp_plot *plot, bp_text *text)
{
  int at = LEFT;
  bp_text_appendf(text, "%*s", LEFT, "");
  for (int n = 0; n < plot->count; ++n)
    if (plot->curves[n].role == BP_ROLE_THICK)
      print_name(c, &at, 1, plot->curves[n].label, text);
  for (int n = plot->count - 1; n >= 0; --n) {
    const bp_curve *curve = &plot->curves[n];
    if (curve->label && (curve->shape >= 0 || curve->role == BP_ROLE_THIN))
      print_name(c, &at, curve->shape < 0 ? 0 : 2 + curve->shape, curve->label, text);
  }
  if (c->has_marked)
    print_name(c, &at, 0,
               c->style->unicode ? "hollow: marked in the table" : "small: marked in the table",
               text);
  bp_text_append(text, "\n");
}

void bp_plot_print(bp_plot *plot, const bp_style *style, bp_text *text)
{
  const int units = (int)lround(plot->x.high - plot->x.low);
  const int room = style->width > 0 ? style->width : 80;
  canvas *c = bp_alloc(1, sizeof *c);
  c->style = style;
  c->y = &plot->y;
  c->first = (int)lround(plot->x.low + 0.5);
  c->step = units > 0 ? (room - LEFT - 1) / units : 0;
  c->step = c->step > WIDEST_STEP ? WIDEST_STEP : c->step;
  c->width = c->step * units;
  /* A figure of one point says no more than the table does. */
  if (units > 1 && plot->count > 0 && c->step > 0 && c->width <= WIDTH_MOST) {
    for (int n = 0; n < plot->count; ++n)
      if (plot->curves[n].role == BP_ROLE_THICK)
        put_line(c, &plot->curves[n]);
      else if (plot->curves[n].shape >= 0)
        put_marks(c, &plot->curves[n]);
    bp_text_appendf(text, "\n%s of ", plot->y_title);
    bp_safe_line(text, plot->title);
    bp_text_append(text, "\n");
    print_lines(c, text);
    print_ticks(c, &plot->x, text);
    print_names(c, plot, text);
  }
  bp_free(c);
  bp_plot_destroy(plot);
}
