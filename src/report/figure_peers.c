/* figure_peers.c -- bp beside its peers under the roofline, by degree: one picture for all problems. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/plot.h"
#include "report/series.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Letters are large: half as wide, on a narrow screen, they are still read. */
static const double WIDTH = 720, HEAD = 56, PLOT = 196, BOTTOM = 34, LAST_BOTTOM = 50, MARKS = 44,
                    MARGIN_LEAST = 160, MARGIN_MOST = 250;

static bool has_peers(const bp_drawing *drawing, const bp_group *group)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  return drawing->wishes->peers && bp_peers_programs(drawing->wishes->peers, group, programs) > 0;
}

static bool begins_panel(const bp_drawing *drawing, int64_t group)
{
  const bp_group *groups = drawing->groups.groups;
  if (!has_peers(drawing, &groups[group]))
    return false;
  for (int64_t g = 0; g < group; ++g)
    if (has_peers(drawing, &groups[g]) &&
        bp_figure_is_together(groups[g].rows[0], groups[group].rows[0]))
      return false;
  return true;
}

int bp_peers_panels(const bp_drawing *drawing)
{
  int panels = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g)
    panels += begins_panel(drawing, g);
  return panels;
}

static const bp_row *first_row(const bp_drawing *drawing, int panel)
{
  int64_t g = 0;
  while (!begins_panel(drawing, g) || panel-- > 0)
    ++g;
  return drawing->groups.groups[g].rows[0];
}

/* The panel's groups, at most `most`; returns how many. */
static int groups_of(const bp_drawing *drawing, int panel, const bp_group **groups, int most)
{
  const bp_row *first = first_row(drawing, panel);
  int count = 0;
  for (int64_t g = 0; g < drawing->groups.count && count < most; ++g) {
    const bp_group *group = &drawing->groups.groups[g];
    if (has_peers(drawing, group) && bp_figure_is_together(group->rows[0], first))
      groups[count++] = group;
  }
  return count;
}

enum { GROUPS_MAX = 16 };

bp_size bp_peers_size(const bp_drawing *drawing, int panel)
{
  const bp_group *groups[GROUPS_MAX];
  int count = groups_of(drawing, panel, groups, GROUPS_MAX);
  return (bp_size){WIDTH, HEAD + PLOT * count + LAST_BOTTOM - BOTTOM};
}

/* GB/s of the model; GDOF/s of a problem that has no model. */
static double rate_of(const bp_row *row)
{
  return row->bytes > 0 ? bp_row_gbytes_per_second(row) : bp_row_gdofs_per_second(row);
}

static double roofline_of(const bp_row *row)
{
  return row->bytes > 0 ? bp_row_copy_gbytes_per_second(row) : NAN;
}

/* ---- one problem ---- */

typedef struct {
  const bp_peers *peers;
  const bp_peer *program; /* NULL: bp itself */
  bool is_roofline;
} line;

static double value_of(const line *l, const bp_row *best)
{
  if (!best || l->is_roofline || !l->program)
    return !best ? NAN : l->is_roofline ? roofline_of(best) : rate_of(best);
  const bp_peer *peer = bp_peers_find(l->peers, l->program, best);
  return peer ? rate_of(best) / bp_peer_ratio(peer, best) : NAN;
}

/* Returns the value at the last degree drawn, NaN where there was none. */
static double draw_path(const bp_plot *plot, const bp_series_set *set, const line *l,
                        const char *css)
{
  double last = NAN;
  bool is_first = true;
  bp_svg_path_begin(plot->svg, css);
  for (int degree = set->first; degree <= set->last; ++degree) {
    double value = value_of(l, set->best[degree]);
    if (isfinite(value)) {
      bp_svg_path_to(plot->svg, is_first, bp_axis_at(&plot->x, degree),
                     bp_axis_at(&plot->y, value));
      last = value;
    }
    is_first = !isfinite(value);
  }
  bp_svg_path_end(plot->svg, NULL);
  return last;
}

static char *tip_of(const line *l, const bp_row *best, const char *label)
{
  bp_number time, ratio;
  if (!l->program)
    return bp_figure_tip(best);
  const bp_peer *peer = bp_peers_find(l->peers, l->program, best);
  return bp_format("%s N=%d: %s, bp %s times as fast", label, best->degree,
                   bp_number_seconds(time, peer->seconds, true),
                   bp_number_fixed(ratio, bp_peer_ratio(peer, best), 2));
}

static void draw_marks(const bp_plot *plot, const bp_series_set *set, const line *l, int shape,
                       const char *color, const char *label)
{
  for (int degree = set->first; degree <= set->last; ++degree) {
    double value = value_of(l, set->best[degree]);
    if (!isfinite(value))
      continue;
    char *tip = tip_of(l, set->best[degree], label);
    bp_svg_marker(plot->svg, bp_axis_at(&plot->x, degree), bp_axis_at(&plot->y, value), shape,
                  color, tip);
    bp_free(tip);
  }
}

