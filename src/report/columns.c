/* columns.c -- what each column of a table shows. */
#include "report/columns.h"

#include "base/memory.h"
#include "report/number.h"
#include <math.h>
#include <string.h>

static bool has_rungs(const bp_group *group)
{
  return group->has_rungs;
}

static bool has_options(const bp_group *group)
{
  return group->has_options;
}

static bool has_sizes(const bp_group *group)
{
  return !group->same_elements;
}

static bool has_note(const bp_group *group)
{
  return group->has_flags;
}

/* Of a table that grows: anything may come. */
static bool is_still_to_come(const bp_row *row)
{
  return row->status == BP_ROW_OK && row->seconds.statistics.count == 0 &&
         strcmp(row->backend, "emulate") != 0;
}

static bool has_bounds(const bp_group *group)
{
  for (int64_t n = 0; n < group->count; ++n)
    if (bp_row_bound(group->rows[n]) || is_still_to_come(group->rows[n]))
      return true;
  return false;
}

static bool has_joules(const bp_group *group)
{
  for (int64_t n = 0; n < group->count; ++n)
    if (isfinite(group->rows[n]->power.joules))
      return true;
  return false;
}

static bool has_shared(const bp_group *group)
{
  for (int64_t n = 0; n < group->count; ++n)
    if (isfinite(bp_row_shared_gflops(group->rows[n])) ||
        (is_still_to_come(group->rows[n]) && strcmp(group->rows[n]->backend, "cuda") == 0))
      return true;
  return false;
}

static bool has_core(const bp_group *group)
{
  for (int64_t n = 0; n < group->count; ++n)
    if (isfinite(bp_row_core_gflops(group->rows[n])) ||
        (is_still_to_come(group->rows[n]) && strcmp(group->rows[n]->backend, "cpu") == 0))
      return true;
  return false;
}

static bool has_peak(const bp_group *group)
{
  return isfinite(bp_record_bound(group->record, group->rows[0]->device, "peak bandwidth"));
}

static bool has_solves(const bp_group *group)
{
  return bp_row_is_solve(group->rows[0]);
}

static bool has_operators(const bp_group *group)
{
  return !has_solves(group);
}

/* ---- values ---- */

static double elements_of(const bp_row *row)
{
  return (double)row->elements;
}

static double dofs_of(const bp_row *row)
{
  return row->dofs > 0 ? (double)row->dofs : NAN;
}

static double time_of(const bp_row *row)
{
  return isfinite(bp_row_gbytes_per_second(row)) ? row->seconds.statistics.median : NAN;
}

/* Half the width of the interval, relative to the median; of too few samples it is no more than their range.
 * */
static double spread_of(const bp_row *row)
{
  const bp_statistics *s = &row->seconds.statistics;
  return isfinite(time_of(row)) && !bp_row_has_few_samples(row)
             ? 0.5 * (s->high - s->low) / s->median
             : NAN;
}

static double joules_of(const bp_row *row)
{
  return row->dofs > 0 ? row->power.joules / ((double)row->dofs * 1e-9) : NAN;
}

static double peak_of(const bp_group *group, const bp_row *row)
{
  double peak = bp_record_bound(group->record, row->device, "peak bandwidth");
  return peak * (double)row->flops / (double)row->bytes;
}

/* ---- cells ---- */

#define PRINT(name, ...)                                                                           \
  static void print_##name(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)  \
  {                                                                                                \
    bp_number number = "";                                                                         \
    (void)number;                                                                                  \
    (void)group;                                                                                   \
    (void)unicode;                                                                                 \
    bp_text_append(text, __VA_ARGS__);                                                             \
  }

PRINT(degree, bp_number_fixed(number, row->degree, 0))
PRINT(elements, bp_number_grouped(number, row->elements))
PRINT(dofs, bp_number_count(number, dofs_of(row)))
PRINT(time, bp_number_seconds(number, time_of(row), unicode))
PRINT(gflops, bp_number_four(number, bp_row_gflops(row)))
PRINT(gbytes, bp_number_four(number, bp_row_gbytes_per_second(row)))
PRINT(gdofs, bp_number_four(number, bp_row_gdofs_per_second(row)))
PRINT(roofline, bp_number_four(number, bp_row_roofline_gflops(row)))
PRINT(iterations, bp_number_grouped(number, row->iterations))
PRINT(bytes, bp_number_four(number, (double)row->bytes / dofs_of(row)))
PRINT(least, bp_number_percent(number, bp_row_least_fraction(row)))
PRINT(residual, bp_number_small(number, row->true_residual))
PRINT(solution, bp_number_small(number, row->solution_error))
PRINT(fraction, bp_number_percent(number, bp_row_roofline_fraction(row)))
PRINT(bound_fraction, bp_number_percent(number, bp_row_bound_fraction(row)))
PRINT(joules, bp_number_four(number, joules_of(row)))
PRINT(copy, bp_number_four(number, bp_row_copy_gbytes_per_second(row)))
PRINT(peak, bp_number_four(number, peak_of(group, row)))
PRINT(arithmetic, bp_number_four(number, bp_row_arithmetic_gflops(row)))
PRINT(shared, bp_number_four(number, bp_row_shared_gflops(row)))
PRINT(core, bp_number_four(number, bp_row_core_gflops(row)))
PRINT(least_bound, bp_number_four(number, bp_row_gflops(row) / bp_row_least_fraction(row)))
PRINT(error, bp_number_small(number, row->error))
PRINT(tolerance, bp_number_small(number, row->tolerance))
PRINT(variant, row->variant)
PRINT(rung, row->rung)
PRINT(bound, bp_bound_names[bp_row_bound(row)])

