/* machine.c -- copies, peaks, flushes and empty launches on any device. */
#include "device/machine.h"

#include <math.h>
#include <string.h>

enum {
  CPU_PEAK_ROUNDS = 100000, /* so many that one application takes some tenths of a millisecond */
  PEAK_BLOCKS_PER_SM = 32,
  PEAK_DOUBLES = 1 << 17,
  COPY_ROUNDS = 7,
  COPIES_LEAST = 4,
  LAUNCH_TRIALS = 5,
  LAUNCHES = 1000
};

static const double COPY_SECONDS = 2e-4;

/* The kernels, by the language of the device. */
static const char *const COPY[] = {
    [BP_LANGUAGE_C] = "peaks/copy", [BP_LANGUAGE_CUDA] = "peaks/gpu-copy"};
static const char *const FLUSH[] = {
    [BP_LANGUAGE_C] = "peaks/flush", [BP_LANGUAGE_CUDA] = "peaks/gpu-flush"};
static const int FLUSH_TIMES_CACHE[] = {[BP_LANGUAGE_C] = 4, [BP_LANGUAGE_CUDA] = 3};

/* Eviction priority in L2, and how much of it stays: options of the copy on a GPU. */
static const char *const COPY_HINTS[] = {
    "evict_first=0 keep_sixteenths=0", "evict_first=1 keep_sixteenths=0",
    "evict_first=2 keep_sixteenths=0", "evict_first=3 keep_sixteenths=0",
    "evict_first=3 keep_sixteenths=4", "evict_first=3 keep_sixteenths=7",
    "evict_first=3 keep_sixteenths=10"};

static bp_choice choice_of(const char *id, bp_language language)
{
  const bp_variant *variant = bp_variant_find(id, language);
  BP_ASSERT(variant);
  return bp_choice_standard(variant);
}

/* ---- copies ---- */

/* Applications in a sample: hot ones as many as take two tenths of a millisecond and some more, so that
 * what begins a sample (a graph's launch most of all) does not decide. */
static bp_status repetitions_of(bp_plan *p, bool cold, int64_t *repetitions)
{
  double seconds = 0;
  bp_status status = bp_plan_time(p, 1, cold, &seconds);
  *repetitions =
      cold ? 1 : COPIES_LEAST + (int64_t)(COPY_SECONDS / (seconds > 1e-6 ? seconds : 1e-6));
  return status;
}

/* In turns: which one is faster more often. */
static bp_status is_faster(bp_plan *p, bp_plan *than, bool cold, bool *is)
{
  int64_t repetitions;
  int wins = 0;
  bp_status status = repetitions_of(p, cold, &repetitions);
  for (int n = 0; n < COPY_ROUNDS && !status; ++n) {
    double seconds = 0, other = 0;
    status = bp_plan_time(than, repetitions, cold, &other);
    if (!status)
      status = bp_plan_time(p, repetitions, cold, &seconds);
    wins += seconds < other;
  }
  *is = 2 * wins > COPY_ROUNDS;
  return status;
}

/* The faster of the best way so far and another one stays. */
static bp_status keep_faster(bp_plan **best, bp_plan *other, bool cold)
{
  bool is_better = false;
  bp_status status = is_faster(other, *best, cold, &is_better);
  bp_plan_destroy(is_better ? *best : other);
  *best = is_better ? other : *best;
  return status;
}

/* All ways are tried: without a kernel, and the kernel with each choice of hints to L2. Where there is no
 * room for a second pair of arrays, it is the best so far. */
static bp_status find_copy(bp_device *device, int64_t pairs, bool cold, bp_plan **best)
{
  bp_status status = BP_OK;
  for (size_t n = 0; n < sizeof COPY_HINTS / sizeof *COPY_HINTS && !status; ++n) {
    bp_plan *other = NULL;
    bp_choice choice = choice_of(COPY[BP_LANGUAGE_CUDA], BP_LANGUAGE_CUDA);
    BP_ASSERT(bp_choice_set_all(&choice, COPY_HINTS[n]) == BP_OK);
    status = bp_plan_create_alone(device, &choice, pairs, 2 * pairs, &other);
    if (status == BP_ENVIRONMENT || status == BP_SKIPPED)
      return BP_OK;
    if (!status)
      status = keep_faster(best, other, cold);
  }
  return status;
}

bp_status bp_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan)
{
  const bp_backend *b = device->backend;
  int64_t pairs = (bytes + 15) / 16;
  bp_choice choice = {.rung = "", .from = ""};
  *plan = NULL;
  if (!b->has_copy)
    choice = choice_of(COPY[b->language], b->language);
  bp_status status = bp_plan_create_alone(device, &choice, 2 * pairs, 2 * pairs, plan);
  if (!status && b->has_copy && !b->is_emulation)
    status = find_copy(device, pairs, cold, plan);
  if (status) {
    bp_plan_destroy(*plan);
    *plan = NULL;
  }
  return status;
}

/* ---- writing ---- */

/* The best of some samples of a way to write so many doubles, several times in a row: what one leaves in
 * the cache the next one has to write back. */
