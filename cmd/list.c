/* list.c -- `bp list`: the variants, their options and rungs. */
#include "bench/open_device.h"
#include "cli/command.h"
#include "terminal.h"

#include "base/json.h"
#include "base/memory.h"
#include "fem/bake_off.h"
#include "registry/select.h"
#include <stdio.h>
#include <string.h>

static const char *const languages[] = {"cpu", "cuda"};

/* A variant, or a rung of it by that name. */
static bool is_wanted(const bp_arguments *arguments, const char *rung, const bp_variant *variant)
{
  for (int n = 0; n < bp_argument_count(arguments); ++n) {
    const char *asked = bp_argument_at(arguments, n);
    if (bp_select_means(asked, variant) || (rung && bp_matches(asked, rung)))
      return true;
  }
  return bp_argument_count(arguments) == 0;
}

static bool is_of_backend(const bp_arguments *arguments, const bp_variant *variant)
{
  const char *backend = bp_argument_string(arguments, "backend");
  return strcmp(backend, "auto") == 0 || bp_backend_find(backend)->language == variant->language;
}

static bool is_of_peaks(const char *pattern)
{
  return strncmp(pattern, "peaks", 5) == 0 && (!pattern[5] || pattern[5] == '/');
}

/* Of the machine's own peaks where they are named. */
static bool is_shown(const bp_arguments *arguments, const bp_variant *v)
{
  bool is = bp_operator_of_kernels(v->problem, 0) || bp_bake_off_find(v->problem);
  for (int n = 0; n < bp_argument_count(arguments) && !is; ++n)
    is = is_of_peaks(v->problem) && is_of_peaks(bp_argument_at(arguments, n));
  return is;
}

/* Wanted variants; *n goes on from where it stood. */
static const bp_variant *next_variant(const bp_arguments *arguments, int *n)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  while (*n < count) {
    const bp_variant *v = &all[(*n)++];
    if (is_shown(arguments, v) && is_wanted(arguments, NULL, v) && is_of_backend(arguments, v))
      return v;
  }
  return NULL;
}

static const bp_rung *next_rung(const bp_arguments *arguments, int *n)
{
  while (*n < bp_rungs_count) {
    const bp_rung *rung = &bp_rungs[(*n)++];
    char *id = bp_format("%s/%s", rung->problem, rung->variant);
    const bp_variant *variant = bp_variant_find(id, BP_LANGUAGE_CUDA);
    bp_free(id);
    if (is_wanted(arguments, rung->name, variant) && is_of_backend(arguments, variant))
      return rung;
  }
  return NULL;
}

static void print_details(const bp_variant *v)
{
  bp_print(stdout, "      %s, factors %s%s\n", v->text->file, v->factors,
           v->compiled_once ? ", compiled once for all degrees" : "");
  for (int o = 0; o < v->options_count; ++o)
    bp_print(stdout, "      %s %lld..%lld = %lld  %s\n", v->options[o].name,
             (long long)v->options[o].low, (long long)v->options[o].high,
             (long long)v->options[o].standard, v->options[o].help);
  for (int l = 0; l < v->launches_count; ++l)
    bp_print(stdout, "      launch %s: threads (%s, %s, %s), blocks %s, shared %s bytes\n",
             v->launches[l].kernel, v->launches[l].threads[0], v->launches[l].threads[1],
             v->launches[l].threads[2],
             v->launches[l].blocks ? v->launches[l].blocks : "by elements_per_block",
             v->launches[l].shared);
}

/* The first that does not only begin. */
static const char *kernel_of(const bp_variant *v)
{
  int l = 0;
  while (l + 1 < v->launches_count && v->launches[l].phase == BP_AT_START)
    ++l;
  return v->launches[l].kernel;
}

/* Of a kernel on a GPU, where ncu may read counters: hit rates are among those of this set. */
static void print_counters(const char *variant, const char *kernel)
{
  bp_print(stdout,
           "\nHit rates and other counters (docs/performance.md), such as of %s:\n"
           "  BP_CUDA_IN_PROCESS=1 ncu --set full --clock-control none --cache-control none -k %s "
           "-s 20 -c 1 bp run --variants %s ...\n",
           variant, kernel, strchr(variant, '/') + 1);
}

