/* wave2d.c -- the wave equation on grids of points (fem/wave2d.h). */
#include "fem/wave2d.h"
#include "work/applied.h"

#include <string.h>

static bool has(const bp_operator *op, const bp_bake_off *solve)
{
  return !solve && op == &bp_operator_wave2d;
}

static const char *elements(const bp_case *c)
{
  return c->elements == 1 ? "grid" : "grids";
}

static bool size(const bp_config *config, const bp_device *device, int n, bp_case *c)
{
  const bp_config_numbers *asked = &config->elements;
  (void)device;
  c->lambda = 0;
  c->box[0] = n < asked->count ? asked->items[n] : n == 0;
  return c->box[0] > 0;
}

static int64_t points(const bp_case *c)
{
  return c->elements * c->space.fields * c->space.fields;
}

/* Two steps, of which each reads now and before and writes next. */
static int64_t bytes(const bp_case *c, const bp_choice *choice, const bp_device *device)
{
  enum { NUMBERS = 6 };
  (void)choice, (void)device;
  return NUMBERS * (int64_t)sizeof(double) * points(c);
}

/* u[grid][now, before][j][i], v likewise. */
static int shape_of(const bp_stage *s, bool is_output, int64_t shape[BP_NPY_RANK_MAX])
{
  const int64_t side = s->problem->space.fields, full[] = {s->problem->elements, 2, side, side};
  (void)is_output;
  memcpy(shape, full, sizeof full);
  return sizeof full / sizeof *full;
}

static bp_status create(bp_stage *s)
{
  const bp_case *c = s->c;
  bp_problem_random(c->op, c->space, c->lambda, c->elements, (uint64_t)s->config->seed,
                    &s->problem);
  s->problem->iterations = (int)s->config->iterations;
  return bp_applied_begin(s);
}

const bp_kind bp_kind_wave2d = {.name = "wave2d",
                                .has = has,
                                .by_species = true,
                                .elements = elements,
                                .size = size,
                                .unique = points,
                                .bytes = bytes,
                                .flops = bp_applied_flops,
                                .vectors = bp_applied_vectors,
                                .create = create,
                                .plan = bp_applied_plan,
                                .judge = bp_applied_judge,
                                .compare = bp_applied_compare,
                                .shape = shape_of,
                                .files = bp_applied_files};
