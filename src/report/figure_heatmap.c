/* figure_heatmap.c -- the fraction of the roofline by degree: a row per variant, and where somebody chose
 * the best of each degree, a row per problem. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/series.h"
#include <math.h>

static const double TOP = 84, CELL = 24, COLUMN = 42, BOTTOM = 40, NAMES_MOST = 230, LEAST = 560,
                    KEY = 34;

/* Whether the group is one row of a panel that holds several problems. */
static bool is_chosen(const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  bool is_one = set.is_chosen && set.count == 1;
  bp_series_destroy(&set);
  return is_one;
}

static bool on_one_panel(const bp_group *a, const bp_group *b)
{
  return a == b || (bp_figure_is_together(a->rows[0], b->rows[0]) && is_chosen(a) && is_chosen(b));
}

static bool begins_panel(const bp_groups *groups, int64_t group)
{
  for (int64_t g = 0; g < group; ++g)
    if (on_one_panel(&groups->groups[g], &groups->groups[group]))
      return false;
  return true;
}

int bp_heatmap_panels(const bp_drawing *drawing)
{
  int panels = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g)
    panels += begins_panel(&drawing->groups, g);
  return panels;
}

/* ---- the rows of a panel ---- */

typedef struct {
  const bp_group *first;
  bool has_problems; /* a row per problem */
  bp_series_set *sets;
  char **names;
  const bp_series **rows;
  const bp_series_set **set_of; /* of each row */
  int sets_count, count, low, high;
} map;

static void add_row(map *m, const bp_series_set *set, const bp_series *row, const char *name)
{
  size_t count = (size_t)m->count + 1;
  m->names = bp_realloc(m->names, count, sizeof *m->names);
  m->rows = bp_realloc(m->rows, count, sizeof(const bp_series *));
  m->set_of = bp_realloc(m->set_of, count, sizeof(const bp_series_set *));
  m->names[m->count] = bp_strdup(name);
  m->rows[m->count] = row;
  m->set_of[m->count++] = set;
}

static void add_group(map *m, const bp_group *group)
{
  bp_series_set *set = &m->sets[m->sets_count++];
  *set = bp_series_of(group);
  for (int n = 0; n < set->count; ++n)
    add_row(m, set, &set->series[n],
            m->has_problems ? group->rows[0]->problem : set->series[n].label);
  m->low = set->first < m->low ? set->first : m->low;
  m->high = set->last > m->high ? set->last : m->high;
}

const bp_group *bp_heatmap_group(const bp_drawing *drawing, int panel)
{
  int64_t first = 0;
  while (!begins_panel(&drawing->groups, first) || panel-- > 0)
    ++first;
  return &drawing->groups.groups[first];
}

static map map_of(const bp_drawing *drawing, int panel)
{
  const bp_groups *groups = &drawing->groups;
  map m = {.first = bp_heatmap_group(drawing, panel), .low = BP_SERIES_DEGREES, .high = -1};
  m.has_problems = is_chosen(m.first);
  m.sets = bp_alloc((size_t)groups->count, sizeof *m.sets);
  for (int64_t g = 0; g < groups->count; ++g)
    if (on_one_panel(m.first, &groups->groups[g]))
      add_group(&m, &groups->groups[g]);
  return m;
}

static void map_destroy(map *m)
{
  for (int n = 0; n < m->sets_count; ++n)
    bp_series_destroy(&m->sets[n]);
  for (int n = 0; n < m->count; ++n)
    bp_free(m->names[n]);
  bp_free(m->sets);
  bp_free(m->names);
  bp_free(m->rows);
  bp_free(m->set_of);
}

static double names_width(const map *m)
{
  double widest = 60;
  for (int n = 0; n < m->count; ++n)
    widest = fmax(widest, bp_svg_width(m->names[n], 12));
  return fmin(widest + 20, NAMES_MOST);
}

static bp_size size_of(const map *m)
{
  double width = names_width(m) + COLUMN * (m->high - m->low + 1) + 14;
  return (bp_size){fmax(width, LEAST), TOP + CELL * m->count + BOTTOM};
}

bp_size bp_heatmap_size(const bp_drawing *drawing, int panel)
{
  map m = map_of(drawing, panel);
  bp_size size = size_of(&m);
  map_destroy(&m);
  return size;
}

/* ---- drawing ---- */

static void draw_empty(bp_text *svg, const bp_row *row, double x, double y)
{
  bool is_wrong = row && row->status == BP_ROW_WRONG;
  bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, "none", NULL, row ? row->reason : NULL);
  if (row)
    bp_svg_text(svg, x + 0.5 * COLUMN, y + 16, BP_SVG_START, is_wrong ? "cell bad" : "cell soft",
                is_wrong ? "\xe2\x9c\x97" : "-");
}

