/* solve.c -- whole solves by conjugate gradients: bp1 to bp6. */
#include "work/assembled.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solve/cg.h"
#include "solve/load.h"
#include "solve/multigrid.h"
#include "solve/outcome.h"
#include "solve/refined.h"
#include "solve/scheme.h"
#include <math.h>
#include <string.h>

typedef struct {
  bp_stage base;
  bp_scheme *scheme;
  bp_multigrid *multigrid; /* NULL without it, and before a plan */
  char *made_of;           /* its options */
  bp_refined *refined;     /* likewise */
  bp_cg_result
      textbook; /* the first iterations, once a variant was judged; none with several ranks */
} solve;

static bool has(const bp_operator *op, const bp_bake_off *row)
{
  (void)op;
  return row && !bp_bake_off_is_wave(row);
}

/* r, p and A p read and written, x every other iteration. */
static int64_t bytes(const bp_case *c, const bp_choice *choice, const bp_device *device)
{
  enum { NUMBERS = 7 };
  return bp_assembled_bytes(c, choice, device, NUMBERS);
}

/* Two sums of products, three vectors updated. */
static int64_t flops(const bp_case *c)
{
  enum { EACH = 10 };
  return bp_assembled_flops(c, EACH);
}

/* What an application takes, see apply(). */
enum { TWO = 2 };

/* What devices get. */
static void round_to_floats(int64_t count, double *x)
{
  for (int64_t n = 0; n < count; ++n)
    x[n] = (float)x[n];
}

static bp_status create(bp_stage *s)
{
  const bool applies = s->options.applies;
  s->is_refined = s->c->is_refined && !applies && !s->options.literal;
  bp_status status = bp_assembled_begin(s, applies ? TWO : bp_stage_iterations(s->config));
  if (status)
    return status;
  double begin = bp_clock();
  s->residuals = bp_alloc((size_t)s->problem->iterations + 1, sizeof *s->residuals);
  status = applies ? bp_assembled_input(s) : bp_load_named(s->system, s->config->rhs, s->v);
  if (s->problem->space.precision == BP_SINGLE)
    round_to_floats(bp_system_size(s->system), applies ? s->u : s->v);
  s->load_seconds = bp_clock_lap(&begin);
  if (!status && !s->options.literal)
    status = bp_scheme_create(s->device, s->system, applies ? s->u : s->v, s->options.guarded,
                              &((solve *)s)->scheme);
  s->device_seconds = bp_clock_lap(&begin);
  return status;
}

static void destroy(bp_stage *s)
{
  bp_multigrid_destroy(((solve *)s)->multigrid);
  bp_free(((solve *)s)->made_of);
  bp_refined_destroy(((solve *)s)->refined);
  bp_scheme_destroy(((solve *)s)->scheme);
  bp_cg_result_destroy(&((solve *)s)->textbook);
}

bp_multigrid_options bp_config_multigrid(const bp_config *config)
{
  const bp_config *const c = config;
  const bp_config_numbers smoothing = c->multigrid.smoothing;
  bp_multigrid_options options = {
      .levels = c->multigrid.levels,
      .smoothing = {(int)smoothing.items[0], (int)smoothing.items[smoothing.count - 1]},
      .is_first_kind = strcmp(c->multigrid.chebyshev, "first") == 0,
      .is_double = strcmp(c->multigrid.cycle, "double") == 0,
      .coarse = (int)c->multigrid.coarse,
      .fixed = c->fixed};
  while (strcmp(c->multigrid.smoother, bp_smoothers[options.smoother]) != 0)
    ++options.smoother;
  return options;
}

char *bp_case_multigrid(const bp_config *config, const bp_case *c)
{
  const bp_multigrid_options options = bp_config_multigrid(config);
  return c->space.multigrid ? bp_multigrid_describe(&options, c->space.degree) : bp_strdup("");
}

/* Levels are made once for the same options; what they took counts as the plan's set-up. */
static bp_status precondition(bp_stage *s, bp_plan *plan)
{
  solve *own = (solve *)s;
  bp_multigrid_options options = bp_config_multigrid(s->config);
  bp_status status = BP_OK;
  const double begin = bp_clock();
  char *wanted = bp_case_multigrid(s->config, s->c);
  options.whole = s->mesh;
  if (!own->multigrid || strcmp(wanted, own->made_of) != 0) {
    bp_multigrid_destroy(own->multigrid);
    status = bp_multigrid_create(own->scheme, &plan->choice, &options, &own->multigrid);
  }
  bp_free(own->made_of);
  own->made_of = wanted;
  plan->details.setup_seconds += bp_clock() - begin;
  if (!status)
    bp_multigrid_attach(own->multigrid, plan);
  return status;
}

