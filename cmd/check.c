/* check.c -- `bp check`: every variant, degree and element count against the reference. */
#include "check/check.h"
#include "bench/open_device.h"
#include "cli/command.h"
#include "terminal.h"

#include "base/memory.h"
#include "device/emulate/emulate.h"
#include "work/work.h"
#include <stdio.h>
#include <string.h>

/* What is checked how, and which variants were asked for. */
typedef struct {
  bp_check check;
  bp_selection selection;
} request;

static unsigned degrees_of(const bp_config *config)
{
  unsigned degrees = 0;
  for (int n = 0; n < config->degrees.count; ++n)
    degrees |= 1u << config->degrees.items[n];
  return degrees;
}

static void print_total(const bp_tally *total)
{
  if (total->skipped)
    printf("%d passed, %d failed, %d skipped\n", total->passed, total->failed, total->skipped);
  else
    printf("%d passed, %d failed\n", total->passed, total->failed);
}

static void show(const char *lines)
{
  bp_print(stdout, "%s", lines);
  fflush(stdout);
}

static bp_status check_tasks(const request *r, const bp_check_tasks *tasks)
{
  const bp_check *c = &r->check;
  const bp_events events = bp_terminal_events();
  bp_tally total = {0};
  printf("seed %lld, backend %s\n", (long long)c->config->seed, c->backend->name);
  fflush(stdout);
  bp_status status = bp_check_run(c, tasks, show, &events, &total);
  if (status)
    return status;
  print_total(&total);
  if (total.passed + total.failed + total.skipped == 0)
    return bp_fail(
        BP_BAD_INPUT,
        "bp check: no variant of backend %s%s%s was asked for (--backend cpu, cuda or emulate)",
        c->backend->name, r->selection.space.precision ? " in precision " : "",
        r->selection.space.precision ? c->config->precision : "");
  if (total.passed + total.failed == 0)
    return bp_fail(BP_ENVIRONMENT, "bp check: nothing of what was asked for can run here: %s",
                   total.why);
  return total.failed ? BP_WRONG : BP_OK;
}

/* What cannot be opened at all is no variant's fault, and what cannot be chosen is told before anything is
 * checked. */
static bp_status check_all(const request *r)
{
  bp_device_options options = bp_bench_device_options(r->check.config);
  bp_device *device = NULL;
  bp_check_tasks tasks = {0};
  bp_status status = bp_device_create(r->check.backend, &options, &device);
  if (!status)
    status = bp_check_tasks_create(device, &r->selection, degrees_of(r->check.config),
                                   r->check.config->quadrature.count > 0,
                                   bp_case_geometry(r->check.config), &tasks);
  bp_device_destroy(device);
  if (!status)
    status = check_tasks(r, &tasks);
  bp_check_tasks_destroy(&tasks);
  return status;
}

/* ---- what was asked for ---- */

/* The emulator is slow, and has 4 multiprocessors only: fewer elements make as many rounds. */
static bp_config_numbers counts_of(const bp_arguments *arguments, const bp_backend *backend)
{
  static const int64_t counts[] = {1, 2, 7, 65}, emulated[] = {1, 7, 19};
  bp_config_numbers n = bp_argument_numbers(arguments, "elements");
  if (n.count)
    return n;
  bool is_emulated = backend == &bp_backend_emulate;
  n.count = is_emulated ? 3 : 4;
  n.items = bp_realloc(n.items, (size_t)n.count, sizeof *n.items);
  memcpy(n.items, is_emulated ? emulated : counts, (size_t)n.count * sizeof *n.items);
  return n;
}

static bp_status check_selected(request *r, const bp_arguments *arguments)
{
  const bp_config *config = r->check.config;
  int count = bp_argument_count(arguments);
  const char **patterns = bp_alloc((size_t)count + 1, sizeof *patterns);
  bp_sweep *sweeps = bp_alloc((size_t)config->options.count, sizeof *sweeps);
  for (int n = 0; n < count; ++n)
    patterns[n] = bp_argument_at(arguments, n);
  if (count == 0)
    patterns[count++] = "all";
  bp_bench_sweeps(config, sweeps);
  r->selection = (bp_selection){.device = "",
                                .patterns = patterns,
                                .patterns_count = count,
                                .sweeps = sweeps,
                                .sweeps_count = config->options.count};
  r->selection.space.precision = bp_precision_find(config->precision);
  bp_status status = bp_select_check("bp check", patterns, count, sweeps, config->options.count);
  if (!status)
    status = check_all(r);
  bp_free(sweeps);
  bp_free(patterns);
  return status;
}

bp_status bp_command_check(const bp_arguments *arguments)
{
  bp_config *config = bp_config_default();
  request r = {.check.config = config};
  bp_check *c = &r.check;
  bp_status status = bp_arguments_to_config(arguments, config);
  if (!status)
    c->backend = bp_backend_find(strcmp(config->backend, "auto") == 0 ? "cpu" : config->backend);
  c->banks = bp_argument_has(arguments, "banks");
  if (!status && c->banks && c->backend != &bp_backend_emulate)
    status = bp_fail(BP_BAD_INPUT, "bp check --banks: expected --backend emulate, found %s",
                     c->backend->name);
  if (!status) {
    c->counts = counts_of(arguments, c->backend);
    c->has_usual_counts = !bp_argument_has(arguments, "elements");
    for (int n = 0; n < c->counts.count; ++n)
      c->most = c->counts.items[n] > c->most ? c->counts.items[n] : c->most;
    status = check_selected(&r, arguments);
  }
  bp_free(c->counts.items);
  bp_config_destroy(config);
  return status;
}
