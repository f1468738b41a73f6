/* plot.c -- plots as SVG: frame, curves, and names in the margin that never lie on the data. */
#include "report/plot.h"

#include "base/memory.h"
#include "report/columns.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- filling in ---- */

bp_curve *bp_plot_add(bp_plot *plot, const bp_curve *like)
{
  plot->curves = bp_realloc(plot->curves, (size_t)plot->count + 1, sizeof *plot->curves);
  plot->curves[plot->count] = *like;
  return &plot->curves[plot->count++];
}

void bp_curve_add(bp_curve *curve, double x, double y, const bp_row *row, char *tip)
{
  if (curve->count < BP_CURVE_POINTS)
    curve->points[curve->count++] = (bp_point){x, y, row, tip};
  else
    bp_free(tip);
}

void bp_plot_rule(bp_plot *plot, bp_color color, const double from[2], const double to[2],
                  char *label)
{
  bp_curve *rule = bp_plot_add(plot, &(bp_curve){.role = BP_ROLE_DASH,
                                                 .color = color,
                                                 .shape = BP_PLOT_LINE,
                                                 .label = label,
                                                 .is_led = true});
  bp_curve_add(rule, from[0], from[1], NULL, NULL);
  bp_curve_add(rule, to[0], to[1], NULL, NULL);
}

const bp_point *bp_curve_last(const bp_curve *curve)
{
  int n = curve->count - 1;
  while (n >= 0 && !isfinite(curve->points[n].y))
    --n;
  return n < 0 ? NULL : &curve->points[n];
}

bp_range bp_plot_range(const bp_plot *plot, bool of_y)
{
  bp_range range = {INFINITY, 0};
  for (int c = 0; c < plot->count; ++c)
    for (int n = 0; n < plot->curves[c].count; ++n) {
      const bp_point *p = &plot->curves[c].points[n];
      double value = of_y ? p->y : p->x;
      range.low = fmin(range.low, value); /* NaN is passed over */
      range.high = fmax(range.high, value);
    }
  return range;
}

void bp_plot_destroy(bp_plot *plot)
{
  for (int c = 0; c < plot->count; ++c) {
    for (int n = 0; n < plot->curves[c].count; ++n)
      bp_free(plot->curves[c].points[n].tip);
    bp_free(plot->curves[c].label);
  }
  bp_free(plot->curves);
  bp_free(plot->title);
  bp_free(plot->subtitle);
}

/* ---- the frame ---- */

static const double LEFT = 66, TITLE = 34, SUBTITLE = 22, BOTTOM = 32, X_TITLE = 18;
static const double LEADER = 22, NAME = 15, MARGIN_MOST = 260;

static double font_of(const bp_plot *plot)
{
  return plot->is_large ? 15 : 12;
}

static bp_letters letters_of(const bp_plot *plot)
{
  return plot->is_large ? BP_LETTERS_LARGE : BP_LETTERS_USUAL;
}

static double at_x(const bp_plot *plot, double x)
{
  return bp_axis_at(&plot->x, x);
}

static double at_y(const bp_plot *plot, double y)
{
  return bp_axis_at(&plot->y, y);
}

double bp_plot_margin(const bp_plot *plot)
{
  double widest = 0;
  for (int c = 0; c < plot->count; ++c)
    if (plot->curves[c].label)
      widest = fmax(widest, bp_svg_width(plot->curves[c].label, font_of(plot)));
  return fmin(LEADER + NAME + 12 + widest, MARGIN_MOST);
}

/* Where the axes lie in the picture. */
static void place_axes(bp_plot *plot)
{
  const double margin = plot->margin > 0 ? plot->margin : bp_plot_margin(plot);
  plot->x.from = LEFT;
  plot->x.to = plot->width - margin;
  plot->y.from = plot->height - BOTTOM;
  if (plot->x_title)
    plot->y.from -= plot->is_large ? X_TITLE + 8 : X_TITLE;
  plot->y.to = TITLE + (plot->subtitle ? SUBTITLE : 0);
}

void bp_panel_title(bp_panel *panel, char *title, char *subtitle)
{
  const double width = panel->width - 24;
  if (title)
    bp_svg_fitted_text(&panel->svg, 12, 20, BP_SVG_START, BP_LETTERS_TITLE, BP_INK, title, 14,
                       width);
  if (subtitle)
    bp_svg_fitted_text(&panel->svg, 12, 38, BP_SVG_START, BP_LETTERS_USUAL, BP_SOFT, subtitle, 12,
                       width);
  bp_free(title);
  bp_free(subtitle);
}

