/* tune.c -- `bp tune`: the fastest choice of each case into the user's table of `best`. */
#include "bench/environment.h"
#include "bench/open_device.h"
#include "bench/tune_case.h"
#include "cli/command.h"
#include "dry_run.h"
#include "terminal.h"
#include "tune_cycles.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "registry/best.h"
#include "registry/kernel_dir.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 16 }; /* hexadecimal digits */

typedef struct {
  bp_tuner tuner;
  bp_events events;
  const bp_cases *cases;
  char *path, *device; /* of the table; as a glob */
  bool again;
  double start, end;  /* of the time that was given */
  bp_choice *winners; /* of each case; variant NULL: none */
  double overrun;     /* the most seconds that a case took beyond its part */
  int tuned, cut, passed_over, failed, left;
} tune;

/* ---- rows ---- */

static void append_kernels(const bp_case *c, bp_language language, bp_text *all)
{
  static const bp_kernel_header *headers; /* read once */
  static int headers_count;
  int variants;
  const bp_variant *v = bp_variants(&variants);
  if (!headers)
    headers = bp_kernel_dir_headers(&headers_count);
  for (int n = 0; n < variants; ++n)
    if (strcmp(v[n].problem, bp_case_kernels(c)) == 0 && v[n].language == language) {
      bp_text_appendf(all, "\n%s\n", v[n].id);
      bp_text_append(all, v[n].text->source);
    }
  for (int n = 0; n < headers_count; ++n)
    bp_text_append(all, headers[n].source);
}

/* What a result depends on beside the columns of its row: the program, the kernels, what was asked for.
 * Kernels in C are known by their headers and the tree that the program was built from. */
static void key_of(const tune *t, const bp_case *c, char key[33])
{
  const bp_config *config = t->cases->config;
  bp_language language = t->cases->device->backend->language;
  bp_text all = {0};
  bp_text_appendf(&all, "%s %s %s", BP_VERSION, config->measure.cache,
                  language == BP_LANGUAGE_C ? bp_environment_git() : "");
  for (int n = 0; n < c->choices_count; ++n) {
    char *options = bp_choice_options(&c->choices[n]);
    bp_text_appendf(&all, "\n%s %s", c->choices[n].variant->id, options);
    bp_free(options);
  }
  append_kernels(c, language, &all);
  bp_hash_print(key, bp_hash_bytes(all.data, all.length));
  key[KEY] = '\0';
  bp_text_destroy(&all);
}

static bp_best row_of(const tune *t, const bp_case *c)
{
  return (bp_best){.device = t->device,
                   .problem = bp_case_problem(c),
                   .lowest = c->space.degree,
                   .highest = c->space.degree,
                   .points = bp_operator_other_points(c->op, c->space),
                   .geometry = c->space.geometry,
                   .precision = c->space.precision,
                   .elements = c->elements};
}

/* Whether the table has a row of the case that was made of the same. */
static bool is_tuned(const tune *t, const bp_best_table *table, const bp_case *c)
{
  char key[33];
  const bp_best row = row_of(t, c);
  const bp_best_line *line = bp_best_line_of(table, &row);
  key_of(t, c, key);
  return line && strncmp(line->row.comment, key, KEY) == 0;
}

/* The table is read again, so that what others wrote meanwhile stays. */
static bp_status store(const tune *t, const bp_case *c, const bp_tuned *tuned)
{
  bp_best_table table;
  bp_best row = row_of(t, c);
  char key[33], *options = bp_choice_options(&tuned->choice);
  bp_number seconds;
  key_of(t, c, key);
  char *comment = bp_format("%s %s", tuned->is_cut ? "cut short" : key,
                            bp_number_seconds(seconds, tuned->seconds, false));
  row.variant = tuned->choice.variant->name;
  row.options = options;
  row.comment = comment;
  bp_status status = bp_best_read(t->path, &table);
  if (!status) {
    bp_best_put(&table, &row);
    status = bp_best_write(&table);
  }
  bp_best_table_destroy(&table);
  bp_free(comment);
  bp_free(options);
  return status;
}

/* ---- printing ---- */

