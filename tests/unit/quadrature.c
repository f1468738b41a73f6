/* quadrature.c -- tests of the Gauss and Lobatto rules. */
#include "test.h"

#include "fem/quadrature.h"
#include <float.h>
#include <stdbool.h>

typedef void rule(int n, double *points, double *weights);

/* The lower half of some rules: bisection and explicit sums in decimal arithmetic of 50 digits. */
static const struct {
  rule *rule;
  int n;
  long double expected[9][2];
} known[] = {
    {bp_quadrature_gauss,
     9,
     {{-0.9681602395076260858531L, 0.0812743883615744122650L},
      {-0.8360311073266357695388L, 0.1806481606948573959137L},
      {-0.6133714327005903577117L, 0.2606106964029354378098L},
      {-0.3242534234038089158147L, 0.3123470770400028628799L},
      {0.0000000000000000000000L, 0.3302393550012597822629L}}},
    {bp_quadrature_gauss,
     17,
     {{-0.9905754753144173641033L, 0.0241483028685479314546L},
      {-0.9506755217687677950167L, 0.0554595293739872027827L},
      {-0.8802391537269859123072L, 0.0850361483171791776581L},
      {-0.7815140038968013680432L, 0.1118838471934039680011L},
      {-0.6576711592166907260903L, 0.1351363684685254751283L},
      {-0.5126905370864769384553L, 0.1540457610768102836296L},
      {-0.3512317634538763000407L, 0.1680041021564500358654L},
      {-0.1784841814958478545261L, 0.1765627053669926449508L},
      {0.0000000000000000000000L, 0.1794464703562065333031L}}},
    {bp_quadrature_lobatto,
     8,
     {{-1.0000000000000000000000L, 0.0357142857142857123032L},
      {-0.8717401485096065716363L, 0.2107042271435060343254L},
      {-0.5917001814331422915316L, 0.3411226924835043528006L},
      {-0.2092992179024788790276L, 0.4124587946587038866930L}}},
    {bp_quadrature_lobatto,
     16,
     {{-1.0000000000000000000000L, 0.0083333333333333332177L},
      {-0.9695680462702179758239L, 0.0508503610059199070981L},
      {-0.8992005330934721429870L, 0.0893936973259308043094L},
      {-0.7920082918618150946699L, 0.1242553821325140944731L},
      {-0.6523887028824930656157L, 0.1540269808071642876346L},
      {-0.4860594218871376326341L, 0.1774919133917041147441L},
      {-0.2998304689007632028996L, 0.1936900238252035888475L},
      {-0.1013262735219494503625L, 0.2019583081782298783491L}}},
};

static bool is_within_one_ulp(double x, long double expected)
{
  double up = nextafter((double)expected, INFINITY), down = nextafter((double)expected, -INFINITY);
  return down <= x && x <= up;
}

TEST(quadrature, agrees_with_high_precision_values)
{
  for (size_t c = 0; c < sizeof known / sizeof *known; ++c) {
    double x[BP_POINTS_MAX], w[BP_POINTS_MAX];
    int n = known[c].n, rounded_apart = 0;
    known[c].rule(n, x, w);
    for (int i = 0; i < (n + 1) / 2; ++i) {
      const long double *expected = known[c].expected[i];
      CHECK(is_within_one_ulp(x[i], expected[0]), "n=%d: x[%d] = %.17g", n, i, x[i]);
      CHECK(is_within_one_ulp(w[i], expected[1]), "n=%d: w[%d] = %.17g", n, i, w[i]);
      rounded_apart += x[i] != (double)expected[0];
      rounded_apart += w[i] != (double)expected[1];
    }
    CHECK(rounded_apart == 0, "n=%d: %d values are not the nearest double", n, rounded_apart);
  }
}

static double error_at_degree(int n, const double *x, const double *w, int degree)
{
  long double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += w[i] * powl(x[i], degree);
  return (double)fabsl(sum - (degree % 2 ? 0 : 2.0L / (degree + 1)));
}

static void check_exactness(rule *make, const char *name, int n, int exact_to)
{
  double x[BP_POINTS_MAX], w[BP_POINTS_MAX];
  make(n, x, w);
  for (int degree = 0; degree <= exact_to; ++degree)
    CHECK(error_at_degree(n, x, w, degree) < 4 * DBL_EPSILON, "%s n=%d degree %d: %g", name, n,
          degree, error_at_degree(n, x, w, degree));
  CHECK(error_at_degree(n, x, w, exact_to + 1) > 1e-13, "%s n=%d is exact to degree %d?", name, n,
        exact_to + 1);
}

TEST(quadrature, is_exact_to_its_degree_and_no_further)
{
  for (int n = 1; n <= BP_POINTS_MAX; ++n)
    check_exactness(bp_quadrature_gauss, "Gauss", n, 2 * n - 1);
  for (int n = 2; n <= BP_POINTS_MAX; ++n)
    check_exactness(bp_quadrature_lobatto, "Lobatto", n, 2 * n - 3);
}

static void check_symmetry(rule *make, int n)
{
  double x[BP_POINTS_MAX], w[BP_POINTS_MAX];
  make(n, x, w);
  for (int i = 0; i < n; ++i) {
    CHECK(x[i] == -x[n - 1 - i] && w[i] == w[n - 1 - i], "n=%d i=%d", n, i);
    CHECK(w[i] > 0 && (i == 0 || x[i - 1] < x[i]), "n=%d i=%d", n, i);
  }
}

TEST(quadrature, is_symmetric_to_the_last_bit_and_rises)
{
  for (int n = 1; n <= BP_POINTS_MAX; ++n)
    check_symmetry(bp_quadrature_gauss, n);
  for (int n = 2; n <= BP_POINTS_MAX; ++n) {
    double x[BP_POINTS_MAX], w[BP_POINTS_MAX];
    check_symmetry(bp_quadrature_lobatto, n);
    bp_quadrature_lobatto(n, x, w);
    CU_ASSERT(x[0] == -1 && x[n - 1] == 1);
  }
}
