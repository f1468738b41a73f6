/* cpu.c -- the CPU: variants in C, threads by OpenMP, each with its own range of elements. */
#include "device/cpu/batches.h"
#include "device/cpu/cpu_build.h"
#include "device/cpu/far.h"
#include "device/cpu/fenced.h"
#include "device/jit/progress.h"
#include "device/program.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernels/abi/ranks.h"
#include "kernels/abi/solve.h"
#include "registry/operand.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  bp_device base;
  bp_isa isa;
  int64_t before;        /* elements that are not there */
  bp_compiler *compiler; /* NULL until it was needed */
} cpu_device;

/* What thread `t` of `threads` does of 0..count-1, in whole units. */
static void range_of(int64_t count, int64_t unit, int t, int threads, int64_t *first, int64_t *last)
{
  int64_t units = (count + unit - 1) / unit;
  *first = units * t / threads * unit;
  *last = units * (t + 1) / threads * unit;
  *last = *last < count ? *last : count;
}

/* ---- device ---- */

static void read_model_name(char name[128])
{
  char text[2048];
  bp_file_peek("/proc/cpuinfo", text, sizeof text);
  const char *line = strstr(text, "model name");
  if (!line || sscanf(line, "model name : %127[^\n]", name) != 1)
    strcpy(name, "CPU");
}

/* A file of cache `index` of processor `cpu`. */
static void read_cache(int cpu, int index, const char *file, char text[32])
{
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, file);
  bp_file_peek(path, text, 32);
}

/* How many caches like the last one of processor 0 there are: each is counted at the first processor that has
 * it. */
static int count_caches(int index)
{
  enum { PROCESSORS_MAX = 4096 };
  char text[32];
  int count = 0, first;
  for (int cpu = 0; cpu < PROCESSORS_MAX; ++cpu) {
    read_cache(cpu, index, "shared_cpu_list", text);
    if (!*text)
      break;
    count += sscanf(text, "%d", &first) == 1 && first == cpu;
  }
  return count > 0 ? count : 1;
}

/* The system's tables first: what sysconf says counts the caches of the whole socket on some machines. All
 * caches of the last level count, since threads on all processors share the data. */
static int64_t last_cache_bytes(void)
{
  int64_t bytes = 32 << 20, found;
  char size[32], unit;
  for (int n = 0; n < 5; ++n) {
    read_cache(0, n, "size", size);
    if (sscanf(size, "%" SCNd64 "%c", &found, &unit) == 2)
      bytes = found * (unit == 'M' ? 1 << 20 : 1 << 10) * count_caches(n);
  }
  return bytes;
}

/* ---- opening ---- */

static bp_status open(const bp_device_options *options, bp_device **device)
{
  bp_isa isa = options->isa_is_forced ? options->isa : bp_isa_best();
  if (!bp_isa_runs(isa))
    return bp_fail(BP_ENVIRONMENT, "isa %s: this processor does not have it", bp_isa_names[isa]);
  char model[128];
  read_model_name(model);
  cpu_device *d = bp_alloc(1, sizeof *d);
  int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
  d->isa = isa;
  d->before = options->before;
  d->base = (bp_device){
      .backend = &bp_backend_cpu,
      .is_fenced = options->fenced,
      .name = bp_format("%s, %d thread%s, %s", model, threads, threads > 1 ? "s" : "",
                        bp_isa_names[isa]),
      .lanes = bp_isa_lanes(isa),
      .sms = threads,
      .cache_bytes = last_cache_bytes(),
      .memory_free = bp_memory_available(),
      .peak_bytes_per_second = NAN,
  };
  *device = &d->base;
  return BP_OK;
}

static void close(bp_device *device)
{
  bp_compiler_destroy(((cpu_device *)device)->compiler);
  bp_free(device->name);
  bp_free(device);
}

/* ---- memory: an address is a pointer ---- */

static void *pointer_of(bp_address address)
{
  return (void *)(uintptr_t)address;
}

static int64_t memory_free(bp_device *device)
{
  (void)device;
  return bp_memory_available();
}

