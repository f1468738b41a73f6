/* wave.c -- mass, bounds, literal steps. */
#include "solve/wave.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/factors.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static int64_t count_of(const bp_wave *w)
{
  return w->system->unknowns->count;
}

/* ---- mass and bounds ---- */

/* w det J at the nodes, [e][k][j][i]; free it. Jacobians were looked at when the system was made. */
static double *local_mass(const bp_wave *w)
{
  const bp_system *s = w->system;
  double *mass = bp_alloc_array((size_t)bp_problem_dofs(s->problem), sizeof *mass);
  bp_status status = bp_factors_compute(s->mesh, &s->problem->basis, 1, mass);
  BP_ASSERT(!status);
  return mass;
}

/* The largest eigenvalue of the line: slopes' squares weighted, over the weights. */
static double largest_on_a_line(const bp_basis *b)
{
  enum { ITERATIONS = 200 };
  double point[BP_POINTS_MAX], weight[BP_POINTS_MAX], u[BP_POINTS_MAX], v[BP_POINTS_MAX], size = 1;
  const int n = b->nq;
  bp_quadrature_lobatto(n, point, weight);
  for (int i = 0; i < n; ++i)
    u[i] = i % 2 ? -1 : 1.1;
  for (int k = 0; k < ITERATIONS; ++k) {
    memset(v, 0, sizeof v);
    for (int q = 0; q < n; ++q) {
      double slope = 0;
      for (int i = 0; i < n; ++i)
        slope += b->D[q * n + i] * u[i];
      for (int i = 0; i < n; ++i)
        v[i] += weight[q] * slope * b->D[q * n + i];
    }
    size = 0;
    for (int i = 0; i < n; ++i)
      size = fmax(size, fabs(v[i] /= weight[i]));
    for (int i = 0; i < n; ++i)
      u[i] = v[i] / size;
  }
  return 1.01 * size;
}

/* Of one element: the metric over W, its largest row; and how much W det J varies. */
static double element_bound(const double *f, const double *mass, int points, const double *weights)
{
  static const int rows[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  double largest = 0, least = INFINITY, most = 0;
  for (int q = 0; q < points; ++q) {
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (int c = 0; c < 3; ++c)
        sum += fabs(f[rows[d][c] * points + q]);
      largest = fmax(largest, sum / mass[q]);
    }
    least = fmin(least, mass[q] / weights[q]);
    most = fmax(most, mass[q] / weights[q]);
  }
  return largest * most / least;
}

double bp_wave_bound(const bp_wave *wave)
{
  const bp_system *s = wave->system;
  const bp_basis *b = &s->problem->basis;
  const int nq = b->nq, points = nq * nq * nq;
  double point[BP_POINTS_MAX], weight[BP_POINTS_MAX], largest = 0;
  double *weights = bp_alloc((size_t)points, sizeof *weights);
  bp_quadrature_lobatto(nq, point, weight);
  for (int q = 0; q < points; ++q)
    weights[q] = weight[q % nq] * weight[q / nq % nq] * weight[q / nq / nq];
  double *mass = local_mass(wave);
#pragma omp parallel reduction(max : largest)
  {
    double *buffer = bp_alloc((size_t)bp_problem_buffer(s->problem), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < s->problem->elements; ++e)
      largest = fmax(largest, element_bound(bp_problem_element(s->problem, e, buffer),
                                            mass + e * points, points, weights));
    bp_free(buffer);
  }
  bp_free(mass);
  bp_free(weights);
  return 3 * largest * largest_on_a_line(b);
}

double bp_wave_largest(const bp_wave *wave, int iterations)
{
  const int64_t count = count_of(wave);
  double *u = bp_alloc_array((size_t)count, sizeof *u),
         *v = bp_alloc_array((size_t)count, sizeof *v);
  bp_random random = bp_random_start(1);
  double largest = 0;
  for (int64_t n = 0; n < count; ++n)
    u[n] = 2 * bp_random_unit(&random) - 1;
  for (int k = 0; k < iterations; ++k) {
    double below = 0, above = 0;
    bp_system_apply(wave->system, u, v);
#pragma omp parallel for schedule(static) reduction(+ : below, above)
    for (int64_t n = 0; n < count; ++n) {
      below += wave->mass[n] * u[n] * u[n];
      above += v[n] * u[n];
    }
    largest = below > 0 ? above / below : 0;
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < count; ++n)
      u[n] = wave->mass[n] > 0 && largest > 0 ? v[n] / wave->mass[n] / largest : 0;
  }
  bp_free(u);
  bp_free(v);
  return largest;
}

/* ---- create, destroy ---- */

