/* figure.c -- the table of figures, and putting their panels together. */
#include "report/figure.h"

#include "base/memory.h"
#include "fem/bake_off.h"
#include "fem/operator.h"
#include "report/number.h"
#include "report/sizes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GAP = 18, HEADLINE = 34;
enum { ONE_COLUMN_MOST = 6 }; /* more would be too long to look at */

const bp_figure bp_figures[BP_FIGURES] = {
    {"peers", "Beside other programs",
     "By degree: bp's fastest variant of each, other programs, and the copy timed beside bp's. "
     "Of operators the model's bytes over the time, of solves unknowns and iterations.",
     bp_peers_draw},
    {"sizes", "Rate by size",
     "DOFs per second over the number of DOFs, unique ones, one line per degree; a square: the "
     "size that reaches half of the highest rate, n\xc2\xbd, of a solve 80 %, n0.8.",
     bp_sizes_draw},
    {"scaling", "Scaling over ranks",
     "The rate over the number of ranks: of the same mesh (strong), or of as many DOFs on each "
     "(weak, per rank); dashed, what ranks would reach that lose nothing. The efficiency is the "
     "rate per rank over that of the fewest ranks.",
     bp_scaling_draw},
    {"ladder", "The ladder, rung by rung",
     "One degree; each bar is a rung, with the factor it gained over the rung before. The line "
     "is the roofline.",
     bp_ladder_draw},
    {"gflops", "Rate by degree",
     "GFLOPS, of solves GDOF/s, one line per variant; the thick line is the roofline, what would"
     " be reached if the model's bytes moved as fast as the copy timed in the same rounds; "
     "dashed: peaks of arithmetic. Beyond six variants the slower ones are grey.",
     bp_gflops_draw},
    {"heatmap", "Per cent of the copy roofline",
     "100: as fast as a copy of the model's bytes; for every degree and variant, or problem "
     "where the best of each degree was run; framed: the fastest of its degree; empty: not run; "
     "a dash: skipped; a cross: the result was wrong. Reading is faster than copying, so more "
     "than 100 can be.",
     bp_heatmap_draw},
    {"roofline", "Roofline",
     "Both axes logarithmic. Pale: what each row's flops would reach at the speed of its own "
     "copy, of as many bytes in the same cache mode; dashed: peaks. Each point is the fastest "
     "variant of one degree.",
     bp_roofline_draw},
    {"residuals", "Residual by time",
     "Of solves that end at a tolerance: the residual, of the first, over the time of the "
     "iterations, which is the median of whole solves shared evenly. Set-up is not in it.",
     bp_residuals_draw},
    {"setup", "Set-up time",
     "Seconds before the first application, per degree: factors on the host, transfer to the "
     "device, compilation; a ring: the kernel was in the cache, compiled before.",
     bp_setup_draw},
};

const char *const bp_figure_names[BP_FIGURES + 1] = {"peers",  "sizes",   "scaling",  "ladder",
                                                     "gflops", "heatmap", "roofline", "residuals",
                                                     "setup",  NULL};

const bp_figure *bp_figure_find(const char *name)
{
  for (int n = 0; n < BP_FIGURES; ++n)
    if (strcmp(name, bp_figures[n].name) == 0)
      return &bp_figures[n];
  return NULL;
}

static int64_t size_of(const bp_group *group)
{
  int64_t most = 0;
  for (int64_t n = 0; n < group->count; ++n)
    most = group->rows[n]->nodes > most ? group->rows[n]->nodes : most;
  return most;
}

/* Three sizes or more are a figure of their own, and one of each by degree would be too many. */
static bool is_passed_over(const bp_groups *all, int64_t number)
{
  const bp_group *group = &all->groups[number];
  int sizes = 1;
  bool is_largest = true;
  for (int64_t g = 0; g < all->count; ++g) {
    const bp_group *other = &all->groups[g];
    if (g == number || !bp_row_is_beside(other->rows[0], group->rows[0], BP_SAME_PROBLEM))
      continue;
    ++sizes;
    is_largest &= size_of(other) <= size_of(group);
  }
  return sizes >= BP_SIZES_LEAST && !is_largest;
}

