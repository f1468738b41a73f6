/* refined.c -- iterations in single around which there are iterations in double. */
#include "solve/refined.h"

#include "base/memory.h"
#include "solve/inner_products.h"
#include "solve/multigrid_levels.h"
#include <math.h>

enum { OUTER_MAX = 64 };

/* Of one choice. */
typedef struct one {
  bp_refined *refined;
  bp_plan *outer, *inner;
  int counts[OUTER_MAX]; /* iterations in single, of each in double */
  struct one *next;
} one;

struct bp_refined {
  bp_scheme *scheme;
  bp_multigrid *around;
  bp_system system; /* the same in single */
  bp_problem problem;
  bp_scheme *single;
  bp_array b; /* what comes from the iterations in double */
  one *all;
};

static const bp_variant *find_outer(const bp_scheme *scheme)
{
  char *id = bp_format("%s/multigrid", scheme->system->row->kernels);
  const bp_variant *variant = bp_variant_find(id, scheme->workspace->device->backend->language);
  bp_free(id);
  return variant;
}

static bp_status create_single(bp_refined *r, bool jacobi)
{
  bp_scheme *s = r->scheme;
  bp_device *device = s->workspace->device;
  r->system = *s->system;
  r->problem = *s->system->problem;
  r->system.problem = &r->problem;
  r->problem.space.precision = BP_SINGLE;
  r->problem.space.multigrid = false;
  r->problem.space.jacobi = jacobi;
  bp_status status = bp_scheme_create(device, &r->system, s->f, s->workspace->guarded, &r->single);
  return status ? status
                : bp_array_create(device, "the residual in single",
                                  r->problem.space.fields * s->stride, sizeof(float), false, &r->b);
}

bp_status bp_refined_create(bp_scheme *scheme, bool jacobi, bp_refined **refined)
{
  bp_refined *r = *refined = bp_alloc(1, sizeof *r);
  const bp_system *system = scheme->system;
  const bp_choice choice = bp_choice_standard(find_outer(scheme));
  r->scheme = scheme;
  bp_status status = bp_multigrid_create_around(scheme, &choice, &r->around);
  if (!status)
    r->around->scale *= sqrt((double)bp_system_size(system)); /* so that numbers are about 1 */
  if (!status)
    status = create_single(r, jacobi);
  if (!status)
    status = bp_array_clear(scheme->workspace->device, &r->b);
  if (status) {
    bp_refined_destroy(r);
    *refined = NULL;
  }
  return status;
}

void bp_refined_destroy(bp_refined *refined)
{
  if (!refined)
    return;
  for (one *o = refined->all, *next; o; o = next) {
    next = o->next;
    bp_plan_destroy(o->inner);
    bp_free(o);
  }
  bp_array_destroy(refined->scheme->workspace->device, &refined->b);
  bp_scheme_destroy(refined->single);
  bp_multigrid_destroy(refined->around);
  bp_free(refined);
}

/* ---- programs ---- */

static void append_inner(void *context, int n, bp_program *program)
{
  one *o = context;
  const int first = program->count;
  o->inner->iterations = o->counts[n];
  bp_plan_append(o->inner, program);
  for (int s = first; s < program->count; ++s)
    for (int m = 0; m < program->steps[s].operands_count; ++m)
      if (program->steps[s].operands[m].operand == BP_OPERAND_f)
        program->steps[s].operands[m].value = o->refined->b.data;
}

static bp_status append(void *context, bp_plan *plan, bp_program *program)
{
  one *o = context;
  bp_multigrid *around = o->refined->around;
  bp_status status = bp_plan_ready(o->inner);
  around->other = (bp_multigrid_other){append_inner, o, o->refined->b.data,
                                       o->refined->single->workspace->arrays[BP_OPERAND_x].data};
  return status ? status : bp_multigrid_append(around, plan, program);
}

