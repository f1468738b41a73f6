/* figure_heatmap.c -- the fraction of the roofline by degree: a row per variant, and where somebody chose
 * the best of each degree, a row per problem. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

static const double TOP = 92, CELL = 24, COLUMN = 42, BOTTOM = 40, NOTE = 20, NAMES_MOST = 230,
                    LEAST = 560, MOST = 760, KEY = 34;

/* Whether the group is one row of a panel that holds several problems; else, whether it has any. */
static bool has_series(const bp_group *group, bool is_one)
{
  bp_series_set set = bp_series_of(group);
  bool has = is_one ? set.is_chosen && set.count == 1 : set.count > 0;
  bp_series_destroy(&set);
  return has;
}

/* An emulator's rows have no times. */
static bool belong(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  (void)drawing;
  if (a == b)
    return strcmp(a->rows[0]->backend, "emulate") != 0 && has_series(a, false);
  return bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_MESH) && has_series(a, true) &&
         has_series(b, true);
}

/* ---- the rows of a panel ---- */

typedef struct {
  const char *name;
  const bp_row *const *cells; /* by degree */
  const bp_row *const *best;  /* the fastest of each degree, to be framed; NULL: none is */
} line;

typedef struct {
  const bp_group *first;
  bool has_problems; /* a row per problem */
  bp_series_set *sets;
  line *lines;
  int sets_count, count;
  int degrees[BP_SERIES_DEGREES], columns;                        /* those that some row has */
  bool has_best, has_marked, has_skipped, has_wrong, has_unknown; /* some cell is so */
  double left, width;
} map;

static void add_group(map *m, const bp_group *group)
{
  bp_series_set *set = &m->sets[m->sets_count++];
  *set = bp_series_of(group);
  m->lines = bp_realloc(m->lines, (size_t)m->count + (size_t)set->count, sizeof *m->lines);
  for (int n = 0; n < set->count; ++n) {
    const bp_series *s = &set->series[n];
    m->lines[m->count++] = (line){.name = m->has_problems ? group->problem : s->label,
                                  .cells = s->rows,
                                  .best = !m->has_problems && set->count > 1 ? set->best : NULL};
  }
}

static bool has_degree(const map *m, int degree)
{
  for (int n = 0; n < m->sets_count; ++n)
    if (bp_series_has_degree(&m->sets[n], degree))
      return true;
  return false;
}

static bool is_known(const bp_row *row)
{
  return row && row->status == BP_ROW_OK && isfinite(bp_row_roofline_fraction(row));
}

static bool is_best(const line *l, int degree)
{
  const bp_row *cell = l->cells[degree];
  return l->best && is_known(cell) && cell == l->best[degree] && !bp_row_is_marked(cell);
}

/* Which signs need an explanation. */
static void look_at(map *m, const line *l)
{
  for (int c = 0; c < m->columns; ++c) {
    const bp_row *row = l->cells[m->degrees[c]];
    m->has_best |= is_best(l, m->degrees[c]);
    m->has_unknown |= row && row->status == BP_ROW_OK && !is_known(row);
    m->has_marked |= row && is_known(row) && bp_row_is_marked(row);
    m->has_skipped |= row && row->status == BP_ROW_SKIPPED;
    m->has_wrong |= row && row->status == BP_ROW_WRONG;
  }
}

static map map_of(const bp_drawing *drawing, const bp_group *first)
{
  const bp_groups *groups = &drawing->groups;
  map m = {.first = first, .has_problems = has_series(first, true)};
  double widest = 60;
  m.sets = bp_alloc((size_t)groups->count, sizeof *m.sets);
  for (int64_t g = 0; g < groups->count; ++g)
    if (belong(drawing, first, &groups->groups[g]))
      add_group(&m, &groups->groups[g]);
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    if (has_degree(&m, degree))
      m.degrees[m.columns++] = degree;
  for (int n = 0; n < m.count; ++n) {
    widest = fmax(widest, bp_svg_width(m.lines[n].name, 12));
    look_at(&m, &m.lines[n]);
  }
  m.left = fmin(widest + 20, NAMES_MOST);
  char *subtitle = bp_figure_subtitle(first);
  m.width = fmax(m.left + COLUMN * m.columns + 14, LEAST);
  m.width = fmax(m.width, fmin(bp_svg_width(subtitle, 12) + 24, MOST));
  bp_free(subtitle);
  return m;
}

static void map_destroy(map *m)
{
  for (int n = 0; n < m->sets_count; ++n)
    bp_series_destroy(&m->sets[n]);
  bp_free(m->sets);
  bp_free(m->lines);
}

/* ---- drawing ---- */

static void draw_empty(bp_text *svg, const bp_row *row, double x, double y)
{
  static const char *const signs[] = {"?", "\xe2\x9c\x97", "-"}; /* ok, wrong, skipped */
  bool is_wrong = row && row->status == BP_ROW_WRONG;
  bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, "none", NULL, row ? row->reason : NULL);
  if (row)
    bp_svg_text(svg, x + 0.5 * COLUMN, y + 16, BP_SVG_START, is_wrong ? "cell bad" : "cell soft",
                signs[row->status]);
}

