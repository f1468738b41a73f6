/* verify.c -- one application, compared with the reference. */
#include "measure/verify.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "fem/pair.h"
#include "fem/reference.h"
#include <math.h>
#include <string.h>

/* Elements share the numbers of u: random ones, or one of every few. */
static void fill_shared(int fill, uint64_t seed, int64_t count, double *u)
{
  enum { CHUNK = 64 };
#pragma omp parallel for schedule(static)
  for (int64_t first = 0; first < count; first += CHUNK) {
    bp_random random = bp_random_start(seed * 0x9e3779b97f4a7c15u + (uint64_t)first);
    int64_t here = count - first < CHUNK ? count - first : CHUNK;
    for (int64_t n = first; n < first + here; ++n)
      u[n] = fill == 0 ? 2 * bp_random_unit(&random) - 1 : 0;
    if (fill)
      u[first + (int64_t)bp_random_below(&random, (uint64_t)here)] = 1;
  }
}

static void fill(int how, uint64_t seed, const bp_problem *problem, double *u)
{
  if (problem->gather) {
    fill_shared(how, seed, bp_problem_dofs(problem), u);
    return;
  }
  int64_t nodes = bp_operator_inputs(problem->op, problem->space);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < problem->elements; ++e) {
    bp_random random = bp_random_start(seed * 0x9e3779b97f4a7c15u + (uint64_t)e);
    double *ue = u + e * nodes;
    if (how == 0) {
      for (int64_t n = 0; n < nodes; ++n)
        ue[n] = 2 * bp_random_unit(&random) - 1;
    } else {
      memset(ue, 0, (size_t)nodes * sizeof *ue);
      ue[bp_random_below(&random, (uint64_t)nodes)] = 1;
    }
  }
}

/* What the device gets of it is what the reference gets. */
void bp_fill(int how, uint64_t seed, const bp_problem *problem, double *u)
{
  fill(how, seed, problem, u);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < (problem->space.precision == BP_SINGLE ? bp_problem_dofs(problem) : 0);
       ++n)
    u[n] = (float)u[n];
}

/* v, in whatever order the variant writes it. */
static bp_status read_result(const bp_plan *plan, double *v)
{
  bp_workspace *w = plan->workspace;
  if (!bp_variant_takes(plan->choice.variant, BP_OPERAND_v_by_species))
    return bp_workspace_read(w, v);
  double *written = bp_alloc_array((size_t)bp_problem_outputs(w->problem), sizeof *written);
  bp_status status = bp_workspace_read_operand(w, BP_OPERAND_v_by_species, written);
  if (!status)
    bp_pair_by_points(w->problem, written, v);
  bp_free(written);
  return status;
}

/* Which value of v that is. */
static char *print_place(const bp_problem *problem, int64_t where)
{
  long long elements = (long long)problem->elements, nq = problem->basis.nq, at = (long long)where;
  long long species = problem->space.fields, row = at / elements;
  long long fields = problem->space.fields, dim = bp_cell_dim(problem->space.shape);
  long long values = bp_problem_outputs(problem) / elements;
  if (problem->gather)
    return bp_format("element %lld of %lld, point %lld, component %lld, direction %lld",
                     at / values, elements, at % values / (fields * dim), at / dim % fields,
                     at % dim);
  if (bp_problem_is_pair(problem))
    return bp_format("x %lld, y %lld, point %lld of %lld", row % species, row / species,
                     at % elements, elements);
  return bp_format("element %lld of %lld, node (i %lld, j %lld, k %lld)", at / (nq * nq * nq),
                   elements, at % nq, at / nq % nq, at / (nq * nq) % nq);
}

bp_status bp_verify(bp_plan *plan, const double *reference, double *v, double *error)
{
  return bp_verify_to_scale(plan, reference, NULL, v, error);
}

bp_status bp_verify_to_scale(bp_plan *plan, const double *reference, const double *scale, double *v,
                             double *error)
{
  bp_workspace *w = plan->workspace;
  const bp_problem *problem = w->problem;
  *error = NAN;
  bp_status status = bp_workspace_poison(w);
  if (!status)
    status = bp_plan_apply(plan);
  if (!status)
    status = bp_workspace_guards(w);
  if (!status)
    status = read_result(plan, v);
  return status ? status : bp_verify_values(problem, reference, scale, v, error);
}

bp_status bp_verify_values(const bp_problem *problem, const double *reference, const double *scale,
                           const double *v, double *error)
{
  const double tolerance = bp_reference_tolerance(problem);
  int64_t where = 0;
  *error = scale ? bp_reference_error_to_scale(problem, 0, problem->elements, v, reference, scale,
                                               &where)
                 : bp_reference_error(problem, 0, problem->elements, v, reference, &where);
  if (*error <= tolerance)
    return BP_OK;
  char *place = print_place(problem, where);
  bp_status status =
      bp_fail(BP_WRONG, "error %.2g, tolerance %.2g; worst at %s: expected %.17g, found %.17g",
              *error, tolerance, place, reference[where], v[where]);
  bp_free(place);
  return status;
}

bool bp_same_bits(double a, double b)
{
  uint64_t bits[2];
  memcpy(&bits[0], &a, sizeof a);
  memcpy(&bits[1], &b, sizeof b);
  return bits[0] == bits[1];
}

/* Several times, for threads that share what they must not do not always meet. */
bp_status bp_verify_repeats(bp_plan *plan, const double *v)
{
  enum { TIMES = 5 };
  const bp_problem *problem = plan->workspace->problem;
  const int64_t count = bp_problem_outputs(problem);
  double *again = bp_alloc_array((size_t)count, sizeof *again);
  bp_status status = BP_OK;
  for (int t = 0; t < TIMES && !status; ++t) {
    status = bp_plan_apply(plan);
    if (!status)
      status = read_result(plan, again);
    for (int64_t n = 0; n < count && !status; ++n)
      if (!bp_same_bits(v[n], again[n])) {
        char *place = print_place(problem, n);
        status =
            bp_fail(BP_WRONG, "%s is %.17g in one run, %.17g in the next", place, v[n], again[n]);
        bp_free(place);
      }
  }
  bp_free(again);
  return status;
}
