/* library.c -- tests of libbp on an emulated GPU; in other programs: tests/cli/library.sh. */
#include "test.h"

#include "base/memory.h"
#include "lib/library.h"
#include <stdlib.h>

static libbp_context *emulated(void)
{
  libbp_context *context = bp_alloc(1, sizeof *context);
  const bp_device_options options = {.seed = 1, .sms = 1};
  context->holders = 1;
  CU_ASSERT_EQUAL_FATAL(bp_device_create(&bp_backend_emulate, &options, &context->device), BP_OK);
  return context;
}

/* The same operator on both. */
typedef struct {
  libbp_operator *a[2]; /* of the CPU, of the GPU */
  int64_t length;
} twins;

/* So many elements that a block has several batches. */
static bool many;
/* Of the GPU. */
static const char *variant;
/* Of factors, not of a mesh. */
static bool of_factors;

static libbp_status create_of_factors(libbp_context *context, const libbp_operator_options *options,
                                      int64_t elements, libbp_operator **a)
{
  const int64_t count =
      elements * 7 * (options->degree + 1) * (options->degree + 1) * (options->degree + 1);
  double *factors = bp_alloc((size_t)count, sizeof *factors);
  for (int64_t n = 0; n < count; ++n)
    factors[n] = sin((double)(n % 1009));
  const libbp_status status = libbp_operator_create_factors(context, options, elements, factors, a);
  bp_free(factors);
  return status;
}

static twins twins_create(libbp_operator_options options)
{
  const int64_t n[3] = {2, 2, many ? 15 : 1};
  libbp_info info = LIBBP_INFO;
  twins t = {0};
  for (int g = 0; g < 2; ++g) {
    libbp_context *context = NULL;
    libbp_mesh *mesh = NULL;
    options.variant = g ? variant : NULL;
    if (g)
      context = emulated();
    else
      CU_ASSERT_EQUAL_FATAL(libbp_context_create(NULL, &context), LIBBP_OK);
    CU_ASSERT_EQUAL_FATAL(libbp_mesh_box(context, n, 0.2, &mesh), LIBBP_OK);
    CHECK((of_factors ? create_of_factors(context, &options, n[0] * n[1] * n[2], &t.a[g])
                      : libbp_operator_create(mesh, &options, &t.a[g])) == LIBBP_OK,
          "%s", libbp_message());
    CU_ASSERT_PTR_NOT_NULL_FATAL(t.a[g]);
    libbp_mesh_destroy(mesh);
    libbp_context_destroy(context);
  }
  CU_ASSERT_EQUAL(libbp_operator_info(t.a[1], &info), LIBBP_OK);
  t.length = info.length;
  return t;
}

static void twins_destroy(twins *t)
{
  libbp_operator_destroy(t->a[0]);
  libbp_operator_destroy(t->a[1]);
}

static double *random_vector(int64_t length, uint64_t seed)
{
  double *x = bp_alloc_array((size_t)length, sizeof *x);
  for (int64_t n = 0; n < length; ++n)
    x[n] = sin((double)(n + 1) * (double)seed);
  return x;
}

static double error_of(const double *x, const double *reference, int64_t length)
{
  double largest = 0, difference = 0;
  for (int64_t n = 0; n < length; ++n) {
    largest = fmax(largest, fabs(reference[n]));
    difference = fmax(difference, x[n] == reference[n] ? 0 : fabs(x[n] - reference[n]));
    if (isnan(x[n]) != isnan(reference[n]))
      return INFINITY;
  }
  return difference / largest;
}

static bp_array brought(const libbp_operator *a, const double *x, int64_t length)
{
  bp_array array;
  CU_ASSERT_EQUAL_FATAL(
      bp_array_create(a->context->device, "the caller's", length, sizeof *x, false, &array), BP_OK);
  CU_ASSERT_EQUAL(bp_array_write(a->context->device, &array, x), BP_OK);
  return array;
}

static void *pointer_to(const bp_array *array)
{
  return (void *)(uintptr_t)array->data;
}

