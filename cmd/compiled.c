/* compiled.c -- compiling every variant for an architecture and telling registers, spills, shared memory; C
 * variants for an instruction set, which fills the cache that another machine may run from. */
#include "cli/command.h"
#include "terminal.h"

#include "base/json.h"
#include "base/memory.h"
#include "device/cpu/cpu_build.h"
#include "device/jit/jit.h"
#include "fem/bake_off.h"
#include "registry/operand.h"
#include "registry/select.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  bp_jit_request *items;
  int count;
  bp_language language;
  int sm;
  const char *device; /* C: "avx2" */
  bp_device gpu;      /* one of that architecture, for what launches ask for */
  bool is_best;       /* what `best` takes on a GPU was asked for */
  int missing;        /* for which it finds nothing */
} requests;

/* What `best` is asked for: as many elements as a GPU likes, and as many multiprocessors as an A100 has. */
enum { ELEMENTS = 4096, MULTIPROCESSORS = 108, REGISTERS = 65536, REGISTERS_AT_ONCE = 8 };

/* What of it can be compiled for the space. */
static void add_request(requests *r, const bp_choice *choice, const bp_operator *op, bp_space space)
{
  space.multigrid = bp_variant_takes(choice->variant, BP_OPERAND_schedule);
  space.mapped = bp_variant_takes(choice->variant, BP_OPERAND_targets);
  space.level = bp_variant_is_level(choice->variant);
  if (bp_variant_check(choice->variant, op, space) ||
      *bp_feature_lacking(choice->variant->requires, r->sm))
    return;
  r->items = bp_realloc(r->items, (size_t)r->count + 1, sizeof *r->items);
  r->items[r->count++] = (bp_jit_request){.build = {*choice, op, space}, .sm = r->sm};
}

static void describe_device(requests *r)
{
  r->gpu =
      (bp_device){.lanes = 1,
                  .sms = MULTIPROCESSORS,
                  .limits = {.sm = r->sm,
                             .threads_max = 1024,
                             .block_max = {1024, 1024, 64},
                             .shared_max = (int64_t)bp_architecture_of(r->sm)->shared_kb << 10}};
  bp_architecture_class(r->gpu.class, r->sm);
}

static bool asks_for_best(const bp_arguments *arguments)
{
  for (int n = 0; n < bp_argument_count(arguments); ++n)
    if (strcmp(bp_argument_words(arguments)[n], "best") == 0)
      return true;
  return false;
}

static bool has_variant(const char *problem, bp_space space)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count; ++n)
    if (strcmp(all[n].problem, problem) == 0 && all[n].language == BP_LANGUAGE_CUDA &&
        bp_variant_check(&all[n], NULL, space) == BP_OK)
      return true;
  return false;
}

/* The choices that the patterns mean of one problem, in one space, of those that the architecture may run. */
static bp_status add_space(requests *r, const bp_arguments *arguments, const char *problem,
                           const bp_operator *op, bp_space space)
{
  space.geometry = bp_geometry_find(bp_argument_string(arguments, "geometry"));
  space.precision = bp_precision_find(bp_argument_string(arguments, "precision"));
  static const char *const all[] = {"all"};
  const bool is_gpu = r->language == BP_LANGUAGE_CUDA;
  int count = bp_argument_count(arguments);
  const bp_selection selection = {
      .problem = problem,
      .degree = space.degree,
      .points = is_gpu ? bp_operator_other_points(op, space) : 0,
      .elements = is_gpu ? ELEMENTS : 0,
      .language = r->language,
      .device = r->device,
      .sms = r->gpu.sms,
      .limits = bp_device_best_limits(&r->gpu),
      .op = op,
      .space = space,
      .patterns = count ? bp_argument_words(arguments) : all,
      .patterns_count = count ? count : 1,
  };
  bp_choice *choices = NULL;
  bp_status status = BP_OK;
  int found = bp_select(&selection, &choices, &status);
  if (found == 0 && !status && r->is_best && has_variant(problem, space)) {
    fprintf(stderr, "bp list: best: expected something for %s at N = %d on sm_%d, found nothing\n",
            problem, bp_operator_degree(op, space), r->sm);
    ++r->missing;
  }
  for (int n = 0; n < found && !status; ++n)
    add_request(r, &choices[n], op, space);
  bp_free(choices);
  return status;
}

/* One degree of all operators, and of the solves of scalar problems without a mass term; those of vectors
 * have the same kernels. */
static bp_status add_degree(requests *r, const bp_arguments *arguments, int degree, int beyond)
{
  bp_status status = BP_OK;
  const bp_operator *op;
  for (int n = 0; (op = bp_operator_at(n)) && !status; ++n)
    status = add_space(r, arguments, bp_operator_kernels(op), op,
                       bp_operator_space_with(op, degree, beyond, "own"));
  for (const bp_bake_off *row = bp_bake_offs; row < bp_bake_offs + BP_SOLVES && !status; ++row)
    if (row->components == 1)
      status = add_space(r, arguments, row->kernels, bp_bake_off_operator(row, 0),
                         bp_bake_off_space_with(row, degree, beyond, "own"));
  return status;
}

