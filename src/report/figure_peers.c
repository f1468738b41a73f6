/* figure_peers.c -- bp beside its peers under the roofline, by degree: one picture for all problems. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letters are large: half as wide, on a narrow screen, they are still read. */
static const double WIDTH = 720, HEAD = 74, LINE = 19, PLOT = 196, BOTTOM = 34, LAST_BOTTOM = 50,
                    MARKS = 44, MARGIN_LEAST = 160, MARGIN_MOST = 250;

static bool belong(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  const bp_peers *peers = drawing->wishes->peers;
  return bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_MESH) &&
         bp_peers_programs(peers, a, programs) > 0 && bp_peers_programs(peers, b, programs) > 0;
}

/* GB/s of the model; GDOF/s of a problem without one, and of solves, whose schemes move different bytes. */
static bool is_in_bytes(const bp_row *row)
{
  return row->bytes > 0 && !bp_row_is_solve(row);
}

static double rate_of(const bp_row *row)
{
  return is_in_bytes(row) ? bp_row_gbytes_per_second(row) : bp_row_gdofs_per_second(row);
}

static double roofline_of(const bp_row *row)
{
  return is_in_bytes(row)       ? bp_row_copy_gbytes_per_second(row)
         : bp_row_is_solve(row) ? bp_row_roofline_rate(row)
                                : NAN;
}

/* ---- what is drawn of one problem ---- */

typedef struct {
  const bp_group *group;
  bp_series_set set;
  bp_curve roofline, own, others[BP_PEERS_PROGRAMS];
  char *labels[BP_PEERS_PROGRAMS]; /* of the others */
  int count;
} problem;

/* Of the program among all of the file: it has the same colour and mark in every panel. */
static int number_of(const bp_peers *peers, const bp_peer *program)
{
  int number = 1;
  for (const bp_peer *p = peers->items; strcmp(p->program, program->program) != 0; ++p) {
    bool is_new = true;
    for (const bp_peer *q = peers->items; q < p && is_new; ++q)
      is_new = strcmp(q->program, p->program) != 0;
    number += is_new;
  }
  return number;
}

static bp_curve curve_of(const bp_peers *peers, const bp_peer *program, const bp_series_set *set,
                         int shape)
{
  static const char *const roles[] = {"path", "long", "dots", "dash"};
  bp_curve curve = {.role = roles[(size_t)shape % (sizeof roles / sizeof *roles)],
                    .shape = shape,
                    .letters = "soft large"};
  bp_svg_color(curve.color, 1 + (shape - 1) % (BP_SVG_COLORS - 1)); /* the first one is bp's */
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *best = set->best[degree];
    if (!bp_series_has_degree(set, degree))
      continue;
    const bp_peer *peer = bp_peers_find(peers, program, best);
    double rate = peer ? rate_of(best) / bp_peer_ratio(peer, best) : NAN;
    bp_curve_add(&curve, degree, rate, best)->peer = peer;
  }
  return curve;
}

static problem *problem_of(const bp_peers *peers, const bp_group *group)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  problem *p = bp_alloc(1, sizeof *p);
  p->group = group;
  p->set = bp_series_of(group);
  p->roofline = (bp_curve){.role = "path", .color = "ink", .shape = BP_PLOT_LINE, .bridges = true};
  p->own = (bp_curve){.role = "bold", .color = "c0", .letters = "strong c0", .bridges = true};
  bp_curve_by_degree(&p->roofline, &p->set, p->set.best, roofline_of);
  bp_curve_by_degree(&p->own, &p->set, p->set.best, rate_of);
  p->count = bp_peers_programs(peers, group, programs);
  for (int n = 0; n < p->count; ++n) {
    p->others[n] = curve_of(peers, programs[n], &p->set, number_of(peers, programs[n]));
    p->labels[n] = bp_peer_label(peers, programs[n], group->rows[0]);
  }
  return p;
}

static void problem_destroy(problem *p)
{
  for (int n = 0; n < p->count; ++n)
    bp_free(p->labels[n]);
  bp_series_destroy(&p->set);
  bp_free(p);
}

/* ---- lines over the degree ---- */

