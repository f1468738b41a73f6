/* plot.h -- what figures with two axes have in common: frame, grid, ticks, titles, and labels in
 * the margin that name the lines and never lie on the data. */
#ifndef BP_REPORT_PLOT_H
#define BP_REPORT_PLOT_H

#include "report/axis.h"
#include "report/peers.h"
#include "report/svg.h"

enum {
  BP_PLOT_NAMES = 64,
  BP_PLOT_LINE = -1,
  BP_PLOT_DASH = -2,
  BP_PLOT_RING = -3,
  BP_PLOT_BAND = -4
};

typedef struct {
  char *text;
  double at, y;        /* pixels: where its line ends, where the label lies */
  char color[8];       /* "c2" */
  const char *letters; /* of the text, such as "soft" */
  int shape;   /* of the marker; or BP_PLOT_LINE, _DASH, _BAND: a piece of line; or BP_PLOT_RING */
  bool is_led; /* a thin line leads from the end of the line to the label */
} bp_plot_name;

/* One picture of a figure. */
typedef struct {
  bp_text svg;
  double width, height;
  double stretch; /* as much wider than usual; 0: not */
  bool is_spare;  /* another figure shows the same better: not for a page of all figures */
} bp_panel;

typedef struct {
  bp_text *svg;
  double width, height;            /* of the whole figure */
  double left, right, top, bottom; /* of the area of the data, in pixels */
  bp_axis x, y;
  const char *letters; /* "", or "large" */
  int marked;          /* hollow points, told in a footnote */
  bp_panel *panel;
  bool is_clipped; /* the axes do not hold all of the data */
  bp_plot_name names[BP_PLOT_NAMES];
  int names_count;
} bp_plot;

/* An end that somebody asked for instead of the data's; not finite: as the data want it. */
typedef struct {
  double low, high;
} bp_range;

/* What somebody asked of figures beyond what the record holds. */
typedef struct {
  const bp_peers *peers; /* NULL: none */
  const char *title;     /* stands above a file's panels; NULL: none */
  bp_range x, y;         /* of figures with axes */
  double stretch;        /* as much wider than usual; 0: not */
} bp_wishes;

/* A picture with these titles, NULL without; they are freed. Room for `margin` pixels of labels at the right.
 * The axes are set by the caller, and bp_plot_frame then puts them into place and draws them. */
bp_plot bp_plot_begin(bp_panel *panel, double width, double height, double margin, char *title,
                      char *subtitle);

/* What is drawn from here to bp_plot_end does not leave the area of the data. */
void bp_plot_frame(bp_plot *plot, const bp_wishes *wishes, const char *x_title,
                   const char *y_title);

/* A label for the line that ends at value `y`, drawn by bp_plot_end: in the margin at the height of the
 * line, or where others are, a little above or below. `letters` NULL: as in the frame. */
void bp_plot_add_name(bp_plot *plot, double y, const char *css, int shape, bool is_led,
                      const char *text, const char *letters);
/* A dashed line at that height, with its label. */
void bp_plot_rule(bp_plot *plot, double y, const char *text);
void bp_plot_end(bp_plot *plot);

/* The footnote of figures with marked rows. */
#define BP_PLOT_HOLLOW "hollow: marked, see the table: throttled, disturbed or mostly overhead"

#endif
