/* roofline.c -- `bp roofline`: every bound of this machine, and where its best variants stand. */
#include "base/memory.h"
#include "device/machine.h"
#include "measured.h"
#include "report/group.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value, or "-" where there is none; `out` holds 32 bytes. */
static const char *cell(char out[32], const char *format, double value)
{
  if (isfinite(value))
    snprintf(out, 32, format, value);
  else
    strcpy(out, "-");
  return out;
}

static double bound_of(const bp_record *record, const char *name)
{
  for (int n = 0; n < record->bounds_count; ++n)
    if (strcmp(record->bounds[n].name, name) == 0)
      return record->bounds[n].value;
  return NAN;
}

/* What an iteration could do if it moved no more than any scheme has to, as fast as the copy. */
static double least_bound(const bp_row *row)
{
  return bp_row_gflops(row) / bp_row_least_fraction(row);
}

static void print_least(const bp_row *row, FILE *out)
{
  char a[32], b[32];
  if (bp_row_is_solve(row))
    fprintf(out, " %9s %7s", cell(a, "%.1f", least_bound(row)),
            cell(b, "%.1f", 100 * bp_row_least_fraction(row)));
}

static void print_row(const bp_record *record, const bp_row *row, FILE *out)
{
  char a[32], b[32], c[32], d[32], e[32], f[32], g[32], h[32];
  double intensity = (double)row->flops / (double)row->bytes;
  bp_print(out, "%2d %10lld %9s %9s %9s %9s %9s  %-14s %9s %6s %6s", row->degree,
           (long long)row->elements, cell(a, "%.1f", bp_row_copy_gbytes_per_second(row)),
           cell(b, "%.1f", bp_row_roofline_gflops(row)),
           cell(c, "%.1f", bound_of(record, "peak bandwidth") * intensity),
           cell(d, "%.1f", bp_row_arithmetic_gflops(row)),
           cell(e, "%.1f", bp_row_shared_gflops(row)), row->variant,
           cell(f, "%.1f", bp_row_gflops(row)),
           cell(g, "%.1f", 100 * bp_row_roofline_fraction(row)),
           cell(h, "%.1f", 100 * bp_row_bound_fraction(row)));
  print_least(row, out);
  bp_print(out, "  %s\n",
           row->status != BP_ROW_OK ? row->reason : bp_bound_names[bp_row_bound(row)]);
}

static void print_head(const bp_row *row, FILE *out)
{
  char *problem = bp_row_problem(row);
  fprintf(out,
          "\n%s, %s: bounds in GFLOPS of the model; %% of the copy bound, %% of the least of copy, "
          "arithmetic and shared memory\n",
          problem, row->cache);
  bp_free(problem);
  if (bp_row_is_solve(row))
    fprintf(out,
            "least: the copy bound if an iteration moved only what any scheme has to, its factors "
            "and 56 bytes an unknown\n");
  fprintf(out, "%2s %10s %9s %9s %9s %9s %9s  %-14s %9s %6s %6s%s  %s\n", "N", "elements",
          "copy GB/s", "copy", "peak b/w", "arithm.", "shared", "best variant", "GFLOPS", "% copy",
          "% min", bp_row_is_solve(row) ? "     least % least" : "", "bound by");
}

/* The rows of one table, unless an earlier row than `first` is one of them. */
static void print_rows(const bp_record *record, int64_t first, FILE *out)
{
  const bp_row *rows = record->rows;
  for (int64_t n = 0; n < first; ++n)
    if (bp_row_is_beside(&rows[n], &rows[first], BP_SAME_PROBLEM))
      return;
  print_head(&rows[first], out);
  for (int64_t n = first; n < record->rows_count; ++n)
    if (bp_row_is_beside(&rows[n], &rows[first], BP_SAME_PROBLEM))
      print_row(record, &rows[n], out);
}

static void print_table(const bp_record *record, FILE *out)
{
  bp_print(out, "%s\n", record->rows_count ? record->rows[0].device : "no row");
  for (int n = 0; n < record->bounds_count; ++n)
    bp_print(out, "  %-16s %10.1f %s (%s)\n", record->bounds[n].name, record->bounds[n].value,
             record->bounds[n].unit, record->bounds[n].source);
  for (int64_t n = 0; n < record->rows_count; ++n)
    print_rows(record, n, out);
}

/* Those that bp_bench_run does not measure in turns with the rows. */
static void add_bounds(bp_record *record, bp_device *device)
{
  double write;
  if (bp_write_measure(device, &write) == BP_OK)
    bp_record_add_bound(record, device->name, "write", "GB/s", 1e-9 * write, "measured");
  if (isfinite(device->peak_bytes_per_second))
    bp_record_add_bound(record, device->name, "peak bandwidth", "GB/s",
                        1e-9 * device->peak_bytes_per_second, "memory clock and bus width");
}

static void write_roofline(const bp_record *record, bp_report_format format, FILE *stream)
{
  if (format == BP_REPORT_TABLE)
    print_table(record, stream);
  else if (format == BP_REPORT_SVG)
    bp_report_write_figure(record, "roofline", stream);
  else
    bp_report_write(record, format, stream);
}

/* All three problems, unless some were asked for. */
static bp_status make_config(const bp_arguments *arguments, bp_config **config)
{
  *config = bp_config_default();
  bp_status status = bp_arguments_to_config(arguments, *config);
  if (!status && (*config)->problems.count == 0)
    status = bp_config_set(*config, "problem", "[bp1.0, bp3.0, bp3.5]", "bp roofline");
  return status ? status : bp_config_check(*config);
}

bp_status bp_command_roofline(const bp_arguments *arguments)
{
  bp_config *config = NULL;
  const bp_measured how = {
      .begin = add_bounds, .write = write_roofline, .force = bp_argument_has(arguments, "force")};
  bp_status status = make_config(arguments, &config);
  if (!status)
    status = bp_measured_run(arguments, config, &how);
  bp_config_destroy(config);
  return status;
}