/* Nothing is touched, so that pages come to lie near the thread that first writes them. */
static bp_status alloc(bp_device *device, int64_t bytes, bp_address *address)
{
  void *memory = device->is_fenced ? bp_fenced_alloc(bytes) : bp_alloc_array((size_t)bytes, 1);
  *address = (bp_address)(uintptr_t)memory;
  return BP_OK;
}

static void release(bp_device *device, bp_address address)
{
  if (device->is_fenced)
    bp_fenced_free(pointer_of(address));
  else
    bp_free(pointer_of(address));
}

/* By the threads that will compute: each has the same share of every array. */
static bp_status write(bp_device *device, bp_address to, const void *from, int64_t bytes)
{
#pragma omp parallel num_threads(device->sms)
  {
    int64_t first, last;
    range_of(bytes, sizeof(double), omp_get_thread_num(), omp_get_num_threads(), &first, &last);
    if (first < last)
      memcpy((char *)pointer_of(to) + first, (const char *)from + first, (size_t)(last - first));
  }
  return BP_OK;
}

static bp_status read(bp_device *device, void *to, bp_address from, int64_t bytes)
{
  (void)device;
  memcpy(to, pointer_of(from), (size_t)bytes);
  return BP_OK;
}

static bp_status fill(bp_device *device, bp_address to, uint32_t word, int64_t words)
{
  uint32_t *at = pointer_of(to);
#pragma omp parallel num_threads(device->sms)
  {
    int64_t first, last;
    range_of(words, 2, omp_get_thread_num(), omp_get_num_threads(), &first, &last);
    for (int64_t n = first; n < last; ++n)
      at[n] = word;
  }
  return BP_OK;
}

static void *map(bp_device *device, bp_address address)
{
  (void)device;
  return pointer_of(address);
}

/* ---- code: shared libraries ---- */

static bp_status open_compiler(cpu_device *d)
{
  return d->compiler ? BP_OK : bp_cpu_compiler_create(&d->compiler);
}

/* Where none can be compiled, says so of all of them. */
static void build_missing(cpu_device *d, const bp_build *builds, int count)
{
  bp_build_progress progress;
  if (bp_compiler_check(d->compiler)) {
    bp_tell("bp: %s: without one %d kernels cannot run, %s for one", bp_message(), count,
            builds[count - 1].choice.variant->id);
    return;
  }
  bp_build_progress_start(&progress, &d->base, builds, count, bp_isa_names[d->isa]);
#pragma omp parallel for schedule(dynamic, 1)
  for (int n = 0; n < count; ++n) {
    char *path;
    double seconds;
    if (bp_cpu_compile(d->compiler, d->isa, &builds[n], &path, &seconds) == BP_OK)
      bp_free(path);
    bp_build_progress_done(&progress, n);
  }
  bp_build_progress_end(&progress);
}

/* Ranks of a host begin at different ones: what another one compiles is waited for. */
static void build(bp_device *device, const bp_build *builds, int count)
{
  cpu_device *d = (cpu_device *)device;
  bp_comm *comm = device->comm;
  bp_build *missing = bp_alloc((size_t)count, sizeof *missing);
  int first = comm ? count * bp_comm_local_rank(comm) / bp_comm_local_size(comm) : 0;
  int missing_count = 0;
  bp_status status = open_compiler(d);
  for (int n = 0; n < count && !status; ++n)
    if (!bp_cpu_is_built(d->compiler, d->isa, &builds[(n + first) % count]))
      missing[missing_count++] = builds[(n + first) % count];
  if (missing_count)
    build_missing(d, missing, missing_count);
  bp_free(missing);
}

static bp_status load(bp_device *device, const bp_build *what, bp_module *module,
                      bp_code_info *info)
{
  cpu_device *d = (cpu_device *)device;
  char *path = NULL;
  bp_status status = open_compiler(d);
  if (!status)
    status = bp_cpu_compile(d->compiler, d->isa, what, &path, &info->compile_seconds);
  if (status)
    return status;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  bp_free(path);
  *module = (bp_module)(uintptr_t)library;
  return library ? BP_OK : bp_fail(BP_ENVIRONMENT, "%s", dlerror());
}

static void unload(bp_device *device, bp_module module)
{
  (void)device;
  dlclose(pointer_of(module));
}

