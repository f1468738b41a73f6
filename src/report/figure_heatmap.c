/* figure_heatmap.c -- the fraction of the roofline for every variant and degree. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/series.h"
#include <math.h>

static const double TOP = 78, CELL = 21, COLUMN = 40, BOTTOM = 40, NAMES_MOST = 230, LEAST = 460;

/* Room that the names of the variants need. */
static double names_width(const bp_series_set *set)
{
  double widest = 60;
  for (int n = 0; n < set->count; ++n)
    widest = fmax(widest, bp_svg_width(set->series[n].label, 12));
  return fmin(widest + 20, NAMES_MOST);
}

int bp_heatmap_panels(const bp_drawing *drawing)
{
  return (int)drawing->groups.count;
}

bp_size bp_heatmap_size(const bp_drawing *drawing, int panel)
{
  bp_series_set set = bp_series_of(&drawing->groups.groups[panel]);
  double width = names_width(&set) + COLUMN * (set.last - set.first + 1) + 14;
  bp_size size = {fmax(width, LEAST), TOP + CELL * set.count + BOTTOM};
  bp_series_destroy(&set);
  return size;
}

static void draw_cell(bp_text *svg, const bp_row *row, bool is_best, double x, double y)
{
  if (!row) {
    bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, "none", NULL, NULL);
    return;
  }
  if (row->status != BP_ROW_OK) {
    bool wrong = row->status == BP_ROW_WRONG;
    bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, "none", NULL, row->reason);
    bp_svg_text(svg, x + 0.5 * COLUMN, y + 15, BP_SVG_START, wrong ? "cell bad" : "cell soft",
                wrong ? "\xe2\x9c\x97" : "-");
    return;
  }
  char color[8];
  bp_number number;
  bool is_dark = false, is_known = isfinite(bp_row_roofline_fraction(row));
  double fraction = is_known ? bp_row_roofline_fraction(row) : 0;
  char *tip = bp_figure_tip(row);
  bp_svg_shade(color, fraction, &is_dark);
  bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, is_best ? "ring" : "cell",
             is_best ? NULL : color, is_best ? NULL : tip);
  if (is_best) /* the frame lies around a smaller box */
    bp_svg_box(svg, x + 3, y + 3, COLUMN - 6, CELL - 6, "cell", color, tip);
  bp_number_fixed(number, 100 * fraction, 0);
  bp_svg_text(svg, x + 0.5 * COLUMN, y + 15, BP_SVG_START, is_dark ? "cell light" : "cell dark",
              is_known ? number : "?");
  bp_free(tip);
}

static void draw_key(bp_text *svg, double x, double y)
{
  static const char *const names[] = {"0", "25", "50", "75", "100 %"};
  for (int n = 0; n < 5; ++n) {
    char color[8];
    bool is_dark;
    bp_svg_box(svg, x + 34 * n, y, 34, 10, "cell", bp_svg_shade(color, 0.25 * n, &is_dark), NULL);
    bp_svg_text(svg, x + 34 * n + 17, y + 22, BP_SVG_MIDDLE, "soft", names[n]);
  }
}

void bp_heatmap_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  const bp_group *group = &drawing->groups.groups[panel];
  bp_series_set set = bp_series_of(group);
  bp_size size = bp_heatmap_size(drawing, panel);
  double left = names_width(&set);
  char *title = bp_figure_title(group), *subtitle = bp_figure_subtitle(group);
  char *short_title = bp_svg_fitted(title, 14, size.width - 24);
  char *short_subtitle = bp_svg_fitted(subtitle, 12, size.width - 24 - 200);
  bp_svg_text(svg, 12, 20, BP_SVG_START, "title", short_title);
  bp_svg_text(svg, 12, 38, BP_SVG_START, "soft", short_subtitle);
  draw_key(svg, size.width - 184, 30);
  for (int degree = set.first; degree <= set.last; ++degree) {
    bp_number number;
    bp_svg_text(svg, left + COLUMN * (degree - set.first + 0.5), TOP + CELL * set.count + 15,
                BP_SVG_MIDDLE, "soft", bp_number_fixed(number, degree, 0));
  }
  bp_svg_text(svg, left + 0.5 * COLUMN * (set.last - set.first + 1), TOP + CELL * set.count + 33,
              BP_SVG_MIDDLE, "soft", "polynomial degree N");
  for (int n = 0; n < set.count; ++n) {
    double y = TOP + CELL * n;
    char *name = bp_svg_fitted(set.series[n].label, 12, left - 16);
    bp_svg_text(svg, left - 8, y + 15, BP_SVG_END, "", name);
    for (int degree = set.first; degree <= set.last; ++degree) {
      const bp_row *row = set.series[n].rows[degree];
      draw_cell(svg, row, set.count > 1 && row && row == set.best[degree],
                left + COLUMN * (degree - set.first), y);
    }
    bp_free(name);
  }
  bp_free(title);
  bp_free(subtitle);
  bp_free(short_title);
  bp_free(short_subtitle);
  bp_series_destroy(&set);
}
