/* figure_peers.c -- bp beside its peers under the roofline, by degree: one picture for all problems. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

/* Letters are large: half as wide, on a narrow screen, they are still read. */
static const double WIDTH = 720, HEAD = 56, PLOT = 196, BOTTOM = 34, LAST_BOTTOM = 50, MARKS = 44,
                    MARGIN_LEAST = 160, MARGIN_MOST = 250;

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

/* ---- one problem ---- */

typedef struct {
  const bp_group *group;
  bp_series_set set;
  bp_curve roofline, own, others[BP_PEERS_PROGRAMS];
  char *labels[BP_PEERS_PROGRAMS]; /* of the others */
  int count;
} problem;

static bp_curve curve_of(const bp_peers *peers, const bp_peer *program, const bp_series_set *set,
                         int shape)
{
  bp_curve curve = {.role = "path", .color = "grey", .shape = shape, .letters = "soft large"};
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *best = set->best[degree];
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
  bp_curve_by_degree(&p->roofline, p->set.best, p->set.first, p->set.last, roofline_of);
  bp_curve_by_degree(&p->own, p->set.best, p->set.first, p->set.last, rate_of);
  p->count = bp_peers_programs(peers, group, programs);
  for (int n = 0; n < p->count; ++n) {
    p->others[n] = curve_of(peers, programs[n], &p->set, n + 1);
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

static const char *problem_title(const char *name)
{
  static const char *const titles[][2] = {
      {"bp1.0", "BP1.0: mass"},
      {"bp3.0", "BP3.0: stiffness and mass, Gauss points"},
      {"bp3.5", "BP3.5: stiffness and mass, at the nodes"},
      {"bp1", "BP1: solve with the mass matrix"},
      {"bp2", "BP2: BP1 of three components"},
      {"bp3", "BP3: Poisson, Gauss points"},
      {"bp4", "BP4: BP3 of three components"},
      {"bp5", "BP5: Poisson, points at the nodes"},
      {"bp6", "BP6: BP5 of three components"},
  };
  for (size_t n = 0; n < sizeof titles / sizeof *titles; ++n)
    if (strcmp(name, titles[n][0]) == 0)
      return titles[n][1];
  return name;
}

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
  plot.x = bp_axis_whole(p->set.first, p->set.last, 16);
  plot.y = bp_axis_linear(0, most, 4);
  bp_plot_frame(&plot, wishes, is_last ? "polynomial degree N" : "",
                is_in_bytes(p->group->rows[0]) ? "GB/s" : "GDOF/s");
  bp_svg_text(plot.svg, plot.left, top + 18, BP_SVG_START, "strong",
              problem_title(p->group->rows[0]->problem));
  draw_area(&plot, &p->roofline);
  for (int n = p->count - 1; n >= 0; --n)
    draw_named(&plot, &p->others[n], p->labels[n]);
  bp_curve_draw(&plot, &p->roofline, "copy roofline", true);
  draw_named(&plot, &p->own, "bp");
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
      group->same_elements ? "elements" : "nodes", *row->cache ? ", " : "", row->cache,
      is_in_bytes(row) ? "bytes that the operator must move," : "unknowns and iterations");
  bp_svg_text(svg, 12, 22, BP_SVG_START, "headline", title);
  bp_svg_fitted_text(svg, 12, 43, "soft medium", where, 13, WIDTH - 24);
  bp_free(where);
}

bool bp_peers_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *first = bp_drawing_find(drawing, belong, number);
  const bp_group *last = first, *end = drawing->groups.groups + drawing->groups.count;
  double top = HEAD;
  if (!first)
    return false;
  for (const bp_group *group = first; group < end; ++group)
    last = belong(drawing, first, group) ? group : last;
  bp_plot plot = bp_plot_begin(panel, WIDTH, 0, margin_of(drawing), NULL, NULL);
  char *headline =
      drawing->wishes->title ? bp_strdup(drawing->wishes->title) : headline_of(drawing, first);
  draw_head(first, headline, &panel->svg);
  bp_free(headline);
  for (const bp_group *group = first; group <= last; ++group) {
    if (!belong(drawing, first, group))
      continue;
    problem *p = problem_of(drawing->wishes->peers, group);
    draw_problem(p, plot, top, group == last, drawing->wishes);
    problem_destroy(p);
    top += PLOT;
  }
  panel->height = top + LAST_BOTTOM - BOTTOM;
  return true;
}
