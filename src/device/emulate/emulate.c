/* emulate.c -- CUDA variants on the CPU: each is a program of its own (emulate.h), which maps the memory of
 * the emulated device and finds there what it shall do. */
#include "device/emulate/emulate_device.h"
#include "device/program.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/ahead.h"
#include "device/jit/progress.h"
#include "device/shape.h"
#include "kernels/abi/emulated/runtime.h"
#include "registry/operand.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every element is computed alike, so the second order of threads may be left out where there are
 * many. */
enum { BOTH_ORDERS = 16 };

/* With so many multiprocessors persistent blocks have one batch each, and those of missing elements can
 * be left out. No more: a kernel may add four grids as ints. */
enum { EVERY_BATCH_ITS_BLOCK = (1 << 29) - 1 };

/* Memory is a file without content, of which what is touched exists. Pages between arrays stay untouched, so
 * that what misses far hits no other array. */
static const int64_t MEMORY_BYTES = (int64_t)1 << 36, GAP = 1 << 20;

enum { CURRENT = 90 }; /* the architecture, unless told */

static bp_limits limits_of(int sm)
{
  return (bp_limits){
      .sm = sm,
      .threads_max = 1024,
      .block_max = {1024, 1024, 64},
      .shared_max = (int64_t)bp_architecture_of(sm)->shared_kb << 10,
      .together_max = 8, /* TOGETHER_MAX of the runtime */
  };
}

static emulate_device *of(bp_device *device)
{
  return (emulate_device *)device;
}

/* ---- device ---- */

static bp_status open_memory(emulate_device *d)
{
  d->file = memfd_create("bp", 0);
  if (d->file >= 0 && ftruncate(d->file, MEMORY_BYTES) == 0) {
    void *map = mmap(NULL, (size_t)MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                     d->file, 0);
    d->memory = map == MAP_FAILED ? NULL : map;
  }
  return d->memory ? BP_OK
                   : bp_fail(BP_ENVIRONMENT, "emulate: no address space for %lld bytes",
                             (long long)MEMORY_BYTES);
}

static void close_device(bp_device *device)
{
  emulate_device *d = of(device);
  bp_emulate_compiler_destroy(d->compiler);
  bp_emulate_mail_close(d);
  if (d->memory)
    munmap(d->memory, (size_t)MEMORY_BYTES);
  if (d->file >= 0)
    close(d->file);
  bp_free(d->blocks);
  bp_free(d->base.name);
  bp_free(d);
}

static bp_status open_device(const bp_device_options *options, bp_device **device)
{
  bp_emulate_compiler *compiler;
  char as[16] = "";
  if (options->arch)
    snprintf(as, sizeof as, "sm_%d", options->arch);
  bp_status status = bp_emulate_compiler_create(options->counts, &compiler);
  if (status)
    return status;
  emulate_device *d = bp_alloc(1, sizeof *d);
  d->compiler = compiler;
  d->seed = options->seed;
  d->before = options->before;
  d->base = (bp_device){
      .backend = &bp_backend_emulate,
      .name = bp_format("emulated GPU%s%s", options->arch ? " as " : "", as),
      .lanes = 1,
      .sms = options->before ? EVERY_BATCH_ITS_BLOCK
             : options->sms  ? options->sms
                             : BP_EMULATED_MULTIPROCESSORS,
      .cache_bytes = 1 << 20,
      .memory_free = bp_memory_available(),
      .peak_bytes_per_second = NAN,
      .limits = limits_of(options->arch ? options->arch : CURRENT),
  };
  if (options->arch)
    bp_architecture_class(d->base.class, options->arch);
  status = open_memory(d);
  if (status)
    close_device(&d->base);
  else
    *device = &d->base;
  return status;
}

/* ---- memory ---- */

static int64_t memory_free(bp_device *device)
{
  (void)device;
  return bp_memory_available();
}

/* Where a block may begin behind address `end`, so that with the one double that may be read behind it it
 * ends where a page does. */
static int64_t behind(int64_t end, int64_t bytes)
{
  int64_t room = (bytes + (int64_t)sizeof(double) + BP_JOB_ALIGN - 1) / BP_JOB_ALIGN * BP_JOB_ALIGN;
  int64_t pages = (room + BP_JOB_PAGE - 1) / BP_JOB_PAGE * BP_JOB_PAGE;
  return (end + GAP + GAP - 1) / GAP * GAP + pages - room;
}

