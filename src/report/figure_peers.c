/* figure_peers.c -- bp beside its peers under the roofline, by degree: one picture for all problems. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

static const double WIDTH = 720, HEAD = 84, LINE = 19, PLOT = 190, X_TITLE = 26;

/* Of groups alone nothing is known of peers; those without any are left out below. */
static bool belong(const bp_group *a, const bp_group *b)
{
  return bp_row_is_beside(a->rows[0], b->rows[0], BP_SAME_MESH);
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

/* What the head says of all problems. */
typedef struct {
  double least, most; /* how many times as fast as the fastest of the others bp is */
  int marked, rows;   /* of bp's points */
} summary;

/* ---- one problem ---- */

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

/* A leader from where a line ends before the others do would cross them. */
static void add_curve(bp_plot *plot, bp_curve *curve)
{
  curve->is_led = isfinite(curve->points[curve->count - 1].y);
  bp_plot_add(plot, curve);
}

static void add_program(bp_plot *plot, const bp_peers *peers, const bp_peer *program,
                        const bp_series_set *set, const bp_row *any)
{
  static const bp_role roles[] = {BP_ROLE_PATH, BP_ROLE_LONG, BP_ROLE_DOTS, BP_ROLE_DASH};
  const int number = number_of(peers, program);
  bp_curve curve = {.role = roles[(size_t)number % (sizeof roles / sizeof *roles)],
                    .shape = number,
                    .label = bp_peer_label(peers, program, any)};
  curve.color = bp_svg_color(1 + (number - 1) % (BP_SVG_COLORS - 1)); /* the first one is bp's */
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *best = set->best[degree];
    const bp_peer *peer = bp_peers_find(peers, program, best);
    bp_number time, ratio;
    if (!bp_series_has_degree(set, degree))
      continue;
    if (peer)
      bp_curve_add(&curve, degree, rate_of(best) / bp_peer_ratio(peer, best), NULL,
                   bp_format("%s N=%d: %s, bp %s times as fast", curve.label, degree,
                             bp_number_seconds(time, peer->seconds, true),
                             bp_number_fixed(ratio, bp_peer_ratio(peer, best), 2)));
    else
      bp_curve_add(&curve, degree, NAN, NULL, NULL);
  }
  add_curve(plot, &curve);
}

static void add_own(bp_plot *plot, const bp_series_set *set)
{
  bp_curve roofline = {.role = BP_ROLE_PATH,
                       .color = BP_INK,
                       .shape = BP_PLOT_LINE,
                       .bridges = true,
                       .label = bp_strdup("copy roofline")};
  bp_curve own = {.role = BP_ROLE_BOLD,
                  .color = BP_SERIES,
                  .bridges = true,
                  .label = bp_strdup("bp"),
                  .is_strong = true};
  bp_figure_by_degree(&roofline, set, set->best, roofline_of);
  bp_figure_by_degree(&own, set, set->best, rate_of);
  add_curve(plot, &roofline);
  add_curve(plot, &own);
}

static void summarise(summary *s, const bp_peers *peers, const bp_peer *const *programs, int count,
                      const bp_series_set *set)
{
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *best = set->best[degree];
    double next = INFINITY;
    for (int n = 0; n < count; ++n) {
      const bp_peer *peer = bp_peers_find(peers, programs[n], best);
      next = fmin(next, peer ? bp_peer_ratio(peer, best) : INFINITY);
    }
    s->rows += best != NULL;
    s->marked += best && bp_row_is_marked(best);
    s->least = fmin(s->least, next);
    s->most = isfinite(next) ? fmax(s->most, next) : s->most;
  }
}

/* What can be reached is shaded: all under the roofline. */
static bp_plot plot_of(const bp_peers *peers, const bp_group *group, summary *s)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  const int count = bp_peers_programs(peers, group, programs);
  bp_series_set set = bp_series_of(group);
  bp_plot plot = {.title = bp_figure_problem(group->rows[0]->problem),
                  .y_title = is_in_bytes(group->rows[0]) ? "GB/s" : "GDOF/s",
                  .width = WIDTH,
                  .height = PLOT,
                  .is_large = true,
                  .has_note = true,
                  .x = bp_figure_degrees(&set)};
  bp_curve *area = bp_plot_add(
      &plot,
      &(bp_curve){.role = BP_ROLE_TINT, .color = BP_INK, .shape = BP_PLOT_LINE, .bridges = true});
  bp_figure_by_degree(area, &set, set.best, roofline_of);
  for (int n = count - 1; n >= 0; --n)
    add_program(&plot, peers, programs[n], &set, group->rows[0]);
  add_own(&plot, &set);
  plot.y = bp_axis_linear(0, bp_plot_range(&plot, true).high, 4);
  summarise(s, peers, programs, count, &set);
  bp_series_destroy(&set);
  return plot;
}

