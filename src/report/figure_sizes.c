/* figure_sizes.c -- GDOF/s over the number of DOFs, a line per degree: how large a problem must be. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>

/* One degree: the fastest row of each size, ascending. */
static void add_row(bp_curve *c, const bp_row *row)
{
  bp_point *at = c->points, *end = at + c->count;
  double dofs = (double)row->dofs, rate = bp_row_gdofs_per_second(row);
  while (at < end && at->x < dofs)
    ++at;
  if (at < end && at->x == dofs) {
    if (rate > at->y)
      *at = (bp_point){.x = dofs, .y = rate, .row = row};
    return;
  }
  if (c->count + 1 == BP_CURVE_POINTS)
    return;
  for (++c->count; end > at; --end)
    *end = end[-1];
  *at = (bp_point){.x = dofs, .y = rate, .row = row};
}

static bp_curve curve_of(const bp_drawing *drawing, const bp_row *first, int degree)
{
  bp_curve c = {.role = "path"};
  for (int64_t n = 0; n < drawing->record->rows_count; ++n) {
    const bp_row *row = &drawing->record->rows[n];
    if (row->degree == degree && bp_row_is_beside(row, first, BP_SAME_PROBLEM) &&
        bp_row_gdofs_per_second(row) > 0)
      add_row(&c, row);
  }
  return c;
}

static bool belong(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  if (!bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_PROBLEM))
    return false;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    if (curve_of(drawing, a->rows[0], degree).count >= BP_SIZES_LEAST)
      return true;
  return false;
}

double bp_sizes_half(const bp_point *points, int count, double *rate)
{
  *rate = 0;
  for (int n = 0; n < count; ++n)
    *rate = fmax(*rate, 0.5 * points[n].y);
  if (count == 0 || points[0].y >= *rate)
    return NAN;
  const bp_point *p = points + 1;
  while (p->y < *rate)
    ++p;
  double part = (*rate - p[-1].y) / (p->y - p[-1].y);
  return p[-1].x * pow(p->x / p[-1].x, part);
}

static void draw_degree(bp_plot *plot, const bp_curve *c)
{
  char css[16];
  bp_number count;
  double rate, half = bp_sizes_half(c->points, c->count, &rate);
  int degree = c->points[0].row->degree;
  char *name = isfinite(half)
                   ? bp_format("N=%d, n\xc2\xbd %s", degree, bp_number_count(count, half))
                   : bp_format("N=%d", degree);
  bp_curve_draw(plot, c, name, true);
  bp_free(name);
  if (!isfinite(half))
    return;
  double x = bp_axis_at(&plot->x, half), y = bp_axis_at(&plot->y, rate);
  snprintf(css, sizeof css, "dash %s", c->color);
  bp_svg_line(plot->svg, x, y, x, plot->bottom, css);
  bp_svg_box(plot->svg, x - 4, y - 4, 8, 8, "ring", NULL, "half of the highest rate: n1/2");
}

/* The degrees' curves; returns how many. */
static int curves_of(const bp_drawing *drawing, const bp_row *first, bp_curve *curves)
{
  int count = 0;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    bp_curve *c = &curves[count];
    *c = curve_of(drawing, first, degree);
    c->shape = count;
    bp_svg_color(c->color, count);
    count += c->count > 0;
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
  bp_plot plot = bp_plot_begin(panel, 700, 400, 176, bp_figure_title(group),
                               bp_strdup("fastest variant of each degree and size; squares: "
                                         "n\xc2\xbd, the size that reaches half of the highest "
                                         "rate"));
  plot.x = bp_axis_log(low / 1.25, high * 1.25, 14);
  plot.y = bp_axis_linear(0, most, 6);
  bp_plot_frame(&plot, drawing->wishes, "DOFs", "GDOF/s");
  for (int n = 0; n < count; ++n)
    draw_degree(&plot, &curves[n]);
  bp_plot_end(&plot);
  bp_free(curves);
  return true;
}