/* The first gap that is wide enough. */
static bp_status alloc(bp_device *device, int64_t bytes, bp_address *address)
{
  emulate_device *d = of(device);
  int64_t start = behind((int64_t)sizeof(bp_job), bytes);
  int n = 0;
  while (n < d->blocks_count && start + bytes + GAP > d->blocks[n].start) {
    start = behind(d->blocks[n].start + d->blocks[n].bytes, bytes);
    ++n;
  }
  *address = 0;
  if (bytes > MEMORY_BYTES - 2 * GAP - start)
    return BP_OK;
  d->blocks = bp_realloc(d->blocks, (size_t)d->blocks_count + 1, sizeof *d->blocks);
  memmove(&d->blocks[n + 1], &d->blocks[n], (size_t)(d->blocks_count - n) * sizeof *d->blocks);
  d->blocks[n] = (emulate_block){start, bytes};
  ++d->blocks_count;
  *address = (bp_address)start;
  return BP_OK;
}

static int find_block(const emulate_device *d, bp_address address)
{
  int n = 0;
  while (n < d->blocks_count && d->blocks[n].start != (int64_t)address)
    ++n;
  BP_ASSERT(n < d->blocks_count);
  return n;
}

int64_t bp_emulate_bytes(const emulate_device *d, bp_address address)
{
  return d->blocks[find_block(d, address)].bytes;
}

static void release(bp_device *device, bp_address address)
{
  emulate_device *d = of(device);
  int n = find_block(d, address);
  int64_t first = d->blocks[n].start / GAP * GAP;
  int64_t last = (d->blocks[n].start + d->blocks[n].bytes + GAP - 1) / GAP * GAP;
  fallocate(d->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first, last - first);
  --d->blocks_count;
  memmove(&d->blocks[n], &d->blocks[n + 1], (size_t)(d->blocks_count - n) * sizeof *d->blocks);
}

static void *map(bp_device *device, bp_address address)
{
  return of(device)->memory + address;
}

static bp_status write_memory(bp_device *device, bp_address to, const void *from, int64_t bytes)
{
  memcpy(map(device, to), from, (size_t)bytes);
  return BP_OK;
}

static bp_status read_memory(bp_device *device, void *to, bp_address from, int64_t bytes)
{
  memcpy(to, map(device, from), (size_t)bytes);
  return BP_OK;
}

static bp_status fill(bp_device *device, bp_address to, uint32_t word, int64_t words)
{
  uint32_t *at = map(device, to);
  for (int64_t n = 0; n < words; ++n)
    at[n] = word;
  return BP_OK;
}

/* ---- code ---- */

/* What is compiled here is found again on disk, what fails fails again in load. */
static void build(bp_device *device, const bp_build *builds, int count)
{
  bp_build_progress progress;
  bp_build_progress_start(&progress, device, builds, count, "the emulator");
#pragma omp parallel for schedule(dynamic, 1)
  for (int n = 0; n < count; ++n) {
    char *program;
    double seconds;
    if (bp_emulate_build(of(device)->compiler, &builds[n], device->limits.sm, &program, &seconds) ==
        BP_OK)
      bp_free(program);
    bp_build_progress_done(&progress, n);
  }
  bp_build_progress_end(&progress);
}

static bp_status load(bp_device *device, const bp_build *what, bp_module *loaded,
                      bp_code_info *info)
{
  char *program;
  *loaded = 0;
  bp_status status = bp_emulate_build(of(device)->compiler, what, device->limits.sm, &program,
                                      &info->compile_seconds);
  if (status)
    return status;
  emulate_module *m = bp_alloc(1, sizeof *m);
  m->program = program;
  m->source = what->choice.variant->text->file;
  m->build = *what;
  m->is_atomic = bp_choice_is_atomic(&what->choice, what->op, what->space);
  if (of(device)->before)
    status = bp_emulate_shapes_before(of(device), what, m->missing);
  *loaded = (bp_module)(uintptr_t)m;
  return status;
}

static void unload(bp_device *device, bp_module loaded)
{
  emulate_module *m = (emulate_module *)(uintptr_t)loaded;
  (void)device;
  bp_free(m->program);
  bp_free(m);
}