/* Problems in their order; groups of one stay in that of the record, where their rows lie. */
static int by_problem(const void *a, const void *b)
{
  const bp_group *x = a, *y = b;
  const int order = strcmp(x->rows[0]->problem, y->rows[0]->problem);
  return order ? order : x->rows[0] < y->rows[0] ? -1 : x->rows[0] > y->rows[0];
}

bp_drawing bp_drawing_of(const bp_record *record, const bp_wishes *wishes)
{
  bp_drawing drawing = {.record = record, .wishes = wishes, .all = bp_groups_of(record)};
  if (drawing.all.count)
    qsort(drawing.all.groups, (size_t)drawing.all.count, sizeof *drawing.all.groups, by_problem);
  drawing.groups.groups = bp_alloc((size_t)drawing.all.count, sizeof *drawing.groups.groups);
  for (int64_t g = 0; g < drawing.all.count; ++g)
    if (!is_passed_over(&drawing.all, g))
      drawing.groups.groups[drawing.groups.count++] = drawing.all.groups[g];
  return drawing;
}

void bp_drawing_destroy(bp_drawing *drawing)
{
  bp_groups_destroy(&drawing->all);
  bp_free(drawing->groups.groups);
}

void bp_drawing_panels(const bp_drawing *drawing, bp_belong *belong, bp_draw_panel *draw,
                       bp_panels *panels)
{
  const bp_groups *groups = &drawing->groups;
  bp_members m = {drawing, bp_alloc((size_t)groups->count, sizeof(const bp_group *)), 0};
  for (int64_t g = 0; g < groups->count; ++g) {
    const bp_group *first = &groups->groups[g];
    bool begins = belong(first, first);
    m.count = 0;
    for (int64_t n = 0; begins && n < groups->count; ++n)
      if (belong(first, &groups->groups[n])) {
        begins = n >= g;
        m.groups[m.count++] = &groups->groups[n];
      }
    if (begins)
      draw(&m, bp_panels_add(panels));
  }
  bp_free(m.groups);
}

bp_panel *bp_panels_add(bp_panels *panels)
{
  panels->panels = bp_realloc(panels->panels, (size_t)panels->count + 1, sizeof *panels->panels);
  panels->panels[panels->count] = (bp_panel){0};
  return &panels->panels[panels->count++];
}

bp_panels bp_figure_panels(const bp_figure *figure, const bp_drawing *drawing)
{
  bp_panels drawn = {0};
  figure->draw(drawing, &drawn);
  return drawn;
}

void bp_panels_destroy(bp_panels *panels)
{
  for (int n = 0; n < panels->count; ++n)
    bp_text_destroy(&panels->panels[n].svg);
  bp_free(panels->panels);
}

const bp_figure *bp_figure_usual(const bp_record *record)
{
  static const char *const sweeps[] = {"sizes", "scaling"};
  const bp_figure *usual = NULL;
  bp_drawing drawing = bp_drawing_of(record, &(bp_wishes){0});
  for (size_t n = 0; n < sizeof sweeps / sizeof *sweeps && !usual; ++n) {
    const bp_figure *figure = bp_figure_find(sweeps[n]);
    bp_panels panels = bp_figure_panels(figure, &drawing);
    usual = panels.count ? figure : NULL;
    bp_panels_destroy(&panels);
  }
  bp_drawing_destroy(&drawing);
  return usual ? usual : bp_figure_find("gflops");
}

void bp_panel_place(bp_panel *panel, const bp_panel *part, double x, double y)
{
  bp_svg_open(&panel->svg, x, y);
  bp_text_append(&panel->svg, part->svg.data);
  bp_svg_close(&panel->svg);
  panel->width = fmax(panel->width, x + part->width);
  panel->height = fmax(panel->height, y + part->height);
}

