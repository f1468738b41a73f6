/* kershaw.h -- the boxes of the CEED solver benchmarks, whose elements are stretched and sheared. */
#ifndef BP_FEM_KERSHAW_H
#define BP_FEM_KERSHAW_H

#include "mesh/mesh.h"
#include <stdbool.h>

/* In y and z, `epsilon` in (0, 1] is how far the lower half of the elements (left profile) or the
 * upper one (right profile) is compressed; 1 gives equal boxes. Six layers along x go from one
 * profile to the other: left, left to right, right to left (two layers), left to right, right. */
typedef struct {
  double epsilon;
  bool quintic; /* from profile to profile by a smooth step; else linearly, as it is published */
  int order; /* of the elements' geometry: the map's values at order + 1 Lobatto points each way */
} bp_kershaw;

/* nx x ny x nz right-handed elements on [0,1]^3, numbered with x fastest. The kinks of the map are
 * inside elements unless nx is a multiple of 6 and ny, nz even, and an order beyond 1 then
 * interpolates them, which needs an even ny and nz. The quintic has order 1 and 6n elements along x. */
bp_status bp_kershaw_mesh(const int64_t n[3], bp_kershaw kershaw, bp_mesh **mesh);

/* What the map is of a box at degree N as programs of spectral elements have it: the order is N (at most 9)
 * where kinks in x are inside elements, and 1 where trilinear elements have the map exactly. */
bp_kershaw bp_kershaw_of(const int64_t n[3], double epsilon, bool quintic, int degree);

/* "kershaw 20x20x20, linear, epsilon 0.3, order 7"; free with bp_free. */
char *bp_kershaw_name(const int64_t n[3], bp_kershaw kershaw);

#endif
