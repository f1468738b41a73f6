/* connectivity.c -- tests of global numbering, boundary, gather and scatter. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "fem/problem.h"
#include "mesh/connectivity.h"
#include "numbering.h"
#include <omp.h>
#include <stdlib.h>

static bp_connectivity *connect(const bp_mesh *mesh)
{
  bp_connectivity *c = NULL;
  CU_ASSERT_FATAL(bp_connectivity_create(mesh, &c) == BP_OK);
  return c;
}

static int64_t *create_ids(const bp_connectivity *c, int degree)
{
  int64_t nodes = (degree + 1) * (degree + 1) * (degree + 1);
  int64_t *ids = bp_alloc((size_t)(c->elements * nodes), sizeof *ids);
  bp_connectivity_number(c, degree, 0, c->elements, ids);
  return ids;
}

/* V - E + F - H: 1 for a ball, 0 for a ring, 2 for a hollow ball. */
static int64_t euler(const bp_connectivity *c)
{
  return c->vertices - c->edges + c->faces - c->elements;
}

static void unlink_last(bp_mesh *mesh, bp_connectivity *c)
{
  bp_connectivity_destroy(c);
  test_box_destroy(mesh);
}

TEST(connectivity, counts_a_box_by_formula)
{
  static const int sizes[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 1, 2}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int *n = sizes[s];
    int64_t x = n[0], y = n[1], z = n[2];
    bp_random random = bp_random_start(s);
    bp_mesh *mesh = test_box(n, 1, NULL);
    test_rotate_all(mesh, &random);
    bp_connectivity *c = connect(mesh);
    CU_ASSERT(c->vertices == (x + 1) * (y + 1) * (z + 1));
    CU_ASSERT(c->edges == x * (y + 1) * (z + 1) + (x + 1) * y * (z + 1) + (x + 1) * (y + 1) * z);
    CU_ASSERT(c->faces == (x + 1) * y * z + x * (y + 1) * z + x * y * (z + 1));
    CU_ASSERT(euler(c) == 1);
    for (int N = 1; N <= 15; ++N) {
      int64_t all = (x * N + 1) * (y * N + 1) * (z * N + 1);
      int64_t inner = (x * N - 1) * (y * N - 1) * (z * N - 1), marked = 0;
      CHECK(bp_connectivity_unique(c, N) == all, "%dx%dx%d N=%d", n[0], n[1], n[2], N);
      bool *is_boundary = bp_alloc((size_t)all, sizeof *is_boundary);
      bp_connectivity_boundary(c, N, is_boundary);
      for (int64_t id = 0; id < all; ++id)
        marked += is_boundary[id];
      CHECK(marked == all - inner, "%dx%dx%d N=%d: %d", n[0], n[1], n[2], N, (int)marked);
      bp_free(is_boundary);
    }
    unlink_last(mesh, c);
  }
}

TEST(connectivity, counts_beyond_32_bits)
{
  bp_connectivity c = {
      .elements = 8000000, .vertices = 8120601, .edges = 24240000, .faces = 24120000};
  CU_ASSERT(bp_connectivity_unique(&c, 15) ==
            8120601 + 24240000 * INT64_C(14) + 24120000 * INT64_C(196) + 8000000 * INT64_C(2744));
}

/* A place: an id, and where an element has it. */
typedef struct {
  double x[3];
  int64_t id;
} place;

static int compare_ids(const void *a, const void *b)
{
  const place *p = a, *q = b;
  return (p->id > q->id) - (p->id < q->id);
}

/* By coordinates, those that differ by rounding counted as equal. */
static int compare_coordinates(const void *a, const void *b)
{
  const place *p = a, *q = b;
  for (int d = 0; d < 3; ++d)
    if (fabs(p->x[d] - q->x[d]) > 1e-9)
      return p->x[d] < q->x[d] ? -1 : 1;
  return 0;
}

static place *create_places(const bp_mesh *mesh, const bp_connectivity *c, int degree,
                            int64_t count)
{
  place *places = bp_alloc((size_t)count, sizeof *places);
  double *x = bp_alloc((size_t)count * 3, sizeof *x);
  int64_t *ids = create_ids(c, degree);
  bp_problem_nodes(mesh, degree, 0, mesh->elements, x);
  for (int64_t n = 0; n < count; ++n) {
    places[n].id = ids[n];
    memcpy(places[n].x, x + 3 * n, sizeof places[n].x);
  }
  bp_free(x);
  bp_free(ids);
  return places;
}

