/* figure_setup.c -- where set-up time went. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SETUP_WIDTH = 640, SETUP_HEIGHT = 270;

enum { PARTS = 3 };
static const char *const part_names[PARTS] = {"factors, on the host", "transfer to the device",
                                              "compilation"};

/* Seconds of the first `count` parts; 0 without a row. */
static double sum_of(const bp_row *row, int count)
{
  double sum = 0;
  BP_ASSERT(count <= PARTS);
  for (int p = 0; row && p < count; ++p) {
    double part = (double[]){row->setup_seconds, row->upload_seconds, row->compile_seconds}[p];
    sum += part > 0 ? part : 0;
  }
  return sum;
}

static double most_of(const bp_series_set *set)
{
  double most = 0;
  for (int degree = set->first; degree <= set->last; ++degree)
    most = fmax(most, sum_of(set->best[degree], PARTS));
  return most;
}

/* What comes before the first application is the same for hot and cold ones. */
static bool is_drawn_before(const bp_drawing *drawing, const bp_group *group)
{
  const bp_row *row = group->rows[0];
  for (const bp_group *g = drawing->groups.groups; g < group; ++g) {
    const bp_row *other = g->rows[0];
    if (strcmp(group->problem, g->problem) == 0 && strcmp(row->device, other->device) == 0 &&
        strcmp(row->backend, other->backend) == 0 && strcmp(row->mesh, other->mesh) == 0 &&
        row->target_nodes == other->target_nodes && strcmp(row->cache, other->cache) != 0)
      return true;
  }
  return false;
}

static bool has_setup(const bp_drawing *drawing, const bp_group *a, const bp_group *b)
{
  if (a != b || is_drawn_before(drawing, a))
    return false;
  bp_series_set set = bp_series_of(a);
  double most = most_of(&set);
  bp_series_destroy(&set);
  return most > 0;
}

/* "cube.msh read in 21 ms, connected in 8.3 ms"; of a mesh that was not read, what it is. */
static char *reading_of(const bp_record *record, const bp_group *group)
{
  const char *mesh = group->rows[0]->mesh;
  bp_number read, connect;
  for (int n = 0; n < record->meshes_count; ++n) {
    const bp_record_mesh *m = &record->meshes[n];
    if (strcmp(m->name, mesh) == 0 && isfinite(m->read_seconds))
      return bp_format("%s read in %s, connectivity built in %s", mesh,
                       bp_number_seconds(read, m->read_seconds, true),
                       bp_number_seconds(connect, m->connect_seconds, true));
  }
  return bp_figure_subtitle(group);
}

static void draw_part(const bp_plot *plot, const bp_row *row, int p)
{
  static const double widest = 60;
  double from = sum_of(row, p), to = sum_of(row, p + 1), top = bp_axis_at(&plot->y, to);
  double middle = bp_axis_at(&plot->x, row->degree);
  double width = fmin(2 * (bp_axis_at(&plot->x, row->degree + 0.35) - middle), widest);
  if (to <= from)
    return;
  char css[16];
  bp_number time;
  char *tip = bp_format("%s, N=%d: %s", part_names[p], row->degree,
                        bp_number_seconds(time, to - from, true));
  snprintf(css, sizeof css, "fill c%d", p);
  bp_svg_box(plot->svg, middle - 0.5 * width, top, width, bp_axis_at(&plot->y, from) - top, css,
             NULL, tip);
  bp_free(tip);
}

/* A kernel that would be compiled here, and was not: a bar without that part is no gap in the data. */
static bool was_cached(const bp_row *row)
{
  return row->compile_seconds == 0 && strcmp(row->backend, "cuda") == 0;
}

static const char cached[] = "kernel from the cache";

static void draw_cached(const bp_plot *plot, const bp_row *row)
{
  bp_svg_ring(plot->svg, bp_axis_at(&plot->x, row->degree),
              bp_axis_at(&plot->y, sum_of(row, PARTS)) - 9, "thin c2", cached);
}

/* All degrees' bars, and the names from the top in the order in which the parts lie on each other. */
static void draw_setup(bp_plot *plot, const bp_series_set *set)
{
  bool is_there[PARTS + 1] = {false};
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *row = set->best[degree];
    for (int p = 0; row && p < PARTS; ++p) {
      draw_part(plot, row, p);
      is_there[p] |= sum_of(row, p + 1) > sum_of(row, p);
    }
    if (row && was_cached(row))
      draw_cached(plot, row);
    is_there[PARTS] |= row && was_cached(row);
  }
  if (is_there[PARTS])
    bp_plot_add_name(plot, plot->y.high, "c2", BP_PLOT_RING, false, cached, NULL);
  for (int p = PARTS - 1; p >= 0; --p) {
    char color[8];
    if (is_there[p])
      bp_plot_add_name(plot, plot->y.high, bp_svg_color(color, p), 1, false, part_names[p], NULL);
  }
}

bool bp_setup_draw(const bp_drawing *drawing, int number, bp_panel *panel)
{
  const bp_group *group = bp_drawing_find(drawing, has_setup, number);
  if (!group)
    return false;
  bp_series_set set = bp_series_of(group);
  const bp_row *row = group->rows[0]; /* the cache mode makes no difference here */
  bp_plot plot = bp_plot_begin(panel, SETUP_WIDTH, SETUP_HEIGHT, 210,
                               bp_format("Set-up time of %s, %s", group->problem, row->device),
                               reading_of(drawing->record, group));
  plot.x = bp_curve_degrees(&set);
  plot.y = bp_axis_linear(0, 1.06 * most_of(&set), 5);
  bp_plot_frame(&plot, drawing->wishes, "polynomial degree N", "set-up, seconds");
  draw_setup(&plot, &set);
  bp_plot_end(&plot);
  bp_series_destroy(&set);
  return true;
}