static bp_status refine(bp_stage *s, const bp_choice *choice, bp_plan **plan)
{
  bp_refined **r = &((solve *)s)->refined;
  bp_status status = *r ? BP_OK : bp_refined_create(((solve *)s)->scheme, s->c->space.jacobi, r);
  return status ? status : bp_refined_plan(*r, choice, plan);
}

static bp_status plan_of(bp_stage *s, const bp_choice *choice, int iterations, bp_plan **plan)
{
  if (bp_system_total(s->system) == bp_system_total_fixed(s->system))
    return bp_fail(BP_SKIPPED, "all unknowns are fixed");
  bp_status status =
      s->is_refined ? refine(s, choice, plan) : bp_scheme_plan(((solve *)s)->scheme, choice, plan);
  if (!status && s->c->space.multigrid)
    status = precondition(s, *plan);
  if (!status)
    (*plan)->iterations = s->options.applies ? TWO : iterations;
  return status;
}

static void keep_history(const bp_stage *s, const bp_plan *plan, bp_stage_outcome *o)
{
  const double *r = s->residuals, first = r[0] > 0 ? r[0] : 1;
  const int last = plan->iterations, every = 1 + (last - 1) / (BP_HISTORY - 1);
  o->history_count = 0;
  for (int k = 0; k < last + every; k += every) {
    const int at = k < last ? k : last;
    o->history[o->history_count].iteration = at * bp_plan_iterations(plan) / (last > 0 ? last : 1);
    o->history[o->history_count++].residual = r[at] / first;
  }
}

bp_status bp_stage_find_iterations(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  const double tolerance = s->config->tolerance;
  const int most = plan->iterations;
  bool reached = true;
  if (!s->c->kind->is_solved || tolerance == 0)
    return BP_OK;
  bp_status status =
      s->is_refined
          ? bp_refined_find(((solve *)s)->refined, plan, tolerance, s->u, s->residuals, &reached)
          : bp_scheme_run_to(((solve *)s)->scheme, plan, tolerance, s->u, s->residuals, &reached);
  s->inner = plan->inner;
  if (reached || status)
    return status;
  if (isfinite(s->residuals[plan->iterations]))
    keep_history(s, plan, outcome);
  return bp_fail(BP_WRONG,
                 "expected a residual of %g of the first within %d iterations, found %.3g",
                 tolerance, most, s->residuals[plan->iterations] / s->residuals[0]);
}

bp_status bp_stage_time_shares(bp_stage *stage, bp_plan *plan,
                               bp_multigrid_share shares[BP_MULTIGRID_SHARES], int *count)
{
  *count = 0;
  return !stage->c->space.multigrid || stage->device->backend->is_emulation
             ? BP_OK
             : bp_multigrid_time(((solve *)stage)->multigrid, plan, shares, count);
}

/* ---- right? ---- */

static bp_status compare_solution(bp_stage *s, bp_stage_outcome *outcome)
{
  bp_load_error error = bp_load_compare(s->system, s->u);
  outcome->solution_error = error.error / error.norm;
  if (outcome->solution_error < 1)
    return BP_OK;
  return bp_fail(BP_WRONG, "the error in L2 is %.3g of the solution's norm: 0 were no worse",
                 outcome->solution_error);
}

static bp_status compare_textbook(bp_stage *s, int iterations)
{
  bp_cg_result *t = &((solve *)s)->textbook;
  const int count = bp_outcome_affordable(s->system, iterations);
  if (s->system->comm->size > 1 || count == 0 || s->problem->space.multigrid)
    return BP_OK;
  if (t->iterations < count) {
    double *x = bp_alloc_array((size_t)bp_system_size(s->system), sizeof *x);
    const bp_cg_options options = {.iterations = count, .jacobi = s->problem->space.jacobi};
    bp_cg_result_destroy(t);
    bp_cg_solve(s->system, options, s->v, x, t);
    bp_free(x);
  }
  return bp_outcome_compare(s->residuals, t->residuals, count, s->problem->space.precision);
}

