/* figure_roofline.c -- the classic roofline: flops per byte against GFLOPS, both logarithmic. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

static bool is_point(const bp_row *row)
{
  return row && row->bytes > 0 && bp_row_gflops(row) > 0;
}

static bool has_points(const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  bool has = false;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    has |= is_point(set.best[degree]);
  bp_series_destroy(&set);
  return has;
}

static bool belong(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  (void)drawing;
  return has_points(a) && has_points(b) && bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_MESH);
}

/* One problem: its rows, and what their flops would reach at the speed of each row's own copy, of as many
 * bytes, in the same rounds and the same cache mode. */
typedef struct {
  const char *problem;
  bp_curve rates, copies;
} line;

static line line_of(const bp_group *group, int number)
{
  bp_series_set set = bp_series_of(group);
  line l = {.problem = group->problem,
            .rates = {.role = "thin", .shape = number, .bridges = true},
            .copies = {.role = "band",
                       .shape = BP_PLOT_BAND,
                       .tip = "copies of as many bytes",
                       .bridges = true}};
  bp_svg_color(l.rates.color, number);
  bp_svg_color(l.copies.color, number);
  for (int degree = set.first; degree <= set.last; ++degree) {
    const bp_row *row = set.best[degree];
    if (!is_point(row))
      continue;
    double intensity = (double)row->flops / (double)row->bytes;
    bp_curve_add(&l.rates, intensity, bp_row_gflops(row), row);
    bp_curve_add(&l.copies, intensity, bp_row_roofline_gflops(row), row);
  }
  l.copies.stub = l.copies.count == 1 ? 8 : 0;
  bp_series_destroy(&set);
  return l;
}

/* Bounds of this device that limit every kernel: shared memory does so only through its traffic. */
static bool is_bound_of(const bp_bound *bound, const char *device)
{
  return (!*bound->device || strcmp(bound->device, device) == 0) && bound->value > 0 &&
         strcmp(bound->name, "shared") != 0 && strcmp(bound->name, "copy") != 0;
}

static void set_axes(bp_plot *plot, const line *lines, int count, const bp_record *record,
                     const char *device)
{
  double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;
  for (const line *l = lines; l < lines + count; ++l) {
    for (int n = 0; n < l->rates.count; ++n) {
      x_low = fmin(x_low, l->rates.points[n].x);
      x_high = fmax(x_high, l->rates.points[n].x);
      y_low = fmin(y_low, l->rates.points[n].y);
    }
    y_high = bp_curve_most(&l->copies, bp_curve_most(&l->rates, y_high));
  }
  for (int n = 0; n < record->bounds_count; ++n)
    if (is_bound_of(&record->bounds[n], device) && strcmp(record->bounds[n].unit, "GFLOPS") == 0)
      y_high = fmax(y_high, record->bounds[n].value);
  plot->x = bp_axis_log(x_low / 1.6, x_high * 1.6, 14);
  plot->y = bp_axis_log(y_low / 2, y_high * 1.25, 14);
}

static void draw_slant(bp_plot *plot, double gbytes, const char *name)
{
  double x = fmax(plot->x.low, plot->y.low / gbytes),
         end = fmin(plot->x.high, plot->y.high / gbytes);
  if (end <= x)
    return;
  bp_svg_line(plot->svg, bp_axis_at(&plot->x, x), bp_axis_at(&plot->y, gbytes * x),
              bp_axis_at(&plot->x, end), bp_axis_at(&plot->y, gbytes * end), "dash grey");
  bp_plot_add_name(plot, gbytes * end, "grey", BP_PLOT_DASH, end >= plot->x.high, name, NULL);
}

static void draw_bounds(bp_plot *plot, const bp_record *record, const char *device)
{
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *bound = &record->bounds[n];
    bool is_slant = strcmp(bound->unit, "GB/s") == 0;
    bp_number four;
    if (!is_bound_of(bound, device))
      continue;
    char *name = bp_format("%s %s %s", bound->name, bp_number_four(four, bound->value),
                           is_slant ? "GB/s" : "GFLOPS");
    if (is_slant)
      draw_slant(plot, bound->value, name);
    else if (bound->value >= plot->y.low && bound->value <= plot->y.high)
      bp_plot_rule(plot, bound->value, name);
    bp_free(name);
  }
}

/* The names stand at the bottom, where no data are: the height of the first of so many. */
static double names_from(const bp_plot *plot, int count)
{
  static const double apart = 16;
  double part = apart * count / (plot->bottom - plot->top);
  return plot->y.low * pow(plot->y.high / plot->y.low, part);
}

static void draw_line(bp_plot *plot, const line *l, double name_at)
{
  const bp_point *points = l->rates.points;
  int last = l->rates.count - 1;
  if (last < 0)
    return;
  int from = points[0].row->degree, to = points[last].row->degree;
  char *name = from == to ? bp_format("%s, N=%d", l->problem, from)
                          : bp_format("%s, N=%d..%d", l->problem, from, to);
  bp_curve_draw(plot, &l->rates, NULL, false);
  bp_plot_add_name(plot, name_at, l->rates.color, l->rates.shape, false, name, NULL);
  bp_free(name);
}

static void draw_all(bp_plot *plot, const line *lines, int count, const bp_drawing *drawing,
                     const char *device)
{
  set_axes(plot, lines, count, drawing->record, device);
  bp_plot_frame(plot, drawing->wishes, "flops per byte, by the model", "GFLOPS");
  draw_bounds(plot, drawing->record, device);
  double name_at = names_from(plot, count + 1);
  for (int n = 0; n < count; ++n)
    bp_curve_draw(plot, &lines[n].copies, NULL, false);
  for (int n = 0; n < count; ++n)
    draw_line(plot, &lines[n], name_at);
  bp_plot_add_name(plot, name_at, "soft", BP_PLOT_BAND, false, "copies of as many bytes", NULL);
  bp_plot_end(plot);
}

bool bp_roofline_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *first = bp_drawing_find(drawing, belong, number);
  int count = 0;
  if (!first)
    return false;
  const bp_row *row = first->rows[0];
  line *lines = bp_alloc((size_t)drawing->groups.count, sizeof *lines);
  for (int64_t g = 0; g < drawing->groups.count; ++g)
    if (belong(drawing, first, &drawing->groups.groups[g])) {
      lines[count] = line_of(&drawing->groups.groups[g], count);
      ++count;
    }
  char *where = bp_figure_subtitle(first);
  bp_plot plot = bp_plot_begin(
      panel, 710, 440, 230, bp_format("%s%s%s", row->device, *row->cache ? ", " : "", row->cache),
      bp_format("fastest variant of each degree, %s", where));
  draw_all(&plot, lines, count, drawing, row->device);
  bp_free(where);
  bp_free(lines);
  return true;
}
