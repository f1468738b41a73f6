/* sanitizer.c -- tells AddressSanitizer and ThreadSanitizer of fibers and barriers, and turns what they
 * find into one line. Compiled without instrumentation. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

#if defined BP_EMULATE_THREAD

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *object);
void __tsan_release(void *object);
int __tsan_get_report_data(void *report, const char **description, int *count, int *stack_count,
                           int *mop_count, int *loc_count, int *mutex_count, int *thread_count,
                           int *unique_tid_count, void **sleep_trace, unsigned long trace_size);
int __tsan_get_report_mop(void *report, unsigned long index, int *tid, void **address, int *size,
                          int *write, int *atomic, void **trace, unsigned long trace_size);

enum { WITHOUT_SYNCHRONISATION = 1, TRACE = 16 };
static void *fibers[FIBERS_MAX], *scheduler;

void sanitizer_before_resume(int number, const void *stack, size_t bytes)
{
  (void)stack, (void)bytes;
  if (!scheduler)
    scheduler = __tsan_get_current_fiber();
  if (!fibers[number])
    fibers[number] = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(fibers[number], WITHOUT_SYNCHRONISATION);
}

void sanitizer_after_resume(void) {}

void sanitizer_before_yield(int number, bool for_good)
{
  (void)number, (void)for_good;
  __tsan_switch_to_fiber(scheduler, WITHOUT_SYNCHRONISATION);
}

void sanitizer_after_yield(int number)
{
  (void)number;
}

void sanitizer_release(void *object)
{
  __tsan_release(object);
}

void sanitizer_acquire(void *object)
{
  __tsan_acquire(object);
}

/* Called by ThreadSanitizer for each report; the first ends the program. */
void __tsan_on_report(void *report)
{
  const char *description;
  int count, stacks, accesses, locations, mutexes, thread_count, unique, write[2] = {0, 0};
  void *trace[TRACE], *address = NULL;
  char what[200];
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes,
                         &thread_count, &unique, trace, TRACE);
  for (int n = 0; n < 2 && n < accesses; ++n) {
    int tid, size, atomic;
    __tsan_get_report_mop(report, (unsigned long)n, &tid, &address, &size, &write[n], &atomic,
                          trace, TRACE);
    job->instruction[n] = (uintptr_t)trace[0] - 1;
  }
  memory_describe(address, what, sizeof what);
  fail("@0: race: one thread %s %s here, another %s it at @1, with no barrier between them",
       write[0] ? "writes" : "reads", what, write[1] ? "writes" : "reads");
}

#elif defined BP_EMULATE_ADDRESS

void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *saved, const void **bottom, size_t *size);
void *__asan_get_report_pc(void);
void *__asan_get_report_address(void);
int __asan_get_report_access_type(void);
const char *__asan_get_report_description(void);

static void *saved[FIBERS_MAX], *saved_scheduler;
static const void *scheduler_stack;
static size_t scheduler_bytes;

void sanitizer_before_resume(int number, const void *stack, size_t bytes)
{
  (void)number;
  __sanitizer_start_switch_fiber(&saved_scheduler, stack, bytes);
}

void sanitizer_after_resume(void)
{
  __sanitizer_finish_switch_fiber(saved_scheduler, NULL, NULL);
}

void sanitizer_before_yield(int number, bool for_good)
{
  __sanitizer_start_switch_fiber(for_good ? NULL : &saved[number], scheduler_stack,
                                 scheduler_bytes);
}

void sanitizer_after_yield(int number)
{
  __sanitizer_finish_switch_fiber(saved[number], &scheduler_stack, &scheduler_bytes);
  saved[number] = NULL;
}

/* Called by AddressSanitizer before it reports. */
void __asan_on_error(void)
{
  char what[200], who[64];
  const void *address = __asan_get_report_address();
  print_thread(self(), who, sizeof who);
  if (!memory_describe(address, what, sizeof what))
    snprintf(what, sizeof what, "outside an array (%s)", __asan_get_report_description());
  job->instruction[0] = (uintptr_t)__asan_get_report_pc() - 1; /* of the call before it */
  fail("@0: %s %s %s", who, __asan_get_report_access_type() ? "writes" : "reads", what);
}

#else

void sanitizer_before_resume(int number, const void *stack, size_t bytes)
{
  (void)number, (void)stack, (void)bytes;
}

void sanitizer_after_resume(void) {}

void sanitizer_before_yield(int number, bool for_good)
{
  (void)number, (void)for_good;
}

void sanitizer_after_yield(int number)
{
  (void)number;
}

#endif
