/* unknowns.c -- tests of the assembled numbering: every property that its header states. */
#include "test.h"

#include "base/memory.h"
#include "boxes.h"
#include "fem/problem.h"
#include "fem/unknowns.h"
#include "numbering.h"
#include <omp.h>
#include <stdlib.h>

/* A mesh, its connectivity and its unknowns. */
typedef struct {
  bp_mesh *mesh;
  bp_connectivity *connectivity;
  bp_unknowns *u;
  int64_t nodes, *numbers; /* all elements' */
} numbered;

static numbered number(bp_mesh *mesh, int degree, bp_fixed_kind kind)
{
  numbered n = {.mesh = mesh, .nodes = (degree + 1) * (degree + 1) * (degree + 1)};
  CU_ASSERT_FATAL(!bp_connectivity_create(mesh, &n.connectivity));
  CU_ASSERT_FATAL(
      !bp_unknowns_create(mesh, n.connectivity, degree, (bp_fixed){.kind = kind}, &n.u));
  n.numbers = bp_alloc((size_t)(mesh->elements * n.nodes), sizeof *n.numbers);
  bp_unknowns_number(n.u, 0, mesh->elements, n.numbers);
  return n;
}

static void drop(numbered *n)
{
  bp_unknowns_destroy(n->u);
  bp_connectivity_destroy(n->connectivity);
  bp_free(n->numbers);
}

enum { MESHES = 4 };

/* A box, one with shuffled and turned elements, hoods, a torus. */
static bp_mesh *mesh_of(int number)
{
  static const int box[3] = {3, 2, 4}, torus[3] = {3, 4, 3};
  int64_t order[64];
  bp_random random = bp_random_start(7);
  bp_mesh *mesh = number == 2   ? test_hoods(2, 1)
                  : number == 3 ? test_torus(torus)
                                : test_box(box, 2, test_bend);
  if (number == 1)
    test_shuffle_elements(mesh, &random, order);
  if (number > 0)
    test_rotate_all(mesh, &random);
  return mesh;
}

/* The same partition of the elements' nodes as connectivity's, with all numbers 0..count-1 used. */
static void is_one_to_one(const numbered *n, const char *what)
{
  int64_t count = n->u->count, total = n->mesh->elements * n->nodes, wrong = 0, used = 0;
  int64_t *ids = bp_alloc((size_t)total, sizeof *ids);
  int64_t *number_of = bp_alloc((size_t)count, sizeof *number_of);
  int64_t *id_of = bp_alloc((size_t)count, sizeof *id_of);
  bp_connectivity_number(n->connectivity, n->u->degree, 0, n->mesh->elements, ids);
  CU_ASSERT_FATAL(count == bp_connectivity_unique(n->connectivity, n->u->degree));
  memset(number_of, 0xff, (size_t)count * sizeof *number_of);
  memset(id_of, 0xff, (size_t)count * sizeof *id_of);
  for (int64_t m = 0; m < total; ++m) {
    int64_t a = n->numbers[m], id = ids[m];
    CU_ASSERT_FATAL(a >= 0 && a < count);
    used += id_of[a] < 0;
    wrong += (id_of[a] >= 0 && id_of[a] != id) || (number_of[id] >= 0 && number_of[id] != a);
    id_of[a] = id;
    number_of[id] = a;
  }
  CHECK(wrong == 0 && used == count, "%s N=%d: %d wrong, %d of %d used", what, n->u->degree,
        (int)wrong, (int)used, (int)count);
  bp_free(ids);
  bp_free(number_of);
  bp_free(id_of);
}

/* Walks all surface nodes in order: a number is new exactly where its element owns it, and new ones
 * of a class are consecutive. */
