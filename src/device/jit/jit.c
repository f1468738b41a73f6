/* jit.c -- from a choice to machine code: options, headers, key, the two memories. */
#include "device/jit/jit.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/compiler_log.h"
#include "device/jit/jit_cache.h"
#include "device/jit/jit_nvrtc.h"
#include "device/jit/jit_process.h"
#include "device/jit/operators_source.h"
#include "registry/architecture.h"
#include "registry/kernel_dir.h"
#include "registry/operand.h"
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = BP_DEFINES_MAX + BP_FEATURES + 8 };

/* ---- what the process remembers ---- */

typedef struct {
  bp_hash key;
  bp_jit_code *code;
} entry;

static entry *entries;
static size_t entries_count, entries_capacity;

static bp_jit_code *remembered(bp_hash key)
{
  for (size_t n = 0; n < entries_count; ++n)
    if (bp_hash_is_same(entries[n].key, key))
      return entries[n].code;
  return NULL;
}

static void remember(bp_hash key, bp_jit_code *code)
{
  if (entries_count == entries_capacity) {
    entries_capacity = entries_capacity ? 2 * entries_capacity : 64;
    entries = bp_realloc(entries, entries_capacity, sizeof *entries);
  }
  entries[entries_count++] = (entry){key, code};
}

/* ---- the compiler's input ---- */

typedef struct {
  char *options[OPTIONS_MAX];
  int options_count;
  bp_text operators, arguments;
  bp_nvrtc_header *headers;
  int headers_count;
  bool is_ptx;
  bp_hash key;
} input;

__attribute__((format(printf, 2, 3))) static void add_option(input *in, const char *format, ...)
{
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  BP_ASSERT(in->options_count < OPTIONS_MAX);
  in->options[in->options_count++] = bp_strdup(text);
}

/* Those that the variant includes, and "operators.h". */
static void add_headers(input *in, const bp_jit_request *request)
{
  const bp_variant *variant = request->build.choice.variant;
  int count;
  const bp_kernel_header **headers =
      bp_kernel_dir_included(variant->text->source, "abi/emulated/", &count);
  in->headers = bp_alloc((size_t)count + 2, sizeof *in->headers);
  for (int n = 0; n < count; ++n)
    in->headers[in->headers_count++] = (bp_nvrtc_header){headers[n]->name, headers[n]->source};
  bp_free(headers);
  bp_operands_source(variant->operands, variant->operands_count, &in->arguments);
  in->headers[in->headers_count++] = (bp_nvrtc_header){"arguments.h", in->arguments.data};
  if (request->build.op && !variant->compiled_once) {
    bp_operators_source(request->build.op, request->build.space, &in->operators);
    in->headers[in->headers_count++] = (bp_nvrtc_header){"operators.h", in->operators.data};
  }
}

static void append_part(bp_text *all, const char *part)
{
  bp_text_appendf(all, "%zu ", strlen(part));
  bp_text_append(all, part);
}

/* Everything that the machine code depends on. */
static bp_hash key_of(const input *in, const bp_variant *variant)
{
  bp_text all = {0};
  append_part(&all, bp_nvrtc_version());
  append_part(&all, variant->text->file); /* stands in the line table */
  append_part(&all, variant->text->source);
  for (int n = 0; n < in->options_count; ++n)
    append_part(&all, in->options[n]);
  for (int n = 0; n < in->headers_count; ++n) {
    append_part(&all, in->headers[n].name);
    append_part(&all, in->headers[n].source);
  }
  bp_hash key = bp_hash_bytes(all.data, all.length);
  bp_text_destroy(&all);
  return key;
}

/* Whether blocks have threads in one direction only. */
static bool threads_in_line(const bp_variant *variant)
{
  for (int n = 0; n < variant->launches_count; ++n)
    if (variant->launches[n].threads[1] || variant->launches[n].threads[2])
      return false;
  return true;
}

static bp_status input_create(input *in, const bp_jit_request *request)
{
  const bp_variant *variant = request->build.choice.variant;
  char target[24];
  *in = (input){0};
  bp_status status = bp_nvrtc_target(request->sm, target, &in->is_ptx);
  if (status)
    return status;
  if (request->for_newer && !in->is_ptx) {
    in->is_ptx = true;
    snprintf(target, sizeof target, "compute_%d", request->sm);
  }
  add_option(in, "--gpu-architecture=%s", target);
  add_option(in, "--std=c++17");
  add_option(in, "--generate-line-info");
  if (!in->is_ptx)
    add_option(in, "--ptxas-options=-v");
  if (threads_in_line(variant))
    add_option(in, "-DBP_THREADS_IN_LINE=1");
  in->options_count += bp_architecture_defines(request->sm, in->options + in->options_count);
  in->options_count += bp_choice_defines(&request->build.choice, request->build.op,
                                         request->build.space, in->options + in->options_count);
  add_headers(in, request);
  in->key = key_of(in, variant);
  return BP_OK;
}

static void input_destroy(input *in)
{
  for (int n = 0; n < in->options_count; ++n)
    bp_free(in->options[n]);
  bp_free(in->headers);
  bp_text_destroy(&in->operators);
  bp_text_destroy(&in->arguments);
}

/* ---- one compilation ---- */

static char *print_degree(const bp_jit_request *request)
{
  bool is_for_one = request->build.op && !request->build.choice.variant->compiled_once;
  return is_for_one ? bp_format(" at N = %d", request->build.space.degree) : bp_strdup("");
}

