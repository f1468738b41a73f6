/* figure_roofline.c -- the classic roofline: flops per byte against GFLOPS, both logarithmic. */
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

static bool belong(const bp_group *a, const bp_group *b)
{
  return has_points(a) && has_points(b) && bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_MESH);
}

/* One problem: its rows, or what their flops would reach at the speed of each row's own copy, of as many
 * bytes, in the same rounds and the same cache mode. */
static void add_problem(bp_plot *plot, const bp_group *group, int place, bool is_copy)
{
  bp_series_set set = bp_series_of(group);
  bp_curve c = {.role = is_copy ? BP_ROLE_BAND : BP_ROLE_THIN,
                .shape = is_copy ? BP_PLOT_LINE : place,
                .bridges = true,
                .is_in_legend = true};
  int from = 0, to = 0;
  c.color = bp_svg_color(place);
  for (int degree = set.first; degree <= set.last; ++degree) {
    const bp_row *row = set.best[degree];
    if (!is_point(row))
      continue;
    bp_curve_add(&c, (double)row->flops / (double)row->bytes,
                 is_copy ? bp_row_roofline_gflops(row) : bp_row_gflops(row), row, NULL);
    from = from ? from : degree;
    to = degree;
  }
  if (is_copy)
    c.tip = "copies of as many bytes";
  else if (from == to)
    c.label = bp_format("%s, N=%d", group->problem, from);
  else
    c.label = bp_format("%s, N=%d..%d", group->problem, from, to);
  bp_plot_add(plot, &c);
  bp_series_destroy(&set);
}

/* Bounds of this device that limit every kernel: shared memory does so only through its traffic. */
static bool is_bound_of(const bp_bound *bound, const char *device)
{
  return (!*bound->device || strcmp(bound->device, device) == 0) && bound->value > 0 &&
         strcmp(bound->name, "shared") != 0 && strcmp(bound->name, "copy") != 0;
}

static void set_axes(bp_plot *plot, const bp_record *record, const char *device)
{
  bp_range x = bp_plot_range(plot, false), y = bp_plot_range(plot, true);
  for (int n = 0; n < record->bounds_count; ++n)
    if (is_bound_of(&record->bounds[n], device) && strcmp(record->bounds[n].unit, "GFLOPS") == 0)
      y.high = fmax(y.high, record->bounds[n].value);
  plot->x = bp_axis_log(x.low / 1.6, x.high * 1.6, 14);
  plot->y = bp_axis_log(y.low / 2, y.high * 1.25, 14);
  plot->legend = plot->y.low;
}

/* Of bytes a slant, of flops a level line, as far as the axes go. */
static void add_bound(bp_plot *plot, const bp_bound *bound)
{
  const bool is_slant = strcmp(bound->unit, "GB/s") == 0;
  const double value = bound->value, slope = is_slant ? value : 0, level = is_slant ? 0 : value;
  const double x = is_slant ? fmax(plot->x.low, plot->y.low / value) : plot->x.low;
  const double end = is_slant ? fmin(plot->x.high, plot->y.high / value) : plot->x.high;
  bp_number four;
  if (end > x && (is_slant || (value >= plot->y.low && value <= plot->y.high)))
    bp_plot_rule(plot, is_slant ? BP_GREY : BP_INK, (double[]){x, level + slope * x},
                 (double[]){end, level + slope * end},
                 bp_format("%s %s %s", bound->name, bp_number_four(four, value),
                           is_slant ? "GB/s" : "GFLOPS"));
}

static void draw_panel(const bp_members *m, bp_panel *panel)
{
  const bp_record *record = m->drawing->record;
  const char *device = m->groups[0]->rows[0]->device;
  char *where = bp_figure_subtitle(m->groups[0]);
  bp_plot plot = {.title = bp_figure_machine(m->groups[0]->rows[0]),
                  .subtitle = bp_format("fastest variant of each degree, %s", where),
                  .x_title = "flops per byte, by the model",
                  .y_title = "GFLOPS",
                  .width = 710,
                  .height = 440};
  bp_free(where);
  for (int is_copy = 1; is_copy >= 0; --is_copy)
    for (int n = 0; n < m->count; ++n)
      add_problem(&plot, m->groups[n], n, is_copy);
  bp_plot_add(&plot, &(bp_curve){.role = BP_ROLE_BAND,
                                 .color = BP_SOFT,
                                 .shape = BP_PLOT_LINE,
                                 .label = bp_strdup("copies of as many bytes"),
                                 .is_in_legend = true});
  set_axes(&plot, record, device);
  for (int n = 0; n < record->bounds_count; ++n)
    if (is_bound_of(&record->bounds[n], device))
      add_bound(&plot, &record->bounds[n]);
  bp_plot_draw(&plot, panel);
}

void bp_roofline_draw(const bp_drawing *drawing, bp_panels *panels)
{
  bp_drawing_panels(drawing, belong, draw_panel, panels);
}
