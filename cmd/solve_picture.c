/* solve_picture.c -- characters and squares. */
#include "solve_picture.h"

#include "base/file.h"
#include <math.h>
#include <stdio.h>

static double relative(const bp_wave_slice *s, int row, int column, double largest)
{
  const double value = s->values[row * s->width + column];
  return isnan(value) ? NAN : largest > 0 ? value / largest : 0;
}

/* A character is twice as high as wide, so every other row is left out. */
void bp_picture_print(const bp_wave_slice *slice)
{
  static const char above[] = ".oO0@", below[] = ".-=+#";
  enum { STEPS = sizeof above - 1 };
  const double largest = bp_wave_slice_largest(slice);
  printf("u on the plane %c = %g, at most %.3g; %s above 0, %s below\n", "xyz"[slice->axis],
         slice -> position, largest, above, below);
  for (int row = slice->height - 1; row >= 0; row -= 2) {
    for (int column = 0; column < slice->width; ++column) {
      const double value = relative(slice, row, column, largest);
      const int step = isnan(value) ? 0 : (int)fmin(STEPS - 1, fabs(value) * STEPS);
      putchar(isnan(value) ? ' ' : value < 0 ? below[step] : above[step]);
    }
    putchar('\n');
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

bp_status bp_picture_write(const char *path, const bp_wave_slice *slice)
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
