/* cg.c -- conjugate gradients of one's own around libbp_operator_apply: bp5 on a warped box.
 *
 *   cc -O2 cg.c -o cg $(pkg-config --cflags --libs bp) -lm && ./cg
 *
 * Prints how many iterations it took, how many libbp_solve takes, and by how much the two differ. */
#include <bp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(libbp_status status)
{
  if (status) {
    fprintf(stderr, "%s\n", libbp_message());
    exit(status);
  }
}

static double dot(int64_t n, const double *x, const double *y)
{
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

static int cg(libbp_operator *a, int64_t n, const double *f, double *x, double tolerance)
{
  double *r = malloc(n * sizeof *r), *p = malloc(n * sizeof *p), *ap = malloc(n * sizeof *ap);
  int k = 0;
  for (int64_t i = 0; i < n; ++i)
    x[i] = 0, p[i] = r[i] = f[i];
  double rr = dot(n, r, r), stop = tolerance * tolerance * rr;
  for (; rr > stop; ++k) {
    check(libbp_operator_apply(a, 1, p, 0, ap));
    double alpha = rr / dot(n, p, ap), before = rr;
    for (int64_t i = 0; i < n; ++i)
      x[i] += alpha * p[i], r[i] -= alpha * ap[i];
    rr = dot(n, r, r);
    for (int64_t i = 0; i < n; ++i)
      p[i] = r[i] + rr / before * p[i];
  }
  free(r), free(p), free(ap);
  return k;
}

int main(void)
{
  const int64_t elements[3] = {6, 6, 6};
  libbp_context *context;
  libbp_mesh *mesh;
  libbp_operator *a;
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  libbp_info info = LIBBP_INFO;
  libbp_solve_result result = LIBBP_SOLVE_RESULT;
  options.problem = "bp5", options.degree = 4, options.layout = LIBBP_UNKNOWNS;

  check(libbp_context_create(NULL, &context));
  check(libbp_mesh_box(context, elements, 0.3, &mesh));
  check(libbp_operator_create(mesh, &options, &a));
  check(libbp_operator_info(a, &info));

  int64_t n = info.length;
  double *ones = malloc(n * sizeof *ones), *f = malloc(n * sizeof *f);
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int64_t i = 0; i < n; ++i)
    ones[i] = sin((double)i); /* f = A ones is 0 where unknowns are fixed, as it has to be */
  check(libbp_operator_apply(a, 1, ones, 0, f));

  int iterations = cg(a, n, f, x, 1e-8);
  check(libbp_solve(a, f, y, NULL, &result));
  for (int64_t i = 0; i < n; ++i)
    y[i] -= x[i];
  printf("%lld unknowns, %s: %d iterations, libbp_solve %d, difference %.1e\n", (long long)n,
         info.variant, iterations, result.iterations, sqrt(dot(n, y, y) / dot(n, x, x)));

  free(ones), free(f), free(x), free(y);
  libbp_operator_destroy(a);
  libbp_mesh_destroy(mesh);
  libbp_context_destroy(context);
  return 0;
}
