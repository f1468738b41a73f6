/* wave.c -- mass, bounds, literal steps. */
#include "solve/wave.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/factors.h"
#include "solve/inner_products.h"
#include "solve/solution.h"
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
  const bp_problem *p = w->system->problem;
  const int64_t nodes = bp_operator_outputs(p->op, p->space);
  double *mass = bp_alloc_array((size_t)bp_problem_dofs(p), sizeof *mass);
  bp_factory *factory;
  bp_status status = bp_factory_create(w->system->mesh, &p->basis, 1, &factory);
  BP_ASSERT(!status);
#pragma omp parallel
  {
    double *buffer = bp_alloc((size_t)bp_factory_buffer(factory), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < p->elements; ++e) {
      bp_factory_make(factory, e, buffer);
      memcpy(mass + e * nodes, buffer, (size_t)nodes * sizeof *mass);
    }
    bp_free(buffer);
  }
  bp_factory_destroy(factory);
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
  return bp_comm_largest(s->comm, 3 * largest * largest_on_a_line(b));
}

/* In -1..1, by the place of an unknown's first copy in the whole mesh. */
static void fill_at_random(const bp_system *s, double *u)
{
  const bp_unknowns *all = s->unknowns;
  const int64_t surface = all->surface_nodes,
                inside = all->inner / (all->elements + !all->elements);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < all->elements; ++e) {
    const int64_t number = (s->piece ? s->piece->element[e] : e) * (surface + inside);
    for (int64_t m = 0; m < surface + inside; ++m) {
      const int64_t n = m < inside ? e * inside + m : all->ids[e * surface + m - inside];
      bp_random random = bp_random_start((uint64_t)(number + m));
      if (m < inside ||
          (n >= 0 && all->copies[all->starts[n - all->inner]] == e * surface + m - inside))
        u[n] = 2 * bp_random_unit(&random) - 1;
    }
  }
  bp_unknowns_share(all, u);
}

double bp_wave_largest(const bp_wave *wave, int iterations)
{
  const int64_t count = count_of(wave);
  double *u = bp_alloc_array((size_t)count, sizeof *u),
         *v = bp_alloc_array((size_t)count, sizeof *v);
  double largest = 0;
  fill_at_random(wave->system, u);
  for (int k = 0; k < iterations; ++k) {
    bp_system_apply(wave->system, u, v);
    const double below = bp_system_product(wave->system, wave->mass, u, u);
    largest = below > 0 ? bp_system_product(wave->system, NULL, u, v) / below : 0;
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

/* What sources do to an element: weights times signals of all that lie there, [k][j][i]. */
static void force_on(const bp_wave *w, const double *signals, int64_t e, int nodes, double *local)
{
  const bp_wave_points *p = &w->points;
  memset(local, 0, (size_t)nodes * sizeof *local);
  for (int s = 0; s < BP_WAVE_SOURCES_MAX; ++s)
    for (int m = 0; m < nodes && p->elements[s] == e; ++m)
      local[m] += p->weights[s * nodes + m] * signals[p->number[s]];
}

/* v -= the sources' force. */
static void subtract_force(const bp_wave *w, const double *signals, double *v)
{
  const bp_unknowns *u = w->system->unknowns;
  const int nq = w->system->problem->basis.nq, nodes = nq * nq * nq;
  const int64_t surface = u->elements * u->surface_nodes;
  double *force = bp_alloc((size_t)u->count, sizeof *force);
  double *copies = bp_alloc((size_t)surface, sizeof *copies);
  double *local = bp_alloc((size_t)nodes, sizeof *local);
  for (int s = 0; s < BP_WAVE_SOURCES_MAX && w->points.elements[s] >= 0; ++s) {
    const int64_t e = w->points.elements[s];
    force_on(w, signals, e, nodes, local);
    bp_unknowns_keep(u, e, e + 1, local, force, copies);
  }
  bp_unknowns_add_copies(u, copies, force);
  for (int64_t n = 0; n < u->count; ++n)
    v[n] -= force[n];
  bp_free(force);
  bp_free(copies);
  bp_free(local);
}

/* (u - v) M (u - v) */
static double square_of_distance(const bp_wave *w, const double *u, const double *v)
{
  double *d = bp_alloc_array((size_t)count_of(w), sizeof *d);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count_of(w); ++n)
    d[n] = u[n] - v[n];
  const double square = bp_system_product(w->system, w->mass, d, d);
  bp_free(d);
  return square;
}

/* Of now . K before. */
static double energy_of(const bp_wave *w, const double *now, const double *before, double product)
{
  return 0.5 * square_of_distance(w, now, before) / w->dt / w->dt + 0.5 * product;
}

double bp_wave_step(const bp_wave *wave, const double *signals, const double *now, double *before)
{
  const int64_t count = count_of(wave);
  double *v = bp_alloc_array((size_t)count, sizeof *v);
  bp_system_apply(wave->system, now, v);
  const double energy =
      energy_of(wave, now, before, bp_system_product(wave->system, NULL, before, v));
  if (wave->points.sources)
    subtract_force(wave, signals, v);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n)
    before[n] = wave->mass[n] > 0
                    ? (double)(2 * (long double)now[n] - before[n] -
                               (long double)wave->dt * wave->dt / wave->mass[n] * v[n])
                    : 0;
  bp_free(v);
  return energy;
}

double bp_wave_energy(const bp_wave *wave, const double *now, const double *before)
{
  double *v = bp_alloc_array((size_t)count_of(wave), sizeof *v);
  bp_system_apply(wave->system, before, v);
  const double energy = energy_of(wave, now, before, bp_system_product(wave->system, NULL, now, v));
  bp_free(v);
  return energy;
}

double bp_wave_distance(const bp_wave *wave, const double *u, const double *v)
{
  return sqrt(square_of_distance(wave, u, v));
}

double bp_wave_norm(const bp_wave *wave, const double *v)
{
  return sqrt(bp_system_product(wave->system, wave->mass, v, v));
}

/* ---- known solutions and signals ---- */

void bp_wave_standing(const bp_wave *wave, double t, double *u)
{
  const bp_system *s = wave->system;
  const int64_t count = count_of(wave);
  const bool is_free = bp_system_total_fixed(s) == 0;
  const bp_solution box = bp_solution_on(s);
  const double *low = box.low;
  double *x = bp_alloc_array(3 * (size_t)count, sizeof *x), extent[3], squares = 0;
  bp_unknowns_nodes(s->unknowns, s->mesh, x);
  for (int d = 0; d < 3; ++d) {
    const int halves = 1 + (box.wraps >> d & 1); /* of a wave: around a periodic mesh a whole one */
    extent[d] = box.extent[d] / halves;
    squares += 1 / (extent[d] * extent[d]);
  }
  const double swing = cos(pi * sqrt(squares) * t);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n) {
    u[n] = swing;
    for (int d = 0; d < 3; ++d) {
      const double at = pi * (x[3 * n + d] - low[d]) / extent[d];
      u[n] *= is_free ? cos(at) : sin(at);
    }
  }
  bp_unknowns_share(s->unknowns, u);
  bp_free(x);
}

double bp_wave_ricker(double frequency, double t)
{
  const double a = pi * frequency * (t - 1 / frequency);
  return (1 - 2 * a * a) * exp(-a * a);
}
