/* wave_slice.c -- the points of a grid that each element may hold, and u there; pictures of them. */
#include "solve/wave_slice.h"

#include "base/file.h"
#include "base/memory.h"
#include "solve/wave_points.h"
#include <math.h>

typedef struct {
  double low[3], high[3];
} box;

static box box_of(const bp_mesh *mesh, const int32_t *nodes, int64_t count)
{
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int64_t n = 0; n < count; ++n)
    for (int c = 0; c < 3; ++c) {
      const double x = mesh->x[3 * (nodes ? nodes[n] : n) + c];
      b.low[c] = fmin(b.low[c], x);
      b.high[c] = fmax(b.high[c], x);
    }
  return b;
}

/* Where point n of `count` lies: in the middle of its part. */
static double place_of(const bp_wave_slice *s, int side, int n, int count)
{
  return s->low[side] + (n + 0.5) / count * (s->high[side] - s->low[side]);
}

/* The first point at x or beyond. */
static int point_from(const bp_wave_slice *s, int side, double x, int count)
{
  const double n = ceil((x - s->low[side]) / (s->high[side] - s->low[side]) * count - 0.5);
  return (int)fmax(0, fmin(count, n));
}

static void draw_element(const bp_system *system, const double *u, const int across[2], int64_t e,
                         bp_wave_slice *s)
{
  const bp_mesh *mesh = system->mesh;
  const int p = mesh->order + 1, nodes = p * p * p;
  const box b = box_of(mesh, mesh->node + e * nodes, nodes);
  double room[2];
  if (s->position < b.low[s->axis] || s->position > b.high[s->axis])
    return;
  for (int d = 0; d < 2; ++d)
    room[d] = 0.1 * (b.high[across[d]] - b.low[across[d]]);
  const int left = point_from(s, 0, b.low[across[0]] - room[0], s->width);
  const int right = point_from(s, 0, b.high[across[0]] + room[0], s->width);
  const int lower = point_from(s, 1, b.low[across[1]] - room[1], s->height);
  const int upper = point_from(s, 1, b.high[across[1]] + room[1], s->height);
  for (int row = lower; row < upper; ++row)
    for (int column = left; column < right; ++column) {
      double x[3], value;
      x[s->axis] = s->position;
      x[across[0]] = place_of(s, 0, column, s->width);
      x[across[1]] = place_of(s, 1, row, s->height);
      if (bp_wave_value_in(system, e, x, u, &value))
        s->values[row * s->width + column] = value;
    }
}

void bp_wave_slice_create(const bp_system *system, const double *u, int axis, double share,
                          int points, bp_wave_slice *slice)
{
  const int across[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  const box b = box_of(system->mesh, NULL, system->mesh->nodes);
  *slice =
      (bp_wave_slice){.axis = axis, .position = b.low[axis] + share * (b.high[axis] - b.low[axis])};
  for (int d = 0; d < 2; ++d) {
    slice->low[d] = b.low[across[d]];
    slice->high[d] = b.high[across[d]];
  }
  const double wide = slice->high[0] - slice->low[0], high = slice->high[1] - slice->low[1];
  const double longer = fmax(wide, high);
  slice->width = (int)fmax(1, round(points * wide / longer));
  slice->height = (int)fmax(1, round(points * high / longer));
  slice->values = bp_alloc((size_t)slice->width * (size_t)slice->height, sizeof *slice->values);
  for (int n = 0; n < slice->width * slice->height; ++n)
    slice->values[n] = NAN;
  for (int64_t e = 0; e < system->mesh->elements; ++e)
    draw_element(system, u, across, e, slice);
}

void bp_wave_slice_destroy(bp_wave_slice *slice)
{
  bp_free(slice->values);
  slice->values = NULL;
}

double bp_wave_slice_largest(const bp_wave_slice *slice)
{
  double largest = 0;
  for (int n = 0; n < slice->width * slice->height; ++n)
    if (!isnan(slice->values[n]))
      largest = fmax(largest, fabs(slice->values[n]));
  return largest;
}

/* ---- pictures ---- */

static double relative(const bp_wave_slice *s, int row, int column, double largest)
{
  const double value = s->values[row * s->width + column];
  return isnan(value) ? NAN : largest > 0 ? value / largest : 0;
}

/* A character is twice as high as wide, so every other row is left out. */
void bp_wave_slice_draw(const bp_wave_slice *slice, bp_text *text)
{
  static const char above[] = ".oO0@", below[] = ".-=+#";
  enum { STEPS = sizeof above - 1 };
  const double largest = bp_wave_slice_largest(slice);
  bp_text_appendf(text, "u on the plane %c = %g, at most %.3g; %s above 0, %s below\n",
                  "xyz"[slice->axis], slice -> position, largest, above, below);
  for (int row = slice->height - 1; row >= 0; row -= 2) {
    for (int column = 0; column < slice->width; ++column) {
      const double value = relative(slice, row, column, largest);
      const int step = isnan(value) ? 0 : (int)fmin(STEPS - 1, fabs(value) * STEPS);
      bp_text_appendf(text, "%c", isnan(value) ? ' ' : value < 0 ? below[step] : above[step]);
    }
    bp_text_append(text, "\n");
  }
}

static void write_square(FILE *file, int x, int y, double value)
{
  enum { SIDE = 6, MOST = 255 };
  const int other = (int)(MOST * (1 - fabs(value)));
  const int red = value < 0 ? other : MOST, blue = value > 0 ? other : MOST;
  fprintf(file, "<path fill=\"#%02x%02x%02x\" d=\"M%d %dh%dv%dh-%dz\"/>\n", red, other, blue,
          SIDE * x, SIDE * y, SIDE, SIDE, SIDE);
}

bp_status bp_wave_slice_write(const bp_wave_slice *slice, const char *path)
{
  enum { SIDE = 6 };
  const double largest = bp_wave_slice_largest(slice);
  bp_output *output;
  bp_status status = bp_output_create(path, &output);
  if (status)
    return status;
  FILE *file = bp_output_stream(output);
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "shape-rendering=\"crispEdges\">\n<title>u on the plane %c = %g, at most %.3g</title>\n",
          SIDE * slice->width, SIDE * slice->height, "xyz"[slice->axis], slice -> position,
          largest);
  for (int row = 0; row < slice->height; ++row)
    for (int column = 0; column < slice->width; ++column) {
      const double value = relative(slice, row, column, largest);
      if (!isnan(value))
        write_square(file, column, slice->height - 1 - row, value);
    }
  fprintf(file, "</svg>\n");
  return bp_output_finish(output);
}