/* alpha A u + beta v, with entries that nobody has. */
static void check_apply(libbp_operator_options options, double alpha, double beta)
{
  twins t = twins_create(options);
  bp_device *device = t.a[1]->context->device;
  double *u = random_vector(t.length, 1), *v = random_vector(t.length, 2),
         *start = random_vector(t.length, 2), *w = bp_alloc_array((size_t)t.length, sizeof *w);
  bp_array from = brought(t.a[1], u, t.length), to = brought(t.a[1], v, t.length);
  CU_ASSERT_EQUAL(libbp_operator_apply(t.a[0], alpha, u, beta, v), LIBBP_OK);
  CHECK(libbp_operator_apply_on(t.a[1], NULL, alpha, pointer_to(&from), beta, pointer_to(&to)) ==
            LIBBP_OK,
        "%s", libbp_message());
  CU_ASSERT_EQUAL(bp_array_read(device, &to, w), BP_OK);
  CHECK(error_of(w, v, t.length) < 1e-13, "%s, %g %g: error %g", options.problem, alpha, beta,
        error_of(w, v, t.length));
  if (alpha == 1 && beta == 0) {
    double dot = NAN, expected = 0, size = 0;
    bp_array place = brought(t.a[1], &dot, 1);
    CHECK(libbp_operator_apply_dot_on(t.a[1], NULL, pointer_to(&from), pointer_to(&to),
                                      pointer_to(&place)) == LIBBP_OK,
          "%s", libbp_message());
    CU_ASSERT_EQUAL(bp_array_read(device, &place, &dot), BP_OK);
    for (int64_t n = 0; n < t.length; ++n) {
      const bool is_there = v[n] != start[n]; /* else nobody has it */
      expected += is_there ? u[n] * v[n] : 0;
      size += is_there ? fabs(u[n] * v[n]) : 0;
    }
    CHECK(fabs(dot - expected) < 1e-13 * size, "%s: u . v %g, expected %g", options.problem, dot,
          expected);
    bp_array_destroy(device, &place);
  }
  bp_array_destroy(device, &from);
  bp_array_destroy(device, &to);
  bp_free(u);
  bp_free(v);
  bp_free(w);
  bp_free(start);
  twins_destroy(&t);
}

TEST(library, unknowns_on_a_gpu)
{
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  options.layout = LIBBP_UNKNOWNS;
  options.degree = 2;
  options.lambda = 0.5;
  options.problem = "bp3";
  check_apply(options, 1, 0);
  check_apply(options, 2, -3);
  options.problem = "bp6";
  check_apply(options, -1, 1);
}

/* Numbers of a caller's for a box, of which some are nobody's: all scrambled, or those of inner nodes in
 * rows. Free with bp_free. */
static int64_t *scrambled(libbp_operator_options *options, bool in_rows)
{
  enum { PRIME = 7919 };
  twins t = twins_create(*options);
  const bp_unknowns *u = t.a[0]->unknowns;
  const int64_t all = u->elements * bp_space_nodes(t.a[0]->space);
  int64_t *map = bp_alloc((size_t)all, sizeof *map);
  CU_ASSERT_EQUAL(libbp_operator_numbers(t.a[0], map), LIBBP_OK);
  for (int64_t n = 0; n < all; ++n)
    map[n] = map[n] < 0                     ? -1
             : in_rows && map[n] < u->inner ? 2 * u->count + map[n]
                                            : 2 * (map[n] * PRIME % u->count);
  options->map = map;
  options->count = 3 * u->count;
  twins_destroy(&t);
  return map;
}

static void check_mapped(const char *problem, int degree, double lambda, bool in_rows, bool atomic)
{
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  options.layout = LIBBP_UNKNOWNS;
  options.problem = problem;
  options.degree = degree;
  options.lambda = lambda;
  options.atomic = atomic;
  many = degree < 9;
  const bool wanted = of_factors;
  of_factors = false; /* the map is that of a mesh */
  int64_t *map = scrambled(&options, in_rows);
  of_factors = wanted;
  twins t = twins_create(options);
  CU_ASSERT_PTR_NOT_NULL_FATAL(t.a[1]->mapped);
  CU_ASSERT_EQUAL(t.a[1]->mapped->runs, in_rows || degree == 1);
  if (variant)
    CU_ASSERT_EQUAL(bp_choice_option(&t.a[1]->plan->choice, "elements_per_block", 0), 3);
  twins_destroy(&t);
  check_apply(options, 1, 0);
  check_apply(options, 2, -0.5);
  many = false;
  bp_free(map);
}

