/* figure_setup.c -- where set-up time went: bars by degree, of parts on each other. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

enum { PARTS = 3 };
static const char *const part_names[PARTS] = {"factors, on the host", "transfer to the device",
                                              "compilation"};

/* Seconds of the first `count` parts; 0 without a row. */
static double sum_of(const bp_row *row, int count)
{
  double sum = 0;
  BP_ASSERT(count <= PARTS);
  for (int p = 0; row && p < count; ++p)
    sum += fmax(0, (double[]){row->setup_seconds, row->upload_seconds, row->compile_seconds}[p]);
  return sum;
}

static double most_of(const bp_group *group)
{
  double most = 0;
  bp_series_set set = bp_series_of(group);
  for (int degree = set.first; degree <= set.last; ++degree)
    most = fmax(most, sum_of(set.best[degree], PARTS));
  bp_series_destroy(&set);
  return most;
}

/* What comes before the first application is the same for hot and cold ones: the first of them is drawn. */
static bool belong(const bp_group *a, const bp_group *b)
{
  const bp_row *x = a->rows[0], *y = b->rows[0];
  return most_of(a) > 0 && strcmp(a->problem, b->problem) == 0 && strcmp(x->mesh, y->mesh) == 0 &&
         strcmp(x->device, y->device) == 0 && strcmp(x->backend, y->backend) == 0 &&
         x->target_nodes == y->target_nodes && (a == b || strcmp(x->cache, y->cache) != 0);
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

/* Bars as high as this part and those below it, which cover the lower end. */
static void add_part(bp_plot *plot, const bp_series_set *set, int part)
{
  bp_curve bars = {.role = BP_ROLE_FILL, .shape = 1, .is_in_legend = true};
  bars.color = bp_svg_color(part);
  for (int degree = set->first; degree <= set->last; ++degree) {
    const double sum = sum_of(set->best[degree], part + 1);
    bp_number time;
    if (sum > sum_of(set->best[degree], part))
      bp_curve_add(&bars, degree, sum, NULL,
                   bp_format("%s, N=%d: %s", part_names[part], degree,
                             bp_number_seconds(time, sum - sum_of(set->best[degree], part), true)));
  }
  bars.label = bars.count ? bp_strdup(part_names[part]) : NULL;
  bp_plot_add(plot, &bars);
}

/* A kernel that would be compiled here, and was not: a bar without that part is no gap in the data. */
static void add_cached(bp_plot *plot, const bp_series_set *set)
{
  static const char name[] = "kernel from the cache";
  bp_curve rings = {.color = BP_SERIES + 2, .is_hollow = true, .is_in_legend = true};
  for (int degree = set->first; degree <= set->last; ++degree) {
    const bp_row *row = set->best[degree];
    if (row && row->compile_seconds == 0 && strcmp(row->backend, "cuda") == 0)
      bp_curve_add(&rings, degree, sum_of(row, PARTS) + 0.05 * plot->y.high, NULL, bp_strdup(name));
  }
  rings.label = rings.count ? bp_strdup(name) : NULL;
  bp_plot_add(plot, &rings);
}

static void draw_panel(const bp_members *m, bp_panel *panel)
{
  bp_series_set set = bp_series_of(m->groups[0]);
  bp_plot plot = {.title = bp_format("Set-up time of %s, %s", m->groups[0]->problem,
                                     m->groups[0]->rows[0]->device),
                  .subtitle = reading_of(m->drawing->record, m->groups[0]),
                  .x_title = "polynomial degree N",
                  .y_title = "set-up, seconds",
                  .width = 640,
                  .height = 270,
                  .x = bp_figure_degrees(&set),
                  .y = bp_axis_linear(0, 1.06 * most_of(m->groups[0]), 5)};
  plot.legend = plot.y.high;
  add_cached(&plot, &set);
  for (int p = PARTS - 1; p >= 0; --p)
    add_part(&plot, &set, p);
  bp_plot_draw(&plot, panel);
  bp_series_destroy(&set);
}

void bp_setup_draw(const bp_drawing *drawing, bp_panels *panels)
{
  bp_drawing_panels(drawing, belong, draw_panel, panels);
}
