/* plot.c -- frames and labels. */
#include "report/plot.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEFT = 66, TOP = 56, BOTTOM = 46, LEADER = 22;

/* Letters in the frame and the margin, and the distance of their lines. */
static double font_of(const bp_plot *plot)
{
  return *plot->letters ? 15 : 12;
}

static double line_of(const bp_plot *plot)
{
  return *plot->letters ? 19 : 16;
}

static void draw_title(bp_panel *panel, double y, const char *css, char *text, double size)
{
  if (text)
    bp_svg_fitted_text(&panel->svg, 12, y, BP_SVG_START, css, text, size, panel->width - 24);
  bp_free(text);
}

bp_plot bp_plot_begin(bp_panel *panel, double width, double height, double margin, char *title,
                      char *subtitle)
{
  width *= panel->stretch > 0 ? panel->stretch : 1;
  panel->width = width;
  panel->height = height;
  draw_title(panel, 20, "title", title, 14);
  draw_title(panel, 38, "soft", subtitle, 12);
  return (bp_plot){.svg = &panel->svg,
                   .width = width,
                   .height = height,
                   .left = LEFT,
                   .right = width - margin,
                   .top = TOP,
                   .bottom = height - BOTTOM,
                   .letters = "",
                   .panel = panel};
}

void bp_plot_frame(bp_plot *plot, const bp_wishes *wishes, const char *x_title, const char *y_title)
{
  char label[40], soft[16];
  snprintf(soft, sizeof soft, "soft %s", plot->letters);
  bool has_x = bp_axis_limit(&plot->x, wishes->x.low, wishes->x.high);
  plot->is_clipped = bp_axis_limit(&plot->y, wishes->y.low, wishes->y.high) || has_x;
  plot->x.from = plot->left;
  plot->x.to = plot->right;
  plot->y.from = plot->bottom;
  plot->y.to = plot->top;
  for (int n = 0; n < plot->y.ticks_count; ++n) {
    double y = bp_axis_at(&plot->y, plot->y.ticks[n]);
    bp_svg_line(plot->svg, plot->left, y, plot->right, y, "rule");
    bp_svg_text(plot->svg, plot->left - 8, y + 0.36 * font_of(plot), BP_SVG_END, soft,
                bp_axis_label(label, &plot->y, plot->y.ticks[n]));
  }
  for (int n = 0; n < plot->x.ticks_count; ++n) {
    double x = bp_axis_at(&plot->x, plot->x.ticks[n]);
    bp_svg_line(plot->svg, x, plot->bottom, x, plot->bottom + 5, "axis");
    bp_svg_text(plot->svg, x, plot->bottom + 7 + font_of(plot), BP_SVG_MIDDLE, soft,
                bp_axis_label(label, &plot->x, plot->x.ticks[n]));
  }
  bp_svg_line(plot->svg, plot->left, plot->bottom, plot->right, plot->bottom, "axis");
  bp_svg_text(plot->svg, 0.5 * (plot->left + plot->right), plot->height - 8, BP_SVG_MIDDLE, soft,
              x_title);
  bp_svg_upright(plot->svg, 16, 0.5 * (plot->top + plot->bottom), soft, y_title);
  if (plot->is_clipped)
    bp_svg_clip(plot->svg, plot->left, plot->top, plot->right - plot->left,
                plot->bottom - plot->top);
}

void bp_plot_add_name(bp_plot *plot, double y, const char *css, int shape, bool is_led,
                      const char *text, const char *letters)
{
  if (plot->names_count == BP_PLOT_NAMES)
    return;
  bp_plot_name *name = &plot->names[plot->names_count++];
  *name = (bp_plot_name){
      .text = bp_strdup(text),
      .shape = shape,
      .is_led = is_led,
      .letters = letters ? letters : plot->letters,
  };
  double at = bp_axis_at(&plot->y, y);
  name->at = name->y = fmin(fmax(at, plot->top), plot->bottom);
  snprintf(name->color, sizeof name->color, "%s", css);
}

void bp_plot_rule(bp_plot *plot, double y, const char *text)
{
  double at = bp_axis_at(&plot->y, y);
  bp_svg_line(plot->svg, plot->left, at, plot->right, at, "dash ink");
  bp_plot_add_name(plot, y, "ink", BP_PLOT_DASH, true, text, NULL);
}

/* Sorts by height, then moves names apart: down from the top, and up again from the bottom where
 * that led out of the figure. */
static void spread_names(bp_plot *plot)
{
  double least = plot->top + 4, most = plot->height - 8;
  for (int n = 1; n < plot->names_count; ++n)
    for (int m = n; m > 0 && plot->names[m].at < plot->names[m - 1].at; --m) {
      bp_plot_name swapped = plot->names[m];
      plot->names[m] = plot->names[m - 1];
      plot->names[m - 1] = swapped;
    }
  for (int n = 0; n < plot->names_count; ++n) {
    if (plot->names[n].y < least)
      plot->names[n].y = least;
    least = plot->names[n].y + line_of(plot);
  }
  for (int n = plot->names_count - 1; n >= 0 && plot->names[n].y > most; --n) {
    plot->names[n].y = most;
    most -= line_of(plot);
  }
}

void bp_plot_end(bp_plot *plot)
{
  double x = plot->right + LEADER;
  if (plot->is_clipped)
    bp_svg_end(plot->svg);
  spread_names(plot);
  if (plot->marked) {
    bp_svg_text(plot->svg, 12, plot->height + 6, BP_SVG_START, "soft", BP_PLOT_HOLLOW);
    plot->panel->height = fmax(plot->panel->height, plot->height + 14);
  }
  for (int n = 0; n < plot->names_count; ++n) {
    bp_plot_name *name = &plot->names[n];
    char css[32];
    if (name->is_led) {
      snprintf(css, sizeof css, "thin %s", name->color);
      bp_svg_line(plot->svg, plot->right + 3, name->at, x - 3, name->y, css);
    }
    if (name->shape >= 0) {
      bp_svg_marker(plot->svg, x + 4, name->y, name->shape, name->color, NULL);
    } else if (name->shape == BP_PLOT_RING) {
      snprintf(css, sizeof css, "thin %s", name->color);
      bp_svg_ring(plot->svg, x + 4, name->y, css, NULL);
    } else {
      snprintf(css, sizeof css, "%s %s",
               name->shape == BP_PLOT_LINE   ? "thick"
               : name->shape == BP_PLOT_BAND ? "band"
                                             : "dash",
               name->color);
      double inset = name->shape == BP_PLOT_BAND ? 3 : 0; /* its ends are round */
      bp_svg_line(plot->svg, x - 2 + inset, name->y, x + 10 - inset, name->y, css);
    }
    bp_svg_fitted_text(plot->svg, x + 15, name->y + 0.36 * font_of(plot), BP_SVG_START,
                       name->letters, name->text, font_of(plot), plot->width - x - 18);
    bp_free(name->text);
  }
}
