/* figure_ladder.c -- the rungs of the published ladders as bars, with what each gained. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/columns.h"
#include "report/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOP = 76, BAR = 24, BOTTOM = 34, NAMES_LEAST = 120, NAMES_MOST = 300,
                    BARS = 280, FIGURES = 260;
enum { RUNGS_MAX = 100 };

/* The rungs of one ladder: "2d-k1", "2d-k2", ... in the order of their numbers. */
typedef struct {
  const bp_group *group;
  char name[32]; /* "2d" */
  int degree;
  const bp_row *rungs[RUNGS_MAX];
  int count;
  double names; /* pixels that their names take */
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

static bool is_of(const char *name, const bp_row *row)
{
  char other[32];
  return rung_number(row->rung, other) && strcmp(other, name) == 0;
}

static ladder rungs_of(const bp_group *group, const char *name, int degree)
{
  ladder l = {.group = group, .degree = degree};
  strcpy(l.name, name);
  for (int64_t n = 0; n < group->count && l.count < RUNGS_MAX; ++n) {
    const bp_row *row = group->rows[n];
    if (row->degree == degree && row->status == BP_ROW_OK && is_of(name, row))
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

/* Where the numbers beside the bars end, and what stands over them. */
enum { NUMBERS = 3 };
static const struct {
  double right;
  const char *first, *second;
} numbers[NUMBERS] = {
    {70, "", "GFLOPS"}, {150, "of the", "roofline"}, {240, "over the", "rung before"}};

static char *label_of(const bp_row *row)
{
  return bp_format("%s %s", row->rung, row->variant);
}

static void draw_heads(bp_text *svg, double x)
{
  for (int n = 0; n < NUMBERS; ++n) {
    bp_svg_text(svg, x + numbers[n].right, TOP - 22, BP_SVG_END, BP_LETTERS_USUAL, BP_SOFT,
                numbers[n].first);
    bp_svg_text(svg, x + numbers[n].right, TOP - 7, BP_SVG_END, BP_LETTERS_USUAL, BP_SOFT,
                numbers[n].second);
  }
}

static void draw_rung(bp_text *svg, const ladder *l, int n, double scale)
{
  const bp_row *row = l->rungs[n];
  double x = l->names + BARS, y = TOP + BAR * n, gflops = bp_row_gflops(row);
  bp_number four, percent, gain;
  char *label = label_of(row), *tip = bp_row_tip(row);
  bp_svg_fitted_text(svg, l->names - 8, y + 16, BP_SVG_END, BP_LETTERS_USUAL, BP_INK, label, 12,
                     l->names - 20);
  bp_svg_box(svg, l->names, y + 3, gflops * scale, BAR - 6,
             bp_row_is_marked(row) ? BP_ROLE_OUTLINE : BP_ROLE_FILL, BP_SERIES, NULL, tip);
  bp_svg_text(svg, x + numbers[0].right, y + 16, BP_SVG_END, BP_LETTERS_USUAL, BP_INK,
              bp_number_four(four, gflops));
  bp_svg_text(svg, x + numbers[1].right, y + 16, BP_SVG_END, BP_LETTERS_USUAL, BP_INK,
              bp_number_percent(percent, bp_row_roofline_fraction(row)));
  if (n) {
    bp_number_fixed(gain, gflops / bp_row_gflops(l->rungs[n - 1]), 2);
    char *factor = bp_format("\xc3\x97 %s", gain);
    bp_svg_text(svg, x + numbers[2].right, y + 16, BP_SVG_END, BP_LETTERS_USUAL, BP_INK, factor);
    bp_free(factor);
  }
  bp_free(label);
  bp_free(tip);
}

static void draw_roofline(bp_text *svg, double gflops, double x, double bottom)
{
  bp_number four;
  char *name = bp_format("copy roofline %s GFLOPS", bp_number_four(four, gflops));
  bp_svg_line(svg, x, TOP, x, bottom + 4, BP_ROLE_THICK, BP_INK);
  bp_svg_text(svg, x, bottom + 20, BP_SVG_MIDDLE, BP_LETTERS_USUAL, BP_SOFT, name);
  bp_free(name);
}

static void draw_ladder(ladder *l, bp_panel *panel)
{
  double roofline = bp_row_roofline_gflops(l->rungs[0]), most = fmax(0, roofline);
  bool has_marked = false;
  l->names = NAMES_LEAST;
  for (int n = 0; n < l->count; ++n) {
    char *label = label_of(l->rungs[n]);
    l->names = fmin(fmax(l->names, bp_svg_width(label, 12) + 20), NAMES_MOST);
    bp_free(label);
    most = fmax(most, bp_row_gflops(l->rungs[n]));
    has_marked |= bp_row_is_marked(l->rungs[n]);
  }
  double scale = most > 0 ? BARS / most : 0, bottom = TOP + BAR * l->count;
  char *where = bp_figure_subtitle(l->group);
  panel->width = l->names + BARS + FIGURES;
  panel->height = bottom + BOTTOM;
  bp_panel_title(
      panel, bp_figure_title(l->group),
      bp_format("%s%sladder at N=%d, %s", l->name, *l->name ? " " : "", l->degree, where));
  bp_free(where);
  draw_heads(&panel->svg, l->names + BARS);
  for (int n = 0; n < l->count; ++n)
    draw_rung(&panel->svg, l, n, scale);
  if (has_marked)
    bp_panel_note_marked(panel);
  bp_svg_line(&panel->svg, l->names, TOP, l->names, bottom, BP_ROLE_LINE, BP_SOFT);
  if (isfinite(roofline))
    draw_roofline(&panel->svg, roofline, l->names + roofline * scale, bottom);
}

/* Every ladder with two rungs or more. */
void bp_ladder_draw(const bp_drawing *drawing, bp_panels *panels)
{
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    const bp_group *group = &drawing->groups.groups[g];
    for (int64_t n = 0; n < group->count; ++n) {
      char name[32];
      bool is_first = rung_number(group->rows[n]->rung, name) > 0;
      for (int64_t m = 0; is_first && m < n; ++m)
        is_first = !is_of(name, group->rows[m]);
      ladder l = is_first ? best_ladder(group, name) : (ladder){0};
      if (l.count > 1)
        draw_ladder(&l, bp_panels_add(panels));
    }
  }
}