/* In one column, or two. */
static bp_panel put_together(const bp_panels *drawn, double y)
{
  bp_panel all = {0};
  int columns = drawn->count > ONE_COLUMN_MOST ? 2 : 1;
  for (int n = 0; n < drawn->count; n += columns) {
    double x = 0;
    for (int m = n; m < n + columns && m < drawn->count; ++m) {
      bp_panel_place(&all, &drawn->panels[m], x, y);
      x += drawn->panels[m].width + GAP;
    }
    y = all.height + GAP;
  }
  return all;
}

bp_status bp_figure_file(const bp_figure *figure, const bp_record *record, const bp_wishes *wishes,
                         bp_text *svg)
{
  bp_drawing drawing = bp_drawing_of(record, wishes);
  bp_panels panels = bp_figure_panels(figure, &drawing);
  bp_status status = BP_OK;
  bool has_headline = figure->draw != bp_peers_draw; /* which has its own */
  const char *headline = wishes->title ? wishes->title : figure->title;
  bp_panel all = put_together(&panels, has_headline ? HEADLINE : 0);
  if (panels.count == 0) {
    status = bp_fail(BP_BAD_INPUT, "figure '%s': expected rows to draw, found none", figure->name);
  } else {
    bp_svg_begin(svg, all.width, all.height, headline, true);
    if (has_headline)
      bp_svg_text(svg, 12, 24, BP_SVG_START, BP_LETTERS_HEADLINE, BP_INK, headline);
    bp_text_append(svg, all.svg.data);
    bp_svg_end(svg);
  }
  bp_text_destroy(&all.svg);
  bp_panels_destroy(&panels);
  bp_drawing_destroy(&drawing);
  return status;
}

/* ---- what figures share ---- */

char *bp_figure_problem(const char *name)
{
  const bp_operator *op = bp_operator_find(name);
  const bp_bake_off *solve = bp_bake_off_find(name);
  const char *title = op ? op->title : solve ? solve->title : "";
  return bp_format("%s%s%s", name, *title ? ": " : "", title);
}

char *bp_figure_machine(const bp_row *row)
{
  return bp_format("%s%s%s", row->device, *row->cache ? ", " : "", row->cache);
}

char *bp_figure_title(const bp_group *group)
{
  char *machine = bp_figure_machine(group->rows[0]);
  char *title = bp_format("%s, %s", group->problem, machine);
  bp_free(machine);
  return title;
}

char *bp_figure_subtitle(const bp_group *group)
{
  const bp_row *row = group->rows[0];
  bp_number number;
  bp_text text = {0};
  if (row->target_nodes >= 0)
    bp_text_appendf(&text, "about %s %s", bp_number_grouped(number, row->target_nodes),
                    bp_row_target_unit(row));
  else
    bp_text_append(&text, row->mesh);
  bool is_counted =
      row->target_nodes < 0 && atoll(row->mesh) == row->elements; /* "100 triangles" */
  if (group->same_elements && !is_counted)
    bp_text_appendf(&text, "%s%s element%s", text.length ? ", " : "",
                    bp_number_grouped(number, row->elements), row->elements == 1 ? "" : "s");
  bp_text_appendf(&text, ", backend %s", row->backend);
  return text.data;
}

bp_axis bp_figure_degrees(const bp_series_set *set)
{
  bp_axis axis = bp_axis_whole(set->first, set->last, 16);
  int kept = 0;
  for (int n = 0; n < axis.ticks_count; ++n)
    if (bp_series_has_degree(set, (int)axis.ticks[n]))
      axis.ticks[kept++] = axis.ticks[n];
  axis.ticks_count = kept;
  return axis;
}

void bp_figure_by_degree(bp_curve *curve, const bp_series_set *set, const bp_row *const *rows,
                         double (*value)(const bp_row *row))
{
  for (int degree = set->first; degree <= set->last; ++degree)
    if (bp_series_has_degree(set, degree))
      bp_curve_add(curve, degree, rows[degree] ? value(rows[degree]) : NAN, rows[degree], NULL);
}
