/* wave.c -- tests of the literal steps of the wave equation: known solutions, what is conserved, symmetry. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "mesh/mesh.h"
#include "solve/wave.h"

typedef struct {
  bp_mesh *mesh;
  bp_system *system;
  bp_wave *wave;
  int64_t count;
  double *now, *before;
} membrane;

static membrane membrane_create(int elements, int degree, bool is_free, double warp)
{
  membrane m = {0};
  CU_ASSERT_EQUAL_FATAL(bp_mesh_box(elements, elements, elements, warp, &m.mesh), BP_OK);
  const bp_bake_off *row = bp_bake_off_find("wave");
  const bp_system_options options = {
      .row = row, .space = bp_bake_off_space(row, degree), .all_free = is_free};
  CU_ASSERT_EQUAL_FATAL(bp_system_create(options, m.mesh, &m.system), BP_OK);
  bp_wave_create(m.system, 0.9, &m.wave);
  m.count = bp_system_size(m.system);
  m.now = bp_alloc((size_t)m.count, sizeof *m.now);
  m.before = bp_alloc((size_t)m.count, sizeof *m.before);
  return m;
}

static void membrane_destroy(membrane *m)
{
  bp_wave_destroy(m->wave);
  bp_system_destroy(m->system);
  bp_mesh_destroy(m->mesh);
  bp_free(m->now);
  bp_free(m->before);
}

static void step(membrane *m, const double *signals)
{
  bp_wave_step(m->wave, signals, m->now, m->before);
  double *next = m->before;
  m->before = m->now;
  m->now = next;
}

/* How far a standing wave is from what it should be at time t, after so many steps. */
static double standing_error(int elements, int degree, bool is_free, int steps, double t)
{
  membrane m = membrane_create(elements, degree, is_free, 0);
  double *exact = bp_alloc((size_t)m.count, sizeof *exact);
  m.wave->dt = t / steps;
  bp_wave_standing(m.wave, 0, m.now);
  bp_wave_standing(m.wave, -m.wave->dt, m.before);
  const double norm = bp_wave_norm(m.wave, m.now);
  for (int k = 0; k < steps; ++k)
    step(&m, NULL);
  bp_wave_standing(m.wave, t, exact);
  const double error = bp_wave_distance(m.wave, m.now, exact) / norm;
  bp_free(exact);
  membrane_destroy(&m);
  return error;
}

TEST(wave, a_standing_wave_is_of_second_order_in_time)
{
  for (int is_free = 0; is_free < 2; ++is_free) {
    const double coarse = standing_error(1, 8, is_free, 40, 0.4);
    const double fine = standing_error(1, 8, is_free, 80, 0.4);
    CHECK(fabs(log2(coarse / fine) - 2) < 0.05, "free %d: %g, %g", is_free, coarse, fine);
  }
}

TEST(wave, a_standing_wave_is_of_order_degree_plus_1_in_space)
{
  for (int degree = 1; degree <= 3; ++degree)
    for (int is_free = 0; is_free < 2; ++is_free) {
      const double coarse = standing_error(2, degree, is_free, 120, 0.2);
      const double fine = standing_error(4, degree, is_free, 120, 0.2);
      CHECK(log2(coarse / fine) > degree + 0.7, "N=%d, free %d: %g, %g", degree, is_free, coarse,
            fine);
    }
}

static void fill(membrane *m)
{
  bp_random random = bp_random_start(5);
  for (int64_t n = 0; n < m->count; ++n) {
    m->now[n] = m->wave->mass[n] > 0 ? bp_random_unit(&random) : 0;
    m->before[n] = m->wave->mass[n] > 0 ? bp_random_unit(&random) : 0;
  }
}

TEST(wave, the_energy_stays_at_the_largest_step)
{
  for (int degree = 1; degree <= 4; ++degree)
    for (int is_free = 0; is_free < 2; ++is_free) {
      membrane m = membrane_create(3, degree, is_free, 0.2);
      fill(&m);
      const double first = bp_wave_energy(m.wave, m.now, m.before);
      for (int k = 0; k < 50; ++k)
        step(&m, NULL);
      const double last = bp_wave_energy(m.wave, m.now, m.before);
      CHECK(fabs(last / first - 1) < 1e-12, "N=%d, free %d: %.17g, %.17g", degree, is_free, first,
            last);
      membrane_destroy(&m);
    }
}

TEST(wave, the_bound_is_above_the_largest_eigenvalue_and_near_it_in_a_box)
{
  for (int degree = 1; degree <= 5; degree += 2)
    for (int warped = 0; warped < 2; ++warped) {
      membrane m = membrane_create(3, degree, true, 0.3 * warped);
      const double bound = bp_wave_bound(m.wave), largest = bp_wave_largest(m.wave, 60);
      CHECK(largest <= bound && bound < largest * (warped ? 20 : 1.6), "N=%d, warp %d: %g, %g",
            degree, warped, largest, bound);
      membrane_destroy(&m);
    }
}

/* What a receiver at `to` hears of a source at `from`. */
static void hear(const double from[3], const double to[3], double *trace, int steps)
{
  membrane m = membrane_create(3, 3, true, 0.2);
  CU_ASSERT_EQUAL_FATAL(bp_wave_points_add(m.system, true, from, &m.wave->points), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_wave_points_add(m.system, false, to, &m.wave->points), BP_OK);
  for (int k = 0; k < steps; ++k) {
    const double signal = bp_wave_ricker(2, k * m.wave->dt);
    step(&m, &signal);
    trace[k] = bp_wave_points_value(m.system, &m.wave->points, 0, m.now);
  }
  membrane_destroy(&m);
}

TEST(wave, source_and_receiver_may_change_places)
{
  enum { STEPS = 60 };
  static const double a[3] = {0.21, 0.37, 0.5}, b[3] = {0.8, 0.66, 0.13};
  double forth[STEPS], back[STEPS], most = 0;
  hear(a, b, forth, STEPS);
  hear(b, a, back, STEPS);
  for (int k = 0; k < STEPS; ++k)
    most = fmax(most, fabs(forth[k]));
  CU_ASSERT(most > 1e-3);
  for (int k = 0; k < STEPS; ++k)
    CHECK(fabs(forth[k] - back[k]) < 1e-12 * most, "step %d: %g, %g", k, forth[k], back[k]);
}

TEST(wave, points_are_found_in_bent_elements_and_outside_is_told)
{
  static const double inside[3] = {0.9, 0.1, 0.77}, outside[3] = {0.5, 0.5, 1.01};
  membrane m = membrane_create(4, 3, true, 0.3);
  double *x = bp_alloc(3 * (size_t)m.count, sizeof *x);
  CU_ASSERT_EQUAL_FATAL(bp_wave_points_add(m.system, false, inside, &m.wave->points), BP_OK);
  bp_unknowns_nodes(m.system->unknowns, m.mesh, x);
  for (int d = 0; d < 3; ++d) { /* coordinates are of degree 1, so interpolation has them exactly */
    for (int64_t n = 0; n < m.count; ++n)
      m.now[n] = x[3 * n + d];
    const double found = bp_wave_points_value(m.system, &m.wave->points, 0, m.now);
    CHECK(fabs(found - inside[d]) < 1e-12, "%g, %g", found, inside[d]);
  }
  CU_ASSERT_EQUAL(bp_wave_points_add(m.system, true, outside, &m.wave->points), BP_BAD_INPUT);
  CU_ASSERT_PTR_NOT_NULL(
      strstr(bp_message(), "expected a point in the mesh, found (0.5, 0.5, 1.01)"));
  bp_free(x);
  membrane_destroy(&m);
}
