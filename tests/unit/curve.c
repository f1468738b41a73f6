/* curve.c -- tests of the space-filling curve and of meshes sorted along it. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "mesh/curve.h"
#include <stdlib.h>

/* The 8 x 8 x 8 cube's cells, coarsest bits: the walk visits each once and goes from face to face. */
TEST(curve, goes_from_face_to_face)
{
  enum { SIDE = 8, CELLS = SIDE * SIDE * SIDE, SHIFT = BP_CURVE_BITS - 3 };
  int cell[CELLS];
  memset(cell, 0xff, sizeof cell);
  for (int n = 0; n < CELLS; ++n) {
    uint32_t at[3] = {(uint32_t)(n % SIDE) << SHIFT, (uint32_t)(n / SIDE % SIDE) << SHIFT,
                      (uint32_t)(n / SIDE / SIDE) << SHIFT};
    uint64_t place = bp_curve_place(at) >> (3 * SHIFT);
    CU_ASSERT_FATAL(place < CELLS);
    CHECK(cell[place] < 0, "place %d is cell %d's and %d's", (int)place, cell[place], n);
    cell[place] = n;
  }
  for (int n = 1; n < CELLS; ++n) {
    int a = cell[n - 1], b = cell[n];
    int steps = abs(a % SIDE - b % SIDE) + abs(a / SIDE % SIDE - b / SIDE % SIDE) +
                abs(a / SIDE / SIDE - b / SIDE / SIDE);
    CHECK(steps == 1, "from place %d to the next are %d steps", n - 1, steps);
  }
}

TEST(curve, sees_every_bit)
{
  const uint32_t none[3] = {0, 0, 0};
  CU_ASSERT(bp_curve_place(none) == 0);
  for (int d = 0; d < 3; ++d) {
    uint32_t at[3] = {0, 0, 0};
    at[d] = 1;
    CU_ASSERT(bp_curve_place(at) > 0 && bp_curve_place(at) < 8);
    at[d] = (1u << BP_CURVE_BITS) - 1;
    CU_ASSERT(bp_curve_place(at) >> (3 * BP_CURVE_BITS) == 0);
  }
}

/* Elements share a face with the one before them, however they were shuffled; tags go along. */
TEST(curve, sorts_a_mesh)
{
  enum { SIDE = 8 };
  int64_t order[SIDE * SIDE * SIDE], former[SIDE * SIDE * SIDE];
  bp_random random = bp_random_start(1);
  bp_mesh *mesh = test_box((int[3]){SIDE, SIDE, SIDE}, 2, NULL);
  test_shuffle_elements(mesh, &random, order);
  test_rotate_all(mesh, &random);
  bp_mesh_sort(mesh, former);
  for (int64_t n = 0; n < mesh->elements; ++n) {
    int64_t tag = mesh->tag[n], shared = 0;
    CHECK(tag == 10 * order[former[n]] + 7, "element %d", (int)n);
    for (int a = 0; n > 0 && a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        shared += bp_mesh_corner(mesh, n, a) == bp_mesh_corner(mesh, n - 1, b);
    CHECK(n == 0 || shared == 4, "element %d shares %d corners", (int)n, (int)shared);
  }
  test_box_destroy(mesh);
}

/* Blocks are the runs of elements that came from one block. */
TEST(curve, keeps_elements_in_their_blocks)
{
  enum { SIDE = 4, COUNT = SIDE * SIDE * SIDE, HALF = COUNT / 2 };
  int64_t former[COUNT], covered = 0;
  static const int groups[2] = {0, 1};
  bp_mesh *mesh = test_box((int[3]){SIDE, SIDE, SIDE}, 1, NULL);
  mesh->blocks_count = 2;
  mesh->blocks = bp_alloc(2, sizeof *mesh->blocks);
  mesh->blocks[0] = (bp_mesh_block){0, HALF, &groups[0], 1};
  mesh->blocks[1] = (bp_mesh_block){HALF, HALF, &groups[1], 1};
  bp_mesh_sort(mesh, former);
  CU_ASSERT(mesh->blocks_count >= 2);
  for (int64_t b = 0; b < mesh->blocks_count; ++b) {
    CU_ASSERT(mesh->blocks[b].first == covered);
    for (int64_t n = covered; n < covered + mesh->blocks[b].count; ++n)
      CHECK(mesh->blocks[b].groups == &groups[former[n] >= HALF], "element %d", (int)n);
    covered += mesh->blocks[b].count;
  }
  CU_ASSERT(covered == COUNT);
  bp_free(mesh->blocks);
  test_box_destroy(mesh);
}