static void is_by_first_touch(const numbered *n)
{
  const bp_unknowns *u = n->u;
  int M = u->degree - 1, ends[3] = {6 * M * M, 6 * M * M + 12 * M, u->surface_nodes};
  int64_t next[3] = {u->inner, u->faces_end, u->edges_end}, wrong = 0;
  int64_t limit[3] = {u->faces_end, u->edges_end, u->count};
  for (int64_t e = 0; e < u->elements; ++e)
    for (int m = 0, k = 0; m < u->surface_nodes; ++m) {
      while (m >= ends[k])
        ++k;
      int32_t id = u->ids[e * u->surface_nodes + m];
      id = id < 0 ? ~id : id;
      bool is_new = id == next[k];
      wrong +=
          id > next[k] || is_new != (id >= u->first[3 * e + k]) || id >= u->first[3 * e + 3 + k];
      next[k] += is_new;
    }
  CHECK(wrong == 0, "N=%d: %d nodes", u->degree, (int)wrong);
  CU_ASSERT(memcmp(next, limit, sizeof next) == 0);
}

/* Copies are exactly the places where an unknown that is not fixed occurs. */
static void lists_copies(const numbered *n)
{
  const bp_unknowns *u = n->u;
  int64_t surface = u->count - u->inner, total = 0, wrong = 0;
  for (int64_t m = 0; m < u->elements * u->surface_nodes; ++m)
    total += u->ids[m] >= 0;
  CU_ASSERT(u->starts[0] == 0 && u->starts[surface] == total);
  for (int64_t s = 0; s < surface; ++s)
    for (uint32_t c = u->starts[s]; c < u->starts[s + 1]; ++c)
      wrong += u->ids[u->copies[c]] != u->inner + s ||
               (c > u->starts[s] && u->copies[c] <= u->copies[c - 1]) ||
               (u->inner + s < u->faces_end && c - u->starts[s] > 1);
  CHECK(wrong == 0, "N=%d: %d copies", u->degree, (int)wrong);
}

TEST(unknowns, hold_what_their_header_says)
{
  for (int m = 0; m < MESHES; ++m)
    for (int N = 1; N <= 5; ++N)
      for (bp_fixed_kind kind = BP_FIXED_NONE; kind <= BP_FIXED_BOUNDARY; ++kind) {
        bp_mesh *mesh = mesh_of(m);
        numbered n = number(mesh, N, kind);
        is_one_to_one(&n, kind ? "fixed" : "free");
        is_by_first_touch(&n);
        lists_copies(&n);
        drop(&n);
        test_box_destroy(mesh);
      }
}

TEST(unknowns, puts_nodes_where_places_say)
{
  for (int N = 1; N <= 15; ++N) {
    int nq = N + 1, nodes = nq * nq * nq, M = N - 1, S = nodes - M * M * M;
    int *place = bp_alloc((size_t)nodes, sizeof *place),
        *count = bp_alloc((size_t)nodes, sizeof *count);
    bp_unknowns_places(N, place, place + S);
    for (int n = 0; n < nodes; ++n)
      ++count[place[n]];
    for (int n = 0; n < nodes; ++n) {
      int i = n % nq, j = n / nq % nq, k = n / nq / nq;
      int sides = (i % N == 0) + (j % N == 0) + (k % N == 0);
      CU_ASSERT(count[n] == 1);
      int at = 0;
      while (place[at] != n)
        ++at;
      int expected = at < 6 * M * M ? 1 : at < 6 * M * M + 12 * M ? 2 : at < S ? 3 : 0;
      CHECK(sides == expected, "N=%d (%d,%d,%d)", N, k, j, i);
    }
    bp_free(place);
    bp_free(count);
  }
}

/* All elements see an unknown at the same point, and bp_unknowns_nodes says which. */
TEST(unknowns, lie_where_their_elements_see_them)
{
  for (int m = 0; m < 3; ++m)
    for (int N = 1; N <= 6; ++N) {
      bp_mesh *mesh = mesh_of(m);
      numbered n = number(mesh, N, BP_FIXED_BOUNDARY);
      int64_t total = mesh->elements * n.nodes;
      double *x = bp_alloc((size_t)n.u->count * 3, sizeof *x), far = 0;
      double *local = bp_alloc((size_t)total * 3, sizeof *local);
      memset(x, 0xff, (size_t)n.u->count * 3 * sizeof *x);
      bp_unknowns_nodes(n.u, mesh, x);
      bp_problem_nodes(mesh, N, 0, mesh->elements, local);
      for (int64_t q = 0; q < total; ++q)
        for (int c = 0; c < 3; ++c)
          far = fmax(far, fabs(x[3 * n.numbers[q] + c] - local[3 * q + c]));
      for (int64_t q = 0; q < 3 * n.u->count; ++q)
        CU_ASSERT_FATAL(isfinite(x[q]));
      CHECK(far < 1e-14, "mesh %d N=%d: %.2g", m, N, far);
      bp_free(x);
      bp_free(local);
      drop(&n);
      test_box_destroy(mesh);
    }
}

