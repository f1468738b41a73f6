/* cg.c -- the literal loop. */
#include "solve/cg.h"

#include "base/memory.h"
#include "solve/inner_products.h"
#include <math.h>
#include <string.h>

typedef struct {
  bp_system *system;
  int64_t size;
  double *x, *r, *p, *z, *v; /* z is r itself without a preconditioner */
  double *diagonal;          /* NULL without */
  double rz;
} state;

/* z = r / diagonal; returns r . z. */
static double precondition(const state *s)
{
  int64_t count = s->system->unknowns->count;
  for (int64_t n = 0; s->diagonal && n < s->size; ++n)
    s->z[n] = s->r[n] / s->diagonal[n % count];
  return bp_system_dot(s->size, s->r, s->z);
}

static state start(bp_system *system, bool jacobi, const double *f, double *x)
{
  state s = {.system = system, .size = bp_system_size(system), .x = x};
  size_t size = (size_t)s.size;
  s.r = bp_alloc_array(size, sizeof *s.r);
  s.p = bp_alloc_array(size, sizeof *s.p);
  s.v = bp_alloc_array(size, sizeof *s.v);
  s.z = s.r;
  if (jacobi) {
    s.z = bp_alloc_array(size, sizeof *s.z);
    s.diagonal = bp_alloc_array((size_t)system->unknowns->count, sizeof *s.diagonal);
    bp_system_diagonal(system, s.diagonal);
  }
  memset(x, 0, size * sizeof *x);
  memcpy(s.r, f, size * sizeof *f);
  s.rz = precondition(&s);
  memcpy(s.p, s.z, size * sizeof *s.p);
  return s;
}

static void finish(state *s)
{
  bp_free(s->r);
  bp_free(s->p);
  bp_free(s->v);
  if (s->diagonal)
    bp_free(s->z);
  bp_free(s->diagonal);
}

static void iterate(state *s)
{
  bp_system_apply(s->system, s->p, s->v);
  double pv = bp_system_dot(s->size, s->p, s->v), before = s->rz;
  double alpha = pv == 0 ? 0 : before / pv;
  for (int64_t n = 0; n < s->size; ++n) {
    s->x[n] += alpha * s->p[n];
    s->r[n] -= alpha * s->v[n];
  }
  s->rz = precondition(s);
  double beta = before == 0 ? 0 : s->rz / before;
  for (int64_t n = 0; n < s->size; ++n)
    s->p[n] = s->z[n] + beta * s->p[n];
}

static double norm(int64_t count, const double *x)
{
  return sqrt(bp_system_dot(count, x, x));
}

static double true_residual(const state *s, const double *f)
{
  double size = norm(s->size, f);
  bp_system_apply(s->system, s->x, s->v);
  for (int64_t n = 0; n < s->size; ++n)
    s->v[n] = f[n] - s->v[n];
  return size == 0 ? 0 : norm(s->size, s->v) / size;
}

void bp_cg_solve(bp_system *system, bp_cg_options options, const double *f, double *x,
                 bp_cg_result *result)
{
  BP_ASSERT(options.iterations > 0 && options.tolerance >= 0);
  state s = start(system, options.jacobi, f, x);
  double *residuals = bp_alloc((size_t)options.iterations + 1, sizeof *residuals);
  int k = 0;
  residuals[0] = norm(s.size, s.r);
  while (k < options.iterations &&
         !(options.tolerance > 0 && residuals[k] <= options.tolerance * residuals[0])) {
    iterate(&s);
    residuals[++k] = norm(s.size, s.r);
  }
  *result = (bp_cg_result){
      .iterations = k, .residuals = residuals, .true_residual = true_residual(&s, f)};
  finish(&s);
}

void bp_cg_result_destroy(bp_cg_result *result)
{
  bp_free(result->residuals);
  result->residuals = NULL;
}
