/* figure_heatmap.c -- the fraction of the roofline by degree: a row per variant, and where somebody chose
 * the best of each degree, a row per problem. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/columns.h"
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
static bool belong(const bp_group *a, const bp_group *b)
{
  if (a == b)
    return strcmp(a->rows[0]->backend, "emulate") != 0 && has_series(a, false);
  return bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_MESH) && has_series(a, true) &&
         has_series(b, true);
}

/* ---- cells ---- */

typedef enum { PLAIN, ABSENT, BEST, MARKED, SKIPPED, WRONG, UNKNOWN, KINDS } cell_kind;

static const char *const meanings[KINDS] = {[BEST] = "framed: the fastest of its degree",
                                            [MARKED] = "no colour: marked, see the table",
                                            [SKIPPED] = "dash: skipped",
                                            [WRONG] = "cross: wrong result, no rate",
                                            [UNKNOWN] =
                                                "?: disturbed, mostly overhead, or no copy"};

/* `best` is the one that is framed. */
static cell_kind kind_of(const bp_row *row, const bp_row *best)
{
  if (!row)
    return ABSENT;
  if (row->status != BP_ROW_OK)
    return row->status == BP_ROW_WRONG ? WRONG : SKIPPED;
  if (!isfinite(bp_row_roofline_fraction(row)))
    return UNKNOWN;
  return bp_row_is_marked(row) ? MARKED : row == best ? BEST : PLAIN;
}

static void draw_cell(bp_text *svg, const bp_row *row, cell_kind kind, double x, double y)
{
  static const char *const signs[KINDS] = {
      [ABSENT] = "", [SKIPPED] = "-", [WRONG] = "\xe2\x9c\x97", [UNKNOWN] = "?"};
  const bool has_color = kind == PLAIN || kind == BEST;
  const double inset = kind == BEST ? 3 : 1; /* the frame lies around a smaller box */
  const double fraction = row ? bp_row_roofline_fraction(row) : NAN;
  char color[8], *tip = row ? bp_row_tip(row) : NULL;
  bool is_dark;
  bp_number number;
  bp_svg_shade(color, fraction, &is_dark);
  if (kind == BEST)
    bp_svg_box(svg, x + 1, y + 1, COLUMN - 2, CELL - 2, BP_ROLE_OUTLINE, BP_INK, NULL, NULL);
  bp_svg_box(svg, x + inset, y + inset, COLUMN - 2 * inset, CELL - 2 * inset,
             has_color ? BP_ROLE_NONE : BP_ROLE_LINE, BP_RULE, has_color ? color : NULL,
             row && row->status != BP_ROW_OK ? row->reason : tip);
  bp_svg_text(svg, x + 0.5 * COLUMN, y + 16, BP_SVG_START,
              kind == WRONG ? BP_LETTERS_ALARM : BP_LETTERS_CELL,
              kind == WRONG ? BP_BAD
              : !has_color  ? BP_SOFT
              : is_dark     ? BP_LIGHT
                            : BP_DARK,
              signs[kind] ? signs[kind] : bp_number_fixed(number, 100 * fraction, 0));
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
    bp_svg_box(svg, x, y, KEY, 10, BP_ROLE_NONE, BP_INK, bp_svg_shade(color, stops[n], &is_dark),
               NULL);
    bp_number_fixed(number, 100 * stops[n], 0);
    bp_svg_text(svg, x + 0.5 * KEY, y + 23, BP_SVG_MIDDLE, BP_LETTERS_USUAL, BP_SOFT, number);
  }
  bp_svg_text(svg, right - KEY * count - 10, y + 9, BP_SVG_END, BP_LETTERS_USUAL, BP_INK,
              "per cent of the copy roofline");
}

/* ---- a panel ---- */

typedef struct {
  bp_series_set *sets; /* one, or of each problem one */
  int count, rows;
  bool has_problems;
  int degrees[BP_SERIES_DEGREES], columns; /* those that some row has */
  double left;
  bool has[KINDS];
} map;