static void print_choice(const bp_choice *choice, double seconds)
{
  bp_number number;
  char *options = choice ? bp_choice_options(choice) : bp_strdup("");
  char *text = choice ? bp_format("%s%s%s", choice->variant->name, *options ? " " : "", options)
                      : bp_strdup("-");
  bp_print(stdout, "  %9s  %-56s", bp_number_seconds(number, seconds, false), text);
  bp_free(text);
  bp_free(options);
}

static void print_head(const tune *t)
{
  const char *cache = t->cases->config->measure.cache;
  bp_print(stdout, "%s, %s\n%-7s %2s %9s  %9s  %-56s  %9s  %-56s %6s\n", t->cases->device->name,
           strcmp(cache, "both") == 0 ? "mean of hot and cold" : cache, "problem", "N", "elements",
           "time", "shipped", "time", "fastest", "ratio");
}

static void print_row(const bp_case *c, const bp_tuned *tuned)
{
  bp_number ratio;
  printf("%-7s %2d %9lld", bp_case_problem(c), c->space.degree, (long long)c->elements);
  print_choice(tuned->has_shipped ? &tuned->shipped : NULL, tuned->shipped_seconds);
  print_choice(&tuned->choice, tuned->seconds);
  printf(" %6s\n", bp_number_fixed(ratio, tuned->shipped_seconds / tuned->seconds, 3));
  fflush(stdout);
}

static void print_end(const tune *t)
{
  printf("%d tuned", t->tuned);
  if (t->cut)
    printf(", %d of them cut short", t->cut);
  if (t->passed_over)
    printf(", %d passed over that had been (--again tunes them too)", t->passed_over);
  if (t->failed)
    printf(", %d failed", t->failed);
  if (t->left)
    printf(", %d left for another call", t->left);
  bp_print(stdout, ", in %.1f s; rows in %s\n", bp_clock() - t->start, t->path);
}

static void show_progress(const tune *t, int n, const bp_tuned *tuned, double seconds)
{
  const bp_case *c = &t->cases->items[n];
  char left[BP_LEFT_BYTES];
  bp_events_left(left, bp_clock() - t->start, n + 1, t->cases->count);
  bp_events_message(&t->events, "[%d/%d] %s N=%d, %lld elements: %d candidates in %.1f s%s%s",
                    n + 1, t->cases->count, bp_case_problem(c), c->space.degree,
                    (long long)c->elements, tuned->tried, seconds,
                    tuned->is_cut ? ", cut short" : "", left);
}

/* ---- cases ---- */

/* What won in cases of the same problem at the same or a neighbouring degree. */
static int hints_for(const tune *t, const bp_case *c, bp_choice *hints)
{
  int count = 0;
  for (int n = t->cases->count - 1; n >= 0; --n)
    if (t->winners[n].variant && t->cases->items[n].op == c->op &&
        abs(t->cases->items[n].space.degree - c->space.degree) <= 1)
      hints[count++] = t->winners[n];
  return count;
}

/* A case that fails is told, and the others go on. */
static bp_status tune_case(tune *t, int n, int cases_left)
{
  const bp_case *c = &t->cases->items[n];
  bp_choice *hints = bp_alloc((size_t)t->cases->count, sizeof *hints);
  bp_tuned tuned;
  double start = bp_clock(), part = (t->end - start) / cases_left;
  bp_status status = bp_tune_case(&t->tuner, c, hints, hints_for(t, c, hints), part, &tuned);
  bp_free(hints);
  t->overrun = fmax(t->overrun, bp_clock() - start - part);
  if (status == BP_INTERRUPTED)
    return status;
  if (status) {
    ++t->failed;
    bp_events_message(&t->events, "bp tune: %s N=%d, %lld elements: %s", bp_case_kernels(c),
                      c->space.degree, (long long)c->elements, bp_message());
    return BP_OK;
  }
  t->winners[n] = tuned.choice;
  show_progress(t, n, &tuned, bp_clock() - start);
  status = store(t, c, &tuned);
  if (!status)
    print_row(c, &tuned);
  t->tuned += !status;
  t->cut += !status && tuned.is_cut;
  return status;
}

