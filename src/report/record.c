/* record.c -- building a record, and the figures that follow from a row. */
#include "report/record.h"

#include "base/memory.h"
#include "report/record_fields.h"
#include <math.h>
#include <string.h>
#include <time.h>

bp_timing bp_timing_of(const double *samples, int64_t count)
{
  if (count == 0)
    return (bp_timing){0};
  bp_timing timing = {.statistics = bp_statistics_of(samples, count)};
  timing.samples = bp_alloc((size_t)count, sizeof *samples);
  memcpy(timing.samples, samples, (size_t)count * sizeof *samples);
  return timing;
}

void bp_record_set(char **string, const char *value)
{
  char *copy = bp_strdup(value);
  bp_free(*string);
  *string = copy;
}

bp_record *bp_record_create(int argc, char **argv)
{
  bp_record *record = bp_alloc(1, sizeof *record);
  bp_fields_clear(record, bp_record_fields);
  bp_text command = {0};
  bp_text_append(&command, "");
  for (int n = 0; n < argc; ++n) {
    bp_text_append(&command, n ? " " : "");
    bp_text_append_word(&command, argv[n]);
  }
  bp_free(record->command);
  record->command = command.data;
  bp_record_set(&record->version, BP_VERSION);
  char now[32];
  time_t seconds = time(NULL);
  struct tm utc;
  strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  bp_record_set(&record->time, now);
  record->schema = BP_RECORD_SCHEMA;
  return record;
}

void bp_record_destroy(bp_record *record)
{
  if (!record)
    return;
  bp_fields_free(record, bp_record_fields);
  bp_free(record);
}

bp_fact *bp_record_find_fact(const bp_record *record, const char *key)
{
  for (int n = 0; n < record->environment_count; ++n)
    if (strcmp(record->environment[n].key, key) == 0)
      return &record->environment[n];
  return NULL;
}

void bp_record_add_fact(bp_record *record, const char *key, const char *value)
{
  bp_fact *fact = bp_record_find_fact(record, key);
  if (fact) {
    bp_record_set(&fact->value, value);
    return;
  }
  fact = bp_list_add(&record->environment, bp_fact_fields, sizeof *fact);
  bp_record_set(&fact->key, key);
  bp_record_set(&fact->value, value);
}

bp_record_mesh *bp_record_add_mesh(bp_record *record)
{
  return bp_list_add(&record->meshes, bp_mesh_fields, sizeof *record->meshes);
}

bp_bound *bp_record_add_bound(bp_record *record, const char *device, const char *name,
                              const char *unit, double value, const char *source)
{
  bp_bound *bound = bp_list_add(&record->bounds, bp_bound_fields, sizeof *bound);
  bp_record_set(&bound->device, device);
  bp_record_set(&bound->name, name);
  bp_record_set(&bound->unit, unit);
  bp_record_set(&bound->source, source);
  bound->value = value;
  return bound;
}

bp_row *bp_record_add_row(bp_record *record)
{
  return bp_list_add(&record->rows, bp_row_fields, sizeof *record->rows);
}

int64_t bp_record_drop_unfinished(bp_record *record)
{
  int64_t kept = 0, all = record->rows_count;
  for (int64_t n = 0; n < all; ++n)
    if (strcmp(record->rows[n].stopped, "interrupted") != 0 && !bp_row_is_busy(&record->rows[n])) {
      const bp_row row = record->rows[n];
      record->rows[n] = record->rows[kept];
      record->rows[kept++] = row;
    }
  for (int64_t n = kept; n < all; ++n)
    bp_fields_free(&record->rows[n], bp_row_fields);
  record->rows_count = kept;
  return all - kept;
}

static bool has_mesh(const bp_record *record, const char *name)
{
  for (int n = 0; n < record->meshes_count; ++n)
    if (strcmp(record->meshes[n].name, name) == 0)
      return true;
  return false;
}

bp_bound *bp_record_find_bound(const bp_record *record, const char *device, const char *name)
{
  for (int64_t n = 0; n < record->bounds_count; ++n)
    if (strcmp(record->bounds[n].device, device) == 0 && strcmp(record->bounds[n].name, name) == 0)
      return &record->bounds[n];
  return NULL;
}

double bp_record_bound(const bp_record *record, const char *device, const char *name)
{
  const bp_bound *bound = bp_record_find_bound(record, device, name);
  return bound ? bound->value : NAN;
}