/* Ids are dense and equal exactly where coordinates are. */
static void agrees_with_coordinates(const bp_mesh *mesh, int degree)
{
  bp_connectivity *c = connect(mesh);
  int64_t nq = degree + 1, count = mesh->elements * nq * nq * nq, apart = 0, ids = 1, points = 1;
  place *places = create_places(mesh, c, degree, count);
  qsort(places, (size_t)count, sizeof *places, compare_ids);
  CU_ASSERT(places[0].id == 0 && places[count - 1].id == bp_connectivity_unique(c, degree) - 1);
  for (int64_t n = 1; n < count; ++n) {
    ids += places[n].id != places[n - 1].id;
    apart += places[n].id == places[n - 1].id && compare_coordinates(places + n, places + n - 1);
  }
  CHECK(apart == 0, "N=%d: %d ids stand for several points", degree, (int)apart);
  CU_ASSERT(ids == bp_connectivity_unique(c, degree));
  qsort(places, (size_t)count, sizeof *places, compare_coordinates);
  for (int64_t n = 1; n < count; ++n)
    points += compare_coordinates(places + n, places + n - 1) != 0;
  CHECK(points == ids, "N=%d: %d points have %d ids", degree, (int)points, (int)ids);
  bp_free(places);
  bp_connectivity_destroy(c);
}

TEST(connectivity, agrees_with_coordinates_however_elements_are_turned)
{
  for (int order = 1; order <= 3; ++order)
    for (uint64_t seed = 0; seed < 6; ++seed) {
      bp_random random = bp_random_start(seed);
      bp_mesh *mesh =
          seed < 3 ? test_box((int[3]){3, 2, 2}, order, test_bend) : test_hoods(2, order);
      int64_t *new_order = bp_alloc((size_t)mesh->elements, sizeof *new_order);
      test_rotate_all(mesh, &random);
      test_shuffle_elements(mesh, &random, new_order);
      for (int degree = 1; degree <= 6; ++degree)
        agrees_with_coordinates(mesh, degree);
      agrees_with_coordinates(mesh, 15);
      bp_free(new_order);
      test_box_destroy(mesh);
    }
}

TEST(connectivity, marks_as_boundary_what_lies_on_the_surface)
{
  bp_random random = bp_random_start(9);
  bp_mesh *mesh = test_hoods(2, 1);
  test_rotate_all(mesh, &random);
  bp_connectivity *c = connect(mesh);
  for (int degree = 1; degree <= 5; ++degree) {
    int64_t nq = degree + 1, count = mesh->elements * nq * nq * nq, wrong = 0;
    place *places = create_places(mesh, c, degree, count);
    bool *is_boundary = bp_alloc((size_t)bp_connectivity_unique(c, degree), sizeof *is_boundary);
    bp_connectivity_boundary(c, degree, is_boundary);
    for (int64_t n = 0; n < count; ++n) {
      double far = 0;
      for (int d = 0; d < 3; ++d)
        far = fmax(far, fabs(places[n].x[d]));
      wrong += (far > 1 - 1e-9) != is_boundary[places[n].id];
    }
    CHECK(wrong == 0, "N=%d: %d nodes", degree, (int)wrong);
    bp_free(is_boundary);
    bp_free(places);
  }
  unlink_last(mesh, c);
}

TEST(connectivity, has_the_euler_characteristic_of_its_shape)
{
  bp_mesh *mesh = test_hoods(3, 1);
  bp_connectivity *c = connect(mesh);
  CU_ASSERT(euler(c) == 1);
  unlink_last(mesh, c);
  mesh = test_box((int[3]){3, 3, 1}, 1, NULL);
  test_drop_element(mesh, 4);
  c = connect(mesh);
  CU_ASSERT(euler(c) == 0);
  unlink_last(mesh, c);
  mesh = test_box((int[3]){3, 3, 3}, 2, NULL);
  test_drop_element(mesh, 13);
  c = connect(mesh);
  CU_ASSERT(euler(c) == 2);
  unlink_last(mesh, c);
}

TEST(connectivity, joins_the_sides_of_a_torus)
{
  bp_mesh *mesh = test_torus((int[3]){3, 4, 5});
  bp_connectivity *c = connect(mesh);
  CU_ASSERT(c->vertices == 60 && c->edges == 180 && c->faces == 180 && euler(c) == 0);
  for (int N = 1; N <= 15; ++N)
    CU_ASSERT(bp_connectivity_unique(c, N) == 60 * N * N * N);
  for (int64_t f = 0; f < c->faces; ++f)
    CU_ASSERT(c->face_sides[f] == 2);
  unlink_last(mesh, c);
}

/* A torus one element wide, in one direction and in all; all elements on one set of nodes. */
TEST(connectivity, survives_meshes_that_bite_their_tails)
{
  static const int sizes[][3] = {{1, 3, 3}, {1, 1, 3}, {1, 1, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    bp_mesh *mesh = test_torus(sizes[s]);
    bp_connectivity *c = NULL;
    bp_status status = bp_connectivity_create(mesh, &c);
    CHECK(status == BP_OK || status == BP_BAD_INPUT, "case %zu: %d", s, (int)status);
    CHECK(s > 0 || (status == BP_OK && bp_connectivity_unique(c, 4) == 4 * 12 * 12), "case %zu", s);
    for (int degree = 1; c && degree <= 3; ++degree)
      bp_free(create_ids(c, degree));
    unlink_last(mesh, c);
  }
  bp_mesh *mesh = test_box((int[3]){50, 20, 20}, 1, NULL);
  bp_connectivity *c;
  for (int64_t e = 1; e < mesh->elements; ++e)
    memcpy(mesh->node + 8 * e, mesh->node, 8 * sizeof *mesh->node);
  CU_ASSERT(bp_connectivity_create(mesh, &c) == BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "found elements 7, 17 and 27") != NULL, "%s", bp_message());
  test_box_destroy(mesh);
}

