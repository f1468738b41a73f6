/* figure_gflops.c -- GFLOPS, of solves GDOF/s, by degree, a line per variant under the roofline. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { HIGHLIGHTED = 6 };

/* Beside the plot: leaders and marks; all. */
static const double MARKS = 46, MARGIN_LEAST = 190, MARGIN_MOST = 260;

bool bp_gflops_is_enough(const bp_series_set *set)
{
  return set->count > 1 && set->count <= HIGHLIGHTED && set->last > set->first;
}

static void draw_roofline(bp_plot *plot, const bp_series_set *set)
{
  bp_curve roofline = {.role = "thick",
                       .color = "ink",
                       .shape = BP_PLOT_LINE,
                       .tip = "copy roofline",
                       .bridges = true,
                       .stub = set->first == set->last ? 9 : 0};
  bp_curve_by_degree(&roofline, set, set->best, bp_row_roofline_rate);
  bp_curve_draw(plot, &roofline, "copy roofline", true);
}

/* Peaks of arithmetic that lie within the axis. */
static void draw_peaks(bp_plot *plot, const bp_record *record, const char *device)
{
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *bound = &record->bounds[n];
    if (strcmp(bound->unit, "GFLOPS") != 0 || strcmp(bound->device, device) != 0 ||
        !(bound->value > 0 && bound->value <= plot->y.high))
      continue;
    char *name = bp_format("%s peak", bound->name);
    bp_plot_rule(plot, bound->value, name);
    bp_free(name);
  }
}

static bp_curve curve_of(const bp_series_set *set, const bp_series *s)
{
  bp_curve curve = {.role = "thin", .color = "grey", .shape = BP_PLOT_LINE, .tip = s->label};
  bp_curve_by_degree(&curve, set, s->rows, bp_row_rate);
  return curve;
}

/* In grey; returns how many, and where the last one ends. */
static int draw_others(bp_plot *plot, const bp_series_set *set, const int *top, int count,
                       double *end)
{
  int others = 0;
  for (int n = 0; n < set->count; ++n) {
    const bp_series *s = &set->series[n];
    bool is_other = s->first <= s->last;
    for (int t = 0; t < count; ++t)
      is_other &= top[t] != n;
    if (!is_other)
      continue;
    bp_curve curve = curve_of(set, s);
    bp_curve_draw(plot, &curve, NULL, false);
    *end = bp_row_rate(s->rows[s->last]);
    ++others;
  }
  return others;
}

static void draw_series(bp_plot *plot, const bp_series_set *set)
{
  int top[HIGHLIGHTED], count = bp_series_top(set, HIGHLIGHTED, top);
  double end = 0;
  int others = draw_others(plot, set, top, count, &end);
  for (int t = count - 1; t >= 0; --t) {
    const bp_series *s = &set->series[top[t]];
    bp_curve curve = curve_of(set, s);
    curve.role = "path";
    curve.shape = t;
    bp_svg_color(curve.color, t);
    bp_curve_draw(plot, &curve, s->label, s->last == set->last);
  }
  char *text = bp_format("%d other%s", others, others == 1 ? "" : "s");
  if (others)
    bp_plot_add_name(plot, end, "grey", BP_PLOT_LINE, false, text, NULL);
  bp_free(text);
}

/* Room for the longest name. */
static double margin_of(const bp_series_set *set)
{
  int top[HIGHLIGHTED], count = bp_series_top(set, HIGHLIGHTED, top);
  double widest = 0;
  for (int t = 0; t < count; ++t)
    widest = fmax(widest, bp_svg_width(set->series[top[t]].label, 12));
  return fmin(fmax(MARKS + widest, MARGIN_LEAST), MARGIN_MOST);
}

static bool has_rates(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  (void)drawing;
  bp_series_set set = bp_series_of(a);
  bool has = a == b && bp_series_most(&set) > 0;
  bp_series_destroy(&set);
  return has;
}

bool bp_gflops_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *group = bp_drawing_find(drawing, has_rates, number);
  if (!group)
    return false;
  bp_series_set set = bp_series_of(group);
  panel->is_spare = !bp_gflops_is_enough(&set);
  bp_plot plot = bp_plot_begin(panel, 660, 380, margin_of(&set), bp_figure_title(group),
                               bp_figure_subtitle(group));
  plot.x = bp_curve_degrees(&set);
  plot.y = bp_axis_linear(0, bp_series_most(&set), 6);
  bp_plot_frame(&plot, drawing->wishes, "polynomial degree N", bp_row_rate_unit(group->rows[0]));
  if (!bp_row_is_solve(group->rows[0]))
    draw_peaks(&plot, drawing->record, group->rows[0]->device);
  draw_roofline(&plot, &set);
  draw_series(&plot, &set);
  bp_plot_end(&plot);
  bp_series_destroy(&set);
  return true;
}