static bp_status judge_solution(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  bp_outcome found;
  bp_status status = bp_scheme_run(((solve *)s)->scheme, plan, s->u, s->residuals);
  bp_hash solved = {{0}};
  if (!status)
    solved = bp_assembled_hash(s, plan->iterations + 1, s->residuals);
  if (!bp_assembled_is_new(s, status, &solved, outcome))
    return BP_OK;
  *outcome = bp_stage_unknown;
  if (status)
    return status;
  status = bp_outcome_of(s->system, s->v, s->u, plan->iterations, s->residuals, &found);
  outcome->error = found.error;
  outcome->tolerance = found.tolerance;
  outcome->residual = found.residual;
  outcome->true_residual = found.true_residual;
  keep_history(s, plan, outcome);
  if (!status)
    status = compare_textbook(s, plan->iterations);
  if (!status && bp_load_has_solution(s->config->rhs))
    status = compare_solution(s, outcome);
  if (!status)
    outcome->solved = solved;
  return status;
}

static double product(int64_t count, const double *x, const double *y)
{
  long double sum = 0;
  for (int64_t n = 0; n < count; ++n)
    sum += (long double)x[n] * y[n];
  return (double)sum;
}

/* v, from what two iterations for the right-hand side u leave:
 *
 *   x1 = a u,  x2 = x1 + b p,  p = r + c u,  r = u - a A u,  c = |r|^2 / |u|^2
 *
 * r is orthogonal to u, so b = (x2 - x1) . u / (c u . u). Rounding errors of p grow by 1 / sqrt(c). */
static bp_status find_v(bp_stage *s, double *x1)
{
  static const double least = 1e-3, nothing = 1e-14;
  const int64_t count = bp_system_size(s->system);
  const double *u = s->u, square = product(count, u, u), a = product(count, x1, u) / square;
  const double r = s->residuals[1] / s->residuals[0], c = r * r;
  if (r > nothing && r < least)
    return bp_fail(BP_BAD_INPUT,
                   "--u: expected a vector that is not nearly an eigenvector of A, which two "
                   "iterations of a solve do not tell");
  for (int64_t n = 0; n < count; ++n)
    x1[n] = s->v[n] - a * u[n];
  const double b = product(count, x1, u) / (c * square);
  for (int64_t n = 0; n < count; ++n)
    s->v[n] = square == 0 ? 0 : r <= nothing ? u[n] / a : ((1 + c) * u[n] - x1[n] / b) / a;
  return BP_OK;
}

/* v = A u by kernels that do nothing but solve. */
static bp_status apply(bp_stage *s, bp_plan *plan)
{
  bp_scheme *scheme = ((solve *)s)->scheme;
  double *x = bp_alloc_array((size_t)bp_system_size(s->system), sizeof *x);
  plan->iterations = 1;
  bp_status status = bp_scheme_run(scheme, plan, x, s->residuals);
  plan->iterations = TWO;
  if (!status)
    status = bp_scheme_run(scheme, plan, s->v, s->residuals);
  if (!status)
    status = find_v(s, x);
  bp_free(x);
  return status;
}

static bp_status judge(bp_stage *s, bp_plan *plan, bp_stage_outcome *outcome)
{
  if (!s->options.applies)
    return judge_solution(s, plan, outcome);
  *outcome = bp_stage_unknown;
  bp_status status = apply(s, plan);
  return status ? status : bp_assembled_compare(s, outcome);
}

static bp_status files(bp_stage *s, const bp_files *to)
{
  const bool applies = s->options.applies;
  bp_status status = bp_assembled_space(s, to);
  if (!status)
    status = bp_assembled_vector(s, applies ? "u" : "f", applies ? s->u : s->v, to);
  return status ? status : bp_assembled_vector(s, applies ? "v" : "u", applies ? s->v : s->u, to);
}

const bp_kind bp_kind_solve = {.name = "solve",
                               .has = has,
                               .stage_bytes = sizeof(solve),
                               .has_mesh = true,
                               .has_mass = true,
                               .is_solved = true,
                               .unique = bp_case_mesh_unique,
                               .bytes = bytes,
                               .flops = flops,
                               .vectors = bp_assembled_vectors,
                               .create = create,
                               .destroy = destroy,
                               .plan = plan_of,
                               .judge = judge,
                               .compare = bp_assembled_compare,
                               .files = files};
