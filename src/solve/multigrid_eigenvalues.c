/* multigrid_eigenvalues.c -- the largest eigenvalue of S A, from random numbers that an unknown's
 * place in the whole mesh alone decides. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "base/random.h"
#include "solve/inner_products.h"
#include <math.h>

/* Steps by which it is found, and how far above it may be. */
enum { LANCZOS = 12, POWERS = 20 };
static const double above = 1.1;

/* Where its first copy is among the nodes of the whole mesh's elements; without elements its number. A fixed
 * one has none. */
static int64_t place_of(const bp_pencil *s, int64_t n)
{
  const bp_unknowns *u = s->system ? s->system->unknowns : NULL;
  if (!u)
    return n;
  const int64_t own = u->elements * u->surface_nodes, inside = u->inner / (own ? u->elements : 1),
                nodes = inside + u->surface_nodes, t = n - u->inner;
  const bool is_inside = n < u->inner, has_copies = !is_inside && u->starts[t] < u->starts[t + 1];
  const int64_t copy = is_inside ? n : has_copies ? u->copies[u->starts[t]] : 0;
  int64_t e = copy / (is_inside ? inside : u->surface_nodes),
          at = is_inside ? copy % inside : inside + copy % u->surface_nodes;
  if (!is_inside && copy >= own) {
    e = u->sharing->received_place[copy - own] / u->surface_nodes;
    at = inside + u->sharing->received_place[copy - own] % u->surface_nodes;
  } else if (s->system->piece) {
    e = s->system->piece->element[e];
  }
  return e * nodes + at;
}

static void start_with(const bp_pencil *s, const uint8_t *is_fixed, double *r)
{
  for (int64_t n = 0; n < s->count; ++n) {
    bp_random random = bp_random_start((uint64_t)place_of(s, n) + 1);
    r[n] = is_fixed && is_fixed[n] ? 0 : 2 * bp_random_unit(&random) - 1;
  }
}

static double dot(const bp_pencil *s, const double *x, const double *y)
{
  return s->system ? bp_system_product(s->system, NULL, x, y) : bp_system_dot(s->size, x, y);
}

bp_status bp_pencil_largest(const bp_pencil *pencil, const uint8_t *is_fixed, double *largest)
{
  const bp_pencil *s = pencil;
  double alpha[LANCZOS], beta[LANCZOS],
      *r = bp_alloc((size_t)s->size, sizeof *r), *z = bp_alloc((size_t)s->size, sizeof *z),
      *p = bp_alloc((size_t)s->size, sizeof *p), *ap = bp_alloc((size_t)s->size, sizeof *ap),
      rz = 0;
  int steps = 0;
  start_with(s, is_fixed, r);
  bp_status status = s->smooth(s->context, r, z);
  rz = dot(s, r, z);
  const double first = rz;
  while (!status && steps < LANCZOS && rz > 1e-10 * first) {
    for (int64_t n = 0; n < s->size; ++n)
      p[n] = z[n] + (steps ? beta[steps - 1] * p[n] : 0);
    status = s->apply(s->context, p, ap);
    const double pap = dot(s, p, ap), before = rz;
    if (status || !(pap > 0))
      break;
    alpha[steps] = rz / pap;
    for (int64_t n = 0; n < s->size; ++n)
      r[n] -= alpha[steps] * ap[n];
    status = s->smooth(s->context, r, z);
    rz = dot(s, r, z);
    beta[steps++] = fmax(rz, 0) / before;
  }
  *largest = steps ? above * bp_lanczos_largest(steps, alpha, beta) : 1;
  bp_free(r);
  bp_free(z);
  bp_free(p);
  bp_free(ap);
  return status;
}

bp_status bp_pencil_largest_power(const bp_pencil *pencil, const uint8_t *is_fixed, double *largest)
{
  const bp_pencil *s = pencil;
  double *p = bp_alloc((size_t)s->size, sizeof *p), *ap = bp_alloc((size_t)s->size, sizeof *ap);
  bp_status status = BP_OK;
  start_with(s, is_fixed, p);
  *largest = 1;
  for (int k = 0; k < POWERS && !status; ++k) {
    const double norm = sqrt(dot(s, p, p));
    for (int64_t n = 0; n < s->size && norm > 0; ++n)
      p[n] /= norm;
    *largest = norm > 0 && k > 0 ? above * norm : *largest;
    status = s->apply(s->context, p, ap);
    if (!status)
      status = s->smooth(s->context, ap, p);
  }
  bp_free(p);
  bp_free(ap);
  return status;
}