static bp_status tune_all(tune *t, const bool *skips)
{
  bp_status status = BP_OK;
  int left = 0;
  for (int n = 0; n < t->cases->count; ++n)
    left += !skips[n];
  t->passed_over = t->cases->count - left;
  print_head(t);
  for (int n = 0; n < t->cases->count && !status && !bp_events_interrupted(&t->events); ++n)
    if (!skips[n] && bp_clock() + t->overrun < t->end) {
      status = tune_case(t, n, left);
      --left;
    }
  t->left = left + (status == BP_INTERRUPTED);
  return status;
}

/* Which cases are in the table already. */
static bp_status find_tuned(const tune *t, bool *skips)
{
  bp_best_table table;
  bp_status status = bp_best_read(t->path, &table);
  for (int n = 0; n < t->cases->count && !status; ++n)
    skips[n] = !t->again && is_tuned(t, &table, &t->cases->items[n]);
  bp_best_table_destroy(&table);
  return status;
}

static bp_status run(tune *t)
{
  bool *skips = bp_alloc((size_t)t->cases->count, sizeof *skips);
  bp_status status = find_tuned(t, skips);
  if (!status)
    status = bp_file_create_folders(t->path);
  if (!status)
    status = bp_output_check(t->path);
  if (!status) {
    bp_terminal_catch();
    status = tune_all(t, skips);
    bp_terminal_release();
    print_end(t);
  }
  bp_free(skips);
  if (status)
    return bp_terminal_status(status);
  if (bp_events_interrupted(&t->events))
    return bp_terminal_status(BP_INTERRUPTED);
  if (t->failed && !t->tuned)
    return bp_fail(BP_ENVIRONMENT, "bp tune: nothing could be tuned");
  return t->tuner.wrong ? BP_WRONG : BP_OK;
}

static bp_status tune_cases(const bp_arguments *arguments, const bp_cases *cases)
{
  tune t = {.cases = cases,
            .events = bp_terminal_events(),
            .path = bp_best_path(),
            .again = bp_argument_has(arguments, "again")};
  t.start = bp_clock();
  t.end = t.start + bp_argument_double(arguments, "max-time");
  if (!t.path)
    return bp_fail(BP_ENVIRONMENT, "bp tune: no place for the table of `best`: expected "
                                   "XDG_CONFIG_HOME or HOME to be set");
  t.device = bp_best_glob(cases->device->name);
  t.winners = bp_alloc((size_t)cases->count, sizeof *t.winners);
  bp_tuner_create(cases, &t.events, &t.tuner);
  bp_status status = run(&t);
  bp_tuner_destroy(&t.tuner);
  bp_free(t.winners);
  bp_free(t.device);
  bp_free(t.path);
  return status;
}

static bp_status make_config(const bp_arguments *arguments, bp_config *c)
{
  bp_status status = bp_arguments_to_config(arguments, c);
  if (!status && strcmp(c->backends.items[0], "emulate") == 0)
    status = bp_fail(BP_BAD_INPUT, "--backend: expected one of auto, cpu, cuda, found 'emulate', "
                                   "whose times say nothing");
  return status ? status : bp_config_check(c);
}

bp_status bp_command_tune(const bp_arguments *arguments)
{
  bp_config *config = bp_config_default();
  bp_device *device = NULL;
  bp_cases *cases = NULL;
  const bp_events events = bp_terminal_events();
  bp_status status = make_config(arguments, config);
  if (!status)
    status = bp_bench_open(config, bp_comm_self(), &events, &device);
  setenv("BP_CUDA_PATIENCE", "10", 0); /* what does not end must not take the time of all */
  if (!status)
    status = bp_cases_create(config, device, false, &cases);
  if (!status && bp_argument_has(arguments, "dry-run"))
    bp_dry_run_print(cases, stdout);
  else if (!status && strcmp(config->preconditioner, "p-multigrid") == 0)
    status = bp_tune_cycles_of(arguments, config, cases);
  else if (!status)
    status = tune_cases(arguments, cases);
  bp_cases_destroy(cases);
  bp_device_destroy(device);
  bp_config_destroy(config);
  return status;
}