static bp_status collect(requests *r, const bp_arguments *arguments)
{
  bp_config_numbers degrees = bp_argument_numbers(arguments, "degrees");
  bp_config_numbers beyond = bp_argument_numbers(arguments, "quadrature");
  bp_status status = BP_OK;
  for (int d = 0; d < degrees.count && !status; ++d)
    for (int q = 0; q < (beyond.count ? beyond.count : 1) && !status; ++q)
      status =
          add_degree(r, arguments, (int)degrees.items[d], beyond.count ? (int)beyond.items[q] : 0);
  bp_free(degrees.items);
  bp_free(beyond.items);
  return status;
}

/* Threads and dynamic shared memory of a block, 0 where only a problem tells. */
static void find_launch(const requests *r, const bp_build *build, const char *kernel,
                        int64_t *threads, int64_t *shared)
{
  const bp_variant *v = build->choice.variant;
  bp_name names[BP_NAMES_MAX];
  bp_choice_names(&build->choice, build->op, build->space, ELEMENTS, 1, r->gpu.sms, names);
  *threads = *shared = 0;
  for (int n = 0; n < v->launches_count; ++n) {
    const bp_launch *l = &v->launches[n];
    int64_t of[3];
    if (strcmp(l->kernel, kernel) != 0)
      continue;
    bool known = true;
    for (int d = 0; d < 3; ++d)
      known = known && bp_expression_evaluate(l->threads[d], names, &of[d]) == BP_OK;
    *threads = known ? of[0] * of[1] * of[2] : 0;
    if (bp_expression_evaluate(l->shared, names, shared))
      *shared = 0;
  }
}

/* Tells where a block is more than the architecture has room for. */
static bool holds(const requests *r, const bp_build *build, const bp_jit_kernel *k, int64_t threads,
                  int64_t shared)
{
  const bp_limits *limits = &r->gpu.limits;
  const int64_t of_thread =
      (k->registers + REGISTERS_AT_ONCE - 1) / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE;
  const long long bytes = k->shared_bytes + shared, registers = threads * of_thread;
  if (bytes <= limits->shared_max && threads <= limits->threads_max && registers <= REGISTERS)
    return true;
  fflush(stdout);
  fprintf(stderr,
          "bp list: %s at N = %d: %s: expected at most %lld bytes of shared memory and %d "
          "registers a block on sm_%d, found %lld and %lld\n",
          build->choice.variant->id, bp_operator_degree(build->op, build->space), k->kernel,
          (long long)limits->shared_max, REGISTERS, r->sm, bytes, registers);
  return false;
}

static void print_row(const bp_jit_request *request, const bp_jit_code *code,
                      const bp_jit_kernel *k, int64_t shared)
{
  char *options = bp_choice_options(&request->build.choice);
  bp_print(stdout, "%-20s %-8s %2d  %-16s %9lld %6lld %6lld %7lld %7lld %8lld %8.3f  %s\n",
           request->build.choice.variant->id, request->build.choice.rung,
           bp_operator_degree(request->build.op, request->build.space), k->kernel,
           (long long)k->registers, (long long)k->stack_bytes, (long long)k->spill_bytes,
           (long long)k->shared_bytes, (long long)shared, (long long)code->size, code->seconds,
           options);
  bp_free(options);
}

static void write_row(bp_json *json, const bp_jit_request *request, const bp_jit_code *code,
                      const bp_jit_kernel *k, int64_t shared)
{
  char *options = bp_choice_options(&request->build.choice);
  bp_json_begin_object(json, NULL);
  bp_json_string(json, "variant", request->build.choice.variant->id);
  bp_json_string(json, "rung", request->build.choice.rung);
  bp_json_string(json, "options", options);
  bp_json_int(json, "degree", request->build.space.degree);
  bp_json_int(json, "points", request->build.space.points);
  bp_json_int(json, "code_bytes", (int64_t)code->size);
  bp_json_string(json, "kernel", k->kernel);
  bp_json_int(json, "registers", k->registers);
  bp_json_int(json, "stack_bytes", k->stack_bytes);
  bp_json_int(json, "spill_bytes", k->spill_bytes);
  bp_json_int(json, "shared_bytes", k->shared_bytes);
  bp_json_int(json, "dynamic_bytes", shared);
  bp_json_double(json, "seconds", code->seconds);
  bp_json_end_object(json);
  bp_free(options);
}

