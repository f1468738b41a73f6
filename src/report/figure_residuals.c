/* figure_residuals.c -- the residual over the time, a line for each solve of the same system. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

static bool is_drawn(const bp_row *row)
{
  return row->status == BP_ROW_OK && row->history.count > 1 && row->seconds.statistics.median > 0;
}

static bool belong(const bp_row *a, const bp_row *b)
{
  return is_drawn(a) && is_drawn(b) && strcmp(a->problem, b->problem) == 0 &&
         strcmp(a->mesh, b->mesh) == 0 && a->degree == b->degree && a->dofs == b->dofs &&
         a->lambda == b->lambda && strcmp(a->cache, b->cache) == 0 &&
         strcmp(a->backend, b->backend) == 0 && strcmp(a->device, b->device) == 0;
}

static void add_solve(bp_plot *plot, const bp_row *row, int place)
{
  bp_number number;
  const double each = row->seconds.statistics.median;
  bp_curve curve = {.role = BP_ROLE_PATH,
                    .color = bp_svg_color(place),
                    .shape = place,
                    .is_hollow = bp_row_is_marked(row),
                    .is_led = true};
  for (int64_t n = 0; n < row->history.count; ++n) {
    const bp_row_residual *r = &row->history.items[n];
    const double seconds = each * (double)r->iteration;
    bp_curve_add(&curve, 1e3 * seconds, r->residual > 0 ? r->residual : NAN, NULL,
                 bp_format("%.2g after %lld iterations, %s", r->residual, (long long)r->iteration,
                           bp_number_seconds(number, seconds, true)));
  }
  curve.label = bp_format("%s%s%s: %s", *row->preconditioner ? row->preconditioner : "none",
                          *row->precision ? ", " : "", row->precision,
                          bp_number_seconds(number, each * (double)row->iterations, true));
  bp_plot_add(plot, &curve);
}

static void draw_panel(const bp_record *record, const bp_row *first, bp_panel *panel)
{
  bp_number dofs;
  char *machine = bp_figure_machine(first);
  bp_plot plot = {.title = bp_format("%s, N=%d, %s", first->problem, first->degree, machine),
                  .subtitle = bp_format("%s, %s unknowns", first->mesh,
                                        bp_number_count(dofs, (double)first->dofs)),
                  .x_title = "ms",
                  .y_title = "residual",
                  .width = 730,
                  .height = 400,
                  .is_large = true};
  int place = 0;
  bp_free(machine);
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (belong(first, &record->rows[n]))
      add_solve(&plot, &record->rows[n], place++);
  const bp_range r = bp_plot_range(&plot, true);
  plot.x = bp_axis_linear(0, bp_plot_range(&plot, false).high, 8);
  plot.y = bp_axis_log(r.low / 1.5, r.high * 1.5, 8);
  bp_plot_draw(&plot, panel);
}

void bp_residuals_draw(const bp_drawing *drawing, bp_panels *panels)
{
  const bp_record *record = drawing->record;
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bool begins = is_drawn(&record->rows[n]);
    for (int64_t m = 0; m < n; ++m)
      begins = begins && !belong(&record->rows[m], &record->rows[n]);
    if (begins)
      draw_panel(record, &record->rows[n], bp_panels_add(panels));
  }
}
