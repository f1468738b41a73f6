/* check.c -- `bp check`: every variant, degree and element count against the reference.
 *
 * Variants that run in this process are checked in a child of their own: one that crashes or hangs
 * is one failed line, and the others go on. */
#include "command.h"
#include "device.h"

#include "base/memory.h"
#include "fem/reference.h"
#include "kernel/emulate.h"
#include "measure/verify.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_CAP = 600, FAILURES_SHOWN = 5 };

/* What the child tells the parent, also when it dies. */
typedef struct {
  int passed, failed, skipped;
  int degree;
  int64_t elements; /* 0: while counting */
  char isa[16];
} tally;

typedef struct {
  const bp_config *config;
  const bp_backend *backend;
  bp_config_numbers counts; /* of elements */
  int64_t most;             /* the largest of them */
  const char *const *patterns;
  int patterns_count;
  bp_sweep *sweeps;
  bool banks; /* counted, too */
  tally *shared;
} check;

/* One degree's problem with its largest count of elements; smaller ones use its first elements. */
typedef struct {
  bp_problem *problem;
  double *u[BP_FILLS], *reference[BP_FILLS], *v;
} oracle;

static oracle oracle_create(const check *c, const bp_operator *op, int degree)
{
  oracle o;
  uint64_t seed = (uint64_t)c->config->seed;
  bp_problem_random(op, degree, c->config->lambda, c->most, seed + (uint64_t)degree, &o.problem);
  size_t dofs = (size_t)bp_problem_dofs(o.problem);
  for (int f = 0; f < BP_FILLS; ++f) {
    o.u[f] = bp_alloc_array(dofs, sizeof(double));
    o.reference[f] = bp_alloc_array(dofs, sizeof(double));
    bp_fill(f, seed + 17u, o.problem, o.u[f]);
    bp_reference_apply(o.problem, 0, c->most, o.u[f], o.reference[f]);
  }
  o.v = bp_alloc_array(dofs, sizeof(double));
  return o;
}

static void oracle_destroy(oracle *o)
{
  for (int f = 0; f < BP_FILLS; ++f) {
    bp_free(o->u[f]);
    bp_free(o->reference[f]);
  }
  bp_free(o->v);
  bp_problem_destroy(o->problem);
}

static void print_failure(const check *c, const bp_choice *choice, const char *what)
{
  char *options = bp_choice_options(choice);
  char *elements = c->shared->elements ? bp_format("%lld elements", (long long)c->shared->elements)
                                       : bp_strdup("counted");
  char *where = c->shared->degree ? bp_format("  N=%d, %s", c->shared->degree, elements)
                                  : bp_strdup(""); /* before the first */
  printf("FAIL  %s%s%s  %s%s%s%s: %s\n", choice->variant->id, *options ? " " : "", options,
         c->backend->name, *c->shared->isa ? " " : "", c->shared->isa, where, what);
  bp_free(where);
  bp_free(elements);
  bp_free(options);
}

/* Counts it, and prints it unless the choice has had its share of lines. */
static void fail(const check *c, const bp_choice *choice, const char *what)
{
  if (c->shared->failed++ < FAILURES_SHOWN)
    print_failure(c, choice, what);
}

/* Both fills on one element count; a choice that cannot run here is skipped. */
static bp_status check_count(const check *c, bp_device *device, const bp_choice *choice, oracle *o,
                             int64_t elements)
{
  bp_workspace *w = NULL;
  bp_plan *plan = NULL;
  bp_problem part = *o->problem;
  double error;
  part.elements = c->shared->elements = elements;
  bp_status status = bp_workspace_create(device, &part, true, &w);
  for (int f = 0; f < BP_FILLS && !status; ++f) {
    status = bp_workspace_write(w, o->u[f]);
    if (!status && !plan) {
      status = bp_plan_create(w, choice, &plan);
      if (!status && !plan) {
        ++c->shared->skipped;
        goto done;
      }
    }
    if (!status)
      status = bp_verify(plan, o->reference[f], o->v, &error);
  }
  if (status) {
    fail(c, choice, bp_message());
  } else {
    ++c->shared->passed;
  }
done:
  bp_plan_destroy(plan);
  bp_workspace_destroy(w);
  return status;
}

/* The emulator also counts, where that is quick, whether a variant does what the model says. */
static bp_status check_model(const check *c, const bp_choice *choice, int degree)
{
  enum { QUICK = 4 };
  if (c->backend != &bp_backend_emulate || degree > QUICK ||
      strcmp(c->config->sanitize, "none") != 0)
    return BP_OK;
  bp_device_options options = bp_command_device_options(c->config);
  c->shared->elements = 0;
  bp_status status =
      bp_emulate_check_model(&options, choice, bp_operator_find(choice->variant->problem), degree);
  c->shared->passed += !status;
  if (status)
    fail(c, choice, bp_message());
  return status;
}

