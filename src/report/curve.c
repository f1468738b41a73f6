/* curve.c -- lines, marks and names. */
#include "report/curve.h"

#include "base/memory.h"
#include "report/figure.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>

bp_point *bp_curve_add(bp_curve *curve, double x, double y, const bp_row *row)
{
  bp_point *point = &curve->points[curve->count];
  if (curve->count + 1 < BP_CURVE_POINTS)
    ++curve->count;
  *point = (bp_point){.x = x, .y = y, .row = row};
  return point;
}

void bp_curve_by_degree(bp_curve *curve, const bp_series_set *set, const bp_row *const *rows,
                        double (*value)(const bp_row *row))
{
  for (int degree = set->first; degree <= set->last; ++degree)
    if (bp_series_has_degree(set, degree))
      bp_curve_add(curve, degree, rows[degree] ? value(rows[degree]) : NAN, rows[degree]);
}

bp_axis bp_curve_degrees(const bp_series_set *set)
{
  bp_axis axis = bp_axis_whole(set->first, set->last, 16);
  int kept = 0;
  for (int n = 0; n < axis.ticks_count; ++n)
    if (bp_series_has_degree(set, (int)axis.ticks[n]))
      axis.ticks[kept++] = axis.ticks[n];
  axis.ticks_count = kept;
  return axis;
}

double bp_curve_most(const bp_curve *curve, double most)
{
  for (int n = 0; n < curve->count; ++n)
    most = fmax(most, curve->points[n].y); /* NaN is passed over */
  return most;
}

static const bp_point *last_point(const bp_curve *curve)
{
  int n = curve->count - 1;
  while (n >= 0 && !isfinite(curve->points[n].y))
    --n;
  return n < 0 ? NULL : &curve->points[n];
}

const bp_row *bp_curve_last(const bp_curve *curve)
{
  const bp_point *last = last_point(curve);
  return last ? last->row : NULL;
}

static void draw_line(const bp_plot *plot, const bp_curve *curve)
{
  bool is_first = true;
  char css[24];
  snprintf(css, sizeof css, "%s %s", curve->role, curve->color);
  bp_svg_path_begin(plot->svg, css);
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p) {
    double x = bp_axis_at(&plot->x, p->x), y = bp_axis_at(&plot->y, p->y);
    if (!isfinite(p->y)) {
      is_first |= !curve->bridges;
      continue;
    }
    if (curve->stub > 0)
      bp_svg_path_to(plot->svg, is_first, x - curve->stub, y);
    bp_svg_path_to(plot->svg, is_first && curve->stub == 0, x + curve->stub, y);
    is_first = false;
  }
  bp_svg_path_end(plot->svg, curve->tip);
}

char *bp_curve_tip(const bp_point *point, const char *label)
{
  bp_number time, ratio;
  if (!point->peer)
    return bp_figure_tip(point->row);
  return bp_format("%s N=%d: %s, bp %s times as fast", label, point->row->degree,
                   bp_number_seconds(time, point->peer->seconds, true),
                   bp_number_fixed(ratio, bp_peer_ratio(point->peer, point->row), 2));
}

/* The 95 % interval of the median, where it is longer than the mark is high: rates go with 1 / time. */
static void draw_interval(const bp_plot *plot, const bp_curve *curve, const bp_point *p)
{
  const double seen = 8;
  const bp_statistics *s = &p->row->seconds.statistics;
  char css[16];
  if (s->count < 2 || !(s->low > 0))
    return;
  const double x = bp_axis_at(&plot->x, p->x);
  const double low = bp_axis_at(&plot->y, fmax(p->y * s->median / s->high, plot->y.low));
  const double high = bp_axis_at(&plot->y, fmin(p->y * s->median / s->low, plot->y.high));
  snprintf(css, sizeof css, "thin %s", curve->color);
  if (fabs(high - low) > seen)
    bp_svg_line(plot->svg, x, low, x, high, css);
}

static void draw_marks(bp_plot *plot, const bp_curve *curve, const char *label)
{
  for (const bp_point *p = curve->points; p < curve->points + curve->count; ++p) {
    if (!isfinite(p->y))
      continue;
    const bool is_own = p->row && !p->peer, is_marked = is_own && bp_row_is_marked(p->row);
    char *tip = bp_curve_tip(p, label);
    if (is_own)
      draw_interval(plot, curve, p);
    (is_marked ? bp_svg_hollow : bp_svg_marker)(plot->svg, bp_axis_at(&plot->x, p->x),
                                                bp_axis_at(&plot->y, p->y), curve->shape,
                                                curve->color, tip);
    plot->marked += is_marked;
    bp_free(tip);
  }
}

void bp_curve_draw(bp_plot *plot, const bp_curve *curve, const char *label, bool is_led)
{
  const bp_point *last = last_point(curve);
  if (!last)
    return;
  draw_line(plot, curve);
  if (curve->shape >= 0)
    draw_marks(plot, curve, label);
  if (label)
    bp_plot_add_name(plot, last->y, curve->color, curve->shape, is_led, label, curve->letters);
}