static bp_status find(bp_device *device, bp_module loaded, const char *kernel,
                      const bp_shape *shape, bp_function_info *info)
{
  emulate_module *m = (emulate_module *)(uintptr_t)loaded;
  (void)device, (void)shape;
  BP_ASSERT(m->functions_count < BP_LAUNCHES_MAX);
  int n = m->functions_count++;
  emulate_function *f = &m->functions[n];
  const bp_variant *variant = m->build.choice.variant;
  *f = (emulate_function){m, kernel, m->missing[n].blocks,
                          n < variant->launches_count ? &variant->launches[n] : NULL};
  *info = (bp_function_info){.function = (bp_function)(uintptr_t)f,
                             .registers = -1,
                             .spill_bytes = -1,
                             .shared_bytes = -1,
                             .blocks_per_sm = -1};
  return BP_OK;
}

/* ---- running ---- */

/* The number of an array in the job, to which it is added when it is new; -1 for NULL. */
static int find_array(const emulate_device *d, bp_job *job, const bp_step *step, int number)
{
  const int64_t operand = step->operands[number].operand;
  const bp_address address = step->operands[number].value;
  static const bp_job_access access_of[] = {[BP_ACCESS_READ] = BP_JOB_READ,
                                            [BP_ACCESS_WRITE] = BP_JOB_WRITE,
                                            [BP_ACCESS_PART] = BP_JOB_PART,
                                            [BP_ACCESS_SCRATCH] = BP_JOB_SCRATCH};
  const bp_operand *o = &bp_operands[operand];
  int n = 0;
  if (!address)
    return -1;
  while (n < job->arrays_count && job->arrays[n].start != (long long)address)
    ++n;
  if (n < job->arrays_count)
    return n;
  BP_ASSERT(n < BP_JOB_ARRAYS);
  bp_job_array *a = &job->arrays[job->arrays_count++];
  snprintf(a->name, sizeof a->name, "%s", o->name);
  a->access = access_of[o->access];
  a->item = (int)step->operands[number].item;
  a->start = (long long)address;
  a->count = bp_emulate_bytes(d, address) / a->item;
  if (d->before)
    bp_emulate_ahead(d, step, (int)operand, a);
  return n;
}

_Static_assert((int)BP_JOB_ARGUMENTS >= (int)BP_STEP_OPERANDS_MAX, "a job has too few arguments");

static bp_status add_launch(const emulate_device *d, bp_job *job, const bp_step *step)
{
  BP_ASSERT(job->launches_count < BP_JOB_LAUNCHES);
  bp_job_launch *l = &job->launches[job->launches_count++];
  snprintf(l->kernel, sizeof l->kernel, "%s", emulate_function_of(step)->kernel);
  for (int n = 0; n < 3; ++n)
    l->threads[n] = (unsigned)step->shape.threads[n];
  l->first = (unsigned)emulate_function_of(step)->first;
  l->blocks = l->grid = l->first + (unsigned)step->shape.blocks;
  l->shared = step->shape.shared;
  l->arguments_count = step->operands_count;
  for (int n = 0; n < step->operands_count; ++n) {
    bool is_value = bp_operands[step->operands[n].operand].access == BP_ACCESS_VALUE;
    l->arrays[n] = is_value ? -1 : find_array(d, job, step, n);
    l->values[n] = is_value ? step->operands[n].value : 0;
    if (is_value)
      l->values[n] += (uint64_t)bp_ahead_number(step, (int)step->operands[n].operand, d->before);
  }
  return d->before && step->is_solve ? bp_emulate_spread(d, step, l) : BP_OK;
}

/* A hundred times what the emulation of an operator takes, or of as many launches of a solve. */
static int seconds_for(const emulate_device *d, const bp_step *step, int launches)
{
  enum { LEAST = 5, FAR = 20, MOST = 1 << 20 };
  double points = (double)step->elements * step->nc * step->nc * step->nc * step->nc;
  double seconds = (LEAST + 1e-5 * points * launches) * (d->before ? FAR : 1);
  return seconds < MOST ? (int)seconds : MOST;
}

/* Into jobs that go on with each other's arrays: ranks exchange something between them, or they are too many
 * launches for one. */
static bool is_cut(const bp_step *steps, int count)
{
  for (int n = 0; n < count; ++n)
    if (steps[n].kind != BP_STEP_LAUNCH && steps[n].kind != BP_STEP_COPY &&
        steps[n].kind != BP_STEP_REPEAT)
      return true;
  return bp_steps_length(steps, count) > BP_JOB_LAUNCHES;
}

static bool takes(const bp_step *step, int operand)
{
  return step->kind == BP_STEP_LAUNCH &&
         bp_variant_takes(emulate_function_of(step)->of->build.choice.variant, operand);
}

