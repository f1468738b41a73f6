/* quadrature.c -- Gauss and Lobatto rules by Newton's method on Legendre polynomials, in extended
 * precision, so that rounding to double is the only error that is left. */
#include "fem/quadrature.h"

#include "base/status.h"
#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;

/* Newton's method converges quadratically from guesses good to three digits. */
enum { NEWTON_STEPS = 8 };

typedef struct {
  long double value, slope, curvature; /* P_n, P_n', P_n'' */
} legendre;

/* By recurrences that divide by nothing, so that they also hold near the ends. */
static legendre legendre_at(int n, long double x)
{
  legendre before = {0}, now = {.value = 1};
  for (int k = 1; k <= n; ++k) {
    legendre next = {
        .value = ((2 * k - 1) * x * now.value - (k - 1) * before.value) / k,
        .slope = before.slope + (2 * k - 1) * now.value,
        .curvature = before.curvature + (2 * k - 1) * now.slope,
    };
    before = now;
    now = next;
  }
  return now;
}

static void mirror(int n, double *points, double *weights)
{
  for (int i = 0; i < n / 2; ++i) {
    points[n - 1 - i] = -points[i];
    weights[n - 1 - i] = weights[i];
  }
}

void bp_quadrature_gauss(int n, double *points, double *weights)
{
  BP_ASSERT(n >= 1 && n <= BP_POINTS_MAX);
  for (int i = 0; i < (n + 1) / 2; ++i) {
    long double x = 2 * i + 1 == n ? 0 : -cosl(pi * (4 * i + 3) / (4 * n + 2));
    for (int step = 0; step < NEWTON_STEPS; ++step) {
      legendre p = legendre_at(n, x);
      x -= p.value / p.slope;
    }
    long double slope = legendre_at(n, x).slope;
    points[i] = (double)x;
    weights[i] = (double)(2 / ((1 - x * x) * slope * slope));
  }
  mirror(n, points, weights);
}

/* The inner points are the extrema of P_{n-1}. */
void bp_quadrature_lobatto(int n, double *points, double *weights)
{
  BP_ASSERT(n >= 2 && n <= BP_POINTS_MAX);
  int m = n - 1;
  for (int i = 0; i < (n + 1) / 2; ++i) {
    long double x = -1;
    if (2 * i + 1 == n)
      x = 0;
    else if (i > 0)
      x = -cosl(pi * (i + 0.25L) / m - 3 / (8 * m * pi * (i + 0.25L)));
    for (int step = 0; i > 0 && step < NEWTON_STEPS; ++step) {
      legendre p = legendre_at(m, x);
      x -= p.slope / p.curvature;
    }
    long double value = legendre_at(m, x).value;
    points[i] = (double)x;
    weights[i] = (double)(2 / (n * m * value * value));
  }
  mirror(n, points, weights);
}
