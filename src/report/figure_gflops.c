/* figure_gflops.c -- GFLOPS, of solves GDOF/s, by degree, a line per variant under the roofline. */
#include "report/figure.h"

#include "base/memory.h"
#include <stdio.h>
#include <string.h>

enum { HIGHLIGHTED = 6 };

bool bp_gflops_is_enough(const bp_series_set *set)
{
  return set->count > 1 && set->count <= HIGHLIGHTED && set->last > set->first;
}

/* Peaks of arithmetic that lie within the axis. */
static void add_peaks(bp_plot *plot, const bp_group *group)
{
  const bp_record *record = group->record;
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *bound = &record->bounds[n];
    if (strcmp(bound->unit, "GFLOPS") != 0 || strcmp(bound->device, group->rows[0]->device) != 0 ||
        !(bound->value > 0 && bound->value <= plot->y.high))
      continue;
    bp_plot_rule(plot, BP_INK, (double[]){plot->x.low, bound->value},
                 (double[]){plot->x.high, bound->value}, bp_format("%s peak", bound->name));
  }
}

static void add_roofline(bp_plot *plot, const bp_series_set *set)
{
  bp_curve *roofline = bp_plot_add(plot, &(bp_curve){.role = BP_ROLE_THICK,
                                                     .color = BP_INK,
                                                     .shape = BP_PLOT_LINE,
                                                     .tip = "copy roofline",
                                                     .label = bp_strdup("copy roofline"),
                                                     .bridges = true,
                                                     .is_led = true});
  bp_figure_by_degree(roofline, set, set->best, bp_row_roofline_rate);
}

/* All but the best in grey; the last of them has the name of all. */
static void add_others(bp_plot *plot, const bp_series_set *set, const int *top, int count)
{
  int others = 0;
  bp_curve *curve = NULL;
  for (int n = 0; n < set->count; ++n) {
    const bp_series *s = &set->series[n];
    bool is_other = s->first <= s->last;
    for (int t = 0; t < count; ++t)
      is_other &= top[t] != n;
    if (!is_other)
      continue;
    curve = bp_plot_add(plot,
                        &(bp_curve){.role = BP_ROLE_THIN, .color = BP_GREY, .shape = BP_PLOT_LINE});
    bp_figure_by_degree(curve, set, s->rows, bp_row_rate);
    ++others;
  }
  if (curve)
    curve->label = bp_format("%d other%s", others, others == 1 ? "" : "s");
}

static void add_series(bp_plot *plot, const bp_series_set *set)
{
  int top[HIGHLIGHTED], count = bp_series_top(set, HIGHLIGHTED, top);
  add_others(plot, set, top, count);
  for (int t = count - 1; t >= 0; --t) {
    const bp_series *s = &set->series[top[t]];
    bp_curve *curve = bp_plot_add(plot, &(bp_curve){.role = BP_ROLE_PATH,
                                                    .shape = t,
                                                    .label = bp_strdup(s->label),
                                                    .is_led = s->last == set->last});
    curve->color = bp_svg_color(t);
    bp_figure_by_degree(curve, set, s->rows, bp_row_rate);
  }
}

bp_plot bp_gflops_plot(const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  const double most = bp_series_most(&set);
  bp_plot plot = {.x_title = "polynomial degree N",
                  .y_title = bp_row_rate_unit(group->rows[0]),
                  .width = 660,
                  .height = 380,
                  .x = bp_figure_degrees(&set),
                  .y = bp_axis_linear(0, most, 6)};
  if (most > 0) {
    if (!bp_row_is_solve(group->rows[0]))
      add_peaks(&plot, group);
    add_roofline(&plot, &set);
    add_series(&plot, &set);
  }
  bp_series_destroy(&set);
  return plot;
}

static bool belong(const bp_group *a, const bp_group *b)
{
  bp_series_set set = bp_series_of(a);
  bool has = a == b && bp_series_most(&set) > 0;
  bp_series_destroy(&set);
  return has;
}

static void draw_panel(const bp_members *m, bp_panel *panel)
{
  bp_series_set set = bp_series_of(m->groups[0]);
  bp_plot plot = bp_gflops_plot(m->groups[0]);
  plot.title = bp_figure_title(m->groups[0]);
  plot.subtitle = bp_figure_subtitle(m->groups[0]);
  panel->is_spare = !bp_gflops_is_enough(&set);
  bp_plot_draw(&plot, panel);
  bp_series_destroy(&set);
}

void bp_gflops_draw(const bp_drawing *drawing, bp_panels *panels)
{
  bp_drawing_panels(drawing, belong, draw_panel, panels);
}
