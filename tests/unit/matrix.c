/* matrix.c -- tests of the assembled operator as a sparse matrix. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "solve/matrix.h"
#include <math.h>
#include <omp.h>
#include <string.h>

static bp_system *make(const char *name, int degree, const int sides[3])
{
  bp_mesh *mesh = NULL;
  bp_system *system = NULL;
  const bp_bake_off *row = bp_bake_off_find(name);
  const bp_system_options options = {
      .row = row, .space = bp_bake_off_space(row, degree), .lambda = degree % 2 ? 0.3 : 0};
  CU_ASSERT_FATAL(bp_mesh_box(sides[0], sides[1], sides[2], 0.2, &mesh) == BP_OK);
  CU_ASSERT_FATAL(bp_system_create(options, mesh, &system) == BP_OK);
  return system;
}

static void destroy(bp_system *system)
{
  const bp_mesh *mesh = system->mesh;
  bp_system_destroy(system);
  bp_mesh_destroy((bp_mesh *)mesh);
}

/* The largest difference of the matrix times some u and A u, of the largest value. */
static double difference_of(bp_system *s, const bp_matrix *m)
{
  int64_t count = s->unknowns->count;
  double *u = bp_alloc((size_t)bp_system_size(s), sizeof *u), worst = 0, largest = 0;
  double *v = bp_alloc((size_t)bp_system_size(s), sizeof *v);
  for (int64_t n = 0; n < bp_system_size(s); ++n)
    u[n] = sin(1 + 0.7 * (double)n);
  bp_system_apply(s, u, v);
  for (int64_t n = 0; n < count; ++n) {
    double sum = 0;
    for (int64_t at = m->starts[n]; at < m->starts[n + 1]; ++at)
      sum += m->values[at] * u[m->columns[at]];
    worst = fmax(worst, fabs(sum - v[n]));
    largest = fmax(largest, fabs(v[n]));
  }
  bp_free(u);
  bp_free(v);
  return worst / largest;
}

TEST(matrix, it_is_the_operator)
{
  static const char *const names[] = {"bp1", "bp3", "bp5"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    for (int degree = 1; degree <= BP_MATRIX_DEGREE_MAX; ++degree) {
      bp_system *s = make(names[n], degree, (int[3]){3, 2, 2});
      bp_matrix *m = NULL;
      CU_ASSERT_FATAL(bp_matrix_create(s, &m) == BP_OK);
      double difference = difference_of(s, m);
      CHECK(difference < 1e-13, "%s N=%d: %.2g", names[n], degree, difference);
      bp_matrix_destroy(m);
      destroy(s);
    }
}

/* With nothing fixed, every pair that the model counts is an entry. */
TEST(matrix, entries_are_pairs_that_share_an_element)
{
  for (int degree = 1; degree <= 3; ++degree) {
    bp_system *s = make("bp1", degree, (int[3]){4, 3, 1});
    bp_matrix *m = NULL;
    CU_ASSERT_FATAL(bp_matrix_create(s, &m) == BP_OK);
    CU_ASSERT(m->starts[s->unknowns->count] == s->unknowns->pairs);
    bp_matrix_destroy(m);
    destroy(s);
  }
}

/* Rows of one thread get contributions from elements of others. */
TEST(matrix, threads_change_no_bit)
{
  bp_system *s = make("bp3", 2, (int[3]){3, 3, 2});
  bp_matrix *one = NULL, *more = NULL;
  int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  CU_ASSERT_FATAL(bp_matrix_create(s, &one) == BP_OK);
  omp_set_num_threads(5);
  CU_ASSERT_FATAL(bp_matrix_create(s, &more) == BP_OK);
  omp_set_num_threads(threads);
  size_t entries = (size_t)one->starts[s->unknowns->count];
  CU_ASSERT(memcmp(one->columns, more->columns, entries * sizeof *one->columns) == 0);
  CU_ASSERT(memcmp(one->values, more->values, entries * sizeof *one->values) == 0);
  bp_matrix_destroy(one);
  bp_matrix_destroy(more);
  destroy(s);
}

TEST(matrix, high_degrees_are_not_assembled)
{
  bp_system *s = make("bp5", BP_MATRIX_DEGREE_MAX + 1, (int[3]){1, 1, 1});
  bp_matrix *m = NULL;
  CU_ASSERT(bp_matrix_create(s, &m) == BP_SKIPPED);
  destroy(s);
}
