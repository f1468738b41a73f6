/* figure_residuals.c -- the residual over the time, a line for each solve of the same system. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/group.h"
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

/* "7-5-3-1 ras": the values of options that others of its kind do not have; else the preconditioner. */
static char *name_of(const bp_group *group, const bp_row *row)
{
  bp_text options = {0}, name = {0};
  bp_option_text option;
  bp_group_print_options(group, row, &options);
  for (const char *at = bp_text_string(&options); bp_option_next(&at, &option);)
    bp_text_appendf(&name, "%s%.*s", name.length ? " " : "", (int)option.value_length,
                    option.value);
  if (name.length == 0)
    bp_text_append(&name, *row->preconditioner ? row->preconditioner : "none");
  bp_text_destroy(&options);
  return name.data;
}

static void add_solve(bp_plot *plot, const bp_group *group, int place)
{
  const bp_row *row = group->rows[place];
  char *name = name_of(group, row);
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
  curve.label = bp_format("%s%s%s: %s", name, *row->precision ? ", " : "", row->precision,
                          bp_number_seconds(number, each * (double)row->iterations, true));
  bp_free(name);
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
  bp_group solves = {.record = record,
                     .rows = bp_alloc((size_t)record->rows_count, sizeof(const bp_row *))};
  bp_free(machine);
  for (int64_t n = 0; n < record->rows_count; ++n)
    if (belong(first, &record->rows[n]))
      solves.rows[solves.count++] = &record->rows[n];
  for (int n = 0; n < solves.count; ++n)
    add_solve(&plot, &solves, n);
  bp_free(solves.rows);
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