void bp_record_merge(bp_record *record, bp_record *other, const char *name)
{
  for (int n = 0; n < other->environment_count; ++n) {
    const bp_fact *fact = &other->environment[n], *mine = bp_record_find_fact(record, fact->key);
    char *apart = bp_format("%s (%s)", fact->key, name);
    if (!mine || strcmp(mine->value, fact->value) != 0)
      bp_record_add_fact(record, mine ? apart : fact->key, fact->value);
    bp_free(apart);
  }
  for (int n = 0; n < other->meshes_count; ++n) {
    if (has_mesh(record, other->meshes[n].name))
      continue;
    bp_record_mesh *mesh = bp_record_add_mesh(record), old = *mesh;
    *mesh = other->meshes[n];
    other->meshes[n] = old;
  }
  for (int n = 0; n < other->bounds_count; ++n) {
    const bp_bound *bound = &other->bounds[n];
    if (isnan(bp_record_bound(record, bound->device, bound->name)))
      bp_record_add_bound(record, bound->device, bound->name, bound->unit, bound->value,
                          bound->source);
  }
  for (int64_t n = 0; n < other->rows_count; ++n) {
    bp_row *row = bp_record_add_row(record), old = *row;
    *row = other->rows[n];
    other->rows[n] = old;
  }
  if (strcmp(record->command, other->command) != 0) {
    char *command = bp_format("%s\n%s", record->command, other->command);
    bp_free(record->command);
    record->command = command;
  }
  record->interrupted |= other->interrupted;
  bp_record_destroy(other);
}

const char *bp_record_device(const bp_record *record)
{
  const char *device = record->rows_count ? record->rows[0].device : "no device";
  for (int64_t n = 1; n < record->rows_count; ++n)
    if (strcmp(record->rows[n].device, device) != 0)
      return "several devices";
  return device;
}

/* Amount per second in units of 1e9, where the row may have a rate at all: an emulator's times are
 * none. */
static double rate(const bp_row *row, double amount, double seconds)
{
  bool has_rate = row->status == BP_ROW_OK && strcmp(row->backend, "emulate") != 0;
  return has_rate && seconds > 0 ? amount / seconds * 1e-9 : NAN;
}

double bp_row_gflops(const bp_row *row)
{
  return rate(row, (double)row->flops, row->seconds.statistics.median);
}

double bp_row_gbytes_per_second(const bp_row *row)
{
  return rate(row, (double)row->bytes, row->seconds.statistics.median);
}

double bp_row_gdofs_per_second(const bp_row *row)
{
  return row->dofs > 0 ? rate(row, (double)row->dofs, row->seconds.statistics.median) : NAN;
}

int64_t bp_row_ranks(const bp_row *row)
{
  return row->ranks < 1 ? 1 : row->ranks;
}

double bp_row_gdofs_per_rank(const bp_row *row)
{
  return bp_row_gdofs_per_second(row) / (double)bp_row_ranks(row);
}

double bp_row_copy_gbytes_per_second(const bp_row *row)
{
  return rate(row, 2 * (double)row->copy.bytes, row->copy.seconds.statistics.median);
}

static bool is_said(const char *what)
{
  return what && *what;
}

/* Reading costs less than writing, but no kernel moves its bytes twice as fast as a copy. */
bool bp_row_has_copy_waited(const bp_row *row)
{
  const double most = 2;
  return is_said(row->copy.waited) ||
         bp_row_gbytes_per_second(row) > most * bp_row_copy_gbytes_per_second(row);
}

bool bp_row_has_waited(const bp_row *row)
{
  return is_said(row->waited) || bp_row_has_copy_waited(row);
}

bool bp_row_is_busy(const bp_row *row)
{
  return row->status == BP_ROW_OK && is_said(row->busy);
}

bool bp_row_is_marked(const bp_row *row)
{
  return row->status == BP_ROW_OK && (is_said(row->power.throttle) || bp_row_is_busy(row) ||
                                      bp_row_has_waited(row) || bp_row_is_overhead(row));
}

double bp_row_roofline_gflops(const bp_row *row)
{
  if (row->bytes <= 0 || bp_row_has_copy_waited(row) || bp_row_is_busy(row))
    return NAN;
  return bp_row_copy_gbytes_per_second(row) * (double)row->flops / (double)row->bytes;
}

bool bp_row_is_solve(const bp_row *row)
{
  return row->least_bytes >= 0;
}

const char *bp_row_rate_unit(const bp_row *row)
{
  return bp_row_is_solve(row) ? "GDOF/s" : "GFLOPS";
}

double bp_row_rate(const bp_row *row)
{
  return bp_row_is_solve(row) ? bp_row_gdofs_per_second(row) : bp_row_gflops(row);
}

