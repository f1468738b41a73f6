/* figure_sizes.c -- GDOF/s over the number of DOFs, a line per degree: how large a problem must be. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>

static const double MARKS = 44, MARGIN_LEAST = 176; /* beside the plot: leaders and marks; all */

static bool belong(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  if (!bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_PROBLEM))
    return false;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    if (bp_sizes_curve(drawing->record, a->rows[0], degree).count >= BP_SIZES_LEAST)
      return true;
  return false;
}

static char *name_of(const bp_curve *c)
{
  bp_number count;
  const bp_row *row = c->points[0].row;
  double rate, reach = bp_sizes_reach(c->points, c->count, bp_sizes_share(row), &rate);
  if (!isfinite(reach))
    return bp_format("N=%d", row->degree);
  return bp_format("N=%d, %s = %s", row->degree, bp_row_is_solve(row) ? "n0.8" : "n\xc2\xbd",
                   bp_number_count(count, reach));
}

/* Room for the longest name of a line. */
static double margin_of(const bp_curve *curves, int count)
{
  double widest = 0;
  for (int n = 0; n < count; ++n) {
    char *name = name_of(&curves[n]);
    widest = fmax(widest, bp_svg_width(name, 15));
    bp_free(name);
  }
  return fmax(MARKS + widest, MARGIN_LEAST);
}

static void draw_degree(bp_plot *plot, const bp_curve *c)
{
  char css[16];
  const bool is_solve = bp_row_is_solve(c->points[0].row);
  double rate, reach = bp_sizes_reach(c->points, c->count, bp_sizes_share(c->points[0].row), &rate);
  char *name = name_of(c);
  bp_curve_draw(plot, c, name, true);
  bp_free(name);
  if (!isfinite(reach))
    return;
  double x = bp_axis_at(&plot->x, reach), y = bp_axis_at(&plot->y, rate);
  snprintf(css, sizeof css, "dash %s", c->color);
  bp_svg_line(plot->svg, x, y, x, plot->bottom, css);
  bp_svg_box(plot->svg, x - 4, y - 4, 8, 8, "ring", NULL,
             is_solve ? "80 % of the highest rate: n0.8" : "half of the highest rate: n1/2");
}

/* The curves of the degrees that have sizes enough for a line; returns how many. */
static int curves_of(const bp_drawing *drawing, const bp_row *first, bp_curve *curves)
{
  int count = 0;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    bp_curve *c = &curves[count];
    *c = bp_sizes_curve(drawing->record, first, degree);
    c->shape = count;
    bp_svg_color(c->color, count);
    count += c->count >= BP_SIZES_LEAST;
  }
  return count;
}

bool bp_sizes_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *group = bp_drawing_find(drawing, belong, number);
  if (!group)
    return false;
  double low = INFINITY, high = 0, most = 0;
  bp_curve *curves = bp_alloc(BP_SERIES_DEGREES, sizeof *curves);
  int count = curves_of(drawing, group->rows[0], curves);
  for (int n = 0; n < count; ++n) {
    low = fmin(low, curves[n].points[0].x);
    high = fmax(high, curves[n].points[curves[n].count - 1].x);
    most = bp_curve_most(&curves[n], most);
  }
  bp_plot plot = bp_plot_begin(
      panel, 700, 400, margin_of(curves, count), bp_figure_title(group),
      bp_format("fastest variant of each; squares: %s of the highest rate, where that has settled",
                bp_row_is_solve(group->rows[0]) ? "n0.8, 80 %" : "n\xc2\xbd, half"));
  plot.letters = "large";
  plot.top += 4;
  plot.bottom -= 10;
  plot.x = bp_axis_log(low / 1.25, high * 1.25, 11);
  plot.y = bp_axis_linear(0, most, 6);
  bp_plot_frame(&plot, drawing->wishes, "DOFs", "GDOF/s");
  for (int n = 0; n < count; ++n)
    draw_degree(&plot, &curves[n]);
  bp_plot_end(&plot);
  bp_free(curves);
  return true;
}
