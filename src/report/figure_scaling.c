/* figure_scaling.c -- the rate over the number of ranks, a line per degree and size, beside what
 * as many ranks would reach that lose nothing. */
#include "report/figure.h"
#include "report/scaling.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>

/* Whether both are lines of one panel. */
static bool belong(const bp_scaling *a, const bp_scaling *b)
{
  return a->is_weak == b->is_weak &&
         bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_PROBLEM | BP_ANY_RANKS);
}

/* The line, and below it what loses nothing. */
static void add_line(bp_plot *plot, const bp_scaling *s, int place)
{
  bp_number dofs, efficiency;
  const bp_row *row = s->rows[0];
  const double first = (double)bp_row_ranks(row), all = (double)row->dofs;
  bp_curve ideal = {.role = BP_ROLE_DASH, .shape = BP_PLOT_LINE};
  bp_curve real = {.role = BP_ROLE_PATH, .shape = place, .is_led = true};
  ideal.color = bp_svg_color(place);
  real.color = bp_svg_color(place);
  for (int n = 0; n < s->count; ++n) {
    const double ranks = (double)bp_row_ranks(s->rows[n]), rate = bp_row_gdofs_per_rank(row);
    const double each = bp_row_gdofs_per_rank(s->rows[n]);
    bp_curve_add(&ideal, ranks, s->is_weak ? rate : ranks * rate, NULL, NULL);
    bp_curve_add(&real, ranks, s->is_weak ? each : ranks * each, s->rows[n], NULL);
  }
  real.label = bp_format(
      "N=%d, %s DOFs: %s %%", row->degree, bp_number_count(dofs, s->is_weak ? all / first : all),
      bp_number_fixed(efficiency, 100 * bp_scaling_efficiency(s, s->count - 1), 0));
  bp_plot_add(plot, &ideal);
  bp_plot_add(plot, &real);
}

/* The least number of ranks in the plot that is at least `low`; INFINITY where there is none. */
static double ranks_from(const bp_plot *plot, double low)
{
  double next = INFINITY;
  for (int c = 0; c < plot->count; ++c)
    for (int n = 0; n < plot->curves[c].count; ++n) {
      const double ranks = plot->curves[c].points[n].x;
      next = ranks >= low ? fmin(next, ranks) : next;
    }
  return next;
}

/* Ticks at the numbers of ranks that there are, as far as labels have space. */
static bp_axis axis_of(const bp_plot *plot)
{
  const bp_range r = bp_plot_range(plot, false);
  bp_axis axis = bp_axis_log(r.low / 1.1, r.high * 1.1, 11);
  axis.ticks_count = 0;
  for (double ranks = r.low; isfinite(ranks) && axis.ticks_count < BP_AXIS_TICKS;
       ranks = ranks_from(plot, 1.25 * ranks))
    axis.ticks[axis.ticks_count++] = ranks;
  return axis;
}

static void draw_panel(const bp_scalings *all, const bp_scaling *first, bp_panel *panel)
{
  const bool is_weak = first->is_weak;
  char *machine = bp_figure_machine(first->rows[0]);
  bp_plot plot = {
      .title = bp_format("%s: %s scaling, %s", first->rows[0]->problem, is_weak ? "weak" : "strong",
                         machine),
      .subtitle = bp_format("%s; dashed: no loss; per cent: efficiency of the most ranks",
                            is_weak ? "as many DOFs on each rank" : "the same DOFs on more ranks"),
      .x_title = "ranks",
      .y_title = is_weak ? "GDOF/s per rank" : "GDOF/s",
      .width = 730,
      .height = 400,
      .is_large = true};
  int place = 0;
  bp_free(machine);
  for (int n = 0; n < all->count; ++n)
    if (belong(first, &all->items[n]))
      add_line(&plot, &all->items[n], place++);
  const bp_range rates = bp_plot_range(&plot, true);
  plot.x = axis_of(&plot);
  plot.y = is_weak ? bp_axis_linear(0, rates.high, 6)
                   : bp_axis_log(rates.low / 1.25, rates.high * 1.25, 8);
  bp_plot_draw(&plot, panel);
}

void bp_scaling_draw(const bp_drawing *drawing, bp_panels *panels)
{
  bp_scalings all = bp_scalings_of(drawing->record);
  for (int n = 0; n < all.count; ++n) {
    bool begins = true;
    for (int m = 0; m < n; ++m)
      begins = begins && !belong(&all.items[m], &all.items[n]);
    if (begins)
      draw_panel(&all, &all.items[n], bp_panels_add(panels));
  }
  bp_scalings_destroy(&all);
}