static double *random_values(bp_random *random, int64_t count)
{
  double *values = bp_alloc((size_t)count, sizeof *values);
  for (int64_t n = 0; n < count; ++n)
    values[n] = bp_random_unit(random) - 0.5;
  return values;
}

TEST(unknowns, gather_is_the_transpose_of_scatter)
{
  for (int m = 0; m < MESHES; ++m)
    for (int N = 1; N <= 4; ++N) {
      bp_random random = bp_random_start(3);
      bp_mesh *mesh = mesh_of(m);
      numbered n = number(mesh, N, m % 2 ? BP_FIXED_NONE : BP_FIXED_BOUNDARY);
      int64_t total = mesh->elements * n.nodes;
      double *global = random_values(&random, n.u->count), *local = random_values(&random, total);
      double *gathered = random_values(&random, n.u->count),
             *scattered = random_values(&random, total);
      long double left = 0, right = 0;
      bp_unknowns_scatter(n.u, 0, n.u->elements, global, scattered);
      bp_unknowns_gather(n.u, local, gathered);
      for (int64_t q = 0; q < total; ++q)
        left += (long double)scattered[q] * local[q];
      for (int64_t q = 0; q < n.u->count; ++q)
        right += (long double)global[q] * gathered[q];
      CHECK(fabsl(left - right) < 1e-13L, "mesh %d N=%d: %Lg and %Lg", m, N, left, right);
      bp_free(global);
      bp_free(local);
      bp_free(gathered);
      bp_free(scattered);
      drop(&n);
      test_box_destroy(mesh);
    }
}

/* Memory that has been used has something in it. */
TEST(unknowns, of_one_rank_are_shared_with_nobody)
{
  bp_random random = bp_random_start(4);
  bp_mesh *mesh = mesh_of(1);
  numbered n = number(mesh, 3, BP_FIXED_BOUNDARY);
  const size_t copies = (size_t)(n.u->elements * n.u->surface_nodes);
  double *global = random_values(&random, n.u->count), *before = random_values(&random, n.u->count);
  uint8_t *is_fixed = bp_alloc((size_t)n.u->count, sizeof *is_fixed);
  bp_unknowns_fixed(n.u, is_fixed);
  memcpy(before, global, (size_t)n.u->count * sizeof *before);
  double *used = bp_alloc_array(copies, sizeof *used);
  for (size_t c = 0; c < copies; ++c)
    used[c] = 1e6;
  bp_free(used);
  bp_unknowns_share(n.u, global);
  for (int64_t q = 0; q < n.u->count; ++q)
    CHECK(is_fixed[q] || global[q] == before[q], "%lld: %g, was %g", (long long)q, global[q],
          before[q]);
  bp_free(is_fixed);
  bp_free(global);
  bp_free(before);
  drop(&n);
  test_box_destroy(mesh);
}

TEST(unknowns, fixes_the_boundary_as_connectivity_finds_it)
{
  for (int m = 0; m < MESHES; ++m)
    for (int N = 1; N <= 4; ++N) {
      bp_mesh *mesh = mesh_of(m);
      numbered n = number(mesh, N, BP_FIXED_BOUNDARY);
      int64_t total = mesh->elements * n.nodes, *ids = bp_alloc((size_t)total, sizeof *ids),
              wrong = 0;
      int64_t marked = 0;
      bool *is_boundary = bp_alloc((size_t)n.u->count, sizeof *is_boundary);
      uint8_t *is_fixed = bp_alloc((size_t)n.u->count, sizeof *is_fixed);
      bp_connectivity_number(n.connectivity, N, 0, mesh->elements, ids);
      bp_connectivity_boundary(n.connectivity, N, is_boundary);
      bp_unknowns_fixed(n.u, is_fixed);
      for (int64_t q = 0; q < total; ++q)
        wrong += is_fixed[n.numbers[q]] != is_boundary[ids[q]];
      for (int64_t q = 0; q < n.u->count; ++q)
        marked += is_fixed[q];
      CHECK(wrong == 0 && marked == n.u->fixed, "mesh %d N=%d: %d wrong", m, N, (int)wrong);
      CU_ASSERT((marked == 0) == (m == 3)); /* a torus has no boundary */
      bp_free(ids);
      bp_free(is_boundary);
      bp_free(is_fixed);
      drop(&n);
      test_box_destroy(mesh);
    }
}