/* What can be reached: all under the roofline. */
static void draw_area(const bp_plot *plot, const bp_curve *roofline)
{
  double last = NAN;
  bp_svg_path_begin(plot->svg, "tint ink");
  for (const bp_point *p = roofline->points; p < roofline->points + roofline->count; ++p) {
    double x = bp_axis_at(&plot->x, p->x);
    if (!isfinite(p->y))
      continue;
    if (isnan(last))
      bp_svg_path_to(plot->svg, true, x, plot->bottom);
    bp_svg_path_to(plot->svg, false, last = x, bp_axis_at(&plot->y, p->y));
  }
  if (isfinite(last))
    bp_svg_path_to(plot->svg, false, last, plot->bottom);
  bp_svg_path_end(plot->svg, NULL);
}

/* A leader from where the line ends before the others do would cross them. */
static void draw_named(bp_plot *plot, const bp_curve *curve, const char *name)
{
  bp_curve_draw(plot, curve, name, isfinite(curve->points[curve->count - 1].y));
}

static void draw_lines(bp_plot *plot, const problem *p, const bp_wishes *wishes,
                       const char *x_title, const char *y_title)
{
  plot->x = bp_curve_degrees(&p->set);
  bp_plot_frame(plot, wishes, x_title, y_title);
  draw_area(plot, &p->roofline);
  for (int n = p->count - 1; n >= 0; --n)
    draw_named(plot, &p->others[n], p->labels[n]);
  bp_curve_draw(plot, &p->roofline, "copy roofline", true);
  draw_named(plot, &p->own, "bp");
}

/* ---- bars, where degrees are too few for lines ---- */

enum { BARS_MOST = 3 };
static const double BAR_MOST = 46, BAR_GAP = 6;

static int count_degrees(const bp_series_set *set)
{
  int count = 0;
  for (int degree = set->first; degree <= set->last; ++degree)
    count += set->best[degree] != NULL;
  return count;
}

static const bp_point *point_at(const bp_curve *curve, int degree)
{
  for (int n = 0; n < curve->count; ++n)
    if (curve->points[n].row && curve->points[n].row->degree == degree &&
        isfinite(curve->points[n].y))
      return &curve->points[n];
  return NULL;
}

/* The bars of one degree around `middle`, each with its figure, under a piece of the roofline. */
static void draw_degree(bp_plot *plot, const problem *p, int degree, double middle, double width)
{
  bp_number number;
  int count = point_at(&p->own, degree) != NULL;
  for (int n = 0; n < p->count; ++n)
    count += point_at(&p->others[n], degree) != NULL;
  double left = middle - 0.5 * (count * width + (count - 1) * BAR_GAP), x = left;
  for (int n = -1; n < p->count; ++n) {
    const bp_curve *curve = n < 0 ? &p->own : &p->others[n];
    const bp_point *point = point_at(curve, degree);
    if (!point)
      continue;
    char css[16], *tip = bp_curve_tip(point, n < 0 ? "bp" : p->labels[n]);
    double y = bp_axis_at(&plot->y, point->y);
    snprintf(css, sizeof css, "%s %s", n < 0 && bp_row_is_marked(point->row) ? "hollow" : "fill",
             curve->color);
    bp_svg_box(plot->svg, x, y, width, plot->bottom - y, css, NULL, tip);
    bp_svg_text(plot->svg, x + 0.5 * width, y - 5, BP_SVG_MIDDLE, n < 0 ? "medium c0" : "medium",
                bp_number_fixed(number, point->y, point->y < 100));
    bp_free(tip);
    x += width + BAR_GAP;
  }
  const bp_point *roof = point_at(&p->roofline, degree);
  if (roof && count) {
    double y = bp_axis_at(&plot->y, roof->y);
    bp_svg_line(plot->svg, left - BAR_GAP, y, x, y, "thick ink");
  }
  bp_svg_text(plot->svg, middle, plot->bottom + 22, BP_SVG_MIDDLE, "soft large",
              bp_number_fixed(number, degree, 0));
}

