/* pair.c -- tests of the products of pairs of species. */
#include "test.h"

#include "base/memory.h"
#include "fem/pair.h"
#include "fem/reference.h"

enum { POINTS = 70, SPECIES = 3 };

/* Numbers that say where they stand. */
static bp_problem *problem_create(double **u, double **v)
{
  bp_problem *problem;
  bp_problem_random(&bp_operator_pair, bp_operator_space(&bp_operator_pair, SPECIES), 0, POINTS, 1,
                    &problem);
  *u = bp_alloc((size_t)bp_problem_dofs(problem), sizeof **u);
  *v = bp_alloc((size_t)bp_problem_outputs(problem), sizeof **v);
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    (*u)[n] = (double)(n + 1);
  return problem;
}

TEST(pair, the_reference_has_every_product_at_its_place)
{
  double *u, *v;
  bp_problem *problem = problem_create(&u, &v);
  enum { EACH = SPECIES * POINTS };
  CU_ASSERT_EQUAL(bp_problem_dofs(problem), 4 * EACH);
  CU_ASSERT_EQUAL(bp_problem_outputs(problem), SPECIES * EACH);
  bp_reference_apply(problem, 0, POINTS, u, v);
  for (int y = 0; y < SPECIES; ++y)
    for (int x = 0; x < SPECIES; ++x)
      for (int t = 0; t < POINTS; ++t)
        CU_ASSERT_EQUAL(v[(y * SPECIES + x) * POINTS + t],
                        u[x * POINTS + t] * u[2 * EACH + y * POINTS + t] +
                            u[EACH + x * POINTS + t] * u[3 * EACH + y * POINTS + t]);
  bp_problem_destroy(problem);
  bp_free(u);
  bp_free(v);
}

TEST(pair, the_orders_with_the_species_fastest_are_the_text_s)
{
  double *u, *v;
  bp_problem *problem = problem_create(&u, &v);
  double *turned = bp_alloc((size_t)bp_problem_outputs(problem) * 4, sizeof *turned);
  bp_pair_by_species(problem, u, turned);
  for (int n = 0; n < 4; ++n)
    for (int x = 0; x < SPECIES; ++x)
      for (int t = 0; t < POINTS; ++t)
        CU_ASSERT_EQUAL(turned[(n * POINTS + t) * SPECIES + x], u[(n * SPECIES + x) * POINTS + t]);
  for (int t = 0; t < POINTS; ++t)
    for (int x = 0; x < SPECIES; ++x)
      for (int y = 0; y < SPECIES; ++y)
        turned[(t * SPECIES + x) * SPECIES + y] = 10000 * y + 1000 * x + t;
  bp_pair_by_points(problem, turned, v);
  for (int y = 0; y < SPECIES; ++y)
    for (int x = 0; x < SPECIES; ++x)
      for (int t = 0; t < POINTS; ++t)
        CU_ASSERT_EQUAL(v[(y * SPECIES + x) * POINTS + t], 10000 * y + 1000 * x + t);
  bp_problem_destroy(problem);
  bp_free(turned);
  bp_free(u);
  bp_free(v);
}

TEST(pair, the_error_finds_one_wrong_value_and_what_is_no_number)
{
  double *u, *v;
  int64_t where;
  bp_problem *problem = problem_create(&u, &v);
  for (int64_t n = 0; n < bp_problem_dofs(problem); ++n)
    u[n] /= 4 * SPECIES * POINTS;
  bp_reference_apply(problem, 0, POINTS, u, v);
  double *other = bp_alloc((size_t)bp_problem_outputs(problem), sizeof *other);
  bp_reference_apply(problem, 0, POINTS, u, other);
  CU_ASSERT_EQUAL(bp_reference_error(problem, 0, POINTS, v, other, &where), 0);
  other[97] += 1e-14;
  CU_ASSERT(bp_reference_error(problem, 0, POINTS, v, other, &where) >
            bp_reference_tolerance(problem));
  CU_ASSERT_EQUAL(where, 97);
  other[5] = NAN;
  CU_ASSERT(isinf(bp_reference_error(problem, 0, POINTS, v, other, &where)));
  CU_ASSERT_EQUAL(where, 5);
  bp_problem_destroy(problem);
  bp_free(other);
  bp_free(u);
  bp_free(v);
}
