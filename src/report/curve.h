/* curve.h -- a line of a figure: its points, marks with tips, and its name in the margin. */
#ifndef BP_REPORT_CURVE_H
#define BP_REPORT_CURVE_H

#include "report/peers.h"
#include "report/plot.h"
#include "report/series.h"

enum { BP_CURVE_POINTS = BP_SERIES_DEGREES + 1 };

typedef struct {
  double x, y;
  const bp_row *row;   /* of the mark's tip */
  const bp_peer *peer; /* whose figure stands beside the row; NULL: the row's own */
} bp_point;

typedef struct {
  const char *role;    /* of the line: "path", "thin" ... */
  char color[8];       /* "c2" */
  int shape;           /* of its marks; BP_PLOT_LINE: it has none */
  const char *tip;     /* of the line; NULL: none */
  const char *letters; /* of its name; NULL: the plot's */
  bool bridges;        /* goes straight over points whose y is not finite; else there is a gap */
  double stub;         /* reaches so many pixels beside each point: one alone is a line, too */
  bp_point points[BP_CURVE_POINTS];
  int count;
} bp_curve;

/* One more point, where there is room; returns it. */
bp_point *bp_curve_add(bp_curve *curve, double x, double y, const bp_row *row);

/* value(rows[degree]) over the degrees that the set has; NaN where there is no row. A line goes on from
 * one degree to the next that somebody ran. */
void bp_curve_by_degree(bp_curve *curve, const bp_series_set *set, const bp_row *const *rows,
                        double (*value)(const bp_row *row));

/* An axis over the degrees of the set, with ticks at those that somebody ran. */
bp_axis bp_curve_degrees(const bp_series_set *set);

/* The larger one of `most` and all y. */
double bp_curve_most(const bp_curve *curve, double most);

/* Nothing without a point; label NULL: without a name. `is_led` as in plot.h. */
void bp_curve_draw(bp_plot *plot, const bp_curve *curve, const char *label, bool is_led);

/* For the mouse: what the row took, or the peer beside it, which is called `label`; free with bp_free. */
char *bp_curve_tip(const bp_point *point, const char *label);

/* The row whose y is the last to be drawn; NULL: none. */
const bp_row *bp_curve_last(const bp_curve *curve);

#endif
