/* multigrid_eigenvalues.c -- the largest eigenvalue of S A, from random numbers that an unknown's
 * number alone decides. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "base/random.h"
#include "solve/inner_products.h"
#include <math.h>

/* Steps by which it is found, and how far above it may be. */
enum { LANCZOS = 12, POWERS = 20 };
static const double above = 1.1;

static void start_with(const bp_pencil *s, const uint8_t *is_fixed, double *r)
{
  for (int64_t n = 0; n < s->count; ++n) {
    bp_random random = bp_random_start((uint64_t)n + 1);
    r[n] = is_fixed && is_fixed[n] ? 0 : 2 * bp_random_unit(&random) - 1;
  }
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
  rz = bp_system_dot(s->size, r, z);
  const double first = rz;
  while (!status && steps < LANCZOS && rz > 1e-10 * first) {
    for (int64_t n = 0; n < s->size; ++n)
      p[n] = z[n] + (steps ? beta[steps - 1] * p[n] : 0);
    status = s->apply(s->context, p, ap);
    const double pap = bp_system_dot(s->size, p, ap), before = rz;
    if (status || !(pap > 0))
      break;
    alpha[steps] = rz / pap;
    for (int64_t n = 0; n < s->size; ++n)
      r[n] -= alpha[steps] * ap[n];
    status = s->smooth(s->context, r, z);
    rz = bp_system_dot(s->size, r, z);
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
    const double norm = sqrt(bp_system_dot(s->size, p, p));
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
