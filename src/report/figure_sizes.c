/* figure_sizes.c -- GDOF/s over the number of DOFs, a line per degree: how large a problem must be. */
#include "report/figure.h"
#include "report/sizes.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>

static bool belong(const bp_group *a, const bp_group *b)
{
  if (!bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_PROBLEM))
    return false;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    if (bp_sizes_curve(a->record, a->rows[0], degree).count >= BP_SIZES_LEAST)
      return true;
  return false;
}

enum { FEW = 4 }; /* of more the dashed lines would hide each other */

/* One degree of `degrees`, and a square where the rate reaches its share of the highest. Where colours are
 * there again, shapes are others. */
static void add_degree(bp_plot *plot, bp_curve *curve, int place, int degrees)
{
  const bp_row *row = curve->points[0].row;
  const bool is_solve = bp_row_is_solve(row);
  bp_number count;
  double rate, reach = bp_sizes_reach(curve->points, curve->count, bp_sizes_share(row), &rate);
  curve->color = bp_svg_color(place);
  curve->shape = place + place / BP_SVG_COLORS;
  curve->is_led = true;
  curve->label = bp_format("N=%d", row->degree);
  if (isfinite(reach)) {
    bp_free(curve->label);
    curve->label = bp_format("N=%d, %s = %s", row->degree, is_solve ? "n0.8" : "n\xc2\xbd",
                             bp_number_count(count, reach));
    if (degrees <= FEW)
      bp_plot_rule(plot, curve->color, (double[]){reach, rate}, (double[]){reach, 0}, NULL);
    bp_curve *square =
        bp_plot_add(plot, &(bp_curve){.color = BP_INK, .shape = 1, .is_hollow = true});
    bp_curve_add(
        square, reach, rate, NULL,
        bp_strdup(is_solve ? "80 % of the highest rate: n0.8" : "half of the highest rate: n1/2"));
  }
  bp_plot_add(plot, curve);
}

static void draw_panel(const bp_members *m, bp_panel *panel)
{
  const bp_row *first = m->groups[0]->rows[0];
  bp_plot plot = {.title = bp_figure_title(m->groups[0]),
                  .subtitle = bp_format("fastest variant of each; squares: %s of the highest rate, "
                                        "where that has settled",
                                        bp_row_is_solve(first) ? "n0.8, 80 %" : "n\xc2\xbd, half"),
                  .x_title = "DOFs",
                  .y_title = "GDOF/s",
                  .width = 700,
                  .height = 430,
                  .is_large = true};
  int degrees = 0, place = 0;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    degrees += bp_sizes_curve(m->drawing->record, first, degree).count >= BP_SIZES_LEAST;
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    bp_curve curve = bp_sizes_curve(m->drawing->record, first, degree);
    if (curve.count >= BP_SIZES_LEAST)
      add_degree(&plot, &curve, place++, degrees);
  }
  const bp_range dofs = bp_plot_range(&plot, false);
  plot.x = bp_axis_log(dofs.low / 1.25, dofs.high * 1.25, 11);
  plot.y = bp_axis_linear(0, bp_plot_range(&plot, true).high, 6);
  bp_plot_draw(&plot, panel);
}

void bp_sizes_draw(const bp_drawing *drawing, bp_panels *panels)
{
  bp_drawing_panels(drawing, belong, draw_panel, panels);
}