static void print_table(const bp_arguments *arguments)
{
  const char *counted = NULL, *kernel = NULL;
  const bp_variant *v;
  const bp_rung *rung;
  int n = 0;
  bool is_among_others = false;
  while ((v = next_variant(arguments, &n))) {
    if (strncmp(v->problem, "bp", 2) != 0 && !is_among_others) {
      printf("\nKernels of other codes:\n");
      is_among_others = true;
    }
    bp_print(stdout, "%-26s %-4s  N=%d..%d  %s\n", v->id, languages[v->language], v->lowest,
             v->highest, v->summary);
    if (bp_argument_has(arguments, "details"))
      print_details(v);
    if (v->language == BP_LANGUAGE_CUDA && !counted) {
      counted = v->id;
      kernel = kernel_of(v);
    }
  }
  n = 0;
  if ((rung = next_rung(arguments, &n)))
    printf("\nRungs of the published ladders:\n");
  for (; rung; rung = next_rung(arguments, &n))
    printf("  %-6s %-20s %-22s %s\n", rung->problem, rung->name, rung->variant, rung->options);
  if (counted && bp_argument_has(arguments, "details"))
    print_counters(counted, kernel);
}

static void write_options(bp_json *json, const bp_variant *v)
{
  bp_json_begin_array(json, "options");
  for (int o = 0; o < v->options_count; ++o) {
    bp_json_begin_object(json, NULL);
    bp_json_string(json, "name", v->options[o].name);
    bp_json_string(json, "help", v->options[o].help);
    bp_json_int(json, "low", v->options[o].low);
    bp_json_int(json, "high", v->options[o].high);
    bp_json_int(json, "default", v->options[o].standard);
    bp_json_end_object(json);
  }
  bp_json_end_array(json);
}

static void write_variant(bp_json *json, const bp_variant *v)
{
  bp_json_begin_object(json, NULL);
  bp_json_string(json, "id", v->id);
  bp_json_string(json, "problem", v->problem);
  bp_json_string(json, "name", v->name);
  bp_json_string(json, "summary", v->summary);
  bp_json_string(json, "file", v->text->file);
  bp_json_string(json, "backend", languages[v->language]);
  bp_json_int(json, "lowest_degree", v->lowest);
  bp_json_int(json, "highest_degree", v->highest);
  bp_json_bool(json, "compiled_once", v->compiled_once);
  bp_json_string(json, "factors", v->factors);
  bp_json_string(json, "requires", bp_feature_lacking(v->requires, 0));
  write_options(json, v);
  bp_json_end_object(json);
}

static void print_json(const bp_arguments *arguments)
{
  bp_text text = {0};
  bp_json json = {.text = &text};
  const bp_variant *v;
  const bp_rung *rung;
  int n = 0;
  bp_json_begin_object(&json, NULL);
  bp_json_begin_array(&json, "variants");
  while ((v = next_variant(arguments, &n)))
    write_variant(&json, v);
  bp_json_end_array(&json);
  bp_json_begin_array(&json, "rungs");
  for (n = 0; (rung = next_rung(arguments, &n));) {
    bp_json_begin_object(&json, NULL);
    bp_json_string(&json, "problem", rung->problem);
    bp_json_string(&json, "name", rung->name);
    bp_json_string(&json, "variant", rung->variant);
    bp_json_string(&json, "options", rung->options);
    bp_json_end_object(&json);
  }
  bp_json_end_array(&json);
  bp_json_end_object(&json);
  fputs(bp_text_string(&text), stdout);
  bp_text_destroy(&text);
}

/* `best` is no variant but one for each degree and size. */
static bp_status check_pattern(const char *pattern, bool is_arch)
{
  if (strcmp(pattern, "best") == 0 && !is_arch)
    return bp_fail(
        BP_BAD_INPUT,
        "bp list: expected the name or glob of a variant or a rung, found 'best', which is "
        "another variant for each degree and size: 'bp run --dry-run' and --arch say which");
  return is_of_peaks(pattern) ? BP_OK : bp_select_check("bp list", &pattern, 1, NULL, 0);
}

bp_status bp_command_list(const bp_arguments *arguments)
{
  for (int n = 0; n < bp_argument_count(arguments); ++n) {
    bp_status status =
        check_pattern(bp_argument_at(arguments, n), bp_argument_has(arguments, "arch"));
    if (status)
      return status;
  }
  if (bp_argument_has(arguments, "arch"))
    return bp_command_compiled(arguments);
  if (bp_argument_has(arguments, "degrees"))
    return bp_fail(BP_BAD_INPUT, "bp list: --degrees: expected --arch sm_N beside it, found none");
  if (strcmp(bp_argument_string(arguments, "format"), "json") == 0)
    print_json(arguments);
  else
    print_table(arguments);
  return BP_OK;
}