/* ---- all of them ---- */

/* What the figure says, in a sentence; where and of what; and what a reader would object to otherwise. */
static void draw_head(const bp_drawing *drawing, const bp_group *group, const summary *s,
                      bp_text *svg)
{
  const bp_row *row = group->rows[0];
  bp_number number, least, most;
  char *headline =
      drawing->wishes->title ? bp_strdup(drawing->wishes->title)
      : s->most > 0
          ? bp_format("bp is %s to %s times as fast as the fastest of the others",
                      bp_number_fixed(least, s->least, 1), bp_number_fixed(most, s->most, 1))
          : bp_strdup("bp beside other programs, under the copy roofline");
  char *where = bp_format(
      "%s, %s %s%s%s: %s per second", row->device,
      bp_number_grouped(number, group->same_elements ? row->elements : row->target_nodes),
      group->same_elements ? "elements" : bp_row_target_unit(row), *row->cache ? ", " : "",
      row->cache,
      is_in_bytes(row) ? "bytes that the operator must move," : "unknowns times iterations");
  char *note =
      bp_format("hollow: %d of bp's %d points are marked (throttled, disturbed or mostly overhead)",
                s->marked, s->rows);
  bp_svg_text(svg, 12, 22, BP_SVG_START, BP_LETTERS_HEADLINE, BP_INK, headline);
  bp_svg_fitted_text(svg, 12, 43, BP_SVG_START, BP_LETTERS_MEDIUM, BP_SOFT, where, 13, WIDTH - 24);
  bp_svg_text(svg, 12, 62, BP_SVG_START, BP_LETTERS_MEDIUM, BP_SOFT,
              "copy roofline: a copy of as many bytes; what is cached or only read can be faster");
  if (s->marked)
    bp_svg_text(svg, 12, 62 + LINE, BP_SVG_START, BP_LETTERS_MEDIUM, BP_SOFT, note);
  bp_free(note);
  bp_free(where);
  bp_free(headline);
}

static void draw_panel(const bp_members *m, bp_panel *panel)
{
  summary s = {.least = INFINITY};
  double margin = 0;
  bp_plot *plots = bp_alloc((size_t)m->count, sizeof *plots);
  for (int n = 0; n < m->count; ++n) {
    plots[n] = plot_of(m->drawing->wishes->peers, m->groups[n], &s);
    margin = fmax(margin, bp_plot_margin(&plots[n]));
  }
  draw_head(m->drawing, m->groups[0], &s, &panel->svg);
  for (int n = 0; n < m->count; ++n) {
    bp_panel one = {0};
    plots[n].margin = margin;
    plots[n].x_title = n == m->count - 1 ? "polynomial degree N" : NULL;
    plots[n].height += n == m->count - 1 ? X_TITLE : 0;
    bp_plot_draw(&plots[n], &one);
    bp_panel_place(panel, &one, 0, HEAD - LINE + (s.marked ? LINE : 0) + PLOT * n);
    bp_text_destroy(&one.svg);
  }
  bp_free(plots);
}

void bp_peers_draw(const bp_drawing *drawing, bp_panels *panels)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  bp_drawing beside = *drawing;
  beside.groups = (bp_groups){bp_alloc((size_t)drawing->groups.count, sizeof(bp_group)), 0};
  for (int64_t g = 0; g < drawing->groups.count; ++g)
    if (bp_peers_programs(drawing->wishes->peers, &drawing->groups.groups[g], programs))
      beside.groups.groups[beside.groups.count++] = drawing->groups.groups[g];
  bp_drawing_panels(&beside, belong, draw_panel, panels);
  bp_free(beside.groups.groups);
}
