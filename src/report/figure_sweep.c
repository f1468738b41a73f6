/* figure_sweep.c -- the fraction of the roofline over the values of one option, a line per degree.
 */
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include "report/plot.h"
#include "report/series.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 560, HEIGHT = 360, MARGIN = 110;
enum { VALUES_MAX = 24, SWEEPS_MAX = 64 };

/* One option of one variant within a group. Of rungs each stands for itself: from one to the next more than
 * an option changes. */
typedef struct {
  const bp_group *group;
  const char *variant, *rung;
  char option[48];
  int64_t values[VALUES_MAX]; /* ascending */
  int count;
} sweep;

/* The value of `option` in "a=1 b=2". */
static bool value_of(const char *options, const char *option, int64_t *value)
{
  size_t length = strlen(option);
  for (const char *at = options; *at; at += strcspn(at, " "), at += *at == ' ')
    if (strncmp(at, option, length) == 0 && at[length] == '=') {
      char *text = bp_strndup(at + length + 1, strcspn(at + length + 1, " "));
      bool is_whole = bp_parse_int(text, value);
      bp_free(text);
      return is_whole;
    }
  return false;
}

static void add_value(sweep *s, int64_t value)
{
  int at = s->count;
  for (int n = 0; n < s->count; ++n)
    if (s->values[n] == value)
      return;
  if (s->count == VALUES_MAX)
    return;
  for (; at > 0 && s->values[at - 1] > value; --at)
    s->values[at] = s->values[at - 1];
  s->values[at] = value;
  ++s->count;
}

static bool is_of(const sweep *s, const bp_row *row)
{
  return strcmp(s->variant, row->variant) == 0 && strcmp(s->rung, row->rung) == 0;
}

static sweep *find_or_add(sweep *sweeps, int *count, const bp_group *group, const bp_row *row,
                          const char *option)
{
  for (int n = 0; n < *count; ++n)
    if (sweeps[n].group == group && is_of(&sweeps[n], row) && strcmp(sweeps[n].option, option) == 0)
      return &sweeps[n];
  if (*count == SWEEPS_MAX)
    return NULL;
  sweep *s = &sweeps[(*count)++];
  *s = (sweep){.group = group, .variant = row->variant, .rung = row->rung};
  snprintf(s->option, sizeof s->option, "%s", option);
  return s;
}

static void add_options(sweep *sweeps, int *count, const bp_group *group, const bp_row *row)
{
  for (const char *at = row->options; *at; at += strcspn(at, " "), at += *at == ' ') {
    char option[48];
    int64_t value;
    size_t length = strcspn(at, "= ");
    if (length >= sizeof option)
      continue;
    memcpy(option, at, length);
    option[length] = '\0';
    sweep *s = value_of(row->options, option, &value)
                   ? find_or_add(sweeps, count, group, row, option)
                   : NULL;
    if (s)
      add_value(s, value);
  }
}

/* The fastest row of the degree with that value, whatever the other options; NULL: none. */
static const bp_row *best_row(const sweep *s, int degree, int64_t wanted)
{
  const bp_row *best = NULL;
  for (int64_t n = 0; n < s->group->count; ++n) {
    const bp_row *row = s->group->rows[n];
    int64_t value;
    if (row->degree == degree && row->status == BP_ROW_OK && is_of(s, row) &&
        value_of(row->options, s->option, &value) && value == wanted &&
        (!best || bp_row_gflops(row) > bp_row_gflops(best)))
      best = row;
  }
  return best;
}

/* Whether some degree has two values or more: tuned anew for each degree, an option varies without
 * being swept. */
static bool is_swept(const sweep *s)
{
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    int values = 0;
    for (int v = 0; v < s->count; ++v)
      values += best_row(s, degree, s->values[v]) != NULL;
    if (values > 1)
      return true;
  }
  return false;
}

/* All that the record has; free the result. */
static sweep *sweeps_of(const bp_drawing *drawing, int *count)
{
  sweep *sweeps = bp_alloc(SWEEPS_MAX, sizeof *sweeps);
  int all = 0;
  *count = 0;
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    const bp_group *group = &drawing->groups.groups[g];
    for (int64_t n = 0; n < group->count; ++n)
      if (group->rows[n]->status == BP_ROW_OK)
        add_options(sweeps, &all, group, group->rows[n]);
  }
  for (int n = 0; n < all; ++n)
    if (is_swept(&sweeps[n]))
      sweeps[(*count)++] = sweeps[n];
  return sweeps;
}

