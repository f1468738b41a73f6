/* check.c -- `bp check`: every variant, degree and element count against the reference.
 *
 * Variants that run in this process are checked in a child of their own: one that crashes or hangs
 * is one failed line, and the others go on. */
#include "check_choice.h"

#include "base/memory.h"
#include "device/emulate/emulate.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_CAP = 600 };

/* What is checked how, and which variants were asked for. */
typedef struct {
  bp_check check;
  const char *const *patterns;
  int patterns_count;
  bp_sweep *sweeps;
} request;

/* Of the lines that ran: children leave by _exit, which writes none. */
static void write_counts(void)
{
#ifdef BP_COVERAGE
  extern void __gcov_dump(void);
  __gcov_dump();
#endif
}

/* The parent must not have used OpenMP: its threads would not exist in the child. */
static void check_in_child(const bp_check *c, const bp_choice *choice)
{
  int how = 0;
  fflush(stdout);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    alarm(SECONDS_CAP);
    bp_check_choice(c, choice);
    fflush(stdout);
    write_counts();
    _exit(0);
  }
  if (child < 0 || waitpid(child, &how, 0) < 0) {
    bp_check_fail(c, choice, "no process could be started for it");
  } else if (WIFSIGNALED(how) || WEXITSTATUS(how) != 0) {
    char *what = WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM
                     ? bp_format("did not end in %d s", SECONDS_CAP)
                 : WIFSIGNALED(how) ? bp_format("crashed: %s", strsignal(WTERMSIG(how)))
                                    : bp_format("its process ended with %d", WEXITSTATUS(how));
    bp_check_print_failure(c, choice, what); /* whatever else failed */
    ++c->shared->failed;
    bp_free(what);
  }
}

/* What was asked for among choices of the variant's problem; free with bp_free. */
static int select_for(const request *r, const bp_variant *variant, bp_choice **choices,
                      bp_status *status)
{
  const bp_selection selection = {
      .problem = variant->problem,
      .degree = variant->lowest,
      .language = variant->language,
      .device = "",
      .patterns = r->patterns,
      .patterns_count = r->patterns_count,
      .sweeps = r->sweeps,
      .sweeps_count = r->check.config->options.count,
  };
  return bp_select(&selection, choices, status);
}

/* The line of a choice that passed, or had more failures than were shown. */
static void print_outcome(const bp_choice *choice, const bp_tally *t)
{
  char *options = bp_choice_options(choice);
  if (!t->failed)
    printf("ok    %-22s %s%s%d passed%s\n", choice->variant->id, options, *options ? ": " : "",
           t->passed, t->skipped ? ", some cannot run here" : "");
  else if (t->failed > BP_CHECK_FAILURES_SHOWN)
    printf("      %s %s%s%d passed, %d failed, of which %d are shown\n", choice->variant->id,
           options, *options ? ": " : "", t->passed, t->failed, BP_CHECK_FAILURES_SHOWN);
  fflush(stdout);
  bp_free(options);
}

static void check_variant(const request *r, const bp_variant *variant, bp_tally *total)
{
  const bp_check *c = &r->check;
  bp_choice *choices;
  bp_status status;
  int count = select_for(r, variant, &choices, &status);
  BP_ASSERT(status == BP_OK); /* try_selection has seen it */
  for (int n = 0; n < count; ++n) {
    if (choices[n].variant != variant)
      continue;
    memset(c->shared, 0, sizeof *c->shared);
    if (strcmp(c->backend->name, "cuda") == 0) /* its crashes are the device's, not the process's */
      bp_check_choice(c, &choices[n]);
    else
      check_in_child(c, &choices[n]);
    print_outcome(&choices[n], c->shared);
    total->passed += c->shared->passed;
    total->failed += c->shared->failed;
    total->skipped += c->shared->skipped;
  }
  bp_free(choices);
}

static bool is_checked(const request *r, const bp_variant *variant)
{
  return variant->language == r->check.backend->language && bp_operator_find(variant->problem);
}

/* What cannot be chosen, as an option out of a variant's range, is told before anything is checked. */
static bp_status try_selection(const request *r)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  bp_status status = BP_OK;
  for (int n = 0; n < count && !status; ++n) {
    bp_choice *choices = NULL;
    if (is_checked(r, &all[n]))
      select_for(r, &all[n], &choices, &status);
    bp_free(choices);
  }
  return status;
}

static bp_status check_all(request *r)
{
  int count;
  bp_tally total = {0};
  const bp_variant *all = bp_variants(&count);
  bp_status status = try_selection(r);
  if (status)
    return status;
  r->check.shared = mmap(NULL, sizeof *r->check.shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (r->check.shared == MAP_FAILED)
    return bp_fail(BP_ENVIRONMENT, "bp check: no shared memory for a page");
  printf("seed %lld, backend %s\n", (long long)r->check.config->seed, r->check.backend->name);
  for (int n = 0; n < count; ++n)
    if (is_checked(r, &all[n]))
      check_variant(r, &all[n], &total);
  munmap(r->check.shared, sizeof *r->check.shared);
  if (total.skipped)
    printf("%d passed, %d failed, %d skipped\n", total.passed, total.failed, total.skipped);
  else
    printf("%d passed, %d failed\n", total.passed, total.failed);
  if (total.passed + total.failed == 0)
    return bp_fail(
        BP_BAD_INPUT,
        "bp check: no variant of backend %s was asked for (--backend cpu, cuda or emulate)",
        r->check.backend->name);
  return total.failed ? BP_WRONG : BP_OK;
}

/* What cannot be opened at all is no variant's fault. */
static bp_status try_device(const bp_check *c)
{
  bp_device_options options = bp_bench_device_options(c->config);
  bp_device *device = NULL;
  bp_status status = bp_device_create(c->backend, &options, &device);
  bp_device_destroy(device);
  return status;
}

bp_status bp_command_check(const bp_arguments *arguments)
{
  bp_config *config = bp_config_default();
  request r = {.check.config = config};
  bp_check *c = &r.check;
  const char **patterns = NULL;
  bp_status status = bp_arguments_to_config(arguments, config);
  if (status)
    goto done;
  c->backend = bp_backend_find(strcmp(config->backend, "auto") == 0 ? "cpu" : config->backend);
  c->banks = bp_argument_has(arguments, "banks");
  if (c->banks && c->backend != &bp_backend_emulate) {
    status = bp_fail(BP_BAD_INPUT, "bp check --banks: expected --backend emulate, found %s",
                     c->backend->name);
    goto done;
  }
  c->counts = bp_argument_numbers(arguments, "elements");
  for (int n = 0; n < c->counts.count; ++n)
    c->most = c->counts.items[n] > c->most ? c->counts.items[n] : c->most;
  r.patterns_count = bp_argument_count(arguments);
  patterns = bp_alloc((size_t)r.patterns_count + 1, sizeof *patterns);
  for (int n = 0; n < r.patterns_count; ++n)
    patterns[n] = bp_argument_at(arguments, n);
  if (r.patterns_count == 0)
    patterns[r.patterns_count++] = "all";
  r.patterns = patterns;
  r.sweeps = bp_alloc((size_t)config->options.count, sizeof *r.sweeps);
  bp_bench_sweeps(config, r.sweeps);
  status = bp_select_check("bp check", patterns, r.patterns_count, r.sweeps, config->options.count);
  if (!status)
    status = try_device(c);
  if (!status)
    status = check_all(&r);
done:
  bp_free(c->counts.items);
  bp_free(r.sweeps);
  bp_free(patterns);
  bp_config_destroy(config);
  return status;
}
