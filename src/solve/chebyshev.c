/* chebyshev.c -- coefficients of smoothers, and the eigenvalue that they want. */
#include "solve/chebyshev.h"

#include "base/status.h"
#include <math.h>
#include <stdbool.h>

enum { ROUNDS = 60 };
static const double pi = 3.14159265358979323846, enough = 1e-14;

/* ---- the optimal steps ---- */

/* The error's polynomial, by its roots. */
static double product(int k, const double *root, double x)
{
  double p = 1;
  for (int i = 0; i < k; ++i)
    p *= 1 - x / root[i];
  return p;
}

/* Newton's step towards an extremum of x p^2 / (1 - p^2). */
static double extremum_step(int k, const double *root, double x)
{
  const double p = product(k, root, x);
  double q = 0, slope = 0;
  for (int i = 0; i < k; ++i) {
    q += 1 / (x - root[i]);
    slope += (p * p + root[i] / (x - root[i])) / (x - root[i]);
  }
  return x * ((1 - p * p) / (2 * x) + q) / slope;
}

static void find_extrema(int k, const double *root, double *x)
{
  double largest = 1;
  for (int round = 0; round < ROUNDS && largest > enough; ++round) {
    largest = 0;
    for (int j = 0; j < k - 1; ++j) {
      const double step = extremum_step(k, root, x[j]);
      x[j] += step;
      largest = fmax(largest, fabs(step));
    }
  }
  x[k - 1] = 1;
}

/* m y = b, b becomes y. */
static void solve(int k, double m[BP_CHEBYSHEV_MAX][BP_CHEBYSHEV_MAX], double *b)
{
  for (int c = 0; c < k; ++c) {
    int pivot = c;
    for (int i = c + 1; i < k; ++i)
      pivot = fabs(m[i][c]) > fabs(m[pivot][c]) ? i : pivot;
    for (int j = 0; j < k; ++j) {
      const double kept = m[c][j];
      m[c][j] = m[pivot][j];
      m[pivot][j] = kept;
    }
    const double kept = b[c];
    b[c] = b[pivot];
    b[pivot] = kept;
    for (int i = c + 1; i < k; ++i) {
      const double factor = m[i][c] / m[c][c];
      for (int j = c; j < k; ++j)
        m[i][j] -= factor * m[c][j];
      b[i] -= factor * b[c];
    }
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j)
      b[i] -= m[i][j] * b[j];
    b[i] /= m[i][i];
  }
}

/* Moves the roots so that all extrema come to one height; returns how far. */
static double level(int k, double *root, const double *x)
{
  double m[BP_CHEBYSHEV_MAX][BP_CHEBYSHEV_MAX], b[BP_CHEBYSHEV_MAX], sum = 0, largest = 0;
  for (int i = 0; i < k; ++i)
    sum += 1 / root[i];
  const double height = sqrt(0.5 / sum);
  for (int j = 0; j < k; ++j) {
    const double p = product(k, root, x[j]), w = x[j] / (1 - p * p), f = fabs(sqrt(w) * p);
    b[j] = height - f;
    for (int i = 0; i < k; ++i)
      m[j][i] = pow(height, 3) / (root[i] * root[i]) + w * f / (root[i] * (x[j] - root[i]));
  }
  solve(k, m, b);
  for (int i = 0; i < k; ++i) {
    root[i] -= b[i];
    largest = fmax(largest, fabs(b[i]));
  }
  return largest;
}

/* The steps that make the polynomial of these roots. */
static void steps_of(int k, const double *root, double *beta)
{
  double a[BP_CHEBYSHEV_MAX] = {0}, sum = 0;
  for (int i = 1; i <= k; ++i) {
    const double c = cos(i * pi / (k + 0.5)),
                 weight = (1 - c) / (k + 0.5) * product(k, root, (1 - c) / 2);
    double before = 0, w = 1;
    for (int j = 0; j < k; ++j) {
      a[j] += w * weight;
      const double next = j == 0 ? 2 * c + 1 : 2 * c * w - before;
      before = w;
      w = next;
    }
  }
  for (int j = 0; j < k; ++j) {
    sum += (2 * j + 1) * a[j];
    beta[j] = 1 - sum;
  }
}

void bp_chebyshev_optimal(int degree, double *beta)
{
  const int k = degree;
  double root[BP_CHEBYSHEV_MAX], x[BP_CHEBYSHEV_MAX];
  BP_ASSERT(k >= 1 && k <= BP_CHEBYSHEV_MAX);
  for (int i = 1; i <= k; ++i) {
    root[i - 1] = 0.5 - 0.5 * cos(i * pi / (k + 0.5));
    x[i - 1] = 0.5 - 0.5 * cos((i + 0.5) * pi / (k + 0.5));
  }
  double moved = 1;
  for (int round = 0; round < ROUNDS && moved > enough; ++round) {
    find_extrema(k, root, x);
    moved = level(k, root, x);
  }
  steps_of(k, root, beta);
}

bp_chebyshev bp_chebyshev_of(int degree, double largest)
{
  bp_chebyshev c = {.degree = degree};
  bp_chebyshev_optimal(degree, c.step);
  for (int k = 0; k < degree; ++k) {
    c.keep[k] = (2.0 * k - 1) / (2 * k + 3);
    c.gain[k] = (8.0 * k + 4) / ((2 * k + 3) * largest);
  }
  return c;
}

bp_chebyshev bp_chebyshev_first(int degree, double least, double largest)
{
  const double middle = 0.5 * (largest + least), half = 0.5 * (largest - least);
  bp_chebyshev c = {.degree = degree};
  double before = half / middle; /* T_k / T_k+1 at the middle over half */
  for (int k = 0; k < degree; ++k) {
    const double next = k ? 1 / (2 * middle / half - before) : before;
    c.step[k] = 1;
    c.keep[k] = k ? next * before : 0;
    c.gain[k] = k ? 2 * next / half : 1 / middle;
    before = next;
  }
  return c;
}

/* ---- the largest eigenvalue ---- */

/* How many eigenvalues of a tridiagonal matrix are above x (Sturm). */
static int count_above(int m, const double *diagonal, const double *beside, double x)
{
  double q = 1;
  int count = 0;
  for (int j = 0; j < m; ++j) {
    q = diagonal[j] - x - (j ? beside[j - 1] * beside[j - 1] / q : 0);
    q = q == 0 ? -1e-300 : q;
    count += q > 0;
  }
  return count;
}

double bp_lanczos_largest(int m, const double *alpha, const double *beta)
{
  enum { MOST = 64, HALVINGS = 100 };
  double diagonal[MOST], beside[MOST], low = 0, high = 0;
  BP_ASSERT(m <= MOST);
  for (int j = 0; j < m; ++j) {
    diagonal[j] = 1 / alpha[j] + (j ? beta[j - 1] / alpha[j - 1] : 0);
    beside[j] = sqrt(beta[j]) / alpha[j];
    high = fmax(high, diagonal[j] + beside[j] + (j ? beside[j - 1] : 0));
  }
  for (int n = 0; n < HALVINGS && m > 0; ++n) {
    const double middle = 0.5 * (low + high);
    if (count_above(m, diagonal, beside, middle))
      low = middle;
    else
      high = middle;
  }
  return high;
}
