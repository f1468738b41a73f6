/* figure_roofline.c -- the classic roofline: flops per byte against GFLOPS, both logarithmic. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/plot.h"
#include "report/series.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WIDTH = 700, HEIGHT = 440, MARGIN = 230;

static bool begins_panel(const bp_drawing *drawing, int64_t group)
{
  for (int64_t g = 0; g < group; ++g)
    if (bp_figure_is_together(drawing->groups.groups[g].rows[0],
                              drawing->groups.groups[group].rows[0]))
      return false;
  return true;
}

int bp_roofline_panels(const bp_drawing *drawing)
{
  int panels = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g)
    panels += begins_panel(drawing, g);
  return panels;
}

bp_size bp_roofline_size(const bp_drawing *drawing, int panel)
{
  (void)drawing;
  (void)panel;
  return (bp_size){WIDTH, HEIGHT};
}

static const bp_group *first_group(const bp_drawing *drawing, int panel)
{
  int64_t g = 0;
  while (!begins_panel(drawing, g) || panel-- > 0)
    ++g;
  return &drawing->groups.groups[g];
}

static double intensity_of(const bp_row *row)
{
  return (double)row->flops / (double)row->bytes;
}

/* What the axes must hold. */
typedef struct {
  double x_low, x_high, y_low, y_high;
} range;

static void extend(range *r, const bp_row *row)
{
  double gflops = bp_row_gflops(row);
  if (!(gflops > 0) || row->bytes <= 0)
    return;
  r->x_low = fmin(r->x_low, intensity_of(row));
  r->x_high = fmax(r->x_high, intensity_of(row));
  r->y_low = fmin(r->y_low, gflops);
  r->y_high = fmax(r->y_high, fmax(gflops, bp_row_roofline_gflops(row)));
}

static range range_of(const bp_drawing *drawing, const bp_row *first)
{
  range r = {INFINITY, 0, INFINITY, 0};
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    if (!bp_figure_is_together(drawing->groups.groups[g].rows[0], first))
      continue;
    bp_series_set set = bp_series_of(&drawing->groups.groups[g]);
    for (int degree = set.first; degree <= set.last; ++degree)
      if (set.best[degree])
        extend(&r, set.best[degree]);
    bp_series_destroy(&set);
  }
  return r;
}

/* Bounds of this device that limit every kernel: shared memory does so only through its traffic. */
static bool is_bound_of(const bp_bound *bound, const char *device)
{
  return (!*bound->device || strcmp(bound->device, device) == 0) && bound->value > 0 &&
         strcmp(bound->name, "shared") != 0 && strcmp(bound->name, "copy") != 0;
}

static void draw_slant(bp_plot *plot, double gbytes, const char *name)
{
  double x = plot->x.low, end = plot->x.high;
  if (gbytes * x < plot->y.low)
    x = plot->y.low / gbytes;
  if (gbytes * end > plot->y.high)
    end = plot->y.high / gbytes;
  if (end <= x)
    return;
  bp_number four;
  char *text = bp_format("%s %s GB/s", name, bp_number_four(four, gbytes));
  bp_svg_line(plot->svg, bp_axis_at(&plot->x, x), bp_axis_at(&plot->y, gbytes * x),
              bp_axis_at(&plot->x, end), bp_axis_at(&plot->y, gbytes * end), "dash grey");
  bp_plot_add_name(plot, gbytes * end, "grey", BP_PLOT_DASH, end >= plot->x.high, text);
  bp_free(text);
}

/* What the flops of each row would reach at the speed of its own copy: of as many bytes, in the same
 * rounds and the same cache mode. Returns the last one, NaN without any. */
static double draw_copies(const bp_plot *plot, const bp_series_set *set)
{
  double last = NAN;
  bp_svg_path_begin(plot->svg, "thick ink");
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *row = set->best[degree];
    double value = row ? bp_row_roofline_gflops(row) : NAN;
    if (!row || !isfinite(value))
      continue;
    double x = bp_axis_at(&plot->x, intensity_of(row)), y = bp_axis_at(&plot->y, value);
    if (isnan(last)) /* so that one degree alone is a line too */
      bp_svg_path_to(plot->svg, true, x - 6, y);
    bp_svg_path_to(plot->svg, false, x, y);
    last = value;
  }
  bp_svg_path_end(plot->svg, "copy of as many bytes");
  return last;
}

