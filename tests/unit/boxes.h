/* boxes.h -- small meshes for tests: boxes of any order, bent by a function, elements turned. */
#ifndef BP_TEST_BOXES_H
#define BP_TEST_BOXES_H

#include "base/random.h"
#include "mesh/mesh.h"
#include <stdbool.h>

/* Where the point x of the unit cube goes; NULL leaves it where it is. */
typedef void test_map(const double x[3], double y[3]);

/* Smooth, with curved faces, also on the boundary; the determinant stays within 0.3..2. */
void test_bend(const double x[3], double y[3]);

/* Smooth, and the surface of the cube stays where it is. */
void test_warp(const double x[3], double y[3]);

/* n[0] x n[1] x n[2] elements of order p; tags are 10 e + 7. */
bp_mesh *test_box(const int n[3], int order, test_map *map);
void test_box_destroy(bp_mesh *mesh);

/* The cube [-1,1]^3 made of a small cube and six hoods around it, n^3 elements each: edges where
 * three elements meet, vertices where four do. */
bp_mesh *test_hoods(int n, int order);

/* The box with its opposite sides joined: node (i, j, k) counts modulo n. Only for connectivity. */
bp_mesh *test_torus(const int n[3]);

/* Drops element e; the last one's place is taken by the one before the last, and so on. */
void test_drop_element(bp_mesh *mesh, int64_t e);

enum { TEST_ROTATIONS = 24 };

/* Axis d of the turned cube runs along axis axis[d] of the old one, reversed where flip[d]. */
typedef struct {
  int axis[3];
  bool flip[3];
} test_rotation;

test_rotation test_rotation_of(int number);

/* Where entry (i, j, k) of the turned n^3 array stood in the old one. */
int test_rotated(test_rotation rotation, int n, int i, int j, int k);

/* Renames the axes of element e. */
void test_rotate_element(bp_mesh *mesh, int64_t e, test_rotation rotation);

/* Every element by a rotation drawn at random. */
void test_rotate_all(bp_mesh *mesh, bp_random *random);

/* Puts the elements in another order: order[e] = the old number of element e, filled in. */
void test_shuffle_elements(bp_mesh *mesh, bp_random *random, int64_t *order);

#endif
