/* wave_slice.h -- u on a grid of points in a plane through the mesh, for pictures. */
#ifndef BP_SOLVE_WAVE_SLICE_H
#define BP_SOLVE_WAVE_SLICE_H

#include "base/text.h"
#include "solve/system.h"

typedef struct {
  int axis;               /* the plane's normal: 0, 1, 2 */
  double position;        /* on that axis */
  int width, height;      /* points along the lower and the higher of the other axes */
  double low[2], high[2]; /* what they span: the mesh's bounding box */
  double *values;         /* values[row][column], NaN outside the mesh */
} bp_wave_slice;

/* The longer side has `points` points. The position is a share of the bounding box, 0..1. */
void bp_wave_slice_create(const bp_system *system, const double *u, int axis, double share,
                          int points, bp_wave_slice *slice);
void bp_wave_slice_destroy(bp_wave_slice *slice);

/* The largest |u| of it. */
double bp_wave_slice_largest(const bp_wave_slice *slice);

/* Lines of characters: blank outside, else darker for larger |u|; capital letters above 0. */
void bp_wave_slice_draw(const bp_wave_slice *slice, bp_text *text);

/* As SVG: squares from blue through white to red. BP_ENVIRONMENT where the file cannot be written. */
bp_status bp_wave_slice_write(const bp_wave_slice *slice, const char *path);

#endif
