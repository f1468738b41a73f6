/* figure_sizes.c -- GDOF/s over the number of DOFs, a line per degree: how large a problem must be. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/plot.h"
#include "report/series.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 700, HEIGHT = 400, MARGIN = 176;
enum { SIZES_LEAST = 3, SIZES_MAX = 64 };

static bool on_one_panel(const bp_row *a, const bp_row *b)
{
  return strcmp(a->problem, b->problem) == 0 && strcmp(a->device, b->device) == 0 &&
         strcmp(a->backend, b->backend) == 0 && strcmp(a->cache, b->cache) == 0;
}

/* One degree: the fastest row of each size, ascending. */
typedef struct {
  int degree, count;
  const bp_row *rows[SIZES_MAX];
} line;

static void add_row(line *l, const bp_row *row)
{
  int at = l->count;
  for (int n = 0; n < l->count; ++n)
    if (l->rows[n]->dofs == row->dofs) {
      if (bp_row_gdofs_per_second(row) > bp_row_gdofs_per_second(l->rows[n]))
        l->rows[n] = row;
      return;
    }
  if (l->count == SIZES_MAX)
    return;
  for (; at > 0 && l->rows[at - 1]->dofs > row->dofs; --at)
    l->rows[at] = l->rows[at - 1];
  l->rows[at] = row;
  ++l->count;
}

static line line_of(const bp_drawing *drawing, const bp_row *first, int degree)
{
  line l = {.degree = degree};
  for (int64_t n = 0; n < drawing->record->rows_count; ++n) {
    const bp_row *row = &drawing->record->rows[n];
    if (row->degree == degree && on_one_panel(row, first) && bp_row_gdofs_per_second(row) > 0)
      add_row(&l, row);
  }
  return l;
}

static bool has_sizes(const bp_drawing *drawing, const bp_row *first)
{
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    if (line_of(drawing, first, degree).count >= SIZES_LEAST)
      return true;
  return false;
}

/* The first row of a panel; NULL behind the last. */
static const bp_row *first_row(const bp_drawing *drawing, int panel)
{
  for (int64_t g = 0; g < drawing->all.count; ++g) {
    const bp_row *row = drawing->all.groups[g].rows[0];
    bool is_new = true;
    for (int64_t h = 0; h < g; ++h)
      is_new &= !on_one_panel(drawing->all.groups[h].rows[0], row);
    if (is_new && has_sizes(drawing, row) && panel-- == 0)
      return row;
  }
  return NULL;
}

int bp_sizes_panels(const bp_drawing *drawing)
{
  int panels = 0;
  while (first_row(drawing, panels))
    ++panels;
  return panels;
}

bp_size bp_sizes_size(const bp_drawing *drawing, int panel)
{
  (void)drawing;
  (void)panel;
  return (bp_size){WIDTH, HEIGHT};
}

double bp_sizes_half(const double *dofs, const double *rates, int count)
{
  double most = 0;
  for (int n = 0; n < count; ++n)
    most = fmax(most, rates[n]);
  if (count == 0 || rates[0] >= 0.5 * most)
    return NAN;
  int n = 1;
  while (rates[n] < 0.5 * most)
    ++n;
  double part = (0.5 * most - rates[n - 1]) / (rates[n] - rates[n - 1]);
  return dofs[n - 1] * pow(dofs[n] / dofs[n - 1], part);
}

static double half_of(const line *l, double *rate)
{
  double dofs[SIZES_MAX], rates[SIZES_MAX];
  *rate = 0;
  for (int n = 0; n < l->count; ++n) {
    dofs[n] = (double)l->rows[n]->dofs;
    rates[n] = bp_row_gdofs_per_second(l->rows[n]);
    *rate = fmax(*rate, 0.5 * rates[n]);
  }
  return bp_sizes_half(dofs, rates, l->count);
}

static void draw_half(const bp_plot *plot, double dofs, double rate, const char *color)
{
  char css[16], label[8];
  snprintf(css, sizeof css, "dash %s", color);
  snprintf(label, sizeof label, "%s", color);
  double x = bp_axis_at(&plot->x, dofs), y = bp_axis_at(&plot->y, rate);
  bp_svg_line(plot->svg, x, y, x, plot->bottom, css);
  bp_svg_box(plot->svg, x - 4, y - 4, 8, 8, "ring", NULL, "half of the highest rate: n1/2");
}

static void draw_line(bp_plot *plot, const line *l, int number)
{
  char color[8], css[16];
  bp_number count;
  double rate, half = half_of(l, &rate);
  snprintf(css, sizeof css, "path %s", bp_svg_color(color, number));
  bp_svg_path_begin(plot->svg, css);
  for (int n = 0; n < l->count; ++n)
    bp_svg_path_to(plot->svg, n == 0, bp_axis_at(&plot->x, (double)l->rows[n]->dofs),
                   bp_axis_at(&plot->y, bp_row_gdofs_per_second(l->rows[n])));
  bp_svg_path_end(plot->svg, NULL);
  for (int n = 0; n < l->count; ++n) {
    char *tip = bp_figure_tip(l->rows[n]);
    bp_svg_marker(plot->svg, bp_axis_at(&plot->x, (double)l->rows[n]->dofs),
                  bp_axis_at(&plot->y, bp_row_gdofs_per_second(l->rows[n])), number, color, tip);
    bp_free(tip);
  }
  if (isfinite(half))
    draw_half(plot, half, rate, color);
  const bp_row *last = l->rows[l->count - 1];
  char *name = isfinite(half)
                   ? bp_format("N=%d, n\xc2\xbd %s", l->degree, bp_number_count(count, half))
                   : bp_format("N=%d", l->degree);
  bp_plot_add_name(plot, bp_row_gdofs_per_second(last), color, number, true, name);
  bp_free(name);
}

static void set_axes(bp_plot *plot, const bp_drawing *drawing, const bp_row *first)
{
  double low = INFINITY, high = 0, most = 0;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    line l = line_of(drawing, first, degree);
    for (int n = 0; n < l.count; ++n) {
      low = fmin(low, (double)l.rows[n]->dofs);
      high = fmax(high, (double)l.rows[n]->dofs);
      most = fmax(most, bp_row_gdofs_per_second(l.rows[n]));
    }
  }
  plot->x = bp_axis_log(low / 1.25, high * 1.25, 14);
  plot->y = bp_axis_linear(0, most, 6);
  bp_plot_wish(plot, &drawing->wishes->x, &drawing->wishes->y);
}

void bp_sizes_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  const bp_row *first = first_row(drawing, panel);
  bp_plot plot = bp_plot_begin(svg, WIDTH, HEIGHT, MARGIN);
  int number = 0;
  char *title = bp_format("%s, %s%s%s", first->problem, first->device, *first->cache ? ", " : "",
                          first->cache);
  bp_plot_titles(&plot, title,
                 "fastest variant of each degree and size; squares: n\xc2\xbd, the "
                 "size that reaches half of the highest rate");
  bp_free(title);
  set_axes(&plot, drawing, first);
  bp_plot_frame(&plot, "DOFs", "GDOF/s");
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    line l = line_of(drawing, first, degree);
    if (l.count > 0)
      draw_line(&plot, &l, number++);
  }
  bp_plot_end(&plot);
}
