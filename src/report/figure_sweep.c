/* figure_sweep.c -- the fraction of the roofline over the values of one option, a line per degree. */
#include "report/curve.h"
#include "report/figure.h"

#include "base/memory.h"
#include "report/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 24 };

/* One option of one variant within a group. Of rungs each stands for itself: from one to the next more than
 * an option changes. */
typedef struct {
  const bp_group *group;
  const bp_row *like; /* the first row with its variant, rung and option */
  bp_option_text option;
  int64_t values[VALUES_MAX]; /* ascending */
  int count;
} sweep;

static bool is_of(const sweep *s, const bp_row *row)
{
  return row->status == BP_ROW_OK && strcmp(s->like->variant, row->variant) == 0 &&
         strcmp(s->like->rung, row->rung) == 0;
}

/* The row's value of the option. */
static bool value_of(const sweep *s, const bp_row *row, int64_t *value)
{
  bp_option_text option;
  for (const char *at = row->options; is_of(s, row) && bp_option_next(&at, &option);)
    if (bp_option_is_same(&option, &s->option)) {
      char *text = bp_strndup(option.value, option.value_length);
      bool is_whole = bp_parse_int(text, value);
      bp_free(text);
      return is_whole;
    }
  return false;
}

static void add_value(sweep *s, int64_t value)
{
  int at = 0, moved = s->count;
  while (at < s->count && s->values[at] < value)
    ++at;
  if ((at < s->count && s->values[at] == value) || s->count == VALUES_MAX)
    return;
  for (++s->count; moved > at; --moved)
    s->values[moved] = s->values[moved - 1];
  s->values[at] = value;
}

/* The fastest row of the degree with that value, whatever the other options; NULL: none. */
static const bp_row *best_row(const sweep *s, int degree, int64_t wanted)
{
  const bp_row *best = NULL;
  for (int64_t n = 0; n < s->group->count; ++n) {
    const bp_row *row = s->group->rows[n];
    int64_t value;
    if (row->degree == degree && value_of(s, row, &value) && value == wanted &&
        (!best || bp_row_gflops(row) > bp_row_gflops(best)))
      best = row;
  }
  return best;
}

static bp_curve curve_of(const sweep *s, int degree)
{
  bp_curve curve = {.role = "path", .bridges = true};
  for (int v = 0; v < s->count; ++v) {
    const bp_row *row = best_row(s, degree, s->values[v]);
    if (row)
      bp_curve_add(&curve, v, 100 * bp_row_roofline_fraction(row), row);
  }
  return curve;
}

/* Whether some degree has two values or more: tuned anew for each degree, an option varies without
 * being swept. */
static bool is_swept(const sweep *s)
{
  for (int degree = 0; s->count > 1 && degree < BP_SERIES_DEGREES; ++degree)
    if (curve_of(s, degree).count > 1)
      return true;
  return false;
}

/* Of the row's option, where this is the first row that has it. */
static bool begin_sweep(sweep *s, const bp_group *group, int64_t n, const bp_option_text *option)
{
  int64_t value;
  *s = (sweep){.group = group, .like = group->rows[n], .option = *option};
  if (!value_of(s, s->like, &value))
    return false;
  for (int64_t m = 0; m < n; ++m)
    if (value_of(s, group->rows[m], &value))
      return false;
  for (int64_t m = n; m < group->count; ++m)
    if (value_of(s, group->rows[m], &value))
      add_value(s, value);
  return is_swept(s);
}

static bool find_sweep(const bp_drawing *drawing, int number, sweep *s)
{
  for (int64_t g = 0; g < drawing->groups.count; ++g) {
    const bp_group *group = &drawing->groups.groups[g];
    bp_option_text option;
    for (int64_t n = 0; n < group->count; ++n)
      for (const char *at = group->rows[n]->options; bp_option_next(&at, &option);)
        if (begin_sweep(s, group, n, &option) && number-- == 0)
          return true;
  }
  return false;
}

static void draw_degree(bp_plot *plot, const sweep *s, int degree, int *number)
{
  char name[16];
  bp_curve curve = curve_of(s, degree);
  if (curve.count == 0)
    return;
  curve.shape = *number + *number / BP_SVG_COLORS;
  bp_svg_color(curve.color, (*number)++);
  snprintf(name, sizeof name, "N=%d", degree);
  const bp_row *last = bp_curve_last(&curve);
  bp_curve_draw(plot, &curve, name, last == best_row(s, degree, s->values[s->count - 1]));
}

static bp_plot begin_plot(const sweep *s, bp_panel *panel)
{
  const bp_row *row = s->like;
  char *where = bp_figure_subtitle(s->group);
  char *title = bp_format("%s/%s%s%s: %.*s", row->problem, row->variant, *row->rung ? " " : "",
                          row->rung, (int)s->option.name_length, s->option.name);
  bp_plot plot = bp_plot_begin(panel, 560, 360, 110, title,
                               bp_format("%s, %s, %s", row->device, row->cache, where));
  bp_free(where);
  return plot;
}

static void set_axes(bp_plot *plot, const sweep *s)
{
  double least = INFINITY, most = 0;
  for (int64_t n = 0; n < s->group->count; ++n)
    if (is_of(s, s->group->rows[n])) {
      double percent = 100 * bp_row_roofline_fraction(s->group->rows[n]); /* NaN is passed over */
      least = fmin(least, percent);
      most = fmax(most, percent);
    }
  plot->x = bp_axis_whole(0, s->count - 1, VALUES_MAX);
  plot->x.ticks_count = 0; /* the values, not their numbers */
  plot->y = bp_axis_linear(least > 0.5 * most ? 0.95 * least : 0, most, 6);
}

bool bp_sweep_draw(const bp_drawing *drawing, int panel_number, bp_panel *panel)
{
  sweep s;
  int number = 0;
  if (!find_sweep(drawing, panel_number, &s))
    return false;
  bp_plot plot = begin_plot(&s, panel);
  char *option = bp_strndup(s.option.name, s.option.name_length);
  set_axes(&plot, &s);
  bp_plot_frame(&plot, &bp_no_wishes, option, "% of roofline");
  for (int v = 0; v < s.count; ++v) {
    bp_number value;
    snprintf(value, sizeof value, "%" PRId64, s.values[v]);
    bp_svg_text(plot.svg, bp_axis_at(&plot.x, v), plot.bottom + 19, BP_SVG_MIDDLE, "soft", value);
  }
  for (int degree = 0; degree < BP_SERIES_DEGREES; ++degree)
    draw_degree(&plot, &s, degree, &number);
  bp_plot_end(&plot);
  bp_free(option);
  return true;
}
