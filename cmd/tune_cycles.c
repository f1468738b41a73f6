/* tune_cycles.c -- `bp tune` of p-multigrid: a table for each case, and the command that runs the fastest. */
#include "tune_cycles.h"
#include "bench/tune_cycles.h"
#include "terminal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

static void print_cycle(const bp_cycle *cycle, double own)
{
  bp_number seconds, each, setup, ratio;
  char *smoothing = bp_cycle_smoothing(cycle);
  printf("%-8s  %-14s %9s", bp_smoothers[cycle->smoother], cycle->levels, smoothing);
  if (cycle->failure)
    bp_print(stdout, "  %.*s\n", (int)strcspn(cycle->failure, "\n"), cycle->failure);
  else
    printf(" %10d  %9s %11s  %9s  %6s%s%s\n", cycle->iterations,
           bp_number_seconds(each, cycle->seconds / cycle->iterations, false),
           bp_number_seconds(seconds, cycle->seconds, false),
           bp_number_seconds(setup, cycle->setup_seconds, false),
           bp_number_fixed(ratio, own / cycle->seconds, 3), cycle->is_own ? " as configured" : "",
           cycle->is_busy ? ", slowed by other work" : "");
  bp_free(smoothing);
}

/* The case's own degree and size stand for lists. */
static void print_command(const bp_arguments *arguments, const bp_case *c, const bp_cycle *cycle)
{
  bp_text text = {0};
  char *smoothing = bp_cycle_smoothing(cycle);
  bp_text_appendf(&text, "bp run --problem bps%s --degree %d", bp_case_problem(c) + 2,
                  c->space.degree);
  if (c->box[0])
    bp_text_appendf(&text, " --box %lldx%lldx%lld", (long long)c->box[0], (long long)c->box[1],
                    (long long)c->box[2]);
  bp_arguments_append(arguments, bp_command_find("run"),
                      " problem degree box elements dofs nodes preconditioner levels smoother "
                      "smoothing dry-run ",
                      &text);
  bp_print(stdout, "%s --levels %s --smoother %s --smoothing %s\n", text.data, cycle->levels,
           bp_smoothers[cycle->smoother], smoothing);
  bp_free(smoothing);
  bp_text_destroy(&text);
}

static void print_case(const bp_arguments *arguments, const bp_cases *cases, const bp_case *c,
                       const bp_cycles *cycles)
{
  char *mesh = bp_case_mesh_name(cases->config, c);
  double own = NAN;
  for (int n = 0; n < cycles->count; ++n)
    if (cycles->items[n].is_own && !cycles->items[n].failure)
      own = cycles->items[n].seconds;
  bp_print(stdout, "%s N=%d on %s, to %g, %s\n", bp_case_problem(c), c->space.degree, mesh,
           cases->config->tolerance, cases->device->name);
  printf("%-8s  %-14s %9s %10s  %9s %11s  %9s  %6s\n", "smoother", "levels", "smoothing",
         "iterations", "each", "to solution", "set-up", "ratio");
  for (int n = 0; n < cycles->count; ++n)
    print_cycle(&cycles->items[n], own);
  if (cycles->is_cut)
    printf("cut short: more --max-time tries more\n");
  print_command(arguments, c, &cycles->items[0]);
  fflush(stdout);
  bp_free(mesh);
}

static bp_status check(const bp_cases *cases)
{
  const char *place = bp_config_where(cases->config, "preconditioner");
  for (int n = 0; n < cases->count; ++n)
    if (!cases->items[n].space.multigrid)
      return bp_fail(BP_BAD_INPUT, "%s: expected p-multigrid with bp1 to bp6 only, found %s",
                     place ? place : "preconditioner", bp_case_problem(&cases->items[n]));
  return BP_OK;
}

bp_status bp_tune_cycles_of(const bp_arguments *arguments, bp_config *config, const bp_cases *cases)
{
  const bp_cycles_kept kept = bp_cycles_kept_of(config);
  const bp_events events = bp_terminal_events();
  const double end = bp_clock() + bp_argument_double(arguments, "max-time");
  bool is_wrong = false;
  bp_status status = check(cases);
  if (status)
    return status;
  bp_terminal_catch();
  for (int n = 0; n < cases->count && !status; ++n) {
    bp_cycles cycles;
    status = bp_tune_cycles(cases, config, &cases->items[n], kept, &events,
                            (end - bp_clock()) / (cases->count - n), &cycles);
    if ((!status || status == BP_INTERRUPTED) && cycles.count > 0 && !cycles.items[0].failure)
      print_case(arguments, cases, &cases->items[n], &cycles);
    is_wrong |= cycles.is_wrong;
    bp_cycles_destroy(&cycles);
  }
  bp_terminal_release();
  return status ? bp_terminal_status(status) : is_wrong ? BP_WRONG : BP_OK;
}