int bp_sweep_panels(const bp_drawing *drawing)
{
  int count;
  bp_free(sweeps_of(drawing, &count));
  return count;
}

bp_size bp_sweep_size(const bp_drawing *drawing, int panel)
{
  (void)drawing;
  (void)panel;
  return (bp_size){WIDTH, HEIGHT};
}

static void draw_degree(bp_plot *plot, const sweep *s, int degree, int number)
{
  char color[8], css[16], name[16];
  double last = NAN;
  int last_value = 0;
  snprintf(css, sizeof css, "path %s", bp_svg_color(color, number));
  bp_svg_path_begin(plot->svg, css);
  for (int v = 0; v < s->count; ++v) {
    const bp_row *row = best_row(s, degree, s->values[v]);
    if (!row)
      continue;
    double fraction = 100 * bp_row_roofline_fraction(row);
    bp_svg_path_to(plot->svg, isnan(last), bp_axis_at(&plot->x, v), bp_axis_at(&plot->y, fraction));
    last = fraction;
    last_value = v;
  }
  bp_svg_path_end(plot->svg, NULL);
  for (int v = 0; v < s->count; ++v) {
    const bp_row *row = best_row(s, degree, s->values[v]);
    if (!row)
      continue;
    char *tip = bp_figure_tip(row);
    bp_svg_marker(plot->svg, bp_axis_at(&plot->x, v),
                  bp_axis_at(&plot->y, 100 * bp_row_roofline_fraction(row)), number + number / 7,
                  color, tip);
    bp_free(tip);
  }
  snprintf(name, sizeof name, "N=%d", degree);
  if (isfinite(last))
    bp_plot_add_name(plot, last, color, number + number / 7, last_value == s->count - 1, name);
}

void bp_sweep_draw(const bp_drawing *drawing, int panel, bp_text *svg)
{
  int count, number = 0;
  sweep *sweeps = sweeps_of(drawing, &count);
  const sweep *s = &sweeps[panel];
  bp_plot plot = bp_plot_begin(svg, WIDTH, HEIGHT, MARGIN);
  char *title = bp_format("%s/%s%s%s: %s", s->group->rows[0]->problem, s->variant,
                          *s->rung ? " " : "", s->rung, s->option);
  char *where = bp_figure_subtitle(s->group);
  char *subtitle =
      bp_format("%s, %s, %s", s->group->rows[0]->device, s->group->rows[0]->cache, where);
  double least = INFINITY, most = 0;
  for (int64_t n = 0; n < s->group->count; ++n)
    if (is_of(s, s->group->rows[n])) {
      double percent = 100 * bp_row_roofline_fraction(s->group->rows[n]); /* NaN is passed over */
      least = fmin(least, percent);
      most = fmax(most, percent);
    }
  plot.x = bp_axis_whole(0, s->count - 1, VALUES_MAX);
  plot.y = bp_axis_linear(least > 0.5 * most ? 0.95 * least : 0, most, 6);
  bp_plot_titles(&plot, title, subtitle);
  plot.x.ticks_count = 0; /* the values, not their numbers */
  bp_plot_frame(&plot, s->option, "% of roofline");
  for (int v = 0; v < s->count; ++v) {
    bp_number value;
    snprintf(value, sizeof value, "%lld", (long long)s->values[v]);
    bp_svg_text(svg, bp_axis_at(&plot.x, v), plot.bottom + 19, BP_SVG_MIDDLE, "soft", value);
  }
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree) {
    bool is_there = false;
    for (int v = 0; v < s->count; ++v)
      is_there |= best_row(s, degree, s->values[v]) != NULL;
    if (is_there)
      draw_degree(&plot, s, degree, number++);
  }
  bp_plot_end(&plot);
  bp_free(title);
  bp_free(subtitle);
  bp_free(where);
  bp_free(sweeps);
}