bp_status bp_refined_plan(bp_refined *refined, const bp_choice *choice, bp_plan **plan)
{
  one *o = bp_alloc(1, sizeof *o);
  o->refined = refined;
  o->next = refined->all;
  refined->all = o;
  bp_status status = bp_scheme_plan(refined->single, choice, &o->inner);
  if (!status)
    status = bp_scheme_plan(refined->scheme, &refined->around->choice, plan);
  if (status)
    return status;
  o->outer = *plan;
  (*plan)->append = append;
  (*plan)->context = o;
  (*plan)->details = o->inner->details;
  return BP_OK;
}

/* ---- how many iterations ---- */

/* The first k of |r| in single that is at most `goal` of the first; 0: there is none. *least: of all. */
static int first_below(const double *squares, int count, double goal, int *least)
{
  *least = 0;
  for (int k = 0; k <= count; ++k) {
    if (squares[k] < squares[*least])
      *least = k;
    if (k > 0 && squares[k] <= goal * goal * squares[0])
      return k;
  }
  return 0;
}

typedef struct {
  bp_refined *refined;
  one *o;
  bp_plan *plan;
  double *x, *residuals, *squares;
  int left; /* iterations in single */
} search;

static bp_status run(const search *s, int outer)
{
  bp_workspace *inner = s->refined->single->workspace;
  s->plan->iterations = outer;
  bp_status status = bp_workspace_poison(inner);
  if (!status)
    status = bp_scheme_run(s->refined->scheme, s->plan, s->x, s->residuals);
  if (!status)
    status = bp_workspace_guards(inner);
  return status ? status : bp_workspace_read_operand(inner, BP_OPERAND_residuals, s->squares);
}

/* Of the n-th in double: until |r| in single is `goal` of itself. It may grow at first; where it has fallen
 * far, and no further in half of the iterations, floats get no further. */
static bp_status find_count(search *s, int n, double goal)
{
  enum { FIRST = 128, GROWTH = 2 };
  const double far = 1e-2;
  int *count = &s->o->counts[n], least = 0, found = 0;
  bp_status status = BP_OK;
  for (int next = FIRST; !found && !status; next *= GROWTH) {
    const bool is_last = next >= s->left;
    *count = is_last ? s->left : next;
    status = run(s, n + 1);
    if (!status)
      found = first_below(s->squares, *count, goal, &least);
    const bool is_far = s->squares[least] <= far * far * s->squares[0];
    if (!found && (is_last || (is_far && least < *count / GROWTH)))
      found = is_far ? least : *count;
  }
  *count = found;
  return status ? status : run(s, n + 1);
}

static bp_status find(search *s, double tolerance, bool *reached)
{
  enum { IN_VAIN = 3 };
  const double usual = 1e-4, margin = 0.5, too_little = 0.9;
  double now = 1, least = 1;
  for (int n = 0, in_vain = 0; n < OUTER_MAX && s->left > 0; ++n) {
    const double needed = margin * tolerance / now;
    bp_status status = find_count(s, n, needed > usual ? needed : usual);
    if (status)
      return status;
    s->left -= s->o->counts[n];
    s->plan->inner += s->o->counts[n];
    now = s->residuals[0] > 0 ? s->residuals[n + 1] / s->residuals[0] : 0;
    *reached = now <= tolerance;
    if (*reached)
      return BP_OK;
    in_vain = now < too_little * least ? 0 : in_vain + 1;
    least = fmin(now, least);
    if (in_vain == IN_VAIN)
      return bp_fail(BP_WRONG,
                     "single precision stalls at a residual of %.3g of the first, after %d "
                     "iterations: expected %g",
                     least, s->plan->inner, tolerance);
  }
  return BP_OK;
}

bp_status bp_refined_find(bp_refined *refined, bp_plan *plan, double tolerance, double *x,
                          double *residuals, bool *reached)
{
  const size_t kept = (size_t)refined->problem.iterations + 1;
  search s = {.refined = refined,
              .o = plan->context,
              .plan = plan,
              .x = x,
              .residuals = residuals,
              .squares = bp_alloc(kept, sizeof *s.squares),
              .left = plan->iterations};
  plan->inner = 0;
  *reached = false;
  bp_status status = find(&s, tolerance, reached);
  bp_free(s.squares);
  return status;
}