TEST(library, mapped)
{
  check_mapped("bp1", 1, 0, false, false);
  variant = "bp1/mapped elements_per_block=3";
  check_mapped("bp1", 3, 0, true, false);
  variant = NULL;
  check_mapped("bp6", 3, 0, false, true);
  check_mapped("bp5", 13, 0, true, false);
  of_factors = true;
  check_mapped("bp5", 2, 0, true, false);
  check_mapped("bp5", 2, 0.5, true, false);
  of_factors = false;
}

TEST(library, a_map_on_a_gpu)
{
  enum { NODES = 4 * 27, NUMBERS = 50 };
  int64_t map[NODES];
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  for (int n = 0; n < NODES; ++n)
    map[n] = n % 7 == 0 ? -1 - n : n * 31 % NUMBERS / 2 * 2; /* odd ones are nobody's */
  options.layout = LIBBP_UNKNOWNS;
  options.problem = "bp1";
  options.degree = 2;
  options.map = map;
  options.count = NUMBERS;
  check_apply(options, 1, 0);
  check_apply(options, 0.5, 2);
  options.problem = "bp2";
  options.stride = NUMBERS + 3;
  check_apply(options, 1, 0);
}

static void check_solve(const char *problem, bool jacobi)
{
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  libbp_solve_options stop = LIBBP_SOLVE_OPTIONS;
  libbp_solve_result result = LIBBP_SOLVE_RESULT;
  options.layout = LIBBP_UNKNOWNS;
  options.problem = problem;
  options.degree = 3;
  options.jacobi = jacobi;
  stop.tolerance = 1e-10;
  stop.iterations = 200;
  twins t = twins_create(options);
  bp_device *device = t.a[1]->context->device;
  double *f = random_vector(t.length, 3), *x = random_vector(t.length, 4),
         *y = random_vector(t.length, 5);
  bp_array from = brought(t.a[1], f, t.length), to = brought(t.a[1], x, t.length);
  CHECK(libbp_solve(t.a[0], f, x, &stop, &result) == LIBBP_OK, "%s", libbp_message());
  const int iterations = result.iterations;
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(libbp_solve(t.a[1], pointer_to(&from), pointer_to(&to), &stop, &result) == LIBBP_OK, "%s",
          libbp_message());
    CU_ASSERT_EQUAL(bp_array_read(device, &to, y), BP_OK);
    CHECK(error_of(y, x, t.length) < 1e-8, "%s: error %g", problem, error_of(y, x, t.length));
    CHECK(abs(result.iterations - iterations) <= 16 && result.last <= 1e-10 * result.first,
          "%d of %d iterations, %g", result.iterations, iterations, result.last);
  }
  CU_ASSERT_EQUAL(bp_array_write(device, &to, f), BP_OK);
  CU_ASSERT_EQUAL(libbp_operator_diagonal(t.a[0], x), LIBBP_OK);
  CU_ASSERT_EQUAL(libbp_operator_diagonal(t.a[1], pointer_to(&to)), LIBBP_OK);
  CU_ASSERT_EQUAL(bp_array_read(device, &to, y), BP_OK);
  CU_ASSERT_EQUAL(memcmp(x, y, (size_t)t.a[0]->count * sizeof *x), 0);
  bp_array_destroy(device, &from);
  bp_array_destroy(device, &to);
  bp_free(f);
  bp_free(x);
  bp_free(y);
  twins_destroy(&t);
}

TEST(library, solves_on_a_gpu)
{
  check_solve("bp5", false);
  check_solve("bp3", true);
  check_solve("bp2", false);
}