static map map_of(const bp_members *members)
{
  map m = {.count = members->count, .has_problems = has_series(members->groups[0], true)};
  double widest = 60;
  m.sets = bp_alloc((size_t)m.count, sizeof *m.sets);
  for (int s = 0; s < m.count; ++s) {
    m.sets[s] = bp_series_of(members->groups[s]);
    m.rows += m.sets[s].count;
    for (int n = 0; n < m.sets[s].count; ++n)
      widest = fmax(widest, bp_svg_width(m.has_problems ? members->groups[s]->problem
                                                        : m.sets[s].series[n].label,
                                         12));
  }
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    bool has = false;
    for (int s = 0; s < m.count; ++s)
      has |= bp_series_has_degree(&m.sets[s], degree);
    if (has)
      m.degrees[m.columns++] = degree;
  }
  m.left = fmin(widest + 20, NAMES_MOST);
  return m;
}

static void draw_row(map *m, const char *name, const bp_series_set *set, const bp_series *series,
                     double y, bp_text *svg)
{
  const bool is_framed = !m->has_problems && set->count > 1;
  bp_svg_fitted_text(svg, m->left - 8, y + 16, BP_SVG_END, BP_LETTERS_USUAL, BP_INK, name, 12,
                     m->left - 16);
  for (int c = 0; c < m->columns; ++c) {
    const bp_row *row = series->rows[m->degrees[c]];
    const cell_kind kind = kind_of(row, is_framed ? set->best[m->degrees[c]] : NULL);
    draw_cell(svg, row, kind, m->left + COLUMN * c, y);
    m->has[kind] = true;
  }
}

static void draw_degrees(const map *m, double y, bp_text *svg)
{
  static const char title[] = "polynomial degree N";
  for (int c = 0; c < m->columns; ++c) {
    bp_number number;
    bp_svg_text(svg, m->left + COLUMN * (c + 0.5), y + 15, BP_SVG_MIDDLE, BP_LETTERS_USUAL, BP_SOFT,
                bp_number_fixed(number, m->degrees[c], 0));
  }
  double middle = m->left + 0.5 * fmax(COLUMN * m->columns, bp_svg_width(title, 12));
  bp_svg_text(svg, middle, y + 33, BP_SVG_MIDDLE, BP_LETTERS_USUAL, BP_SOFT, title);
}

/* What the signs mean that occur. */
static void draw_note(const map *m, bp_panel *panel)
{
  bp_text note = {0};
  for (int k = 0; k < KINDS; ++k)
    if (m->has[k] && meanings[k])
      bp_text_appendf(&note, "%s%s", note.length ? "; " : "", meanings[k]);
  if (note.length) {
    bp_svg_text(&panel->svg, m->left, panel->height + 12, BP_SVG_START, BP_LETTERS_USUAL, BP_SOFT,
                note.data);
    panel->height += NOTE;
    panel->width = fmax(panel->width, m->left + bp_svg_width(note.data, 12));
  }
  bp_text_destroy(&note);
}

static void draw_panel(const bp_members *m, bp_panel *panel)
{
  map drawn = map_of(m);
  char *where = bp_figure_subtitle(m->groups[0]);
  double y = TOP;
  panel->width = fmax(fmax(drawn.left + COLUMN * drawn.columns + 14, LEAST),
                      fmin(bp_svg_width(where, 12) + 24, MOST));
  panel->is_spare = bp_gflops_is_enough(&drawn.sets[0]);
  bp_panel_title(
      panel,
      drawn.has_problems ? bp_figure_machine(m->groups[0]->rows[0]) : bp_figure_title(m->groups[0]),
      drawn.has_problems ? bp_format("best variant of each degree, %s", where) : bp_strdup(where));
  bp_free(where);
  draw_key(&panel->svg, panel->width - 14, 52);
  for (int s = 0; s < m->count; ++s)
    for (int n = 0; n < drawn.sets[s].count; ++n, y += CELL) {
      const bp_series *series = &drawn.sets[s].series[n];
      draw_row(&drawn, drawn.has_problems ? m->groups[s]->problem : series->label, &drawn.sets[s],
               series, y, &panel->svg);
    }
  draw_degrees(&drawn, y, &panel->svg);
  panel->height = y + BOTTOM;
  draw_note(&drawn, panel);
  for (int s = 0; s < m->count; ++s)
    bp_series_destroy(&drawn.sets[s]);
  bp_free(drawn.sets);
}

void bp_heatmap_draw(const bp_drawing *drawing, bp_panels *panels)
{
  bp_drawing_panels(drawing, belong, draw_panel, panels);
}
