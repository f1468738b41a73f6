/* figure_ladder.c -- the rungs of the published ladders as bars, with what each gained. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/series.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 660, TOP = 56, BAR = 24, BOTTOM = 34, NAMES = 180, FIGURES = 200;
enum { RUNGS_MAX = 100 };

/* The rungs of one ladder: "2d-k1", "2d-k2", ... in the order of their numbers. */
typedef struct {
  const bp_group *group;
  char name[32]; /* "2d" */
  int degree;
  const bp_row *rungs[RUNGS_MAX];
  int count;
} ladder;

/* "2d-k10" is rung 10 of ladder "2d", "k3" is rung 3 of ladder "", "2d-bonus" the last of "2d"; 0 where
 * the name is of none of these forms. */
static int rung_number(const char *rung, char ladder_name[32])
{
  enum { LAST = 1000 };
  const char *dash = strrchr(rung, '-'), *name = dash ? dash + 1 : rung;
  size_t length = dash ? (size_t)(dash - rung) : 0;
  int64_t number = LAST;
  if (length >= 32 || !*name || (*name != 'k' && !dash))
    return 0;
  memcpy(ladder_name, rung, length);
  ladder_name[length] = '\0';
  if (*name == 'k' && (!bp_parse_int(name + 1, &number) || number < 1 || number >= LAST))
    return 0;
  return (int)number;
}

static int by_number(const void *a, const void *b)
{
  char name[32];
  return rung_number((*(const bp_row *const *)a)->rung, name) -
         rung_number((*(const bp_row *const *)b)->rung, name);
}

static ladder rungs_of(const bp_group *group, const char *name, int degree)
{
  ladder l = {.group = group, .degree = degree};
  strcpy(l.name, name);
  for (int64_t n = 0; n < group->count && l.count < RUNGS_MAX; ++n) {
    char other[32];
    const bp_row *row = group->rows[n];
    if (row->degree == degree && row->status == BP_ROW_OK && rung_number(row->rung, other) &&
        strcmp(other, name) == 0)
      l.rungs[l.count++] = row;
  }
  qsort(l.rungs, (size_t)l.count, sizeof(const bp_row *), by_number);
  return l;
}

/* At the degree with most rungs, among those the nearest to 7. */
static ladder best_ladder(const bp_group *group, const char *name)
{
  ladder best = {0};
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    ladder l = rungs_of(group, name, degree);
    if (l.count > best.count || (l.count == best.count && abs(degree - 7) < abs(best.degree - 7)))
      best = l;
  }
  return best;
}

static bool is_first_of_name(const bp_group *group, int64_t n, char name[32])
{
  char other[32];
  if (!rung_number(group->rows[n]->rung, name))
    return false;
  for (int64_t m = 0; m < n; ++m)
    if (rung_number(group->rows[m]->rung, other) && strcmp(other, name) == 0)
      return false;
  return true;
}

/* The wanted one of all ladders with two rungs or more, or how many there are in *count. */
static ladder find_ladder(const bp_drawing *drawing, int wanted, int *count)
{
  int number = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    const bp_group *group = &drawing->groups.groups[g];
    for (int64_t n = 0; n < group->count; ++n) {
      char name[32];
      if (!is_first_of_name(group, n, name))
        continue;
      ladder l = best_ladder(group, name);
      if (l.count > 1 && number++ == wanted)
        return l;
    }
  }
  *count = number;
  return (ladder){0};
}

int bp_ladder_panels(const bp_drawing *drawing)
{
  int count = 0;
  find_ladder(drawing, -1, &count);
  return count;
}

bp_size bp_ladder_size(const bp_drawing *drawing, int panel)
{
  int count;
  ladder l = find_ladder(drawing, panel, &count);
  return (bp_size){WIDTH, TOP + BAR * l.count + BOTTOM};
}

static void draw_rung(bp_text *svg, const ladder *l, int n, double scale)
{
  const bp_row *row = l->rungs[n];
  double y = TOP + BAR * n, gflops = bp_row_gflops(row);
  bp_number four, percent, gain;
  char *label = bp_format("%s %s", row->rung, row->variant);
  char *name = bp_svg_fitted(label, 12, NAMES - 20), *tip = bp_figure_tip(row);
  bp_svg_text(svg, NAMES - 8, y + 16, BP_SVG_END, "", name);
  bp_svg_box(svg, NAMES, y + 3, gflops * scale, BAR - 6, "fill c0", NULL, tip);
  bp_number_fixed(gain, n ? gflops / bp_row_gflops(l->rungs[n - 1]) : NAN, 2);
  double x = WIDTH - FIGURES;
  bp_svg_text(svg, x + 70, y + 16, BP_SVG_END, "", bp_number_four(four, gflops));
  bp_svg_text(svg, x + 130, y + 16, BP_SVG_END, "",
              bp_number_percent(percent, bp_row_roofline_fraction(row)));
  if (n) {
    char *factor = bp_format("\xc3\x97 %s", gain);
    bp_svg_text(svg, x + 190, y + 16, BP_SVG_END, "", factor);
    bp_free(factor);
  }
  bp_free(label);
  bp_free(name);
  bp_free(tip);
}

void bp_ladder_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  int count;
  ladder l = find_ladder(drawing, panel, &count);
  double roofline = bp_row_roofline_gflops(l.rungs[0]), most = isfinite(roofline) ? roofline : 0;
  for (int n = 0; n < l.count; ++n)
    most = fmax(most, bp_row_gflops(l.rungs[n]));
  double scale = most > 0 ? (WIDTH - NAMES - FIGURES) / most : 0;
  char *title = bp_figure_title(l.group), *subtitle = bp_figure_subtitle(l.group);
  char *all =
      bp_format("%s%sladder at N=%d, GFLOPS, %s", l.name, *l.name ? " " : "", l.degree, subtitle);
  char *fitted = bp_svg_fitted(all, 12, WIDTH - 24);
  bp_svg_text(svg, 12, 20, BP_SVG_START, "title", title);
  bp_svg_text(svg, 12, 38, BP_SVG_START, "soft", fitted);
  for (int n = 0; n < l.count; ++n)
    draw_rung(svg, &l, n, scale);
  double bottom = TOP + BAR * l.count;
  bp_svg_line(svg, NAMES, TOP, NAMES, bottom, "axis");
  if (isfinite(roofline)) {
    bp_svg_line(svg, NAMES + roofline * scale, TOP, NAMES + roofline * scale, bottom + 4,
                "thick ink");
    bp_number four;
    char *name = bp_format("roofline %s", bp_number_four(four, roofline));
    bp_svg_text(svg, NAMES + roofline * scale, bottom + 20, BP_SVG_MIDDLE, "soft", name);
    bp_free(name);
  }
  bp_free(title);
  bp_free(subtitle);
  bp_free(all);
  bp_free(fitted);
}