TEST(connectivity, refuses_a_face_of_three_elements_by_name)
{
  bp_mesh *mesh = test_box((int[3]){4, 1, 1}, 1, NULL);
  for (int n = 0; n < 8;
       n += 2) /* the third element's left face becomes the second's right one again */
    mesh->node[8 * 3 + n] = mesh->node[8 * 1 + n + 1];
  for (int threads = 1; threads <= 4; ++threads) {
    bp_connectivity *c;
    omp_set_num_threads(threads);
    CU_ASSERT(bp_connectivity_create(mesh, &c) == BP_BAD_INPUT && c == NULL);
    CHECK(strcmp(bp_message(), "test box: expected at most two elements at a face, found elements "
                               "17, 27 and 37") == 0,
          "%s", bp_message());
  }
  omp_set_num_threads(omp_get_num_procs());
  test_box_destroy(mesh);
}

static double *create_random(int64_t count, uint64_t seed)
{
  bp_random random = bp_random_start(seed);
  double *u = bp_alloc((size_t)count, sizeof *u);
  for (int64_t n = 0; n < count; ++n)
    u[n] = 2 * bp_random_unit(&random) - 1;
  return u;
}

/* (Q g, l) = (g, Qᵀ l), and Qᵀ Q 1 counts the elements at each node. */
TEST(connectivity, gathers_by_the_transpose_of_scattering)
{
  enum { DEGREE = 3, NODES = 64 };
  bp_random random = bp_random_start(1);
  bp_mesh *mesh = test_hoods(2, 1);
  test_rotate_all(mesh, &random);
  bp_connectivity *c = connect(mesh);
  int64_t unique = bp_connectivity_unique(c, DEGREE), count = c->elements * NODES;
  int64_t *ids = create_ids(c, DEGREE);
  double *local = create_random(count, 1), *global = create_random(unique, 2);
  double *scattered = bp_alloc((size_t)count, sizeof *local);
  double *gathered = bp_alloc((size_t)unique, sizeof *global);
  bp_scatter(c, DEGREE, ids, global, scattered);
  bp_gather(c, DEGREE, ids, local, gathered);
  long double left = 0, right = 0;
  for (int64_t n = 0; n < count; ++n)
    left += (long double)scattered[n] * local[n];
  for (int64_t n = 0; n < unique; ++n)
    right += (long double)global[n] * gathered[n];
  CU_ASSERT_DOUBLE_EQUAL((double)left, (double)right, 1e-12);
  for (int64_t n = 0; n < count; ++n)
    local[n] = 1;
  bp_gather(c, DEGREE, ids, local, gathered);
  for (int64_t n = 0; n < count; ++n)
    gathered[ids[n]] -= 1;
  for (int64_t n = 0; n < unique; ++n)
    CU_ASSERT(gathered[n] == 0);
  bp_free(ids);
  bp_free(local);
  bp_free(global);
  bp_free(scattered);
  bp_free(gathered);
  unlink_last(mesh, c);
}

TEST(connectivity, gives_the_same_bits_for_every_number_of_threads)
{
  enum { DEGREE = 3, NODES = 64 };
  bp_mesh *mesh = test_box((int[3]){30, 25, 24}, 1, NULL); /* several blocks of vertices */
  int64_t count = mesh->elements * NODES;
  double *local = create_random(count, 1), *first_sum = NULL;
  int64_t *first_ids = NULL;
  for (int threads = 1; threads <= 8; ++threads) {
    omp_set_num_threads(threads);
    bp_connectivity *c = connect(mesh);
    size_t unique = (size_t)bp_connectivity_unique(c, DEGREE);
    int64_t *ids = create_ids(c, DEGREE);
    double *sum = bp_alloc(unique, sizeof *sum);
    bp_gather(c, DEGREE, ids, local, sum);
    if (first_ids) {
      CU_ASSERT(memcmp(ids, first_ids, (size_t)count * sizeof *ids) == 0);
      CU_ASSERT(memcmp(sum, first_sum, unique * sizeof *sum) == 0);
      bp_free(ids);
      bp_free(sum);
    } else {
      first_ids = ids;
      first_sum = sum;
    }
    bp_connectivity_destroy(c);
  }
  omp_set_num_threads(omp_get_num_procs());
  bp_free(first_ids);
  bp_free(first_sum);
  bp_free(local);
  test_box_destroy(mesh);
}