/* Prints how a choice uses shared memory. */
static void count_banks(const check *c, const bp_choice *choice, int degree)
{
  bp_device_options device_options = bp_command_device_options(c->config);
  bp_emulate_banks banks;
  c->shared->elements = 0;
  bp_status status = bp_emulate_count_banks(
      &device_options, choice, bp_operator_find(choice->variant->problem), degree, &banks);
  if (status) {
    fail(c, choice, bp_message());
    return;
  }
  if (banks.elements == 0)
    return; /* the last line says that it cannot run */
  char *options = bp_choice_options(choice);
  printf("banks %s N=%d%s%s: %.1f accesses of shared memory for an element, %.1f at least\n",
         choice->variant->id, degree, *options ? " " : "", options, banks.accesses, banks.least);
  bp_free(options);
}

static bp_status check_degree(const check *c, bp_device **devices, int devices_count,
                              const bp_choice *choice, int degree)
{
  oracle o = oracle_create(c, bp_operator_find(choice->variant->problem), degree);
  bp_status worst = BP_OK;
  c->shared->degree = degree;
  for (int d = 0; d < devices_count; ++d) {
    const char *isa = strrchr(devices[d]->name, ' ');
    snprintf(c->shared->isa, sizeof c->shared->isa, "%s",
             c->backend == &bp_backend_cpu && isa ? isa + 1 : "");
    for (int n = 0; n < c->counts.count; ++n) {
      bp_status status = check_count(c, devices[d], choice, &o, c->counts.items[n]);
      worst = status ? status : worst;
    }
  }
  oracle_destroy(&o);
  worst = worst ? worst : check_model(c, choice, degree);
  if (!worst && c->banks)
    count_banks(c, choice, degree);
  return worst;
}

/* The CPU is checked on every instruction set it has, unless one was asked for. */
static bp_status open_devices(const check *c, bp_device *devices[BP_ISA_COUNT], int *count)
{
  bp_device_options options = bp_command_device_options(c->config);
  bp_status status = BP_OK;
  *count = 0;
  if (c->backend != &bp_backend_cpu || options.isa_is_forced) {
    status = bp_device_create(c->backend, &options, &devices[0]);
    *count = !status;
    return status;
  }
  options.isa_is_forced = true;
  for (int isa = 0; isa < BP_ISA_COUNT && !status; ++isa) {
    options.isa = (bp_isa)isa;
    if (bp_isa_runs(options.isa) && bp_isa_is_built(options.isa))
      status = bp_device_create(c->backend, &options, &devices[(*count)++]);
  }
  return status;
}

static void check_choice(const check *c, const bp_choice *choice)
{
  bp_device *devices[BP_ISA_COUNT] = {NULL};
  int count;
  bp_status status = open_devices(c, devices, &count);
  if (status)
    fail(c, choice, bp_message());
  const bp_operator *op = bp_operator_find(choice->variant->problem);
  if (!status && c->backend->prepare) {
    const bp_operator *ops[BP_DEGREE_MAX];
    bp_choice same[BP_DEGREE_MAX];
    int degrees[BP_DEGREE_MAX], n = 0;
    for (; n < c->config->degrees.count; ++n) {
      ops[n] = op;
      same[n] = *choice;
      degrees[n] = (int)c->config->degrees.items[n];
    }
    c->backend->prepare(devices[0], same, ops, degrees, n);
  }
  for (int n = 0; n < c->config->degrees.count && !status; ++n) {
    int degree = (int)c->config->degrees.items[n];
    if (degree >= choice->variant->lowest && degree <= choice->variant->highest)
      check_degree(c, devices, count, choice, degree);
  }
  for (int n = 0; n < count; ++n)
    bp_device_destroy(devices[n]);
  fflush(stdout);
}

/* Of the lines that ran: children leave by _exit, which writes none. */
static void write_counts(void)
{
#ifdef BP_COVERAGE
  extern void __gcov_dump(void);
  __gcov_dump();
#endif
}

/* The parent must not have used OpenMP: its threads would not exist in the child. */
static void check_in_child(const check *c, const bp_choice *choice)
{
  int how = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS_CAP);
    check_choice(c, choice);
    fflush(stdout);
    write_counts();
    _exit(0);
  }
  if (child < 0 || waitpid(child, &how, 0) < 0) {
    fail(c, choice, "no process could be started for it");
  } else if (WIFSIGNALED(how) || WEXITSTATUS(how) != 0) {
    char *what = WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM
                     ? bp_format("did not end in %d s", SECONDS_CAP)
                 : WIFSIGNALED(how) ? bp_format("crashed: %s", strsignal(WTERMSIG(how)))
                                    : bp_format("its process ended with %d", WEXITSTATUS(how));
    print_failure(c, choice, what); /* whatever else failed */
    ++c->shared->failed;
    bp_free(what);
  }
}

/* What was asked for among choices of the variant's problem; free with bp_free. */
static int select_for(const check *c, const bp_variant *variant, bp_choice **choices,
                      bp_status *status)
{
  const bp_selection selection = {
      .problem = variant->problem,
      .degree = variant->lowest,
      .language = variant->language,
      .device = "",
      .patterns = c->patterns,
      .patterns_count = c->patterns_count,
      .sweeps = c->sweeps,
      .sweeps_count = c->config->options.count,
  };
  return bp_select(&selection, choices, status);
}