static bp_status measure_writing(bp_device *device, const bp_choice *choice, int64_t doubles,
                                 double *seconds)
{
  enum { SAMPLES = 10, IN_A_ROW = 8 };
  bool is_cpu = device->backend->language == BP_LANGUAGE_C;
  bp_plan *p = NULL;
  bp_status status =
      bp_plan_create_alone(device, choice, is_cpu ? doubles : doubles / 2, doubles, &p);
  for (int n = 0; n < SAMPLES && !status; ++n) {
    double sample = 0;
    status = bp_plan_time(p, IN_A_ROW, false, &sample);
    *seconds = status ? *seconds : fmin(*seconds, sample);
  }
  bp_plan_destroy(p);
  return status;
}

bp_status bp_write_measure(bp_device *device, double *bytes_per_second)
{
  enum { TIMES_CACHE = 16, TIMES_HOST_CACHE = 4 };
  static const char *const ways[] = {
      "vectors_per_thread=1 streaming=0", "vectors_per_thread=4 streaming=0",
      "vectors_per_thread=4 streaming=1", "vectors_per_thread=8 streaming=1"};
  bool is_cpu = device->backend->language == BP_LANGUAGE_C;
  int64_t times = is_cpu ? TIMES_HOST_CACHE : TIMES_CACHE;
  int64_t doubles = times * device->cache_bytes / (int64_t)sizeof(double);
  double seconds = INFINITY;
  if (device->backend->is_emulation)
    return bp_fail(BP_SKIPPED, "%s: there is no time to be measured", device->backend->name);
  bp_choice choice =
      choice_of(is_cpu ? "peaks/write" : "peaks/gpu-write", device->backend->language);
  bp_status status = BP_OK;
  for (size_t n = 0; n < (is_cpu ? 1 : sizeof ways / sizeof *ways) && !status; ++n) {
    BP_ASSERT(is_cpu || bp_choice_set_all(&choice, ways[n]) == BP_OK);
    status = measure_writing(device, &choice, doubles, &seconds);
  }
  *bytes_per_second = (double)doubles * sizeof(double) / seconds;
  return status;
}

/* ---- peaks ---- */

/* Flops, or bytes of shared memory, of one application. */
static bp_status measure_work(const bp_device *device, const bp_choice *choice, int64_t elements,
                              double *work)
{
  const char *text =
      choice->variant->flops ? choice->variant->flops : choice->variant->shared_traffic;
  bp_name names[BP_NAMES_MAX];
  int64_t of_element = 0;
  bp_choice_names(choice, NULL, (bp_space){.degree = 1}, elements, device->lanes, device->sms,
                  names);
  bp_status status = text ? bp_expression_evaluate(text, names, &of_element) : BP_OK;
  *work = (double)of_element * (double)elements;
  return status ? bp_fail_at(status, choice->variant->text->file) : BP_OK;
}

/* An element of a peak is one block's work on a GPU, one round of a thread on a CPU. */
bp_status bp_peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan)
{
  bool is_cpu = device->backend->language == BP_LANGUAGE_C;
  int64_t elements = (is_cpu ? CPU_PEAK_ROUNDS : PEAK_BLOCKS_PER_SM) * (int64_t)device->sms;
  double work;
  *plan = NULL;
  if (device->backend->is_emulation)
    return bp_fail(BP_SKIPPED, "%s: %s has no peak to be measured", device->backend->name,
                   choice->variant->id);
  bp_status status = measure_work(device, choice, elements, &work);
  if (!status)
    status = bp_plan_create_alone(device, choice, elements, elements + PEAK_DOUBLES, plan);
  if (!status)
    (*plan)->work = work;
  return status;
}

/* ---- launches, flushes ---- */

bp_status bp_launch_seconds(bp_device *device, double *seconds)
{
  const bp_choice choice = choice_of("peaks/gpu-empty", BP_LANGUAGE_CUDA);
  bp_plan *p = NULL;
  bp_status status = bp_plan_create_alone(device, &choice, 1, 2, &p);
  for (int n = 0; n < LAUNCH_TRIALS && !status; ++n) {
    double sample = 0;
    status = bp_plan_time(p, LAUNCHES, false, &sample);
    *seconds = n == 0 || sample < *seconds ? sample : *seconds;
  }
  bp_plan_destroy(p);
  return status;
}

/* On a GPU it reads, which pushes everything else out and, unlike writing, leaves nothing that has to be
 * written back while the next kernel is being timed. */
bp_status bp_machine_flush(bp_device *device, bp_plan **flush)
{
  bp_status status = BP_OK;
  *flush = NULL;
  if (device->backend->is_emulation)
    return BP_OK;
  if (!device->flush) {
    bp_language language = device->backend->language;
    int64_t doubles = FLUSH_TIMES_CACHE[language] * device->cache_bytes / (int64_t)sizeof(double);
    const bp_choice choice = choice_of(FLUSH[language], language);
    status = bp_plan_create_alone(device, &choice, doubles / 2, doubles, &device->flush);
  }
  if (!status)
    status = bp_plan_ready(device->flush);
  *flush = device->flush;
  return status;
}

/* On a GPU copies have options, of which the best is known only when they have been timed. */
int bp_machine_builds(const bp_device *device, bp_build builds[BP_MACHINE_BUILDS_MAX])
{
  int all, count = 0;
  const bp_variant *variants = bp_variants(&all);
  for (int n = 0; n < all && device->backend->language == BP_LANGUAGE_C; ++n)
    if (variants[n].language == BP_LANGUAGE_C && strcmp(variants[n].problem, "peaks") == 0 &&
        count < BP_MACHINE_BUILDS_MAX)
      builds[count++] = (bp_build){bp_choice_standard(&variants[n]), NULL, {.degree = 1}};
  return count;
}