static void draw_cell(bp_text *svg, const bp_row *row, bool is_best, double x, double y)
{
  char color[8];
  bp_number number;
  bool is_dark = false, is_known = isfinite(bp_row_roofline_fraction(row));
  double fraction = is_known ? bp_row_roofline_fraction(row) : 0;
  char *tip = bp_figure_tip(row);
  bp_svg_shade(color, fraction, &is_dark);
  if (is_best) /* the frame lies around a smaller box */
    bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, "ring", NULL, NULL);
  double inset = is_best ? 3 : 1;
  bp_svg_box(svg, x + inset, y + inset, COLUMN - 2 * inset, CELL - 2 * inset, "", color, tip);
  bp_number_fixed(number, 100 * fraction, 0);
  bp_svg_text(svg, x + 0.5 * COLUMN, y + 16, BP_SVG_START, is_dark ? "cell light" : "cell dark",
              is_known ? number : "?");
  bp_free(tip);
}

/* The colours at which the scale bends, each with its per cent. */
static void draw_key(bp_text *svg, double right, double y)
{
  double stops[BP_SVG_STOPS];
  int count = bp_svg_shade_stops(stops);
  for (int n = 0; n < count; ++n) {
    char color[8];
    bool is_dark;
    bp_number number;
    double x = right - KEY * (count - n);
    bp_svg_box(svg, x, y, KEY, 10, "", bp_svg_shade(color, stops[n], &is_dark), NULL);
    bp_number_fixed(number, 100 * stops[n], 0);
    char *label = bp_format("%s%s", number, n == count - 1 ? " %" : "");
    bp_svg_text(svg, x + 0.5 * KEY, y + 23, BP_SVG_MIDDLE, "soft", label);
    bp_free(label);
  }
}

static void draw_titles(bp_text *svg, const map *m)
{
  const bp_row *row = m->first->rows[0];
  double width = size_of(m).width - 24, key = KEY * 8 + 20;
  char *title = m->has_problems ? bp_format("Best of each degree, %s%s%s", row->device,
                                            *row->cache ? ", " : "", row->cache)
                                : bp_figure_title(m->first);
  char *subtitle = bp_figure_subtitle(m->first);
  char *short_title = bp_svg_fitted(title, 14, width);
  char *short_subtitle = bp_svg_fitted(subtitle, 12, width - key);
  bp_svg_text(svg, 12, 20, BP_SVG_START, "title", short_title);
  bp_svg_text(svg, 12, 44, BP_SVG_START, "soft", short_subtitle);
  bp_free(title);
  bp_free(subtitle);
  bp_free(short_title);
  bp_free(short_subtitle);
}

static void draw_degrees(bp_text *svg, const map *m, double left)
{
  double bottom = TOP + CELL * m->count;
  for (int degree = m->low; degree <= m->high; ++degree) {
    bp_number number;
    bp_svg_text(svg, left + COLUMN * (degree - m->low + 0.5), bottom + 15, BP_SVG_MIDDLE, "soft",
                bp_number_fixed(number, degree, 0));
  }
  bp_svg_text(svg, left + 0.5 * COLUMN * (m->high - m->low + 1), bottom + 33, BP_SVG_MIDDLE, "soft",
              "polynomial degree N");
}

static void draw_row(bp_text *svg, const map *m, int n, double left)
{
  double y = TOP + CELL * n;
  char *name = bp_svg_fitted(m->names[n], 12, left - 16);
  bp_svg_text(svg, left - 8, y + 16, BP_SVG_END, "", name);
  for (int degree = m->low; degree <= m->high; ++degree) {
    const bp_row *row = m->rows[n]->rows[degree];
    double x = left + COLUMN * (degree - m->low);
    if (row && row->status == BP_ROW_OK)
      draw_cell(svg, row, !m->has_problems && m->count > 1 && row == m->set_of[n]->best[degree], x,
                y);
    else
      draw_empty(svg, row, x, y);
  }
  bp_free(name);
}

void bp_heatmap_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  map m = map_of(drawing, panel);
  double left = names_width(&m);
  draw_titles(svg, &m);
  draw_key(svg, size_of(&m).width - 14, 34);
  draw_degrees(svg, &m, left);
  for (int n = 0; n < m.count; ++n)
    draw_row(svg, &m, n, left);
  map_destroy(&m);
}