/* Wider than the median itself it is a range, which no percentage tells. */
static void print_spread(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)
{
  const bp_statistics *s = &row->seconds.statistics;
  bp_number low, high;
  (void)group;
  if (spread_of(row) > 1)
    bp_text_appendf(text, "%s..%s", bp_number_seconds(low, s->low, unicode),
                    bp_number_seconds(high, s->high, unicode));
  else
    bp_text_append(text, bp_number_percent(low, spread_of(row)));
}

static void print_options(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)
{
  (void)unicode;
  if (!*row->rung) /* a rung stands for its options */
    bp_group_print_options(group, row, false, text);
}

static void note(bp_text *text, size_t before, const char *what)
{
  bp_text_appendf(text, "%s%s", text->length > before ? "; " : "", what);
}

void bp_row_print_note(const bp_row *row, bp_text *text)
{
  bp_number overhead;
  const size_t before = text->length;
  const char *why = row->copy.waited;
  if (row->power.throttle && *row->power.throttle) {
    note(text, before, "throttled: ");
    bp_text_append(text, row->power.throttle);
  }
  if (bp_row_is_busy(row))
    note(text, before, row->busy);
  if (row->waited && *row->waited)
    note(text, before, row->waited);
  if (bp_row_has_copy_waited(row)) {
    note(text, before, "the copy ");
    bp_text_append(text, why && *why ? why : "waited");
  }
  if (bp_row_is_overhead(row)) {
    note(text, before, bp_number_percent(overhead, fmin(1, bp_row_overhead_fraction(row))));
    bp_text_append(text, " overhead");
  }
  if (bp_row_fits_cache(row))
    note(text, before, "in cache");
  if (bp_row_has_few_samples(row))
    note(text, before, "too few samples");
}

static void print_note(const bp_group *group, const bp_row *row, bool unicode, bp_text *text)
{
  (void)group;
  (void)unicode;
  bp_row_print_note(row, text);
}

static const char LEAST_BOUND[] = "which one that is, as far as 80 % of it are reached; overhead "
                                  "where that is more than a fifth of the time";

const bp_column bp_columns[] = {
    {"N", "polynomial degree", false, true, 0, NULL, print_degree, NULL},
    {"variant", "the kernel", true, true, 0, NULL, print_variant, NULL},
    {"rung", "name of variant and options on a published ladder", true, true, 3, has_rungs,
     print_rung, NULL},
    {"options", "compile-time options of the kernel, those that vary", true, true, 1, has_options,
     print_options, NULL},
    {"DOFs", "unknowns: nodes that elements share count once", false, false, 8, NULL, print_dofs,
     dofs_of},
    {"iterations", "of a solve", false, false, 6, has_solves, print_iterations, NULL},
    {"time", "median time of one application or iteration", false, false, 0, NULL, print_time,
     time_of},
    {"+-", "half the 95 % confidence interval of that median", false, false, 6, NULL, print_spread,
     NULL},
    {"GFLOPS", "1e9 floating point operations per second, by the model", false, false, 0,
     has_operators, print_gflops, NULL},
    {"GDOF/s", "1e9 unknowns per second and iteration", false, false, 0, has_solves, print_gdofs,
     NULL},
    {"GDOF/s", "1e9 unknowns per second", false, false, 1, has_operators, print_gdofs, NULL},
    {"of copy", "part of what a copy of as many bytes, timed beside it, allows", false, false, 0,
     NULL, print_fraction, NULL},
    {"of bound", "the same of the least of copy, arithmetic, shared memory and core", false, false,
     3, has_bounds, print_bound_fraction, NULL},
    {"least bound", LEAST_BOUND, true, false, 2, has_bounds, print_bound, NULL},
    {"error", "largest difference from the reference, normalised", false, false, 9, has_operators,
     print_error, NULL},
    {"residual", "the true one after the solve, of the first", false, false, 9, has_solves,
     print_residual, NULL},
    {"elements", "elements of the mesh", false, false, 4, has_sizes, print_elements, elements_of},
    {"B/DOF", "bytes that an iteration moves per unknown, by the model", false, false, 4,
     has_solves, print_bytes, NULL},
    {"GB/s", "1e9 bytes read and written per second, by the model", false, false, 5, NULL,
     print_gbytes, NULL},
    {"roofline", "GFLOPS if the bytes moved as fast as the copy timed beside it", false, false, 4,
     has_operators, print_roofline, NULL},
    {"of least",
     "the same of the bytes that any scheme has to move: 56 per unknown and the factors", false,
     false, 3, has_solves, print_least, NULL},
    {"J/GDOF", "energy per 1e9 unknowns", false, false, 11, has_joules, print_joules, NULL},
    {"L2 error", "of the known solution's norm", false, false, 10, has_solves, print_solution,
     NULL},
    {"tolerance", "the error allowed", false, false, 10, has_operators, print_tolerance, NULL},
    {"note", "what else to know", true, false, 12, has_note, print_note, NULL},
    {0},
};