/* Of several programs, which find in arrays what another one, or the host, left there: of p-multigrid, and of
 * a caller's vectors. */
static bool is_mixed(const bp_step *steps, int count)
{
  bool is = false;
  for (int n = 0; n < count; ++n)
    is = is || takes(&steps[n], BP_OPERAND_schedule) || takes(&steps[n], BP_OPERAND_vector);
  return is;
}

typedef enum { WHOLE, PART, MIXED } cut;

/* The launches from `step` on that are of one program and on as many elements, as one job; `step` becomes
 * the next one, or NULL. */
static bp_status run_launches(emulate_device *d, const bp_step **step, bp_walk *walk, bool timed,
                              cut is_part, bool is_first)
{
  bp_job *job = (bp_job *)(void *)d->memory;
  const bp_step *const first = *step;
  const emulate_module *m = emulate_function_of(first)->of;
  memset(job, 0, sizeof *job);
  job->bytes = MEMORY_BYTES;
  job->elements = (int)(first->elements + d->before);
  job->degree = first->degree;
  job->lambda = first->lambda;
  job->seed = d->seed;
  bp_status status = BP_OK;
  while (*step && (*step)->kind == BP_STEP_LAUNCH && emulate_function_of(*step)->of == m &&
         (*step)->elements == first->elements && job->launches_count < BP_JOB_LAUNCHES && !status) {
    status = add_launch(d, job, *step);
    *step = bp_walk_next(walk);
  }
  job->continues = is_part == MIXED || (is_part && !is_first);
  job->is_continued = is_part == MIXED || (is_part && *step);
  job->orders = first->elements <= BOTH_ORDERS && !timed && !(d->before && first->is_solve) &&
                        !m->is_atomic && !job->is_continued && !job->continues && !d->mail_bytes
                    ? 2
                    : 1;
  job->mail_file = d->mail_file;
  job->mail_bytes = d->mail_bytes;
  job->seconds_max = seconds_for(d, first, job->launches_count);
  bp_emulate_move_lists(d, first, 1);
  if (!status)
    status = bp_emulate_run(m->program, m->source, job, d->file);
  bp_emulate_move_lists(d, first, -1);
  return status;
}

static bp_status run_steps(emulate_device *d, const bp_step *steps, int count, bool timed,
                           double *seconds)
{
  bp_status status = BP_OK;
  bp_walk walk = bp_walk_start(steps, count);
  const cut is_part = is_mixed(steps, count) ? MIXED : is_cut(steps, count) ? PART : WHOLE;
  const bp_step *step = bp_walk_next(&walk);
  for (bool is_first = true; step && !status; is_first = false) {
    const double start = bp_clock();
    if (step->kind == BP_STEP_LAUNCH) {
      status = run_launches(d, &step, &walk, timed, is_part, is_first);
      *seconds += bp_emulate_job(&d->base)->seconds;
      continue;
    }
    if (step->kind == BP_STEP_WAIT)
      status = bp_emulate_mail_wait(d, step);
    else if (step->kind != BP_STEP_COPY)
      status = bp_step_communicate(&d->base, step);
    else
      memcpy(map(&d->base, step->to), map(&d->base, step->from), (size_t)step->bytes);
    *seconds += bp_clock() - start;
    step = bp_walk_next(&walk);
  }
  return status;
}

/* The time is the emulation's, in one order of threads: it says nothing of a GPU. */
static bp_status run(bp_device *device, const bp_run *what, const char *name, double *seconds)
{
  double spent = 0;
  (void)name;
  bp_status status = run_steps(of(device), what->before, what->before_count, seconds, &spent);
  spent = 0;
  for (int64_t n = 0; n < what->repetitions && !status; ++n)
    status = run_steps(of(device), what->steps, what->steps_count, seconds, &spent);
  if (seconds)
    *seconds = spent / (double)what->repetitions;
  return status;
}

const bp_job *bp_emulate_job(bp_device *device)
{
  return (const bp_job *)(void *)of(device)->memory;
}

const bp_backend bp_backend_emulate = {
    .name = "emulate",
    .language = BP_LANGUAGE_CUDA,
    .is_emulation = true,
    .has_copy = true,
    .open = open_device,
    .close = close_device,
    .memory_free = memory_free,
    .alloc = alloc,
    .release = release,
    .write = write_memory,
    .read = read_memory,
    .fill = fill,
    .connect = bp_emulate_connect,
    .map = map,
    .build = build,
    .load = load,
    .unload = unload,
    .find = find,
    .run = run,
};