static bp_status print_rows(const requests *r, bp_json *json)
{
  int kernels = 0, failed = 0, too_large = 0, spilling = 0, unfit = r->missing;
  int64_t threads, shared;
  if (!json)
    printf("%-20s %-8s %2s  %-16s %9s %6s %6s %7s %7s %8s %8s  %s\n", "variant", "rung", "N",
           "kernel", "registers", "stack", "spills", "shared", "dynamic", "code", "seconds",
           "options");
  for (int n = 0; n < r->count; ++n) {
    const bp_jit_code *code = NULL;
    if (bp_jit_compile(&r->items[n], &code)) {
      bool is_limit = code && code->too_large;
      failed += !is_limit;
      too_large += is_limit;
      fflush(stdout); /* where both go to one file, whole lines */
      if (!is_limit)
        fprintf(stderr, "bp list: %s\n", bp_message());
      continue;
    }
    for (int k = 0; k < code->kernels_count; ++k, ++kernels) {
      spilling += code->kernels[k].spill_bytes > 0;
      find_launch(r, &r->items[n].build, code->kernels[k].kernel, &threads, &shared);
      if (json)
        write_row(json, &r->items[n], code, &code->kernels[k], shared);
      else
        print_row(&r->items[n], code, &code->kernels[k], shared);
      if (r->is_best)
        unfit += !holds(r, &r->items[n].build, &code->kernels[k], threads, shared);
    }
  }
  fprintf(
      json ? stderr : stdout,
      "sm_%d by NVRTC %s: %d kernels, %d of them spill; %d compilations failed, %d ask for more "
      "shared memory than a block has\n",
      r->sm, bp_jit_version(), kernels, spilling, failed, too_large);
  if (failed)
    return bp_fail(BP_ENVIRONMENT, "bp list: %d compilations failed", failed);
  return unfit ? bp_fail(BP_WRONG, "bp list: best: %d are missing or do not fit", unfit) : BP_OK;
}

static bp_status print_json(const requests *r)
{
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_begin_array(&json, NULL);
  bp_status status = print_rows(r, &json);
  bp_json_end_array(&json);
  fputs(bp_text_string(&text), stdout);
  bp_text_destroy(&text);
  return status;
}

/* ---- C ---- */

static void add_peaks(requests *r)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count; ++n)
    if (all[n].language == BP_LANGUAGE_C && strcmp(all[n].problem, "peaks") == 0) {
      const bp_choice choice = bp_choice_standard(&all[n]);
      add_request(r, &choice, NULL, (bp_space){.degree = 1});
    }
}

static bp_status compile_c(const requests *r, bp_isa isa)
{
  bp_compiler *compiler;
  int failed = 0;
  bp_status status = bp_cpu_compiler_create(&compiler);
  if (status)
    return status;
  printf("%-20s %2s %8s\n", "variant", "N", "seconds");
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : failed)
  for (int n = 0; n < r->count; ++n) {
    const bp_build *build = &r->items[n].build;
    double seconds = 0;
    char *path = NULL;
    bool is_bad = bp_cpu_compile(compiler, isa, build, &path, &seconds) != BP_OK;
    failed += is_bad;
    bp_free(path);
#pragma omp critical
    if (is_bad)
      fprintf(stderr, "bp list: %s: %s\n", build->choice.variant->id, bp_message());
    else
      printf("%-20s %2d %8.3f\n", build->choice.variant->id, build->space.degree, seconds);
  }
  printf("%s by %s: %d kernels; %d compilations failed\n", bp_isa_names[isa],
         bp_compiler_version(compiler), r->count - failed, failed);
  bp_compiler_destroy(compiler);
  return failed ? bp_fail(BP_ENVIRONMENT, "bp list: %d compilations failed", failed) : BP_OK;
}

static bp_status command_c(const bp_arguments *arguments, bp_isa isa)
{
  requests r = {.language = BP_LANGUAGE_C, .device = bp_isa_names[isa]};
  bp_status status = collect(&r, arguments);
  add_peaks(&r);
  if (!status)
    status = compile_c(&r, isa);
  bp_free(r.items);
  return status;
}

/* ---- CUDA ---- */

bp_status bp_command_compiled(const bp_arguments *arguments)
{
  requests r = {.language = BP_LANGUAGE_CUDA, .device = ""};
  const char *arch = bp_argument_string(arguments, "arch");
  for (int isa = 0; isa < BP_ISA_COUNT; ++isa)
    if (strcmp(arch, bp_isa_names[isa]) == 0)
      return command_c(arguments, (bp_isa)isa);
  if (strcmp(bp_argument_string(arguments, "backend"), "cpu") == 0)
    return bp_fail(BP_BAD_INPUT, "bp list: --arch: expected backend cuda, found cpu");
  if (bp_argument_has(arguments, "details"))
    return bp_fail(BP_BAD_INPUT, "bp list: --arch: expected no --details beside it, found it");
  bp_status status = bp_architecture_read("bp list: --arch", arch, &r.sm);
  if (status)
    return status;
  r.is_best = asks_for_best(arguments);
  describe_device(&r);
  status = bp_jit_open(0);
  if (!status)
    status = bp_jit_check(r.sm);
  if (!status)
    status = collect(&r, arguments);
  if (!status && r.count == 0 && !r.missing)
    status = bp_fail(BP_BAD_INPUT,
                     "bp list: --arch: expected CUDA variants that run on %s, found "
                     "none of them asked for",
                     arch);
  if (!status) {
    bp_jit_compile_all(r.items, r.count, 0);
    status = strcmp(bp_argument_string(arguments, "format"), "json") == 0 ? print_json(&r)
                                                                          : print_rows(&r, NULL);
  }
  bp_free(r.items);
  return status;
}
