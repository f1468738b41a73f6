/* main.c -- the program that runs one job: its launches in order, once or in both orders of threads. */
#include "runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

bp_job *job;
bool precise;
uint64_t sought;
static jmp_buf start;

static _Noreturn void stop(void)
{
  job->status = BP_JOB_WRONG;
  _exit(1);
}

void fail(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(job->message, sizeof job->message, format, list);
  va_end(list);
  stop();
}

void fail_at(bp_emulated_site site, const char *format, ...)
{
  char text[800];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fail("%s:%d: %s", site.file, site.line, text);
}

void *allocate(size_t bytes)
{
  void *p = malloc(bytes);
  if (!p)
    fail("no memory for %zu bytes that the emulator keeps", bytes);
  return p;
}

void *grown(void *items, int count, int *capacity, size_t size)
{
  if (count < *capacity)
    return items;
  *capacity = 2 * count + 64;
  items = realloc(items, (size_t)*capacity * size);
  if (!items)
    fail("no memory for what the emulator keeps of copies and accesses");
  return items;
}

void run_again_precisely(bp_emulated_site site, unsigned block, const char *what)
{
  snprintf(job->message, sizeof job->message, "%s:%d: block %u wrote %s", site.file, site.line,
           block, what);
  if (precise)
    stop();
  precise = true;
  longjmp(start, 1);
}

void run_again_seeking(uint64_t poison)
{
  sought = poison;
  longjmp(start, 1);
}

void print_thread(const thread *t, char *text, size_t size)
{
  const bp_emulated_index *i = &t->seen.index;
  snprintf(text, size, "thread (%u, %u, %u) of block %u", i->x, i->y, i->z, bp_emulated_block.x);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const bp_emulated_kernel *find_kernel(const char *name)
{
  const bp_emulated_kernel *k = bp_emulated_kernels;
  while (k && strcmp(k->name, name) != 0)
    k = k->next;
  if (!k)
    fail("the header launches %s, which is no kernel of this file", name);
  return k;
}

static launch launch_of(const bp_job_launch *what, char *const *arrays)
{
  launch l = {.kernel = find_kernel(what->kernel)};
  for (int n = 0; n < what->arguments_count; ++n) {
    l.values[n] = what->values[n];
    if (what->arrays[n] >= 0)
      l.values[n] = (uintptr_t)arrays[what->arrays[n]];
  }
  return l;
}

static void run_launches(char *const *arrays, bool reversed)
{
  memory_start_run();
  for (int n = 0; n < job->launches_count; ++n) {
    launch l = launch_of(&job->launches[n], arrays);
    l.arguments[0] = &job->elements;
    l.arguments[1] = &job->degree;
    l.arguments[2] = &job->lambda;
    for (int a = 0; a < job->launches[n].arguments_count; ++a)
      l.arguments[3 + a] = &l.values[a];
    traps_arm(true);
    launch_run(&l, &job->launches[n], job->seed + (uint64_t)n, reversed);
    traps_arm(false);
  }
  memory_check_results();
}

static void open_job(void)
{
  struct stat s;
  if (fstat(BP_JOB_FILE, &s) != 0)
    _exit(2);
  job = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
             BP_JOB_FILE, 0);
  if (job == MAP_FAILED || job->bytes != s.st_size)
    _exit(2);
  if (job->mail_bytes && mmap(bp_job_mail(), (size_t)job->mail_bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED_NOREPLACE, job->mail_file, 0) != bp_job_mail())
    _exit(2);
}

/* Of processors, for a busy machine is not the kernel's fault. */
static void limit_seconds(int seconds)
{
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

int main(void)
{
  char *const *arrays;
  open_job();
  limit_seconds(job->seconds_max);
  double *const *data = memory_open();
#ifdef BP_EMULATE_COUNT
  count_open(data);
#else
  (void)data;
#endif
  arrays = memory_begins();
  traps_set();
  setjmp(start); /* NOLINT: comes here again when a guard fell */
  double begin = now();
  run_launches(arrays, false);
  job->seconds = now() - begin;
  if (job->orders > 1) {
    memory_save_results();
    run_launches(arrays, true);
    memory_compare_results();
  }
  job->status = BP_JOB_OK;
  return 0;
}