/* What can be reached: all under the roofline. */
static void draw_area(const bp_plot *plot, const bp_series_set *set)
{
  const line roofline = {.is_roofline = true};
  double first = NAN, last = NAN;
  bp_svg_path_begin(plot->svg, "tint ink");
  for (int degree = set->first; degree <= set->last; ++degree) {
    double value = value_of(&roofline, set->best[degree]), x = bp_axis_at(&plot->x, degree);
    if (!isfinite(value))
      continue;
    if (isnan(first))
      bp_svg_path_to(plot->svg, true, first = x, plot->bottom);
    bp_svg_path_to(plot->svg, false, last = x, bp_axis_at(&plot->y, value));
  }
  if (isfinite(first))
    bp_svg_path_to(plot->svg, false, last, plot->bottom);
  bp_svg_path_end(plot->svg, NULL);
}

/* Not where the line ends before the others do: from there a leader would cross them. */
static bool reaches_end(const bp_series_set *set, const line *l)
{
  return isfinite(value_of(l, set->best[set->last]));
}

static void draw_lines(bp_plot *plot, const bp_peers *peers, const bp_group *group,
                       const bp_series_set *set)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  int count = bp_peers_programs(peers, group, programs);
  line roofline = {.is_roofline = true}, own = {0};
  draw_area(plot, set);
  for (int p = count - 1; p >= 0; --p) {
    line l = {.peers = peers, .program = programs[p]};
    char *label = bp_peer_label(peers, programs[p], group->rows[0]);
    double last = draw_path(plot, set, &l, "path grey");
    draw_marks(plot, set, &l, p + 1, "grey", label);
    bp_plot_add_name(plot, last, "grey", p + 1, reaches_end(set, &l), label);
    bp_plot_style_name(plot, "soft large");
    bp_free(label);
  }
  double last = draw_path(plot, set, &roofline, "path ink");
  if (isfinite(last))
    bp_plot_add_name(plot, last, "ink", BP_PLOT_LINE, true, "copy roofline");
  last = draw_path(plot, set, &own, "bold c0");
  draw_marks(plot, set, &own, 0, "c0", "bp");
  if (isfinite(last))
    bp_plot_add_name(plot, last, "c0", 0, reaches_end(set, &own), "bp");
  bp_plot_style_name(plot, "strong c0");
}

static double largest(const bp_peers *peers, const bp_group *group, const bp_series_set *set)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  int count = bp_peers_programs(peers, group, programs);
  double most = 0;
  for (int degree = set->first; degree <= set->last; ++degree)
    for (int p = -2; p < count; ++p) {
      line l = {.peers = peers, .program = p < 0 ? NULL : programs[p], .is_roofline = p == -2};
      most = fmax(most, value_of(&l, set->best[degree])); /* NaN is passed over */
    }
  return most;
}

static const char *problem_title(const char *problem)
{
  static const char *const titles[][2] = {
      {"bp1.0", "BP1.0: mass"},
      {"bp3.0", "BP3.0: stiffness and mass, Gauss points"},
      {"bp3.5", "BP3.5: stiffness and mass, at the nodes"},
  };
  for (size_t n = 0; n < sizeof titles / sizeof *titles; ++n)
    if (strcmp(problem, titles[n][0]) == 0)
      return titles[n][1];
  return problem;
}

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

static void draw_problem(const bp_drawing *drawing, const bp_group *group, double top, bool is_last,
                         bp_text *svg)
{
  bp_series_set set = bp_series_of(group);
  bp_plot plot = bp_plot_begin(svg, WIDTH, top + PLOT + (is_last ? LAST_BOTTOM - BOTTOM : 0),
                               margin_of(drawing));
  double most = largest(drawing->wishes->peers, group, &set);
  plot.letters = "large";
  plot.top = top + 30;
  plot.bottom = top + PLOT - BOTTOM;
  plot.x = bp_axis_whole(set.first, set.last, 16);
  plot.y = bp_axis_linear(0, most, 4);
  bp_plot_wish(&plot, &drawing->wishes->x, &drawing->wishes->y);
  bp_plot_frame(&plot, is_last ? "polynomial degree N" : "",
                group->rows[0]->bytes > 0 ? "GB/s" : "GDOF/s");
  bp_svg_text(svg, plot.left, top + 18, BP_SVG_START, "strong",
              problem_title(group->rows[0]->problem));
  draw_lines(&plot, drawing->wishes->peers, group, &set);
  bp_plot_end(&plot);
  bp_series_destroy(&set);
}

void bp_peers_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  const bp_group *groups[GROUPS_MAX];
  int count = groups_of(drawing, panel, groups, GROUPS_MAX);
  const bp_row *row = groups[0]->rows[0];
  bp_number number;
  bool same = groups[0]->same_elements;
  char *where =
      bp_format("%s, %s %s%s%s: bytes that the operator must move, per second", row->device,
                bp_number_grouped(number, same ? row->elements : row->target_nodes),
                same ? "elements" : "nodes", *row->cache ? ", " : "", row->cache);
  char *fitted = bp_svg_fitted(where, 13, WIDTH - 24);
  bp_svg_text(svg, 12, 22, BP_SVG_START, "headline",
              drawing->wishes->title ? drawing->wishes->title
                                     : "bp beside other programs, under the copy roofline");
  bp_svg_text(svg, 12, 43, BP_SVG_START, "soft medium", fitted);
  for (int n = 0; n < count; ++n)
    draw_problem(drawing, groups[n], HEAD + PLOT * n, n == count - 1, svg);
  bp_free(where);
  bp_free(fitted);
}
