/* kershaw.c -- tests of Kershaw meshes. */
#include "test.h"

#include "fem/problem.h"
#include "mesh/mesh.h"

static bp_mesh *make(int64_t nx, int64_t ny, int64_t nz, double epsilon)
{
  bp_mesh *mesh = NULL;
  CU_ASSERT_FATAL(!bp_mesh_kershaw(nx, ny, nz, epsilon, &mesh));
  return mesh;
}

TEST(kershaw, fills_the_unit_cube_with_right_handed_elements)
{
  static const double epsilons[] = {1, 0.3, 0.05};
  static const int64_t sizes[][3] = {{6, 2, 2}, {12, 5, 7}, {24, 24, 24}};
  for (int n = 0; n < 9; ++n) {
    const int64_t *size = sizes[n / 3];
    double epsilon = epsilons[n % 3], smallest, largest, volume, cell;
    int64_t worst;
    bp_mesh *mesh = make(size[0], size[1], size[2], epsilon);
    cell = 1.0 / (double)(8 * mesh->elements);
    bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
    CHECK(fabs(volume - 1) < 1e-12, "volume %.17g", volume);
    CHECK(smallest > 0, "epsilon %g: smallest determinant %g", epsilon, smallest);
    CHECK(epsilon < 1 || (fabs(smallest / cell - 1) < 1e-9 && fabs(largest / cell - 1) < 1e-9),
          "equal boxes: %g to %g", smallest, largest);
    bp_mesh_destroy(mesh);
  }
}

/* At epsilon 0.3 the smallest sides are 0.3 / n in y and z, the largest 1.7 / n; the first layer is
 * compressed below, the last above; between, lines run across. */
TEST(kershaw, compresses_one_half_of_each_layer)
{
  bp_mesh *mesh = make(12, 4, 4, 0.3);
  static const struct {
    int i;
    double y[5];
  } planes[] = {{0, {0, 0.075, 0.15, 0.575, 1}}, {2, {0, 0.075, 0.15, 0.575, 1}},
                {3, {0, 0.25, 0.5, 0.75, 1}},    {4, {0, 0.425, 0.85, 0.925, 1}},
                {6, {0, 0.25, 0.5, 0.75, 1}},    {8, {0, 0.075, 0.15, 0.575, 1}},
                {9, {0, 0.25, 0.5, 0.75, 1}},    {10, {0, 0.425, 0.85, 0.925, 1}},
                {12, {0, 0.425, 0.85, 0.925, 1}}};
  for (size_t p = 0; p < sizeof planes / sizeof *planes; ++p)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 5; ++k) {
        const double *x = mesh->x + 3 * ((k * 5 + j) * 13 + planes[p].i);
        CHECK(fabs(x[1] - planes[p].y[j]) < 1e-14 && fabs(x[2] - planes[p].y[k]) < 1e-14,
              "plane %d: (%g, %g)", planes[p].i, x[1], x[2]);
      }
  bp_mesh_destroy(mesh);
}

TEST(kershaw, refuses_what_it_is_not_defined_for)
{
  bp_mesh *mesh;
  CU_ASSERT(bp_mesh_kershaw(8, 8, 8, 0.3, &mesh) == BP_BAD_INPUT && mesh == NULL);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "kershaw: expected a multiple of 6 elements along x, found 8");
  CU_ASSERT(bp_mesh_kershaw(6, 8, 8, 0, &mesh) == BP_BAD_INPUT && mesh == NULL);
  CU_ASSERT(bp_mesh_kershaw(6, 8, 8, 1.5, &mesh) == BP_BAD_INPUT && mesh == NULL);
  CU_ASSERT(bp_mesh_kershaw(0, 8, 8, 0.5, &mesh) == BP_BAD_INPUT && mesh == NULL);
}