static void check_variant(const check *c, const bp_variant *variant, tally *total)
{
  bp_choice *choices;
  bp_status status;
  int count = select_for(c, variant, &choices, &status);
  BP_ASSERT(status == BP_OK); /* try_selection has seen it */
  for (int n = 0; n < count; ++n) {
    if (choices[n].variant != variant)
      continue;
    memset(c->shared, 0, sizeof *c->shared);
    if (strcmp(c->backend->name, "cuda") == 0) /* its crashes are the device's, not the process's */
      check_choice(c, &choices[n]);
    else
      check_in_child(c, &choices[n]);
    char *options = bp_choice_options(&choices[n]);
    if (!c->shared->failed)
      printf("ok    %-22s %s%s%d passed%s\n", variant->id, options, *options ? ": " : "",
             c->shared->passed, c->shared->skipped ? ", some cannot run here" : "");
    else if (c->shared->failed > FAILURES_SHOWN)
      printf("      %s %s%s%d passed, %d failed, of which %d are shown\n", variant->id, options,
             *options ? ": " : "", c->shared->passed, c->shared->failed, FAILURES_SHOWN);
    fflush(stdout);
    bp_free(options);
    total->passed += c->shared->passed;
    total->failed += c->shared->failed;
    total->skipped += c->shared->skipped;
  }
  bp_free(choices);
}

static bool is_checked(const check *c, const bp_variant *variant)
{
  return variant->language == c->backend->language && bp_operator_find(variant->problem);
}

/* What cannot be chosen, as an option out of a variant's range, is told before anything is checked. */
static bp_status try_selection(const check *c)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  bp_status status = BP_OK;
  for (int n = 0; n < count && !status; ++n) {
    bp_choice *choices = NULL;
    if (is_checked(c, &all[n]))
      select_for(c, &all[n], &choices, &status);
    bp_free(choices);
  }
  return status;
}

static bp_status check_all(check *c)
{
  int count;
  tally total = {0};
  const bp_variant *all = bp_variants(&count);
  bp_status status = try_selection(c);
  if (status)
    return status;
  c->shared =
      mmap(NULL, sizeof *c->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (c->shared == MAP_FAILED)
    return bp_fail(BP_ENVIRONMENT, "bp check: no shared memory for a page");
  printf("seed %lld, backend %s\n", (long long)c->config->seed, c->backend->name);
  for (int n = 0; n < count; ++n)
    if (is_checked(c, &all[n]))
      check_variant(c, &all[n], &total);
  munmap(c->shared, sizeof *c->shared);
  if (total.skipped)
    printf("%d passed, %d failed, %d skipped\n", total.passed, total.failed, total.skipped);
  else
    printf("%d passed, %d failed\n", total.passed, total.failed);
  if (total.passed + total.failed == 0)
    return bp_fail(
        BP_BAD_INPUT,
        "bp check: no variant of backend %s was asked for (--backend cpu, cuda or emulate)",
        c->backend->name);
  return total.failed ? BP_WRONG : BP_OK;
}

/* What cannot be opened at all is no variant's fault. */
static bp_status try_device(const check *c)
{
  bp_device_options options = bp_command_device_options(c->config);
  bp_device *device = NULL;
  bp_status status = bp_device_create(c->backend, &options, &device);
  bp_device_destroy(device);
  return status;
}

bp_status bp_command_check(const bp_arguments *arguments)
{
  bp_config *config = bp_config_default();
  check c = {.config = config};
  const char **patterns = NULL;
  bp_status status = bp_arguments_to_config(arguments, config);
  if (status)
    goto done;
  c.backend = bp_backend_find(strcmp(config->backend, "auto") == 0 ? "cpu" : config->backend);
  c.banks = bp_argument_has(arguments, "banks");
  if (c.banks && c.backend != &bp_backend_emulate) {
    status = bp_fail(BP_BAD_INPUT, "bp check --banks: expected --backend emulate, found %s",
                     c.backend->name);
    goto done;
  }
  c.counts = bp_argument_numbers(arguments, "elements");
  for (int n = 0; n < c.counts.count; ++n)
    c.most = c.counts.items[n] > c.most ? c.counts.items[n] : c.most;
  c.patterns_count = bp_argument_count(arguments);
  patterns = bp_alloc((size_t)c.patterns_count + 1, sizeof *patterns);
  for (int n = 0; n < c.patterns_count; ++n)
    patterns[n] = bp_argument_at(arguments, n);
  if (c.patterns_count == 0)
    patterns[c.patterns_count++] = "all";
  c.patterns = patterns;
  c.sweeps = bp_alloc((size_t)config->options.count, sizeof *c.sweeps);
  bp_command_sweeps(config, c.sweeps);
  status = bp_select_check("bp check", patterns, c.patterns_count, c.sweeps, config->options.count);
  if (!status)
    status = try_device(&c);
  if (!status)
    status = check_all(&c);
done:
  bp_free(c.counts.items);
  bp_free(c.sweeps);
  bp_free(patterns);
  bp_config_destroy(config);
  return status;
}
