/* figure_scaling.c -- the rate over the number of ranks, a line per degree and size, beside what
 * as many ranks would reach that lose nothing. */
#include "report/figure.h"
#include "report/scaling.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>

/* Whether both are lines of one panel. */
static bool belong(const bp_scaling *a, const bp_scaling *b)
{
  return a->is_weak == b->is_weak &&
         bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_PROBLEM | BP_ANY_RANKS);
}

/* The first line of a panel, or NULL behind the last. */
static const bp_scaling *find(const bp_scalings *all, int number)
{
  for (int n = 0; n < all->count; ++n) {
    bool begins = true;
    for (int m = 0; m < n; ++m)
      begins = begins && !belong(&all->items[m], &all->items[n]);
    if (begins && number-- == 0)
      return &all->items[n];
  }
  return NULL;
}

static double value_of(const bp_scaling *s, int n)
{
  return s->is_weak ? bp_row_gdofs_per_rank(s->rows[n]) : bp_row_gdofs_per_second(s->rows[n]);
}

static double ideal_of(const bp_scaling *s, int n)
{
  const double ranks = (double)bp_row_ranks(s->rows[n]) / (double)bp_row_ranks(s->rows[0]);
  return s->is_weak ? value_of(s, 0) : ranks * value_of(s, 0);
}

static bp_curve curve_of(const bp_scaling *s, int place, bool is_ideal)
{
  bp_curve c = {.role = is_ideal ? "dash" : "path", .shape = is_ideal ? BP_PLOT_LINE : place};
  bp_svg_color(c.color, place);
  for (int n = 0; n < s->count; ++n)
    bp_curve_add(&c, (double)bp_row_ranks(s->rows[n]), is_ideal ? ideal_of(s, n) : value_of(s, n),
                 s->rows[n]);
  return c;
}

static void draw_line(bp_plot *plot, const bp_scaling *s, int place)
{
  bp_number dofs, efficiency;
  const bp_row *row = s->rows[0];
  bp_curve ideal = curve_of(s, place, true), real = curve_of(s, place, false);
  double count = s->is_weak ? (double)row->dofs / (double)bp_row_ranks(row) : (double)row->dofs;
  char *name =
      bp_format("N=%d, %s DOFs: %s %%", row->degree, bp_number_count(dofs, count),
                bp_number_fixed(efficiency, 100 * bp_scaling_efficiency(s, s->count - 1), 0));
  bp_curve_draw(plot, &ideal, NULL, false);
  bp_curve_draw(plot, &real, name, true);
  bp_free(name);
}

/* Ends of both axes. */
typedef struct {
  double first, last, least, most;
} range;

static range range_of(const bp_scalings *all, const bp_scaling *first)
{
  range r = {INFINITY, 0, INFINITY, 0};
  for (int i = 0; i < all->count; ++i)
    for (int n = 0; n < all->items[i].count && belong(first, &all->items[i]); ++n) {
      const bp_scaling *s = &all->items[i];
      r.first = fmin(r.first, (double)bp_row_ranks(s->rows[n]));
      r.last = fmax(r.last, (double)bp_row_ranks(s->rows[n]));
      r.least = fmin(r.least, fmin(value_of(s, n), ideal_of(s, n)));
      r.most = fmax(r.most, fmax(value_of(s, n), ideal_of(s, n)));
    }
  return r;
}

/* The least number of ranks in the panel that is at least `low`; INFINITY where there is none. */
static double ranks_from(const bp_scalings *all, const bp_scaling *first, double low)
{
  double next = INFINITY;
  for (int i = 0; i < all->count; ++i)
    for (int n = 0; n < all->items[i].count && belong(first, &all->items[i]); ++n) {
      const double ranks = (double)bp_row_ranks(all->items[i].rows[n]);
      next = ranks >= low ? fmin(next, ranks) : next;
    }
  return next;
}

/* Ticks at the numbers of ranks that there are, as far as labels have space. */
static bp_axis axis_of(const bp_scalings *all, const bp_scaling *first, const range *r)
{
  bp_axis axis = bp_axis_log(r->first / 1.1, r->last * 1.1, 11);
  axis.ticks_count = 0;
  for (double ranks = r->first; isfinite(ranks) && axis.ticks_count < BP_AXIS_TICKS;
       ranks = ranks_from(all, first, 1.25 * ranks))
    axis.ticks[axis.ticks_count++] = ranks;
  return axis;
}

static void draw_panel(const bp_drawing *drawing, const bp_scalings *all, const bp_scaling *first,
                       bp_panel *panel)
{
  const bp_row *row = first->rows[0];
  const range r = range_of(all, first);
  int place = 0;
  bp_plot plot = bp_plot_begin(
      panel, 730, 400, 250,
      bp_format("%s: %s scaling, %s%s%s", row->problem, first->is_weak ? "weak" : "strong",
                row->device, *row->cache ? ", " : "", row->cache),
      bp_format("%s; dashed: no loss; per cent: efficiency of the most ranks",
                first->is_weak ? "as many DOFs on each rank" : "the same DOFs on more ranks"));
  plot.letters = "large";
  plot.top += 4;
  plot.bottom -= 10;
  plot.x = axis_of(all, first, &r);
  plot.y =
      first->is_weak ? bp_axis_linear(0, r.most, 6) : bp_axis_log(r.least / 1.25, r.most * 1.25, 8);
  bp_plot_frame(&plot, drawing->wishes, "ranks", first->is_weak ? "GDOF/s per rank" : "GDOF/s");
  for (int n = 0; n < all->count; ++n)
    if (belong(first, &all->items[n]))
      draw_line(&plot, &all->items[n], place++);
  bp_plot_end(&plot);
}

bool bp_scaling_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  bp_scalings all = bp_scalings_of(drawing->record);
  const bp_scaling *first = find(&all, number);
  if (first)
    draw_panel(drawing, &all, first, panel);
  bp_scalings_destroy(&all);
  return first != NULL;
}
