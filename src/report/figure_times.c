/* figure_times.c -- how the samples of a row are distributed, and where set-up time went. */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/plot.h"
#include "report/series.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 560, HEIGHT = 320, LEAST_MARGIN = 24, NAMES_MARGIN = 150;
enum { BINS_LEAST = 8, BINS_MOST = 40, SAMPLES_LEAST = 10 };

/* The fastest row of a middling degree, if its samples are there. */
static const bp_row *typical_row(const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  const bp_row *row = set.best[bp_series_typical_degree(&set)];
  bp_series_destroy(&set);
  return row && row->seconds.samples && row->seconds.statistics.count >= SAMPLES_LEAST ? row : NULL;
}

static const bp_group *find_group(const bp_drawing *drawing, bool (*is_drawn)(const bp_group *),
                                  int wanted, int *count)
{
  int number = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g)
    if (is_drawn(&drawing->groups.groups[g]) && number++ == wanted)
      return &drawing->groups.groups[g];
  *count = number;
  return NULL;
}

static bool has_typical_row(const bp_group *group)
{
  return typical_row(group) != NULL;
}

int bp_times_panels(const bp_drawing *drawing)
{
  int count = 0;
  find_group(drawing, has_typical_row, -1, &count);
  return count;
}

bp_size bp_times_size(const bp_drawing *drawing, int panel)
{
  (void)drawing;
  (void)panel;
  return (bp_size){WIDTH, HEIGHT};
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value that 98 % of the samples do not exceed: the few beyond would squeeze all others. */
static double most_of(const bp_row *row)
{
  int64_t count = row->seconds.statistics.count;
  double *sorted = bp_alloc((size_t)count, sizeof *sorted);
  memcpy(sorted, row->seconds.samples, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  double most = sorted[(count - 1) * 98 / 100];
  bp_free(sorted);
  return most;
}

/* The bin of a sample: the outer ones take what lies beyond. */
static int bin_of(double sample, double low, double high, int count)
{
  double at = count * (sample - low) / (high - low);
  return at >= count ? count - 1 : at > 0 ? (int)at : 0;
}

void bp_times_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  int unused, bins[BINS_MOST] = {0}, most_in_bin = 0;
  const bp_group *group = find_group(drawing, has_typical_row, panel, &unused);
  const bp_row *row = typical_row(group);
  const bp_statistics *s = &row->seconds.statistics;
  double unit = s->median < 1e-3 ? 1e6 : s->median < 1 ? 1e3 : 1;
  const char *unit_name = unit > 1e5 ? "\xc2\xb5s" : unit > 1 ? "ms" : "s";
  double low = s->minimum, high = fmax(most_of(row), low * 1.001);
  int64_t beyond = 0;
  int count = (int)fmin(fmax(2 * sqrt((double)s->count), BINS_LEAST), BINS_MOST);
  for (int64_t n = 0; n < s->count; ++n) {
    int bin = bin_of(row->seconds.samples[n], low, high, count);
    beyond += row->seconds.samples[n] > high;
    if (row->seconds.samples[n] <= high && ++bins[bin] > most_in_bin)
      most_in_bin = bins[bin];
  }
  bp_plot plot = bp_plot_begin(svg, WIDTH, HEIGHT, LEAST_MARGIN);
  const char *label = *row->rung ? row->rung : row->variant;
  char *title = bp_figure_title(group);
  bp_number slowest;
  char *subtitle = bp_format("%s N=%d, %lld samples, %lld slower than shown, up to %s", label,
                             row->degree, (long long)s->count, (long long)beyond,
                             bp_number_seconds(slowest, s->maximum, true));
  bp_plot_titles(&plot, title, subtitle);
  plot.x = bp_axis_linear(low * unit, high * unit, 7);
  plot.y = bp_axis_linear(0, most_in_bin, 5);
  char *x_title = bp_format("time of one application, %s", unit_name);
  bp_plot_wish(&plot, &drawing->wishes->x, &drawing->wishes->y);
  bp_plot_frame(&plot, x_title, "samples");
  double step = (high - low) / count * unit, zero = plot.bottom;
  for (int n = 0; n < count; ++n) {
    double x = bp_axis_at(&plot.x, low * unit + n * step), y = bp_axis_at(&plot.y, bins[n]);
    double width = bp_axis_at(&plot.x, low * unit + (n + 1) * step) - x;
    if (bins[n])
      bp_svg_box(svg, x, y, fmax(width - 1, 0.6), zero - y, "fill c0", NULL, NULL);
  }
  double band = bp_axis_at(&plot.x, s->low * unit);
  bp_svg_box(svg, band, plot.top, bp_axis_at(&plot.x, fmin(s->high, high) * unit) - band,
             zero - plot.top, "faint c1", NULL, "95 % confidence interval of the median");
  double median = bp_axis_at(&plot.x, s->median * unit);
  bp_svg_line(svg, median, plot.top, median, zero, "path c1");
  bp_plot_end(&plot);
  bp_free(x_title);
  bp_free(subtitle);
  bp_free(title);
}

/* ---- set-up ---- */

enum { PARTS = 3 };
static const char *const part_names[PARTS] = {"factors", "transfer", "compile"};

/* Seconds of the fastest row of a degree. */
static void parts_of(const bp_row *row, double parts[PARTS])
{
  const double values[PARTS] = {row->setup_seconds, row->upload_seconds, row->compile_seconds};
  for (int p = 0; p < PARTS; ++p)
    parts[p] = values[p] > 0 ? values[p] : 0;
}

static double most_of_setup(const bp_series_set *set)
{
  double most = 0;
  for (int degree = set->first; degree <= set->last; ++degree) {
    double parts[PARTS];
    if (!set->best[degree])
      continue;
    parts_of(set->best[degree], parts);
    most = fmax(most, parts[0] + parts[1] + parts[2]);
  }
  return most;
}

static bool has_setup(const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  double most = most_of_setup(&set);
  bp_series_destroy(&set);
  return most > 0;
}

int bp_setup_panels(const bp_drawing *drawing)
{
  int count = 0;
  find_group(drawing, has_setup, -1, &count);
  return count;
}

bp_size bp_setup_size(const bp_drawing *drawing, int panel)
{
  (void)drawing;
  (void)panel;
  return (bp_size){WIDTH, HEIGHT};
}

/* "cube.msh read in 21 ms, connected in 8.3 ms"; of a mesh that was not read, what it is. */
static char *reading_of(const bp_record *record, const bp_group *group)
{
  const char *mesh = group->rows[0]->mesh;
  bp_number read, connect;
  for (int n = 0; n < record->meshes_count; ++n) {
    const bp_record_mesh *m = &record->meshes[n];
    if (strcmp(m->name, mesh) != 0 || !isfinite(m->read_seconds))
      continue;
    return bp_format("%s read in %s, connectivity built in %s", mesh,
                     bp_number_seconds(read, m->read_seconds, true),
                     bp_number_seconds(connect, m->connect_seconds, true));
  }
  return bp_figure_subtitle(group);
}

/* Whether some bar has that part. */
static bool has_part(const bp_series_set *set, int part)
{
  for (int degree = set->first; degree <= set->last; ++degree) {
    double parts[PARTS] = {0};
    if (set->best[degree])
      parts_of(set->best[degree], parts);
    if (parts[part] > 0)
      return true;
  }
  return false;
}

static void draw_stack(const bp_plot *plot, const bp_row *row, double names[PARTS])
{
  double parts[PARTS], sum = 0, x = bp_axis_at(&plot->x, row->degree - 0.35);
  double width = bp_axis_at(&plot->x, row->degree + 0.35) - x;
  parts_of(row, parts);
  for (int p = 0; p < PARTS; ++p) {
    char color[8], css[16];
    bp_number time;
    double bottom = bp_axis_at(&plot->y, sum), top = bp_axis_at(&plot->y, sum + parts[p]);
    char *tip = bp_format("%s, N=%d: %s", part_names[p], row->degree,
                          bp_number_seconds(time, parts[p], true));
    snprintf(css, sizeof css, "fill %s", bp_svg_color(color, p));
    if (parts[p] > 0)
      bp_svg_box(plot->svg, x, top, width, bottom - top, css, NULL, tip);
    names[p] = sum + 0.5 * parts[p];
    sum += parts[p];
    bp_free(tip);
  }
}

void bp_setup_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  int unused;
  const bp_group *group = find_group(drawing, has_setup, panel, &unused);
  bp_series_set set = bp_series_of(group);
  bp_plot plot = bp_plot_begin(svg, WIDTH, HEIGHT, NAMES_MARGIN);
  char *title = bp_figure_title(group);
  char *subtitle = reading_of(drawing->record, group);
  double names[PARTS] = {0};
  bp_plot_titles(&plot, title, subtitle);
  plot.x = bp_axis_whole(set.first, set.last, 16);
  plot.y = bp_axis_linear(0, most_of_setup(&set), 5);
  bp_plot_wish(&plot, &drawing->wishes->x, &drawing->wishes->y);
  bp_plot_frame(&plot, "polynomial degree N", "seconds");
  for (int degree = set.first; degree <= set.last; ++degree)
    if (set.best[degree])
      draw_stack(&plot, set.best[degree], names);
  for (int p = 0; p < PARTS; ++p) {
    char color[8];
    if (has_part(&set, p))
      bp_plot_add_name(&plot, names[p], bp_svg_color(color, p), 1, false, part_names[p]);
  }
  bp_plot_end(&plot);
  bp_free(title);
  bp_free(subtitle);
  bp_series_destroy(&set);
}
