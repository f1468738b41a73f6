/* inner_products.c -- sums of products of vectors: in a fixed order, or exact. */
#include "solve/inner_products.h"

#include "base/memory.h"
#include <math.h>

/* In blocks of a fixed length: no number of threads changes the order. */
double bp_system_dot(int64_t count, const double *x, const double *y)
{
  enum { BLOCK = 4096 };
  int64_t blocks = (count + BLOCK - 1) / BLOCK;
  long double *sums = bp_alloc((size_t)blocks, sizeof *sums), total = 0;
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    int64_t last = (b + 1) * BLOCK < count ? (b + 1) * BLOCK : count;
    for (int64_t n = b * BLOCK; n < last; ++n)
      sums[b] += (long double)x[n] * y[n];
  }
  for (int64_t b = 0; b < blocks; ++b)
    total += sums[b];
  bp_free(sums);
  return (double)total;
}

/* A sum of products in units of 2^-96 of what none of them reaches: integers, which no order changes. */
__extension__ typedef __int128 wide;

typedef struct {
  const double *weights, *x, *y; /* weights: NULL, or one component's */
  int64_t count;                 /* of a component */
  long double scale;
} products;

static long double product_at(const products *p, int64_t n)
{
  const long double product = (long double)p->x[n] * p->y[n];
  return p->weights ? p->weights[n % p->count] * product : product;
}

static double largest_product(const products *p, int64_t size)
{
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (int64_t n = 0; n < size; ++n) {
    const double product = (double)fabsl(product_at(p, n));
    largest = fmax(largest, isnan(product) ? INFINITY : product);
  }
  return largest;
}

static wide sum_of(const products *p, int64_t size)
{
  wide total = 0;
#pragma omp parallel
  {
    wide own = 0;
#pragma omp for schedule(static)
    for (int64_t n = 0; n < size; ++n)
      own += (wide)(p->scale * product_at(p, n));
#pragma omp critical
    total += own;
  }
  return total;
}

/* Shared unknowns that another rank counts. */
static wide sum_elsewhere(const bp_system *system, const products *p)
{
  const bp_unknowns *u = system->unknowns;
  const int64_t own = u->elements * u->surface_nodes;
  wide sum = 0;
  for (int64_t s = 0; u->sharing && s < u->count - u->inner; ++s)
    if (u->starts[s] < u->starts[s + 1] && u->copies[u->starts[s]] >= own)
      for (int c = 0; c < system->row->components; ++c)
        sum += (wide)(p->scale * product_at(p, c * u->count + u->inner + s));
  return sum;
}

/* Of all ranks: pieces of 48 bits are doubles, and so are their sums. */
static wide sum_over_ranks(bp_comm *comm, wide sum)
{
  enum { BITS = 48 };
  const wide each = (wide)1 << BITS, low = sum & (each - 1), middle = sum >> BITS & (each - 1);
  double pieces[3] = {(double)low, (double)middle, (double)(sum >> BITS >> BITS)};
  if (comm->size > 1)
    bp_comm_sum(comm, pieces, 3);
  return ((wide)pieces[2] * each + (wide)pieces[1]) * each + (wide)pieces[0];
}

double bp_system_product(const bp_system *system, const double *weights, const double *x,
                         const double *y)
{
  enum { BITS = 96 };
  products p = {weights, x, y, system->unknowns->count, 1};
  const int64_t size = bp_system_size(system);
  const double largest = bp_comm_largest(system->comm, largest_product(&p, size));
  if (largest == 0 || isinf(largest))
    return largest == 0 ? 0 : NAN;
  const int places = BITS - 1 - ilogb(largest);
  p.scale = ldexpl(1, places);
  const wide sum = sum_of(&p, size) - sum_elsewhere(system, &p);
  return (double)ldexpl((long double)sum_over_ranks(system->comm, sum), -places);
}