static bp_status find(bp_device *device, bp_module module, const char *kernel,
                      const bp_shape *shape, bp_function_info *info)
{
  void *function = dlsym(pointer_of(module), "bp_entry");
  (void)device, (void)kernel, (void)shape;
  *info = (bp_function_info){.function = (bp_function)(uintptr_t)function,
                             .registers = -1,
                             .spill_bytes = -1,
                             .shared_bytes = -1,
                             .blocks_per_sm = -1};
  return function ? BP_OK : bp_fail(BP_ENVIRONMENT, "a kernel without BP_KERNEL");
}

/* ---- running ---- */

static void fill_arguments(const bp_step *step, bp_rank_arguments *a)
{
  *a = (bp_rank_arguments){0};
  a->solve = (bp_cpu_arguments){.degree = step->degree,
                                .nq = step->nq,
                                .nc = step->nc,
                                .elements = step->elements,
                                .lambda = step->lambda,
                                .option = step->option};
  for (int n = 0; n < step->operands_count; ++n) {
    const bp_operand *o = &bp_operands[step->operands[n].operand];
    size_t bytes = o->access == BP_ACCESS_VALUE ? (size_t)o->bytes : sizeof(void *);
    memcpy((char *)a + o->offset, &step->operands[n].value, bytes);
  }
}

_Static_assert((int)BP_SOLVE_LAUNCH == (int)BP_OPTIONS_MAX, "behind the options");

/* The options, and behind them what the kernel of a solve wants to know. */
static void tell_solve(const bp_step *step, int64_t numbers[BP_SOLVE_NUMBERS])
{
  memcpy(numbers, step->option, sizeof step->option);
  numbers[BP_SOLVE_LAUNCH] = step->launch;
  numbers[BP_SOLVE_THREAD] = omp_get_thread_num();
  numbers[BP_SOLVE_THREADS] = omp_get_num_threads();
  numbers[BP_SOLVE_FIELDS] = step->fields;
  for (int n = 0; n < step->operands_count; ++n)
    if (step->operands[n].operand == BP_OPERAND_scratch)
      numbers[BP_SOLVE_SCRATCH] = step->shape.shared / step->operands[n].item;
}

/* `elements` of the step are there, behind those ahead. */
/* Kernels may leave upper halves of wide registers in use, as GCC's last calls do. Each instruction of bp's
 * own would keep them, and its verification took twice as long on a Zen 5. */
#ifdef __x86_64__
__attribute__((target("avx"))) static void leave_registers(void)
{
  __asm__ volatile("vzeroupper");
}
#endif

static void call(bp_cpu_kernel *kernel, const bp_cpu_arguments *arguments, int64_t first,
                 int64_t last)
{
  kernel(arguments, first, last);
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx"))
    leave_registers();
#endif
}

static void run_step(const cpu_device *d, const bp_step *step, int64_t elements)
{
  bp_rank_arguments all;
  bp_cpu_kernel *kernel = (bp_cpu_kernel *)(uintptr_t)step->function;
  fill_arguments(step, &all);
#pragma omp parallel num_threads(d->base.sms)
  {
    bp_rank_arguments arguments = all;
    bp_cpu_arguments *mine = &arguments.solve;
    int64_t numbers[BP_SOLVE_NUMBERS];
    int64_t first, last;
    int t = omp_get_thread_num();
    if (mine->scratch)
      mine->scratch += t * (step->shape.shared / (int64_t)sizeof *mine->scratch);
    range_of(elements, step->shape.threads[0], t, omp_get_num_threads(), &first, &last);
    first += d->before;
    last += d->before;
    tell_solve(step, numbers);
    mine->option = numbers;
    if (first < last || step->is_solve)
      call(kernel, mine, first, last);
  }
}

static bp_status run_far_step(const cpu_device *d, const bp_step *step)
{
  bp_far far;
  bp_status status = bp_far_open(step, d->before, &far);
  if (!status)
    run_step(d, &far.step, step->elements);
  bp_far_close(&far);
  return status;
}

