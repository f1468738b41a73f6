/* task.c -- outcomes and limits of a task. */
#include "check/task.h"
#include "check/solve.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/open_device.h"
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Cut where there is no room left. */
void bp_checked_line(const bp_checked *t, const char *format, ...)
{
  char *lines = t->tally->lines;
  const size_t used = strlen(lines), room = sizeof t->tally->lines - used;
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(lines + used, room, format, list);
  va_end(list);
  const size_t end = used + ((size_t)length + 2 > room ? room - 2 : (size_t)length);
  if (length >= 0 && room > 1)
    memcpy(lines + end, "\n", 2);
}

/* "  N=3, N+3 gauss points, trilinear, 7 elements behind 8000"; "" before the first degree. */
static char *where_of(const bp_checked *t)
{
  const bp_tally *y = t->tally;
  const char *elements_of = bp_space_geometry((bp_space){.geometry = t->task->geometry});
  if (!y->degree)
    return bp_strdup("");
  char *elements = y->before     ? bp_format("%lld elements behind %lld", (long long)y->elements,
                                             (long long)y->before)
                   : y->elements ? bp_format("%lld elements", (long long)y->elements)
                                 : bp_strdup("counted");
  char *where = bp_format("  %s%sN=%d, %s%s%s%s%s", y->operator? y->operator: "",
                          y->operator? " " : "", y->degree, y->quadrature,
                          *y->quadrature ? " points, " : "", elements_of, *elements_of ? ", " : "",
                          elements);
  bp_free(elements);
  return where;
}

void bp_checked_fail(const bp_checked *t, const char *what)
{
  if (t->tally->failed++ >= BP_CHECK_FAILURES_SHOWN)
    return;
  char *options = bp_choice_options(&t->task->choice), *where = where_of(t);
  bp_checked_line(t, "FAIL  %s%s%s  %s%s%s%s: %s", t->task->choice.variant->id, *options ? " " : "",
                  options, t->check->backend->name, *t->tally->isa ? " " : "", t->tally->isa, where,
                  what);
  bp_free(where);
  bp_free(options);
}

bp_status bp_checked_count(const bp_checked *t, bp_status status)
{
  if (status == BP_SKIPPED) {
    if (t->tally->skipped++ == 0)
      snprintf(t->tally->why, sizeof t->tally->why, "%s", bp_message());
    return BP_OK;
  }
  if (status)
    bp_checked_fail(t, bp_message());
  else
    ++t->tally->passed;
  return status;
}

/* The emulator has fences of its own. Two parts of a sum have only one order. */
bp_device_options bp_checked_device_options(const bp_checked *t)
{
  enum { SEVERAL = 3 };
  bp_device_options options = bp_bench_device_options(t->check->config);
  if (options.threads == 0 && omp_get_max_threads() < SEVERAL)
    options.threads = SEVERAL;
  options.fenced = t->check->backend == &bp_backend_cpu;
  return options;
}

bp_build bp_checked_build(const bp_checked *t, int degree, int beyond)
{
  const bp_choice *choice = &t->task->choice;
  const char *rule = t->check->config->rule;
  const bp_operator *op = bp_operator_find(choice->variant->problem);
  const bp_bake_off *rows[BP_BAKE_OFFS];
  bp_build build = {*choice, op, {0}};
  if (op || bp_check_rows(choice->variant, rows) == 0) {
    build.space = bp_operator_space_with(op, degree, beyond, rule);
  } else {
    build.op = bp_operator_find(rows[0]->operator);
    build.space = bp_bake_off_space_with(rows[0], degree, beyond, rule);
  }
  build.space.geometry = t->task->geometry;
  build.space.precision = bp_precision_find(t->check->config->precision);
  return build;
}

void bp_checked_limit(const bp_checked *t, int seconds)
{
  if (t->check->backend != &bp_backend_cpu)
    return;
  t->tally->limit = seconds;
  t->tally->since = bp_clock();
  alarm((unsigned)seconds);
}