/* ptxas tells the size before it refuses it. */
static void note_error(bp_jit_code *code, const bp_jit_request *request, const char *log)
{
  enum { STATIC_SHARED_MAX = 48 << 10 };
  bp_log_read_figures(log, code);
  for (int n = 0; n < code->kernels_count && !code->error; ++n)
    if (code->kernels[n].shared_bytes > STATIC_SHARED_MAX) {
      code->too_large = true;
      code->error = bp_format("%s needs %lld bytes of static shared memory; a block may have %d",
                              code->kernels[n].kernel, (long long)code->kernels[n].shared_bytes,
                              STATIC_SHARED_MAX);
    }
  if (!code->error) {
    char *degree = print_degree(request);
    code->error = bp_format("%s does not compile%s: %s", request->build.choice.variant->text->file,
                            degree, bp_log_first_error(log));
    bp_free(degree);
  }
}

/* "the compiler NVRTC crashed (signal 11) on bp1.0/cube const=1 for sm_90 at N = 7" */
static void note_end(bp_jit_code *code, const bp_jit_request *request, const char *end)
{
  char *options = bp_choice_options(&request->build.choice), *degree = print_degree(request);
  code->error = bp_format("the compiler NVRTC %s on %s%s%s for sm_%d%s", end,
                          request->build.choice.variant->id, *options ? " " : "", options,
                          request->sm, degree);
  bp_free(degree);
  bp_free(options);
}

/* What goes to disk: the log, '\0', the image. */
static void save(bp_hash key, const bp_jit_code *code, const bp_text *log)
{
  bp_text data = {0};
  bp_text_append(&data, bp_text_string(log));
  bp_text_append_bytes(&data, "", 1);
  bp_text_append_bytes(&data, code->image, code->size);
  bp_jit_cache_write(key, data.data, data.length);
  bp_text_destroy(&data);
}

static bool load(bp_hash key, bp_jit_code *code)
{
  char *data;
  size_t size;
  if (!bp_jit_cache_read(key, &data, &size))
    return false;
  size_t log = strlen(data) + 1; /* read adds a '\0', so this ends */
  if (log < size) {
    code->size = size - log;
    code->image = bp_alloc(code->size + 1, 1);
    memcpy(code->image, data + log, code->size);
    bp_log_read_figures(data, code);
  }
  bp_free(data);
  return code->image != NULL;
}

/* A compilation under way. */
typedef struct {
  const bp_jit_request *request;
  bp_hash key;
  bp_jit_code *code;
  bp_jit_process *process;
  double start;
} job;

static job start_job(const bp_jit_request *request, const input *in, bp_jit_code *code)
{
  const bp_variant_text *text = request->build.choice.variant->text;
  const bp_nvrtc_input what = {
      .name = text->file,
      .source = text->source,
      .headers = in->headers,
      .headers_count = in->headers_count,
      .options = (const char *const *)in->options,
      .options_count = in->options_count,
      .is_ptx = in->is_ptx,
  };
  return (job){request, in->key, code, bp_jit_process_start(&what), bp_clock()};
}

static void finish_job(const job *j)
{
  bp_text log = {0};
  char end[BP_JIT_END_MAX];
  bp_jit_code *code = j->code;
  if (bp_jit_process_finish(j->process, &code->image, &code->size, &log, end)) {
    bp_log_read_figures(bp_text_string(&log), code);
    save(j->key, code, &log);
  } else if (*end) {
    note_end(code, j->request, end);
  } else {
    note_error(code, j->request, bp_text_string(&log));
  }
  code->seconds = bp_clock() - j->start;
  bp_text_destroy(&log);
}

bp_status bp_jit_open(int driver_major)
{
  return bp_nvrtc_open(driver_major);
}

bp_status bp_jit_check(int sm)
{
  char target[24];
  bool is_ptx;
  return bp_nvrtc_target(sm, target, &is_ptx);
}

const char *bp_jit_version(void)
{
  return bp_nvrtc_version();
}

/* The code as it is remembered or kept on disk; else a new one, which is remembered, and *j fills it. */
static bp_status find_code(const bp_jit_request *request, bp_jit_code **code, job *j)
{
  input in;
  bp_status status = input_create(&in, request);
  *j = (job){0};
  *code = status ? NULL : remembered(in.key);
  if (!status && !*code) {
    *code = bp_alloc(1, sizeof **code);
    (*code)->is_ptx = in.is_ptx;
    remember(in.key, *code);
    if (!load(in.key, *code))
      *j = start_job(request, &in, *code);
  }
  input_destroy(&in);
  return status;
}

bp_status bp_jit_compile(const bp_jit_request *request, const bp_jit_code **code)
{
  bp_jit_code *found;
  job j;
  bp_status status = find_code(request, &found, &j);
  if (j.process)
    finish_job(&j);
  if (found && found->error)
    status = bp_fail(found->too_large ? BP_SKIPPED : BP_ENVIRONMENT, "%s", found->error);
  *code = found;
  return status;
}

static void finish_one(job *jobs, int *count)
{
  bp_jit_process **processes = bp_alloc((size_t)*count, sizeof *processes);
  for (int n = 0; n < *count; ++n)
    processes[n] = jobs[n].process;
  int ended = bp_jit_process_wait(processes, *count);
  finish_job(&jobs[ended]);
  jobs[ended] = jobs[--*count];
  bp_free(processes);
}

void bp_jit_compile_all(const bp_jit_request *requests, int count, int at_once)
{
  int most = at_once > 0 ? at_once : omp_get_num_procs(), running = 0;
  job *jobs = bp_alloc((size_t)most, sizeof *jobs);
  for (int n = 0; n < count; ++n) {
    bp_jit_code *code;
    (void)find_code(&requests[n], &code, &jobs[running]);
    running += jobs[running].process != NULL;
    if (running == most)
      finish_one(jobs, &running);
  }
  while (running > 0)
    finish_one(jobs, &running);
  bp_free(jobs);
}
