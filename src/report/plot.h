/* plot.h -- a picture of curves over two axes, as a description: a figure fills it in, bp_plot_draw draws it
 * as SVG, bp_plot_print in characters. */
#ifndef BP_REPORT_PLOT_H
#define BP_REPORT_PLOT_H

#include "report/axis.h"
#include "report/record.h"
#include "report/style.h"
#include "report/svg.h"

enum { BP_CURVE_POINTS = 65, BP_PLOT_LINE = -1 };

/* One picture of a figure. */
typedef struct {
  bp_text svg;
  double width, height;
  bool is_spare; /* another figure shows the same better: not for a page of all figures */
} bp_panel;

typedef struct {
  double x, y; /* y not finite: there is no point */
  const bp_row
      *row;  /* of the mark: its tip, its interval, hollow where the row is marked; NULL: none */
  char *tip; /* instead of the row's; NULL: none. The plot frees it */
} bp_point;

typedef struct {
  bp_role role; /* of the line; BP_ROLE_FILL: bars, BP_ROLE_TINT: the area down to the axis */
  bp_color color;
  int shape;         /* of its marks; BP_PLOT_LINE: it has none */
  bool is_hollow;    /* all marks are */
  bool bridges;      /* goes straight over what is no point; else there is a gap */
  const char *tip;   /* of the line; NULL: none */
  char *label;       /* its name in the margin; NULL: none. The plot frees it */
  bool is_led;       /* a thin line leads from its end to the name */
  bool is_strong;    /* the name is bold and has its colour */
  bool is_in_legend; /* the name stands at plot.legend, not where the curve ends */
  bp_point points[BP_CURVE_POINTS];
  int count;
} bp_curve;

typedef struct {
  char *title, *subtitle; /* NULL: none; the plot frees them */
  const char *x_title, *y_title;
  double width, height; /* pixels */
  double margin;        /* of these, for the names; 0: as wide as they are */
  bool is_large;        /* letters: half as wide, on a narrow screen, they are still read */
  bool has_note;        /* what hollow marks are is said elsewhere */
  double legend;        /* a y: names in the legend stand there, one below the other */
  bp_axis x, y;
  bp_curve *curves; /* later ones lie on earlier ones */
  int count;
} bp_plot;

/* Adds an empty curve like this one; the pointer is good until the next is added. */
bp_curve *bp_plot_add(bp_plot *plot, const bp_curve *like);
/* A dashed line from one point to another, with a name; NULL: without. */
void bp_plot_rule(bp_plot *plot, bp_color color, const double from[2], const double to[2],
                  char *label);
/* One more point, where there is room. */
void bp_curve_add(bp_curve *curve, double x, double y, const bp_row *row, char *tip);
/* The last point; NULL: none. */
const bp_point *bp_curve_last(const bp_curve *curve);

/* The ends of all points: x or y, as they are or from 0 on. */
typedef struct {
  double low, high;
} bp_range;
bp_range bp_plot_range(const bp_plot *plot, bool of_y);

/* Pixels that the names need. */
double bp_plot_margin(const bp_plot *plot);

void bp_plot_draw(bp_plot *plot, bp_panel *panel);
/* For a terminal; x are whole numbers. */
void bp_plot_print(bp_plot *plot, const bp_style *style, bp_text *text);
void bp_plot_destroy(bp_plot *plot);

/* In the two lines on top; NULL: none. Frees both. */
void bp_panel_title(bp_panel *panel, char *title, char *subtitle);
/* The footnote of figures with marked rows; the panel grows. */
void bp_panel_note_marked(bp_panel *panel);

#endif