static void draw_bounds(bp_plot *plot, const bp_drawing *drawing, const char *device)
{
  for (int n = 0; n < drawing->record->bounds_count; ++n) {
    const bp_bound *bound = &drawing->record->bounds[n];
    bp_number four;
    if (!is_bound_of(bound, device))
      continue;
    if (strcmp(bound->unit, "GB/s") == 0) {
      draw_slant(plot, bound->value, bound->name);
    } else if (bound->value >= plot->y.low && bound->value <= plot->y.high) {
      double y = bp_axis_at(&plot->y, bound->value);
      char *text = bp_format("%s %s GFLOPS", bound->name, bp_number_four(four, bound->value));
      bp_svg_line(plot->svg, plot->left, y, plot->right, y, "dash ink");
      bp_plot_add_name(plot, bound->value, "ink", BP_PLOT_DASH, true, text);
      bp_free(text);
    }
  }
}

static void draw_points(bp_plot *plot, const bp_group *group, int number, const char *name)
{
  bp_series_set set = bp_series_of(group);
  const bp_row *first = NULL, *last = NULL;
  char color[8], css[16];
  snprintf(css, sizeof css, "thin %s", bp_svg_color(color, number));
  bp_svg_path_begin(plot->svg, css);
  for (int degree = set.first; degree <= set.last; ++degree) {
    const bp_row *row = set.best[degree];
    if (!row || row->bytes <= 0)
      continue;
    bp_svg_path_to(plot->svg, !first, bp_axis_at(&plot->x, intensity_of(row)),
                   bp_axis_at(&plot->y, bp_row_gflops(row)));
    first = first ? first : row;
    last = row;
  }
  bp_svg_path_end(plot->svg, NULL);
  for (int degree = set.first; first && degree <= last->degree; ++degree) {
    const bp_row *row = set.best[degree];
    if (!row || row->bytes <= 0)
      continue;
    char *tip = bp_figure_tip(row);
    bp_svg_marker(plot->svg, bp_axis_at(&plot->x, intensity_of(row)),
                  bp_axis_at(&plot->y, bp_row_gflops(row)), number, color, tip);
    bp_free(tip);
  }
  if (first) {
    char *degrees = first == last ? bp_format("%s N=%d", name, first->degree)
                                  : bp_format("%s N=%d..%d", name, first->degree, last->degree);
    bp_plot_add_name(plot, bp_row_gflops(last), color, number, false, degrees);
    bp_free(degrees);
  }
  bp_series_destroy(&set);
}

/* Under the points, for every problem; named once. */
static void draw_all_copies(bp_plot *plot, const bp_drawing *drawing, const bp_row *first)
{
  double most = NAN;
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    if (!bp_figure_is_together(drawing->groups.groups[g].rows[0], first))
      continue;
    bp_series_set set = bp_series_of(&drawing->groups.groups[g]);
    most = fmax(most, draw_copies(plot, &set));
    bp_series_destroy(&set);
  }
  if (isfinite(most))
    bp_plot_add_name(plot, most, "ink", BP_PLOT_LINE, false, "copy of as many bytes");
}

void bp_roofline_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  const bp_group *group = first_group(drawing, panel);
  const bp_row *first = group->rows[0];
  range r = range_of(drawing, first);
  bp_plot plot = bp_plot_begin(svg, WIDTH, HEIGHT, MARGIN);
  char *title = bp_format("%s%s%s", first->device, *first->cache ? ", " : "", first->cache);
  char *where = bp_figure_subtitle(group);
  char *subtitle = bp_format("fastest variant of each degree, %s", where);
  bp_plot_titles(&plot, title, subtitle);
  bp_free(where);
  bp_free(subtitle);
  bp_free(title);
  if (r.y_high <= 0)
    return;
  for (int n = 0; n < drawing->record->bounds_count; ++n)
    if (is_bound_of(&drawing->record->bounds[n], first->device) &&
        strcmp(drawing->record->bounds[n].unit, "GFLOPS") == 0)
      r.y_high = fmax(r.y_high, drawing->record->bounds[n].value);
  plot.x = bp_axis_log(r.x_low / 1.6, r.x_high * 1.6, 14);
  plot.y = bp_axis_log(r.y_low / 2, r.y_high * 1.25, 14);
  bp_plot_wish(&plot, &drawing->wishes->x, &drawing->wishes->y);
  bp_plot_frame(&plot, "flops per byte, by the model", "GFLOPS");
  draw_bounds(&plot, drawing, first->device);
  draw_all_copies(&plot, drawing, first);
  int number = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    const bp_row *row = drawing->groups.groups[g].rows[0];
    if (!bp_figure_is_together(row, first))
      continue;
    draw_points(&plot, &drawing->groups.groups[g], number++, row->problem);
  }
  bp_plot_end(&plot);
}