static void draw_cell(bp_text *svg, const bp_row *row, bool is_best, double x, double y)
{
  char color[8];
  bp_number number;
  bool is_dark = false, is_marked = bp_row_is_marked(row);
  double fraction = bp_row_roofline_fraction(row);
  char *tip = bp_figure_tip(row);
  bp_svg_shade(color, fraction, &is_dark);
  if (is_best) /* the frame lies around a smaller box */
    bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, "ring", NULL, NULL);
  double inset = is_best ? 3 : 1;
  bp_svg_box(svg, x + inset, y + inset, COLUMN - 2 * inset, CELL - 2 * inset,
             is_marked ? "none" : "", is_marked ? NULL : color, tip);
  bp_number_fixed(number, 100 * fraction, 0);
  bp_svg_text(svg, x + 0.5 * COLUMN, y + 16, BP_SVG_START,
              is_marked ? "cell soft"
              : is_dark ? "cell light"
                        : "cell dark",
              number);
  bp_free(tip);
}

/* The colours at which the scale bends, each with its per cent, and of what. */
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
    bp_svg_text(svg, x + 0.5 * KEY, y + 23, BP_SVG_MIDDLE, "soft", number);
  }
  bp_svg_text(svg, right - KEY * count - 10, y + 9, BP_SVG_END, "",
              "per cent of the copy roofline");
}

static void draw_titles(bp_text *svg, const map *m)
{
  const bp_row *row = m->first->rows[0];
  char *where = bp_figure_subtitle(m->first), *what = bp_figure_title(m->first);
  char *title = m->has_problems
                    ? bp_format("%s%s%s", row->device, *row->cache ? ", " : "", row->cache)
                    : bp_strdup(what);
  char *subtitle =
      m->has_problems ? bp_format("best variant of each degree, %s", where) : bp_strdup(where);
  bp_free(where);
  bp_free(what);
  bp_svg_fitted_text(svg, 12, 20, BP_SVG_START, "title", title, 14, m->width - 24);
  bp_svg_fitted_text(svg, 12, 38, BP_SVG_START, "soft", subtitle, 12, m->width - 24);
  bp_free(title);
  bp_free(subtitle);
}

static void draw_degrees(bp_text *svg, const map *m)
{
  double bottom = TOP + CELL * m->count;
  static const char title[] = "polynomial degree N";
  for (int c = 0; c < m->columns; ++c) {
    bp_number number;
    bp_svg_text(svg, m->left + COLUMN * (c + 0.5), bottom + 15, BP_SVG_MIDDLE, "soft",
                bp_number_fixed(number, m->degrees[c], 0));
  }
  double middle = m->left + 0.5 * fmax(COLUMN * m->columns, bp_svg_width(title, 12));
  bp_svg_text(svg, middle, bottom + 33, BP_SVG_MIDDLE, "soft", title);
}

static bool has_note(const map *m)
{
  return m->has_best || m->has_marked || m->has_skipped || m->has_wrong || m->has_unknown;
}

/* What the signs mean that occur. */
static void draw_note(bp_text *svg, const map *m, double y)
{
  const char *const parts[] = {
      m->has_best ? "framed: the fastest of its degree" : NULL,
      m->has_marked ? "no colour: marked, see the table" : NULL,
      m->has_skipped ? "dash: skipped" : NULL,
      m->has_wrong ? "cross: wrong result, no rate" : NULL,
      m->has_unknown ? "?: disturbed, mostly overhead, or no copy" : NULL,
  };
  bp_text note = {0};
  for (size_t n = 0; n < sizeof parts / sizeof *parts; ++n)
    if (parts[n])
      bp_text_appendf(&note, "%s%s", note.length ? "; " : "", parts[n]);
  bp_svg_text(svg, m->left, y, BP_SVG_START, "soft", bp_text_string(&note));
  bp_text_destroy(&note);
}

static void draw_line(bp_text *svg, const map *m, const line *l, double y)
{
  bp_svg_fitted_text(svg, m->left - 8, y + 16, BP_SVG_END, "", l->name, 12, m->left - 16);
  for (int c = 0; c < m->columns; ++c) {
    const bp_row *row = l->cells[m->degrees[c]];
    double x = m->left + COLUMN * c;
    if (is_known(row))
      draw_cell(svg, row, is_best(l, m->degrees[c]), x, y);
    else
      draw_empty(svg, row, x, y);
  }
}

bool bp_heatmap_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *first = bp_drawing_find(drawing, belong, number);
  if (!first)
    return false;
  map m = map_of(drawing, first);
  panel->width = m.width;
  double bottom = TOP + CELL * m.count + BOTTOM;
  panel->height = bottom + (has_note(&m) ? NOTE : 0);
  panel->is_spare = bp_gflops_is_enough(&m.sets[0]);
  draw_titles(&panel->svg, &m);
  draw_key(&panel->svg, m.width - 14, 52);
  draw_degrees(&panel->svg, &m);
  if (has_note(&m))
    draw_note(&panel->svg, &m, bottom + 12);
  for (int n = 0; n < m.count; ++n)
    draw_line(&panel->svg, &m, &m.lines[n], TOP + CELL * n);
  map_destroy(&m);
  return true;
}