double bp_row_roofline_rate(const bp_row *row)
{
  double roofline = bp_row_roofline_gflops(row);
  return bp_row_is_solve(row) ? roofline * ((double)row->dofs / (double)row->flops) : roofline;
}

double bp_row_least_fraction(const bp_row *row)
{
  double share = (double)row->least_bytes / (double)row->bytes;
  return bp_row_is_solve(row) && row->bytes > 0 ? share * bp_row_roofline_fraction(row) : NAN;
}

double bp_row_roofline_fraction(const bp_row *row)
{
  return bp_row_is_overhead(row) ? NAN : bp_row_gflops(row) / bp_row_roofline_gflops(row);
}

/* ---- bounds ---- */

const char *const bp_bound_names[] = {[BP_BOUND_UNKNOWN] = "",
                                      [BP_BOUND_MEMORY] = "memory",
                                      [BP_BOUND_ARITHMETIC] = "arithmetic",
                                      [BP_BOUND_SHARED] = "shared memory",
                                      [BP_BOUND_CORE] = "core",
                                      [BP_BOUND_OVERHEAD] = "overhead",
                                      [BP_BOUND_NONE] = "none reached"};

double bp_row_overhead_fraction(const bp_row *row)
{
  double seconds = row->seconds.statistics.median;
  return row->status == BP_ROW_OK && seconds > 0 ? row->overhead_seconds / seconds : NAN;
}

bool bp_row_is_overhead(const bp_row *row)
{
  const double most = 0.2;
  return bp_row_overhead_fraction(row) > most && !bp_row_is_busy(row); /* false for NaN */
}

bool bp_row_has_few_samples(const bp_row *row)
{
  enum { ENOUGH = 6 };
  return row->status == BP_ROW_OK && row->seconds.statistics.count > 0 &&
         row->seconds.statistics.count < ENOUGH;
}

bool bp_row_fits_cache(const bp_row *row)
{
  return row->status == BP_ROW_OK && strcmp(row->cache, "cold") != 0 &&
         strcmp(row->backend, "emulate") != 0 && row->bytes > 0 && row->bytes <= row->cache_bytes;
}

/* Each is the model's flops over the time that the bound allows, so that they can be compared. */
double bp_row_arithmetic_gflops(const bp_row *row)
{
  double executed = (double)(row->executed_flops >= 0 ? row->executed_flops : row->flops);
  return executed > 0 ? row->arithmetic_gflops * (double)row->flops / executed : NAN;
}

double bp_row_shared_gflops(const bp_row *row)
{
  double traffic = (double)row->shared_traffic * (double)row->elements;
  return traffic > 0 ? row->shared_gbytes_per_second * (double)row->flops / traffic : NAN;
}

double bp_row_core_gflops(const bp_row *row)
{
  return rate(row, (double)row->flops, row->core_seconds);
}

/* A kernel that is faster than arithmetic allows executes fewer flops than it is known to. */
static bool is_arithmetic_known(const bp_row *row)
{
  return bp_row_gflops(row) <= bp_row_arithmetic_gflops(row);
}

static bp_bound_kind least_bound(const bp_row *row, double *least)
{
  const double bounds[] = {[BP_BOUND_MEMORY] = bp_row_roofline_gflops(row),
                           [BP_BOUND_ARITHMETIC] = bp_row_arithmetic_gflops(row),
                           [BP_BOUND_SHARED] = bp_row_shared_gflops(row),
                           [BP_BOUND_CORE] = bp_row_core_gflops(row)};
  bp_bound_kind kind = BP_BOUND_UNKNOWN;
  *least = NAN;
  if (!isfinite(bounds[BP_BOUND_MEMORY]) || !is_arithmetic_known(row))
    return BP_BOUND_UNKNOWN;
  for (int n = BP_BOUND_MEMORY; n <= BP_BOUND_CORE; ++n)
    if (bounds[n] < *least || (isfinite(bounds[n]) && !kind)) {
      *least = bounds[n];
      kind = (bp_bound_kind)n;
    }
  return kind;
}

bp_bound_kind bp_row_bound(const bp_row *row)
{
  const double reached = 0.8;
  double least;
  const bp_bound_kind kind = least_bound(row, &least);
  return bp_row_is_overhead(row)                        ? BP_BOUND_OVERHEAD
         : kind && bp_row_gflops(row) < reached * least ? BP_BOUND_NONE
                                                        : kind;
}

double bp_row_bound_fraction(const bp_row *row)
{
  double least;
  least_bound(row, &least);
  return bp_row_is_overhead(row) ? NAN : bp_row_gflops(row) / least;
}