void bp_panel_note_marked(bp_panel *panel)
{
  bp_svg_text(&panel->svg, 12, panel->height + 8, BP_SVG_START, BP_LETTERS_USUAL, BP_SOFT,
              "hollow: marked, see the table: throttled, disturbed or mostly overhead");
  panel->height += 16;
}

static void draw_frame(const bp_plot *plot, bp_text *svg)
{
  const bp_axis *x = &plot->x, *y = &plot->y;
  char label[40];
  for (int n = 0; n < y->ticks_count; ++n) {
    double at = bp_axis_at(y, y->ticks[n]);
    bp_svg_line(svg, x->from, at, x->to, at, BP_ROLE_LINE, BP_RULE);
    bp_svg_text(svg, x->from - 8, at + 0.36 * font_of(plot), BP_SVG_END, letters_of(plot), BP_SOFT,
                bp_axis_label(label, y, y->ticks[n]));
  }
  for (int n = 0; n < x->ticks_count; ++n) {
    double at = bp_axis_at(x, x->ticks[n]);
    bp_svg_line(svg, at, y->from, at, y->from + 5, BP_ROLE_LINE, BP_SOFT);
    bp_svg_text(svg, at, y->from + 7 + font_of(plot), BP_SVG_MIDDLE, letters_of(plot), BP_SOFT,
                bp_axis_label(label, x, x->ticks[n]));
  }
  bp_svg_line(svg, x->from, y->from, x->to, y->from, BP_ROLE_LINE, BP_SOFT);
  if (plot->x_title)
    bp_svg_text(svg, 0.5 * (x->from + x->to), plot->height - 8, BP_SVG_MIDDLE, letters_of(plot),
                BP_SOFT, plot->x_title);
  bp_svg_upright(svg, 16, 0.5 * (y->from + y->to), letters_of(plot), BP_SOFT, plot->y_title);
}

/* ---- curves ---- */

/* The line, or the area between it and the axis; one point alone is a short line. */
static void draw_line(const bp_plot *plot, const bp_curve *curve, bool is_area, bp_text *svg)
{
  const double stub = curve->count == 1 && !is_area ? 8 : 0;
  bool is_first = true;
  double x = 0;
  bp_svg_path_begin(svg, curve->role, curve->color);
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p) {
    if (!isfinite(p->y)) {
      is_first |= !curve->bridges;
      continue;
    }
    x = at_x(plot, p->x);
    if (is_first && (is_area || stub > 0))
      bp_svg_path_to(svg, true, x - stub, is_area ? plot->y.from : at_y(plot, p->y));
    bp_svg_path_to(svg, is_first && !is_area && stub == 0, x + stub, at_y(plot, p->y));
    is_first = false;
  }
  if (is_area && !is_first)
    bp_svg_path_to(svg, false, x, plot->y.from);
  bp_svg_path_end(svg, curve->tip);
}

static void draw_bars(const bp_plot *plot, const bp_curve *curve, bp_text *svg)
{
  const double most = 60, width = fmin(at_x(plot, 0.7) - at_x(plot, 0), most);
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p)
    bp_svg_box(svg, at_x(plot, p->x) - 0.5 * width, at_y(plot, p->y), width,
               plot->y.from - at_y(plot, p->y), BP_ROLE_FILL, curve->color, NULL, p->tip);
}

/* The 95 % interval of the median, where it is longer than the mark is high: rates go with 1 / time. */
static void draw_interval(const bp_plot *plot, const bp_curve *curve, const bp_point *p,
                          bp_text *svg)
{
  const double seen = 8;
  const bp_statistics *s = &p->row->seconds.statistics;
  if (s->count < 2 || !(s->low > 0))
    return;
  const double low = at_y(plot, fmax(p->y * s->median / s->high, plot->y.low));
  const double high = at_y(plot, fmin(p->y * s->median / s->low, plot->y.high));
  if (fabs(high - low) > seen)
    bp_svg_line(svg, at_x(plot, p->x), low, at_x(plot, p->x), high, BP_ROLE_THIN, curve->color);
}

static bool is_hollow(const bp_curve *curve, const bp_point *p)
{
  return curve->is_hollow || (p->row && bp_row_is_marked(p->row));
}