void bp_wave_create(bp_system *system, double factor, bp_wave **wave)
{
  bp_wave *w = bp_alloc(1, sizeof *w);
  BP_ASSERT(bp_space_is_collocated(system->problem->space) && system->problem->op->components == 6);
  w->system = system;
  w->mass = bp_alloc_array((size_t)count_of(w), sizeof *w->mass);
  w->dt = factor * 2 / sqrt(bp_wave_bound(w));
  double *mass = local_mass(w);
  bp_unknowns_gather(system->unknowns, mass, w->mass);
  bp_free(mass);
  bp_wave_points_create(system, &w->points);
  *wave = w;
}

void bp_wave_destroy(bp_wave *wave)
{
  if (!wave)
    return;
  bp_wave_points_destroy(&wave->points);
  bp_free(wave->mass);
  bp_free(wave);
}

/* ---- steps ---- */

static void add_sources(const bp_wave *w, const double *signals, double *next)
{
  const bp_wave_points *p = &w->points;
  const int nq = w->system->problem->basis.nq, nodes = nq * nq * nq;
  int64_t *numbers = bp_alloc((size_t)nodes, sizeof *numbers);
  for (int s = 0; s < p->sources; ++s) {
    bp_wave_points_numbers(w->system, p, s, numbers);
    for (int m = 0; m < nodes; ++m)
      if (w->mass[numbers[m]] > 0)
        next[numbers[m]] +=
            w->dt * w->dt / w->mass[numbers[m]] * p->weights[s * nodes + m] * signals[s];
  }
  bp_free(numbers);
}

/* Of now . K before. */
static double energy_of(const bp_wave *w, const double *now, const double *before, double product)
{
  long double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int64_t n = 0; n < count_of(w); ++n) {
    const double d = now[n] - before[n];
    sum += (long double)w->mass[n] * d * d;
  }
  return (double)(0.5L * sum / w->dt / w->dt + 0.5L * product);
}

double bp_wave_step(const bp_wave *wave, const double *signals, const double *now, double *before)
{
  const int64_t count = count_of(wave);
  double *v = bp_alloc_array((size_t)count, sizeof *v);
  bp_system_apply(wave->system, now, v);
  const double energy = energy_of(wave, now, before, bp_system_dot(count, before, v));
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n)
    before[n] = wave->mass[n] > 0
                    ? (double)(2 * (long double)now[n] - before[n] -
                               (long double)wave->dt * wave->dt / wave->mass[n] * v[n])
                    : 0;
  if (wave->points.sources)
    add_sources(wave, signals, before);
  bp_free(v);
  return energy;
}

double bp_wave_energy(const bp_wave *wave, const double *now, const double *before)
{
  const int64_t count = count_of(wave);
  double *v = bp_alloc_array((size_t)count, sizeof *v);
  bp_system_apply(wave->system, before, v);
  const double energy = energy_of(wave, now, before, bp_system_dot(count, now, v));
  bp_free(v);
  return energy;
}

double bp_wave_distance(const bp_wave *wave, const double *u, const double *v)
{
  long double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int64_t n = 0; n < count_of(wave); ++n) {
    const double d = u[n] - v[n];
    sum += (long double)wave->mass[n] * d * d;
  }
  return (double)sqrtl(sum);
}

double bp_wave_norm(const bp_wave *wave, const double *v)
{
  long double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int64_t n = 0; n < count_of(wave); ++n)
    sum += (long double)wave->mass[n] * v[n] * v[n];
  return (double)sqrtl(sum);
}

/* ---- known solutions and signals ---- */

void bp_wave_standing(const bp_wave *wave, double t, double *u)
{
  const bp_system *s = wave->system;
  const int64_t count = count_of(wave);
  const bool is_free = s->unknowns->fixed == 0;
  double *x = bp_alloc_array(3 * (size_t)count, sizeof *x), low[3], extent[3], squares = 0;
  bp_unknowns_nodes(s->unknowns, s->mesh, x);
  for (int d = 0; d < 3; ++d) {
    double high = -INFINITY;
    low[d] = INFINITY;
    for (int64_t n = 0; n < s->mesh->nodes; ++n) {
      low[d] = fmin(low[d], s->mesh->x[3 * n + d]);
      high = fmax(high, s->mesh->x[3 * n + d]);
    }
    extent[d] = high - low[d];
    squares += 1 / (extent[d] * extent[d]);
  }
  const double swing = cos(pi * sqrt(squares) * t);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n) {
    u[n] = wave->mass[n] > 0 ? swing : 0;
    for (int d = 0; d < 3; ++d) {
      const double at = pi * (x[3 * n + d] - low[d]) / extent[d];
      u[n] *= is_free ? cos(at) : sin(at);
    }
  }
  bp_free(x);
}

double bp_wave_ricker(double frequency, double t)
{
  const double a = pi * frequency * (t - 1 / frequency);
  return (1 - 2 * a * a) * exp(-a * a);
}
