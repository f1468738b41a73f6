/* figure_gflops.c -- GFLOPS by degree, a line per variant under the roofline. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/plot.h"
#include "report/series.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WIDTH = 660, HEIGHT = 380, MARGIN = 190;
enum { HIGHLIGHTED = 6 };

int bp_gflops_panels(const bp_drawing *drawing)
{
  return (int)drawing->groups.count;
}

bool bp_gflops_is_enough(const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  bool is_enough = set.count > 1 && set.count <= HIGHLIGHTED && set.last > set.first;
  bp_series_destroy(&set);
  return is_enough;
}

bp_size bp_gflops_size(const bp_drawing *drawing, int panel)
{
  (void)drawing;
  (void)panel;
  return (bp_size){WIDTH, HEIGHT};
}

static bool is_drawn(const bp_series *s, int degree)
{
  return s->rows[degree] && s->rows[degree]->status == BP_ROW_OK;
}

static void draw_line(const bp_plot *plot, const bp_series *s, const char *css, const char *tip)
{
  bool is_first = true;
  bp_svg_path_begin(plot->svg, css);
  for (int degree = s->first; degree <= s->last; ++degree) {
    if (is_drawn(s, degree))
      bp_svg_path_to(plot->svg, is_first, bp_axis_at(&plot->x, degree),
                     bp_axis_at(&plot->y, bp_row_gflops(s->rows[degree])));
    is_first = !is_drawn(s, degree); /* a gap where there is no result */
  }
  bp_svg_path_end(plot->svg, tip);
}

static void draw_markers(const bp_plot *plot, const bp_series *s, const char *css, int shape)
{
  for (int degree = s->first; degree <= s->last; ++degree) {
    if (!is_drawn(s, degree))
      continue;
    char *tip = bp_figure_tip(s->rows[degree]);
    bp_svg_marker(plot->svg, bp_axis_at(&plot->x, degree),
                  bp_axis_at(&plot->y, bp_row_gflops(s->rows[degree])), shape, css, tip);
    bp_free(tip);
  }
}

static void draw_roofline(bp_plot *plot, const bp_series_set *set)
{
  bool is_first = true;
  double last = NAN;
  bp_svg_path_begin(plot->svg, "thick ink");
  for (int degree = set->first; degree <= set->last; ++degree) {
    double value = set->best[degree] ? bp_row_roofline_gflops(set->best[degree]) : NAN;
    if (!isfinite(value))
      continue;
    double x = bp_axis_at(&plot->x, degree), y = bp_axis_at(&plot->y, value);
    if (is_first) /* begins half a step before, so that one degree alone is a line too */
      bp_svg_path_to(plot->svg, true, x - 9, y);
    bp_svg_path_to(plot->svg, false, x, y);
    is_first = false;
    last = value;
  }
  if (!is_first)
    bp_svg_path_to(plot->svg, false, plot->right, bp_axis_at(&plot->y, last));
  bp_svg_path_end(plot->svg, "copy roofline");
  if (!is_first)
    bp_plot_add_name(plot, last, "ink", BP_PLOT_LINE, true, "copy roofline");
}

/* Peaks of arithmetic that lie within the axis. */
static void draw_peaks(bp_plot *plot, const bp_record *record, const char *device)
{
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *bound = &record->bounds[n];
    if (strcmp(bound->unit, "GFLOPS") != 0 || strcmp(bound->device, device) != 0 ||
        !(bound->value > 0 && bound->value <= plot->y.high))
      continue;
    double y = bp_axis_at(&plot->y, bound->value);
    char *name = bp_format("%s peak", bound->name);
    bp_svg_line(plot->svg, plot->left, y, plot->right, y, "dash ink");
    bp_plot_add_name(plot, bound->value, "ink", BP_PLOT_DASH, true, name);
    bp_free(name);
  }
}

static double largest(const bp_series_set *set)
{
  double most = 0;
  for (int degree = set->first; degree <= set->last; ++degree)
    if (set->best[degree]) {
      most = fmax(most, bp_row_gflops(set->best[degree]));
      most = fmax(most, bp_row_roofline_gflops(set->best[degree]));
    }
  return most;
}

static void draw_series(bp_plot *plot, const bp_series_set *set)
{
  int top[HIGHLIGHTED], count = bp_series_top(set, HIGHLIGHTED, top), others = 0;
  double others_end = 0;
  for (int n = 0; n < set->count; ++n) {
    const bp_series *s = &set->series[n];
    bool is_top = s->first > s->last;
    for (int t = 0; t < count; ++t)
      is_top |= top[t] == n;
    if (is_top)
      continue;
    draw_line(plot, s, "thin grey", s->label);
    others_end = bp_row_gflops(s->rows[s->last]);
    ++others;
  }
  for (int t = count - 1; t >= 0; --t) {
    const bp_series *s = &set->series[top[t]];
    char color[8], css[16];
    snprintf(css, sizeof css, "path %s", bp_svg_color(color, t));
    draw_line(plot, s, css, s->label);
    draw_markers(plot, s, color, t);
    bp_plot_add_name(plot, bp_row_gflops(s->rows[s->last]), color, t, s->last == set->last,
                     s->label);
  }
  if (others) {
    char *text = bp_format("%d other%s", others, others == 1 ? "" : "s");
    bp_plot_add_name(plot, others_end, "grey", BP_PLOT_LINE, false, text);
    bp_free(text);
  }
}

void bp_gflops_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  const bp_group *group = &drawing->groups.groups[panel];
  bp_series_set set = bp_series_of(group);
  bp_plot plot = bp_plot_begin(svg, WIDTH, HEIGHT, MARGIN);
  char *title = bp_figure_title(group), *subtitle = bp_figure_subtitle(group);
  bp_plot_titles(&plot, title, subtitle);
  if (set.last >= set.first) {
    plot.x = bp_axis_whole(set.first, set.last, 16);
    plot.y = bp_axis_linear(0, largest(&set), 6);
    bp_plot_wish(&plot, &drawing->wishes->x, &drawing->wishes->y);
    bp_plot_frame(&plot, "polynomial degree N", "GFLOPS");
    draw_peaks(&plot, drawing->record, group->rows[0]->device);
    draw_roofline(&plot, &set);
    draw_series(&plot, &set);
    bp_plot_end(&plot);
  }
  bp_free(title);
  bp_free(subtitle);
  bp_series_destroy(&set);
}
