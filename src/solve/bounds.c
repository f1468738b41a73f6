/* bounds.c -- by norms of the one-dimensional matrices and traces of the factors. */
#include "solve/bounds.h"

#include "base/memory.h"
#include <math.h>

/* Not less than the square of a matrix's norm: the largest sum of a row's sizes times that of a column's. */
static double square_of_norm(int rows, int columns, const double *m)
{
  double row = 0, column = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += fabs(m[r * columns + c]);
    row = fmax(row, sum);
  }
  for (int c = 0; c < columns; ++c) {
    double sum = 0;
    for (int r = 0; r < rows; ++r)
      sum += fabs(m[r * columns + c]);
    column = fmax(column, sum);
  }
  return row * column;
}

/* The largest trace of the metric at a point, and the largest mass. */
static void largest_factors(const bp_problem *p, double *trace, double *mass)
{
  const int64_t points = (int64_t)p->basis.nc * p->basis.nc * p->basis.nc;
  const int components = p->op->components;
  double t = 0, m = 0;
#pragma omp parallel reduction(max : t, m)
  {
    double *buffer = bp_alloc((size_t)bp_problem_buffer(p), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t e = 0; e < p->elements; ++e) {
      const double *f = bp_problem_element(p, e, buffer);
      for (int64_t q = 0; q < points; ++q) {
        t = components > 1 ? fmax(t, f[q] + f[3 * points + q] + f[5 * points + q]) : t;
        m = components != 6 ? fmax(m, f[(components - 1) * points + q]) : m;
      }
    }
    bp_free(buffer);
  }
  *trace = t;
  *mass = components == 1 ? m : p->lambda * m;
}

/* x^2, divided by the diagonal of `each` unknowns if there is one. */
static double largest_square(int64_t count, const double *x, int64_t each, const double *diagonal)
{
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (int64_t n = 0; n < count; ++n)
    largest = fmax(largest, x[n] * x[n] / (diagonal ? diagonal[n % each] : 1));
  return largest;
}

static double largest_of(int64_t count, const double *diagonal)
{
  double largest = 0;
  for (int64_t n = 0; n < count && diagonal; ++n)
    largest = fmax(largest, diagonal[n]);
  return largest;
}

static double most_copies(const bp_unknowns *u)
{
  double most = 1;
  for (int64_t s = 0; s < u->count - u->inner; ++s)
    most = fmax(most, u->starts[s + 1] - u->starts[s]);
  return most;
}

/* u . A u of an element is at most the sum over points of trace |grad u|^2 + mass u^2; and at most as many
 * times u . diagonal u as the element has nodes. */
void bp_bounds(const bp_system *system, const double *f, const double *diagonal,
               double bounds[BP_BOUNDS])
{
  const bp_problem *p = system->problem;
  const int nq = p->basis.nq, nc = p->basis.nc;
  double values = square_of_norm(nc, nq, p->basis.I), slopes = square_of_norm(nc, nc, p->basis.D);
  double largest[5], elements = (double)p->elements;
  largest_factors(p, &largest[0], &largest[1]);
  largest[2] = largest_square(bp_system_size(system), f, system->unknowns->count, diagonal);
  largest[3] = most_copies(system->unknowns);
  largest[4] = largest_of(system->unknowns->count, diagonal);
  bp_comm_max(system->comm, largest, 5);
  bp_comm_sum(system->comm, &elements, 1);
  double nodes = nq * nq * nq, terms = elements * nodes * system->row->components;
  double each = values * values * values * (3 * slopes * largest[0] + largest[1]);
  bounds[0] = terms * largest[2];
  bounds[1] = diagonal ? nodes : largest[3] * each;
  bounds[2] = exp2(ceil(log2(fmax(terms, 2))));
  bounds[3] = largest[4];
}
