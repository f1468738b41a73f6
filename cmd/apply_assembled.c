/* apply_assembled.c -- `bp apply` of bp1..bp6: v = A u on the unknowns. */
#include "apply_assembled.h"

#include "assembled.h"
#include "base/memory.h"
#include "base/random.h"
#include "solve/load.h"
#include <stdio.h>
#include <string.h>

static bp_status refuse_operators_options(const bp_arguments *arguments, const char *problem)
{
  static const char *const names[] = {"variants", "backend", "device", "isa"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    if (bp_argument_has(arguments, names[n]))
      return bp_fail(BP_BAD_INPUT,
                     "bp apply: --%s: expected an operator (bp1.0, bp3.0, bp3.5), found %s, which "
                     "the reference applies",
                     names[n], problem);
  return BP_OK;
}

/* Between -1 and 1, 0 at fixed unknowns. */
static void fill_random(const bp_system *system, uint64_t seed, double *u)
{
  int64_t count = system->unknowns->count;
  bp_random random = bp_random_start(seed);
  uint8_t *is_fixed = bp_alloc((size_t)count, sizeof *is_fixed);
  bp_unknowns_fixed(system->unknowns, is_fixed);
  for (int64_t n = 0; n < bp_system_size(system); ++n) {
    double value = 2 * bp_random_unit(&random) - 1;
    u[n] = is_fixed[n % count] ? 0 : value;
  }
  bp_free(is_fixed);
}

static bp_status make_u(const bp_arguments *arguments, const bp_system *system, int64_t seed,
                        double *u)
{
  const char *path = bp_argument_string(arguments, "u");
  if (path)
    return bp_load_read(system, path, u);
  fill_random(system, (uint64_t)seed, u);
  printf("seed %lld\n", (long long)seed);
  return BP_OK;
}

static bp_status apply_and_write(const bp_arguments *arguments, const bp_assembled *a, int64_t seed)
{
  size_t size = (size_t)bp_system_size(a->system);
  double *u = bp_alloc_array(size, sizeof *u), *v = bp_alloc_array(size, sizeof *v);
  bp_status status = make_u(arguments, a->system, seed, u);
  if (!status) {
    bp_assembled_print(a);
    bp_system_apply(a->system, u, v);
    status = bp_assembled_write_space(a);
  }
  if (!status)
    status = bp_assembled_write_vector(a, "u", u);
  if (!status)
    status = bp_assembled_write_vector(a, "v", v);
  bp_free(u);
  bp_free(v);
  return status;
}

static bp_status read_options(const bp_arguments *arguments, const bp_config *c,
                              bp_system_options *options)
{
  if (!bp_argument_has(arguments, "degree") || c->degrees.count != 1)
    return bp_fail(BP_BAD_INPUT, "bp apply: --degree: expected one degree, found %d of them",
                   c->degrees.count);
  bp_status status = bp_assembled_space(c, options->row, (int)c->degrees.items[0], &options->space);
  if (status)
    return status;
  options->lambda = bp_config_lambda(c, true);
  return refuse_operators_options(arguments, options->row->name);
}

bp_status bp_apply_assembled(const bp_arguments *arguments, const bp_bake_off *row)
{
  bp_assembled assembled = {0};
  bp_system_options options = {.row = row};
  bp_config *config = bp_config_default();
  bp_status status = bp_arguments_to_config(arguments, config);
  if (!status)
    status = read_options(arguments, config, &options);
  if (!status)
    status = bp_assembled_create(arguments, "bp apply", options, bp_comm_self(), &assembled);
  if (!status)
    status = apply_and_write(arguments, &assembled, config->seed);
  bp_assembled_destroy(&assembled);
  bp_config_destroy(config);
  return status;
}
