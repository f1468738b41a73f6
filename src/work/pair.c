/* pair.c -- products of pairs of species at points (fem/pair.h). */
#include "fem/pair.h"
#include "work/applied.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static bool has(const bp_operator *op, const bp_bake_off *solve)
{
  return !solve && op == &bp_operator_pair;
}

static const char *elements(const bp_case *c)
{
  (void)c;
  return "points";
}

/* As many points as the config says, or as many as are beyond the last cache. */
static bool size(const bp_config *config, const bp_device *device, int n, bp_case *c)
{
  const bp_config_numbers *asked = &config->points;
  c->box[0] = n < asked->count ? asked->items[n] : 0;
  if (c->box[0] || n > 0 || asked->count)
    return c->box[0] > 0;
  int64_t bytes = bp_operator_bytes(c->op, c->space), last = device->cache_bytes;
  bool is_cpu = device->backend->language == BP_LANGUAGE_C;
  double most = is_cpu ? fmin(2 * (double)last, (double)bp_memory_available() / 8) : 2e9;
  c->box[0] = (int64_t)fmax(64, floor(most / (double)bytes / 64) * 64);
  return true;
}

/* u[ax bx ay by][species][point], v[y][x][point]. */
static int shape_of(const bp_stage *s, bool is_output, int64_t shape[BP_NPY_RANK_MAX])
{
  enum { VECTORS = 4 };
  const int64_t species = s->problem->space.fields,
                full[] = {is_output ? species : VECTORS, species, s->problem->elements};
  memcpy(shape, full, sizeof full);
  return sizeof full / sizeof *full;
}

const bp_kind bp_kind_pair = {.name = "pair",
                              .has = has,
                              .by_species = true,
                              .by_points = true,
                              .elements = elements,
                              .size = size,
                              .unique = bp_case_nodes,
                              .bytes = bp_applied_bytes,
                              .flops = bp_applied_flops,
                              .vectors = bp_applied_vectors,
                              .create = bp_applied_create,
                              .plan = bp_applied_plan,
                              .judge = bp_applied_judge,
                              .compare = bp_applied_compare,
                              .shape = shape_of,
                              .files = bp_applied_files};
