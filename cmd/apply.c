/* apply.c -- `bp apply`: applies one operator once and saves what another program needs to verify it. */
#include "bench/open_device.h"
#include "cli/command.h"
#include "one_case.h"
#include "terminal.h"

#include "base/memory.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* No kernel at all is what `--variants reference` says, and for bp1..bp6 to say nothing; or v is there. */
static bool find_is_literal(const bp_arguments *arguments, const bp_config *config)
{
  const char *problem = bp_argument_string(arguments, "problem");
  if (bp_argument_has(arguments, "v"))
    return true;
  bool is_said = bp_argument_has(arguments, "variants") || bp_argument_has(arguments, "backend");
  return (config->variants.count == 1 && strcmp(config->variants.items[0], "reference") == 0) ||
         (!is_said && bp_bake_off_find(problem));
}

/* What others' v are judged by, and what has factors. */
static bp_status check_arguments(const bp_arguments *arguments, const char *problem)
{
  if (bp_argument_has(arguments, "v") &&
      (bp_argument_has(arguments, "variants") || bp_argument_has(arguments, "backend")))
    return bp_fail(BP_BAD_INPUT,
                   "bp apply: --v: expected neither --variants nor --backend beside it, found %s",
                   bp_argument_has(arguments, "variants") ? "--variants" : "--backend");
  if (bp_argument_has(arguments, "save-factors") && !bp_operator_find(problem))
    return bp_fail(BP_BAD_INPUT,
                   "bp apply: --save-factors: expected bp1.0, bp3.0 or bp3.5, found %s",
                   *problem ? problem : "none");
  if (bp_argument_has(arguments, "fixed") && !bp_bake_off_find(problem))
    return bp_fail(BP_BAD_INPUT, "bp apply: --fixed: expected a problem of bp1..bp6, found %s",
                   *problem ? problem : "none");
  return BP_OK;
}

static bp_status read_arguments(bp_one_case *one, const bp_arguments *arguments, bp_config *c)
{
  const char *problem = bp_argument_string(arguments, "problem");
  bp_status status = problem ? bp_config_set(c, "problem", problem, "--problem") : BP_OK;
  if (!status)
    status = check_arguments(arguments, problem ? problem : "");
  if (!status)
    status = bp_arguments_to_config(arguments, c);
  if (!status)
    status = bp_one_case_check(one);
  if (status)
    return status;
  one->is_literal = find_is_literal(arguments, c);
  if (one->is_literal) /* what it runs on and would be compared with does not matter then */
    status = bp_config_set(c, "variants", "best", "bp apply");
  if (!status && one->is_literal)
    status = bp_config_set(c, "backend", "cpu", "bp apply");
  return status ? status : bp_config_check(c);
}

/* x, u, v, the reference and its scale, on top of the problem. */
static bp_status check_memory(const bp_one_case *one)
{
  enum { VECTORS = 7 };
  const bp_case *c = one->c;
  char vectors[32], factors[32], available[32];
  int64_t bytes = c->kind->has_mesh ? bp_problem_bytes(c->op, c->space, c->elements) : 0;
  int64_t have = bp_memory_available(), more = VECTORS * bp_case_nodes(c) * (int64_t)sizeof(double);
  if (c->solve || (bytes <= have && more <= have - bytes))
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT,
                 "memory: bp apply needs %s for vectors beside the factors' %s, available: %s",
                 bp_print_bytes(vectors, (double)more), bp_print_bytes(factors, (double)bytes),
                 bp_print_bytes(available, (double)have));
}

static void print(const bp_one_case *one, const bp_stage_outcome *outcome)
{
  const char *v = one->stage->options.v;
  char *variant = v ? bp_strdup(v) : bp_one_case_variant(one);
  if (!one->stage->options.u)
    printf("seed %lld\n", (long long)one->config->seed);
  bp_one_case_print(one);
  if (!isnan(outcome->error))
    bp_print(stdout, "%s%s%s: error %.2g of %s, tolerance %.2g\n", variant, v ? "" : " on ",
             v ? "" : one->device->name, outcome->error, one->stage->scale ? "|A||u|" : "|v|",
             outcome->tolerance);
  bp_free(variant);
}

static bp_status apply(bp_one_case *one, bp_stage_outcome *outcome)
{
  bp_plan *plan = NULL;
  bp_status status = one->choice ? bp_stage_plan(one->stage, one->choice, 1, &plan) : BP_OK;
  if (status == BP_SKIPPED) {
    char *why = bp_strdup(bp_message());
    status = bp_fail(BP_ENVIRONMENT, "%s: cannot run here: %s", one->choice->variant->id, why);
    bp_free(why);
  }
  if (!status)
    status = bp_stage_judge(one->stage, plan, outcome);
  bp_plan_destroy(plan);
  return status;
}

/* A wrong v is written too, for whoever wants to know how it is wrong; the exit code tells. */
static bp_status apply_and_write(bp_one_case *one)
{
  const bp_files to = bp_one_case_files(one);
  bp_stage_outcome outcome = bp_stage_unknown;
  bp_status status = apply(one, &outcome);
  if (status && status != BP_WRONG)
    return status;
  print(one, &outcome);
  if (status)
    fprintf(stderr, "bp apply: %s\n", bp_message());
  bp_status written = one->prefix ? one->c->kind->files(one->stage, &to) : BP_OK;
  return written ? written : status;
}

bp_status bp_command_apply(const bp_arguments *arguments)
{
  bp_config *config = bp_config_default();
  const bp_events events = bp_terminal_events();
  bp_one_case one = {.command = "bp apply",
                     .prefix = bp_argument_string(arguments, "output"),
                     .needs_no_files = bp_argument_has(arguments, "v"),
                     .config = config};
  const bp_stage_options options = {.applies = true,
                                    .u = bp_argument_string(arguments, "u"),
                                    .v = bp_argument_string(arguments, "v"),
                                    .factors = bp_argument_has(arguments, "save-factors")};
  bp_status status = read_arguments(&one, arguments, config);
  if (!status)
    status = bp_bench_open(config, bp_comm_self(), &events, &one.device);
  if (!status)
    status = bp_one_case_find(&one);
  if (!status)
    status = check_memory(&one);
  if (!status)
    status = bp_one_case_begin(&one, options);
  if (!status)
    status = apply_and_write(&one);
  bp_one_case_destroy(&one);
  bp_device_destroy(one.device);
  bp_config_destroy(config);
  return status;
}