static void draw_marks(const bp_plot *plot, const bp_curve *curve, bp_text *svg)
{
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p) {
    if (!isfinite(p->y))
      continue;
    char *tip = p->row && !p->tip ? bp_row_tip(p->row) : NULL;
    if (p->row)
      draw_interval(plot, curve, p, svg);
    bp_svg_marker(svg, at_x(plot, p->x), at_y(plot, p->y), curve->shape, is_hollow(curve, p),
                  curve->color, tip ? tip : p->tip);
    bp_free(tip);
  }
}

static void draw_curve(const bp_plot *plot, const bp_curve *curve, bp_text *svg)
{
  const bool has_bars = curve->role == BP_ROLE_FILL;
  if (has_bars)
    draw_bars(plot, curve, svg);
  else if (curve->role && bp_curve_last(curve))
    draw_line(plot, curve, curve->role == BP_ROLE_TINT, svg);
  if (!has_bars && curve->shape >= 0)
    draw_marks(plot, curve, svg);
}

/* ---- names ---- */

/* A label in the margin: where its curve ends, and where it lies, as others are there. */
typedef struct {
  const bp_curve *curve;
  double at, y;
} margin_name;

static int by_height(const void *a, const void *b)
{
  const margin_name *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  return x->curve < y->curve ? -1 : x->curve > y->curve;
}

/* Sorts by height, then moves names apart: down from the top, and up again from the axis where that led
 * below it. */
static void spread_names(const bp_plot *plot, margin_name *names, int count)
{
  const double apart = plot->is_large ? 19 : 16;
  double least = plot->y.to + 4, most = plot->y.from + 8;
  qsort(names, (size_t)count, sizeof *names, by_height);
  for (int n = 0; n < count; ++n) {
    names[n].y = fmax(names[n].at, least);
    least = names[n].y + apart;
  }
  for (int n = count - 1; n >= 0 && names[n].y > most; --n) {
    names[n].y = most;
    most -= apart;
  }
}

static void draw_name(const bp_plot *plot, const margin_name *name, bp_text *svg)
{
  const bp_curve *c = name->curve;
  const double x = plot->x.to + LEADER;
  if (c->is_led)
    bp_svg_line(svg, plot->x.to + 3, name->at, x - 3, name->y, BP_ROLE_THIN, c->color);
  if (c->shape >= 0) {
    bp_svg_marker(svg, x + 4, name->y, c->shape, c->is_hollow, c->color, NULL);
  } else {
    const double inset = c->role == BP_ROLE_BAND ? 3 : 0; /* its ends are round */
    bp_svg_line(svg, x - 2 + inset, name->y, x + 10 - inset, name->y, c->role, c->color);
  }
  bp_svg_fitted_text(svg, x + NAME, name->y + 0.36 * font_of(plot), BP_SVG_START,
                     c->is_strong ? BP_LETTERS_STRONG : letters_of(plot),
                     c->is_strong ? c->color : BP_INK, c->label, font_of(plot),
                     plot->width - x - NAME - 3);
}

static void draw_names(const bp_plot *plot, bp_text *svg)
{
  margin_name *names = bp_alloc((size_t)plot->count, sizeof *names);
  int count = 0;
  for (const bp_curve *c = plot->curves; c < plot->curves + plot->count; ++c) {
    const bp_point *last = bp_curve_last(c);
    if (!c->label || (!last && !c->is_in_legend))
      continue;
    const double at = at_y(plot, c->is_in_legend ? plot->legend : last->y);
    names[count++] = (margin_name){.curve = c, .at = fmin(fmax(at, plot->y.to), plot->y.from)};
  }
  spread_names(plot, names, count);
  for (int n = 0; n < count; ++n)
    draw_name(plot, &names[n], svg);
  bp_free(names);
}

static bool has_marked(const bp_plot *plot)
{
  for (const bp_curve *c = plot->curves; c < plot->curves + plot->count; ++c)
    for (int n = 0; n < c->count && c->shape >= 0; ++n)
      if (c->points[n].row && isfinite(c->points[n].y) && bp_row_is_marked(c->points[n].row))
        return true;
  return false;
}

void bp_plot_draw(bp_plot *plot, bp_panel *panel)
{
  panel->width = plot->width;
  panel->height = plot->height;
  place_axes(plot);
  bp_panel_title(panel, plot->title, plot->subtitle);
  plot->title = plot->subtitle = NULL;
  draw_frame(plot, &panel->svg);
  for (int c = 0; c < plot->count; ++c)
    draw_curve(plot, &plot->curves[c], &panel->svg);
  draw_names(plot, &panel->svg);
  if (!plot->has_note && has_marked(plot))
    bp_panel_note_marked(panel);
  bp_plot_destroy(plot);
}