const bp_column bp_roofline_columns[] = {
    {"N", "polynomial degree", false, true, 0, NULL, print_degree, NULL},
    {"variant", "the kernel", true, true, 0, NULL, print_variant, NULL},
    {"rung", "name of variant and options on a published ladder", true, true, 3, has_rungs,
     print_rung, NULL},
    {"options", "those that vary", true, true, 3, has_options, print_options, NULL},
    {"elements", "elements of the mesh", false, false, 9, has_sizes, print_elements, NULL},
    {"copy GB/s", "of a copy of as many bytes", false, false, 8, NULL, print_copy, NULL},
    {"copy", "the bytes at that speed", false, false, 0, NULL, print_roofline, NULL},
    {"peak b/w", "the bytes at the theoretical bandwidth", false, false, 7, has_peak, print_peak,
     NULL},
    {"arithm.", "the flops at the peak of arithmetic", false, false, 1, NULL, print_arithmetic,
     NULL},
    {"shared", "the traffic at the speed of shared memory", false, false, 1, has_shared,
     print_shared, NULL},
    {"core", "the same kernel on data in a core's L2", false, false, 1, has_core, print_core, NULL},
    {"least", "the bytes that any scheme has to move, at the copy's speed", false, false, 4,
     has_solves, print_least_bound, NULL},
    {"GFLOPS", "what the kernel reaches", false, false, 0, NULL, print_gflops, NULL},
    {"of copy", "part of that bound", false, false, 0, NULL, print_fraction, NULL},
    {"of least", "part of that bound", false, false, 4, has_solves, print_least, NULL},
    {"of bound", "part of the least of copy, arithmetic, shared memory and core", false, false, 2,
     NULL, print_bound_fraction, NULL},
    {"least bound", LEAST_BOUND, true, false, 2, NULL, print_bound, NULL},
    {"note", "what else to know", true, false, 12, has_note, print_note, NULL},
    {0},
};

bool bp_column_is_shown(const bp_column *column, const bp_group *group)
{
  return !column->is_shown || column->is_shown(group);
}

void bp_columns_print_reason(const bp_row *row, bp_text *text)
{
  static const char *const names[] = {[BP_ROW_WRONG] = "WRONG", [BP_ROW_SKIPPED] = "skipped"};
  if (row->status == BP_ROW_OK)
    return;
  bp_text_appendf(text, "%s%s%s", names[row->status], *row->reason ? ": " : "", row->reason);
  if (row->status == BP_ROW_WRONG && !*row->reason) {
    bp_number error, tolerance;
    bp_text_appendf(text, ": error %s, %s allowed", bp_number_small(error, row->error),
                    bp_number_small(tolerance, row->tolerance));
  }
}

char *bp_row_tip(const bp_row *row)
{
  bp_number time, gflops, fraction;
  char *label = bp_row_label(row);
  bp_text tip = {0};
  bp_text_appendf(&tip, "%s N=%d: %s, %s GFLOPS, %s of the roofline", label, row->degree,
                  bp_number_seconds(time, row->seconds.statistics.median, true),
                  bp_number_four(gflops, bp_row_gflops(row)),
                  bp_number_percent(fraction, bp_row_roofline_fraction(row)));
  if (bp_row_is_marked(row)) {
    bp_text_append(&tip, "; ");
    bp_row_print_note(row, &tip);
  }
  bp_free(label);
  return tip.data;
}