/* Names from the top, beside a square of the bar's colour. */
static void name_bars(bp_plot *plot, const problem *p)
{
  enum { SQUARE = 1 };
  double top = plot->y.high;
  if (bp_curve_last(&p->roofline))
    bp_plot_add_name(plot, top, "ink", BP_PLOT_LINE, false, "copy roofline", NULL);
  bp_plot_add_name(plot, top, p->own.color, SQUARE, false, "bp", p->own.letters);
  for (int n = 0; n < p->count; ++n)
    bp_plot_add_name(plot, top, p->others[n].color, SQUARE, false, p->labels[n],
                     p->others[n].letters);
}

static void draw_bars(bp_plot *plot, const problem *p, const bp_wishes *wishes, const char *x_title,
                      const char *y_title)
{
  bp_wishes heights = *wishes;
  heights.x = bp_no_wishes.x; /* this axis has no numbers */
  plot->x = (bp_axis){.low = 0, .high = 1};
  bp_plot_frame(plot, &heights, x_title, y_title);
  double slot = (plot->right - plot->left) / count_degrees(&p->set);
  double width = fmin((slot - 4 * BAR_GAP) / (p->count + 1) - BAR_GAP, BAR_MOST);
  double middle = plot->left + 0.5 * slot;
  for (int degree = p->set.first; degree <= p->set.last; ++degree)
    if (p->set.best[degree]) {
      draw_degree(plot, p, degree, middle, width);
      middle += slot;
    }
  name_bars(plot, p);
}

/* ---- one problem ---- */

static void draw_problem(const problem *p, bp_plot plot, double top, bool is_last,
                         const bp_wishes *wishes)
{
  double most = bp_curve_most(&p->roofline, bp_curve_most(&p->own, 0));
  for (int n = 0; n < p->count; ++n)
    most = bp_curve_most(&p->others[n], most);
  plot.height = top + PLOT + (is_last ? LAST_BOTTOM - BOTTOM : 0);
  plot.letters = "large";
  plot.top = top + 30;
  plot.bottom = top + PLOT - BOTTOM;
  const char *x_title = is_last ? "polynomial degree N" : "";
  const char *y_title = is_in_bytes(p->group->rows[0]) ? "GB/s" : "GDOF/s";
  bool has_bars = count_degrees(&p->set) <= BARS_MOST;
  plot.y = bp_axis_linear(0, has_bars ? 1.1 * most : most, 4);
  bp_svg_text(plot.svg, plot.left, top + 18, BP_SVG_START, "strong",
              bp_figure_problem(p->group->rows[0]->problem));
  (has_bars ? draw_bars : draw_lines)(&plot, p, wishes, x_title, y_title);
  bp_plot_end(&plot);
}

/* ---- all of them ---- */

/* Room for the longest name of any panel. */
static double margin_of(const bp_drawing *drawing)
{
  double widest = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    const bp_peer *programs[BP_PEERS_PROGRAMS];
    const bp_group *group = &drawing->groups.groups[g];
    int count = bp_peers_programs(drawing->wishes->peers, group, programs);
    for (int p = 0; p < count; ++p) {
      char *label = bp_peer_label(drawing->wishes->peers, programs[p], group->rows[0]);
      widest = fmax(widest, bp_svg_width(label, 15));
      bp_free(label);
    }
  }
  return fmin(fmax(MARKS + widest, MARGIN_LEAST), MARGIN_MOST);
}

/* How many times as fast as the fastest of the others bp is: the least and the most of a group's degrees. */
static void add_ratios(const bp_peers *peers, const bp_group *group, double *least, double *most)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  bp_series_set set = bp_series_of(group);
  int count = bp_peers_programs(peers, group, programs);
  for (int degree = set.first; degree <= set.last; ++degree) {
    double next = INFINITY;
    for (int n = 0; n < count; ++n) {
      const bp_peer *peer = bp_peers_find(peers, programs[n], set.best[degree]);
      next = fmin(next, peer ? bp_peer_ratio(peer, set.best[degree]) : INFINITY);
    }
    if (isfinite(next)) {
      *least = fmin(*least, next);
      *most = fmax(*most, next);
    }
  }
  bp_series_destroy(&set);
}