static bp_status run_steps(bp_device *device, const bp_step *steps, int count)
{
  const cpu_device *d = (const cpu_device *)device;
  bp_status status = BP_OK;
  bp_walk walk = bp_walk_start(steps, count);
  for (const bp_step *step; !status && (step = bp_walk_next(&walk));) {
    if (step->kind == BP_STEP_LAUNCH && d->before)
      status = run_far_step(d, step);
    else if (step->kind == BP_STEP_LAUNCH)
      run_step(d, step, step->elements);
    else
      status = bp_step_communicate(device, step);
    status = status ? status : bp_device_go_on(device);
  }
  return status;
}

static bp_status run(bp_device *device, const bp_run *what, const char *name, double *seconds)
{
  (void)name;
  bp_status status = run_steps(device, what->before, what->before_count);
  double start = bp_clock();
  for (int64_t r = 0; r < what->repetitions && !status; ++r)
    status = run_steps(device, what->steps, what->steps_count);
  if (seconds)
    *seconds = (bp_clock() - start) / (double)what->repetitions;
  return status;
}

/* ---- batches ---- */

int64_t bp_batches_elements(const bp_step *step, int64_t nodes)
{
  enum { BYTES = 256 << 10, LINE_DOUBLES = 8 }; /* a batch begins with a cache line */
  const int64_t unit =
      step->shape.threads[0] > LINE_DOUBLES ? step->shape.threads[0] : LINE_DOUBLES;
  const int64_t all = (step->elements + unit - 1) / unit;
  int64_t units = BYTES / (2 * (int64_t)sizeof(double) * nodes * unit);
  units = units < all ? units : all;
  return unit * (units > 1 ? units : 1);
}

/* Of a part's u or v: cache lines, one of them behind what may be read beyond. */
static int64_t batch_room(const bp_batches *batches, int64_t nodes)
{
  return (batches->elements * nodes + 15) / 8 * 8;
}

int64_t bp_batches_room(const bp_device *device, const bp_batches *batches, int64_t nodes)
{
  return 2 * device->sms * batch_room(batches, nodes);
}

void bp_batches_part(const bp_device *device, const bp_batches *batches, int64_t elements, int part,
                     int64_t *first, int64_t *last)
{
  range_of(elements, batches->elements, part, device->sms, first, last);
}

/* The kernel counts elements from the first of all, so its u and v begin that far ahead. */
static double *ahead_of(double *room, int64_t first, int64_t nodes)
{
  return pointer_of((bp_address)(uintptr_t)room - (bp_address)(first * nodes) * sizeof(double));
}

static void run_part(const bp_device *device, const bp_step *step, int64_t nodes,
                     const bp_batches *b, int part, bp_cpu_arguments *mine)
{
  const int64_t room = batch_room(b, nodes);
  double *u = b->room + 2 * part * room, *v = u + room;
  int64_t first, last;
  bp_batches_part(device, b, step->elements, part, &first, &last);
  if (mine->scratch)
    mine->scratch += part * (step->shape.shared / (int64_t)sizeof *mine->scratch);
  for (int64_t e = first; e < last; e += b->elements) {
    const int64_t end = e + b->elements < last ? e + b->elements : last;
    mine->u = ahead_of(u, e, nodes);
    mine->v = ahead_of(v, e, nodes);
    for (int f = 0; f < b->fields; ++f) {
      b->before(b->of, f, e, end, u);
      ((bp_cpu_kernel *)(uintptr_t)step->function)(mine, e, end);
      b->after(b->of, f, e, end, v);
    }
  }
}

void bp_batches_run(bp_device *device, const bp_step *step, int64_t nodes,
                    const bp_batches *batches)
{
  bp_rank_arguments all;
  fill_arguments(step, &all);
#pragma omp parallel for num_threads(device->sms) schedule(static, 1)
  for (int part = 0; part < device->sms; ++part) {
    bp_rank_arguments arguments = all;
    int64_t numbers[BP_SOLVE_NUMBERS];
    tell_solve(step, numbers);
    arguments.solve.option = numbers;
    run_part(device, step, nodes, batches, part, &arguments.solve);
  }
}

const bp_backend bp_backend_cpu = {
    .name = "cpu",
    .language = BP_LANGUAGE_C,
    .open = open,
    .close = close,
    .memory_free = memory_free,
    .alloc = alloc,
    .release = release,
    .write = write,
    .read = read,
    .fill = fill,
    .map = map,
    .build = build,
    .load = load,
    .unload = unload,
    .find = find,
    .run = run,
};
