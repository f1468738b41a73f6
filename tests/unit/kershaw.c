/* kershaw.c -- tests of Kershaw meshes. */
#include "test.h"

#include "base/memory.h"
#include "fem/geometry.h"
#include "fem/kershaw.h"
#include "fem/problem.h"

static bp_mesh *make(int64_t nx, int64_t ny, int64_t nz, bp_kershaw kershaw)
{
  bp_mesh *mesh = NULL;
  const int64_t n[3] = {nx, ny, nz};
  CU_ASSERT_FATAL(!bp_kershaw_mesh(n, kershaw, &mesh));
  return mesh;
}

TEST(kershaw, fills_the_unit_cube_with_right_handed_elements)
{
  static const double epsilons[] = {1, 0.3, 0.05};
  static const int64_t sizes[][3] = {{6, 2, 2}, {12, 5, 7}, {24, 24, 24}};
  for (int n = 0; n < 18; ++n) {
    const int64_t *size = sizes[n / 6];
    double epsilon = epsilons[n % 3], smallest, largest, volume, cell;
    int64_t worst;
    bp_mesh *mesh = make(size[0], size[1], size[2], (bp_kershaw){epsilon, n / 3 % 2, 1});
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
  bp_mesh *mesh = make(12, 4, 4, (bp_kershaw){0.3, false, 1});
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

/* A third into a layer, where y = 0.5 goes from 0.15 to 0.85. */
TEST(kershaw, goes_linearly_from_profile_to_profile_unless_told)
{
  static const double steps[] = {1.0 / 3, 17.0 / 81};
  for (int quintic = 0; quintic < 2; ++quintic) {
    bp_mesh *mesh = make(18, 2, 2, (bp_kershaw){0.3, quintic, 1});
    const double y = mesh->x[3 * (19 + 4) + 1], expected = 0.15 + 0.7 * steps[quintic];
    CHECK(fabs(y - expected) < 1e-14, "%s: %.17g, expected %.17g", mesh->name, y, expected);
    bp_mesh_destroy(mesh);
  }
}

/* The published map of y, written out. */
static double published(double x, double y)
{
  const double left = y < 0.5 ? 0.3 * y : 0.15 + 1.7 * (y - 0.5);
  const double right = y < 0.5 ? 1.7 * y : 0.85 + 0.3 * (y - 0.5), t = 6 * x;
  const double share = t <= 1 ? 0 : t <= 2 ? t - 1 : t <= 4 ? 2 - t / 2 : t <= 5 ? t - 4 : 1;
  return (1 - share) * left + share * right;
}

/* Of 20 elements along x four have a kink: there the polynomials meet the map at Lobatto points alone. */
TEST(kershaw, has_the_maps_values_at_lobatto_points_of_curved_elements)
{
  static const int64_t n[3] = {20, 4, 2};
  const bp_kershaw kershaw = bp_kershaw_of(n, 0.3, false, 7);
  bp_mesh *mesh = make(n[0], n[1], n[2], kershaw);
  bp_geometry geometry;
  double points[8], weights[8], x[3 * 512], worst = 0, smallest, largest, volume;
  int64_t which;
  bp_quadrature_lobatto(8, points, weights);
  bp_geometry_create(&geometry, 7, 8, points);
  double *scratch = bp_alloc_array((size_t)bp_geometry_scratch(&geometry), sizeof *scratch);
  CU_ASSERT(mesh->order == 7 && mesh->elements == 160 && mesh->nodes == 141 * 29 * 15);
  CU_ASSERT_STRING_EQUAL(mesh->name, "kershaw 20x4x2, linear, epsilon 0.3, order 7");
  for (int64_t e = 0; e < mesh->elements; ++e) {
    const int64_t at[3] = {e % n[0], e / n[0] % n[1], e / n[0] / n[1]};
    bp_geometry_positions(&geometry, mesh, e, scratch, x);
    for (int q = 0; q < 512; ++q) {
      const int i[3] = {q % 8, q / 8 % 8, q / 64};
      double straight[3];
      for (int d = 0; d < 3; ++d)
        straight[d] = ((double)at[d] + 0.5 * (1 + points[i[d]])) / (double)n[d];
      worst = fmax(worst, fabs(x[q] - straight[0]));
      for (int d = 1; d < 3; ++d)
        worst = fmax(worst, fabs(x[512 * d + q] - published(straight[0], straight[d])));
    }
  }
  CHECK(worst < 1e-13, "off by %g", worst);
  bp_problem_jacobians(mesh, &smallest, &largest, &which, &volume);
  CHECK(smallest > 0 && fabs(volume - 1) < 1e-12, "smallest %g, volume %.17g", smallest, volume);
  bp_free(scratch);
  bp_mesh_destroy(mesh);
}

TEST(kershaw, refuses_what_it_is_not_defined_for)
{
  static const struct {
    int64_t n[3];
    bp_kershaw kershaw;
    const char *message;
  } bad[] = {
      {{8, 8, 8},
       {0.3, true, 1},
       "kershaw: expected a multiple of 6 elements along x for quintic, found 8"},
      {{6, 8, 8}, {0.3, true, 2}, "kershaw: expected order 1 for quintic, found 2"},
      {{8, 8, 7},
       {0.3, false, 2},
       "kershaw: expected even numbers of elements along y and z for order 2, found 8 and 7"},
      {{6, 8, 8}, {0, false, 1}, "kershaw: expected an epsilon above 0 and at most 1, found 0"},
      {{6, 8, 8}, {1.5, false, 1}, "kershaw: expected an epsilon above 0 and at most 1, found 1.5"},
      {{0, 8, 8}, {0.5, false, 1}, "box: expected at least one element each way, found 0"},
  };
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n) {
    bp_mesh *mesh;
    CU_ASSERT(bp_kershaw_mesh(bad[n].n, bad[n].kershaw, &mesh) == BP_BAD_INPUT && mesh == NULL);
    CU_ASSERT_STRING_EQUAL(bp_message(), bad[n].message);
  }
}
