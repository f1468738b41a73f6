/* check_solve.c -- a few iterations, compared one by one. */
#include "check_solve.h"

#include "base/memory.h"
#include "mesh/curve.h"
#include "solve/cg.h"
#include "solve/load.h"
#include "solve/scheme.h"
#include <math.h>
#include <string.h>

enum { ITERATIONS = 5 };

int bp_check_rows(const bp_variant *variant, const bp_bake_off *rows[BP_BAKE_OFFS])
{
  int count = 0;
  for (int n = 0; n < BP_BAKE_OFFS; ++n)
    if (strcmp(bp_bake_offs[n].kernels, variant->problem) == 0)
      rows[count++] = &bp_bake_offs[n];
  return count;
}

/* A slab of two nearly equal sides, bent. */
static bp_status make_mesh(int64_t elements, bp_mesh **mesh)
{
  int64_t side = (int64_t)sqrt((double)elements + 0.5);
  while (elements % side)
    --side;
  bp_status status = bp_mesh_box(elements / side, side, 1, 0.2, mesh);
  if (!status)
    bp_mesh_sort(*mesh, NULL);
  return status;
}

typedef struct {
  int64_t size;
  double *f, *x, *expected;
  bp_cg_result textbook;
} vectors;

/* Iterations end before nothing is left but rounding errors. */
static void solve_by_the_book(bp_system *system, vectors *v)
{
  int useful = 1;
  bp_cg_solve(system, (bp_cg_options){.iterations = ITERATIONS}, v->f, v->expected, &v->textbook);
  while (useful < ITERATIONS && v->textbook.residuals[useful] > 1e-3 * v->textbook.residuals[0])
    ++useful;
  if (useful == ITERATIONS)
    return;
  bp_cg_result_destroy(&v->textbook);
  bp_cg_solve(system, (bp_cg_options){.iterations = useful}, v->f, v->expected, &v->textbook);
}

/* The largest difference of the residuals, of the first, and of x, of the largest value. */
static double difference_of(const vectors *v, const double *residuals)
{
  const bp_cg_result *t = &v->textbook;
  double worst = 0, largest = 0, first = t->residuals[0] > 0 ? t->residuals[0] : 1;
  for (int64_t n = 0; n < v->size; ++n) {
    double d = fabs(v->x[n] - v->expected[n]);
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
    largest = fmax(largest, fabs(v->expected[n]));
  }
  worst /= largest > 0 ? largest : 1;
  for (int n = 0; n <= t->iterations; ++n) {
    double d = fabs(residuals[n] - t->residuals[n]) / first;
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
  }
  return worst;
}

static bp_status check_system(bp_device *device, const bp_choice *choice, bp_system *system)
{
  static const double tolerance = 1e-11;
  vectors v = {.size = bp_system_size(system)};
  double residuals[ITERATIONS + 1];
  bp_scheme_once once = {.residuals = residuals};
  v.f = bp_alloc_array((size_t)v.size, sizeof *v.f);
  v.x = bp_alloc_array((size_t)v.size, sizeof *v.x);
  v.expected = bp_alloc_array((size_t)v.size, sizeof *v.expected);
  bp_load_create(system, BP_LOAD_MANUFACTURED, v.f);
  solve_by_the_book(system, &v);
  once.iterations = v.textbook.iterations;
  bp_status status = bp_scheme_solve(device, choice, system, v.f, v.x, &once);
  double difference = status ? 0 : difference_of(&v, residuals);
  if (difference > tolerance)
    status =
        bp_fail(BP_WRONG, "%s, lambda %g: %d iterations differ by %.2g, tolerance %.2g",
                system->row->name, system->problem->lambda, once.iterations, difference, tolerance);
  bp_cg_result_destroy(&v.textbook);
  bp_free(v.f);
  bp_free(v.x);
  bp_free(v.expected);
  return status;
}

bp_status bp_check_solve(bp_device *device, const bp_choice *choice, int degree, int64_t elements)
{
  const bp_bake_off *rows[BP_BAKE_OFFS];
  int count = bp_check_rows(choice->variant, rows);
  bp_mesh *mesh = NULL;
  bp_status status = make_mesh(elements, &mesh);
  for (int n = 0; n < count && !status; ++n) {
    const bp_system_options options = {
        .row = rows[n], .degree = degree, .lambda = (elements + n) % 2 ? 0 : 0.5};
    bp_system *system = NULL;
    status = bp_system_create(options, mesh, &system);
    if (!status)
      status = check_system(device, choice, system);
    bp_system_destroy(system);
  }
  bp_mesh_destroy(mesh);
  return status;
}