/* What the figure says, in a sentence. */
static char *headline_of(const bp_drawing *drawing, const bp_group *first)
{
  double least = INFINITY, most = 0;
  bp_number a, b;
  const bp_group *end = drawing->groups.groups + drawing->groups.count;
  for (const bp_group *group = first; group < end; ++group)
    if (belong(drawing, first, group))
      add_ratios(drawing->wishes->peers, group, &least, &most);
  if (most <= 0)
    return bp_strdup("bp beside other programs, under the copy roofline");
  return bp_format("bp is %s to %s times as fast as the fastest of the others",
                   bp_number_fixed(a, least, 1), bp_number_fixed(b, most, 1));
}

static void draw_head(const bp_group *group, const char *title, bp_text *svg)
{
  const bp_row *row = group->rows[0];
  bp_number number;
  char *where = bp_format(
      "%s, %s %s%s%s: %s per second", row->device,
      bp_number_grouped(number, group->same_elements ? row->elements : row->target_nodes),
      group->same_elements ? "elements" : bp_row_target_unit(row), *row->cache ? ", " : "",
      row->cache,
      is_in_bytes(row) ? "bytes that the operator must move," : "unknowns times iterations");
  bp_svg_text(svg, 12, 22, BP_SVG_START, "headline", title);
  bp_svg_fitted_text(svg, 12, 43, BP_SVG_START, "soft medium", where, 13, WIDTH - 24);
  bp_svg_text(svg, 12, 62, BP_SVG_START, "soft medium",
              "copy roofline: a copy of as many bytes; what is cached or only read can be faster");
  bp_free(where);
}

/* What a reader would object to if it were not said. Returns whether it is. */
static bool note_marked(const bp_group *const *members, int count, bp_text *svg)
{
  int marked = 0, rows = 0;
  for (int n = 0; n < count; ++n) {
    bp_series_set set = bp_series_of(members[n]);
    marked += bp_series_marked(&set, &rows);
    bp_series_destroy(&set);
  }
  char *note =
      bp_format("hollow: %d of bp's %d points are marked (throttled, disturbed or mostly overhead)",
                marked, rows);
  if (marked)
    bp_svg_text(svg, 12, HEAD + 7, BP_SVG_START, "soft medium", note);
  bp_free(note);
  return marked > 0;
}

static int by_problem(const void *a, const void *b)
{
  const bp_group *const *x = a, *const *y = b;
  int order = strcmp((*x)->problem, (*y)->problem);
  return order ? order : *x < *y ? -1 : *x > *y; /* groups lie in one array */
}

/* The groups of the figure by the names of their problems; free the result. */
static const bp_group **members_of(const bp_drawing *drawing, const bp_group *first, int *count)
{
  const bp_group *end = drawing->groups.groups + drawing->groups.count;
  const bp_group **members = bp_alloc((size_t)drawing->groups.count, sizeof(const bp_group *));
  *count = 0;
  for (const bp_group *group = first; group < end; ++group)
    if (belong(drawing, first, group))
      members[(*count)++] = group;
  qsort(members, (size_t)*count, sizeof(const bp_group *), by_problem);
  return members;
}

bool bp_peers_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *first = bp_drawing_find(drawing, belong, number);
  double top = HEAD;
  int count = 0;
  if (!first)
    return false;
  const bp_group **members = members_of(drawing, first, &count);
  bp_plot plot = bp_plot_begin(panel, WIDTH, 0, margin_of(drawing), NULL, NULL);
  char *headline =
      drawing->wishes->title ? bp_strdup(drawing->wishes->title) : headline_of(drawing, first);
  draw_head(first, headline, &panel->svg);
  bp_free(headline);
  top += note_marked(members, count, &panel->svg) ? LINE : 0;
  for (int n = 0; n < count; ++n) {
    problem *p = problem_of(drawing->wishes->peers, members[n]);
    draw_problem(p, plot, top, n == count - 1, drawing->wishes);
    problem_destroy(p);
    top += PLOT;
  }
  bp_free(members);
  panel->height = top + LAST_BOTTOM - BOTTOM;
  return true;
}
