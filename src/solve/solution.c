/* solution.c -- a product of sines and exponentials, many points at once. */
#include "solve/solution.h"

#include "base/vectors.h"
#include <math.h>

bp_solution bp_solution_on(const bp_system *s)
{
  const bp_mesh *mesh = s->mesh;
  bp_solution made = {.phase = s->row->dirichlet ? 0 : 0.5, .wraps = mesh->wraps};
  double ends[6]; /* the lower ones negative */
  for (int d = 0; d < 6; ++d)
    ends[d] = -INFINITY;
  for (int64_t n = 0; n < 3 * mesh->nodes; ++n) {
    ends[n % 3] = fmax(ends[n % 3], -mesh->x[n]);
    ends[3 + n % 3] = fmax(ends[3 + n % 3], mesh->x[n]);
  }
  bp_comm_max(s->comm, ends, 6);
  for (int d = 0; d < 3; ++d) {
    made.low[d] = -ends[d];
    made.extent[d] = ends[3 + d] - made.low[d];
  }
  return made;
}

static const double slopes[3][3] = {{0.5, -0.3, 0.2}, {-0.4, 0.6, 0.1}, {0.3, 0.2, -0.5}};
static const double pi = 3.14159265358979323846;

/* So many at once run in vectors. The series below end where they no longer change a double. */
enum { CHUNK = 64, SINE_TERMS = 11, EXPONENTIAL_TERMS = 11 };

/* x = sin x for |x| <= pi / 2: x (1 - y / 2 / 3 (1 - y / 4 / 5 (...))), y = x x. */
BP_INLINE static void take_sines(double x[CHUNK])
{
  double y[CHUNK], sum[CHUNK];
#pragma omp simd
  for (int n = 0; n < CHUNK; ++n) {
    y[n] = x[n] * x[n];
    sum[n] = 1;
  }
  for (int k = SINE_TERMS; k > 0; --k) {
    const double factor = 1 / (2.0 * k * (2 * k + 1));
#pragma omp simd
    for (int n = 0; n < CHUNK; ++n)
      sum[n] = 1 - y[n] * factor * sum[n];
  }
#pragma omp simd
  for (int n = 0; n < CHUNK; ++n)
    x[n] *= sum[n];
}

/* x = e^x for |x| < 1: of y = x / 4 1 + y (1 + y / 2 (1 + y / 3 (...))), to the fourth power. */
BP_INLINE static void take_exponentials(double x[CHUNK])
{
  double sum[CHUNK];
  for (int n = 0; n < CHUNK; ++n) {
    x[n] *= 0.25;
    sum[n] = 1;
  }
  for (int k = EXPONENTIAL_TERMS; k > 0; --k) {
    const double factor = 1.0 / k;
#pragma omp simd
    for (int n = 0; n < CHUNK; ++n)
      sum[n] = 1 + x[n] * factor * sum[n];
  }
#pragma omp simd
  for (int n = 0; n < CHUNK; ++n)
    x[n] = (sum[n] * sum[n]) * (sum[n] * sum[n]);
}

static void take_periodic(const bp_solution *s, double slope, int d, int count, const double *x,
                          double *factor, double *derivative)
{
  const double wave = 2 * pi / s->extent[d];
  for (int n = 0; n < count; ++n) {
    const double at = wave * (x[n] - s->low[d]);
    factor[n] = exp(slope * sin(at));
    if (derivative)
      derivative[n] = slope * wave * cos(at) * factor[n];
  }
}

/* Of one chunk, whose `many` values are at x. */
BP_VECTORS static void take_chunk(const bp_solution *s, double slope, int d, int many,
                                  const double *x, double *factor, double *derivative)
{
  const double low = s->low[d], extent = s->extent[d];
  const double cosine = s->phase == 0 ? 1 : cos(s->phase), sine = s->phase == 0 ? 0 : sin(s->phase);
  const bool needs_cosine = sine != 0 || derivative;
  double a[CHUNK] = {0}, b[CHUNK],
         e[CHUNK]; /* sin(pi t), exact at 1, too; cos(pi t); the exponential */
#pragma omp simd
  for (int n = 0; n < many; ++n)
    a[n] = (x[n] - low) / extent;
#pragma omp simd
  for (int n = 0; n < CHUNK; ++n) {
    const double t = a[n];
    e[n] = slope * t;
    b[n] = pi * (0.5 - t);
    a[n] = pi * (t < 1 - t ? t : 1 - t);
  }
  take_sines(a);
  if (needs_cosine)
    take_sines(b);
  take_exponentials(e);
#pragma omp simd
  for (int n = 0; n < many; ++n)
    factor[n] = (needs_cosine ? a[n] * cosine + b[n] * sine : a[n]) * e[n];
  if (derivative)
#pragma omp simd
    for (int n = 0; n < many; ++n)
      derivative[n] = (pi * (b[n] * cosine - a[n] * sine) * e[n] + slope * factor[n]) / extent;
}

void bp_solution_factor(const bp_solution *s, int c, int d, int count, const double *x,
                        double *factor, double *derivative)
{
  const double slope = slopes[c][d];
  if (s->wraps >> d & 1) {
    take_periodic(s, slope, d, count, x, factor, derivative);
    return;
  }
  for (int first = 0; first < count; first += CHUNK)
    take_chunk(s, slope, d, count - first < CHUNK ? count - first : CHUNK, x + first,
               factor + first, derivative ? derivative + first : NULL);
}