TEST(unknowns, fixes_the_faces_that_are_marked)
{
  bp_mesh *mesh = test_box((int[3]){2, 1, 1}, 1, NULL);
  bp_connectivity *c;
  bp_unknowns *u;
  CU_ASSERT_FATAL(!bp_connectivity_create(mesh, &c));
  bool *faces = bp_alloc((size_t)c->faces, sizeof *faces);
  faces[c->face[0]] = true; /* x = 0 */
  CU_ASSERT_FATAL(
      !bp_unknowns_create(mesh, c, 3, (bp_fixed){.kind = BP_FIXED_FACES, .faces = faces}, &u));
  double *x = bp_alloc((size_t)u->count * 3, sizeof *x);
  uint8_t *is_fixed = bp_alloc((size_t)u->count, sizeof *is_fixed);
  bp_unknowns_nodes(u, mesh, x);
  bp_unknowns_fixed(u, is_fixed);
  CU_ASSERT(u->fixed == 16);
  for (int64_t n = 0; n < u->count; ++n)
    CHECK(is_fixed[n] == (x[3 * n] == 0), "unknown %d at x = %g", (int)n, x[3 * n]);
  bp_free(x);
  bp_free(is_fixed);
  bp_free(faces);
  bp_unknowns_destroy(u);
  bp_connectivity_destroy(c);
  test_box_destroy(mesh);
}

TEST(unknowns, do_not_depend_on_the_number_of_threads)
{
  int threads = omp_get_max_threads();
  bp_mesh *mesh = mesh_of(1);
  omp_set_num_threads(1);
  numbered one = number(mesh, 3, BP_FIXED_BOUNDARY);
  omp_set_num_threads(5);
  numbered five = number(mesh, 3, BP_FIXED_BOUNDARY);
  omp_set_num_threads(threads);
  size_t copies = one.u->starts[one.u->count - one.u->inner];
  CU_ASSERT(!memcmp(one.u->ids, five.u->ids,
                    (size_t)(mesh->elements * one.u->surface_nodes) * sizeof *one.u->ids));
  CU_ASSERT(!memcmp(one.u->copies, five.u->copies, copies * sizeof *one.u->copies));
  drop(&one);
  drop(&five);
  test_box_destroy(mesh);
}

/* Sizes alone decide: no mesh of that size is needed. */
TEST(unknowns, refuse_what_32_bits_cannot_count)
{
  bp_mesh mesh = {.name = (char *)"huge"};
  bp_unknowns *u = (bp_unknowns *)1;
  bp_connectivity c = {
      .elements = 1000000, .vertices = 1030301, .edges = 3060300, .faces = 3030000};
  bp_status status = bp_unknowns_create(&mesh, &c, 15, (bp_fixed){.kind = BP_FIXED_NONE}, &u);
  CU_ASSERT(status == BP_BAD_INPUT && u == NULL);
  CU_ASSERT_STRING_EQUAL(bp_message(), "huge: expected fewer than 2^31 unknowns, found 3381754501 "
                                       "(degree 15, 1000000 elements)");
  c = (bp_connectivity){.elements = 600000000, .vertices = 600000000};
  status = bp_unknowns_create(&mesh, &c, 1, (bp_fixed){.kind = BP_FIXED_NONE}, &u);
  CU_ASSERT(status == BP_BAD_INPUT && u == NULL);
  CHECK(strstr(bp_message(), "2^32 nodes on the surfaces") != NULL, "%s", bp_message());
}
