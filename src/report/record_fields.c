/* record_fields.c -- the tables of a record's fields, in the order they are written. */
#include "report/record_fields.h"

#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const bp_row_status_names[3] = {
    [BP_ROW_OK] = "ok", [BP_ROW_WRONG] = "wrong", [BP_ROW_SKIPPED] = "skipped"};

const bp_field bp_mesh_fields[] = {
    {.key = "file",
     .kind = BP_FIELD_STRING,
     .offset = offsetof(bp_record_mesh, name),
     .required = true},
    BP_MEMBER(bp_record_mesh, format, STRING, false),
    BP_MEMBER(bp_record_mesh, order, INT, false),
    BP_MEMBER(bp_record_mesh, elements, COUNT, true),
    BP_MEMBER(bp_record_mesh, vertices, COUNT, true),
    BP_MEMBER(bp_record_mesh, other_cells, MAYBE, false),
    BP_MEMBER(bp_record_mesh, reoriented, MAYBE, false),
    BP_MEMBER(bp_record_mesh, periodic_nodes, MAYBE, false),
    BP_MEMBER(bp_record_mesh, volume, DOUBLE, true),
    BP_MEMBER(bp_record_mesh, read_seconds, DOUBLE, false),
    BP_MEMBER(bp_record_mesh, connect_seconds, DOUBLE, false),
    {0},
};

const bp_field bp_fact_fields[] = {
    BP_MEMBER(bp_fact, key, STRING, true), BP_MEMBER(bp_fact, value, STRING, true), {0}};

const bp_field bp_statistics_fields[] = {
    {.key = "min",
     .kind = BP_FIELD_TIME,
     .offset = offsetof(bp_statistics, minimum),
     .required = true},
    BP_MEMBER(bp_statistics, median, TIME, true),
    {.key = "max",
     .kind = BP_FIELD_TIME,
     .offset = offsetof(bp_statistics, maximum),
     .required = true},
    BP_MEMBER(bp_statistics, count, COUNT, true),
    {0},
};

const bp_field bp_bound_fields[] = {
    BP_MEMBER(bp_bound, device, STRING, false), BP_MEMBER(bp_bound, name, STRING, true),
    BP_MEMBER(bp_bound, unit, STRING, true),    BP_MEMBER(bp_bound, value, DOUBLE, true),
    BP_MEMBER(bp_bound, source, STRING, false), {0},
};

const bp_field bp_rank_fields[] = {
    BP_MEMBER(bp_row_rank, host, STRING, true),
    BP_MEMBER(bp_row_rank, device, STRING, true),
    BP_MEMBER(bp_row_rank, elements, COUNT, true),
    BP_MEMBER(bp_row_rank, surface_nodes, COUNT, true),
    BP_MEMBER(bp_row_rank, seconds, DOUBLE, true),
    BP_MEMBER(bp_row_rank, waiting, DOUBLE, true),
    BP_MEMBER(bp_row_rank, peak_bytes, MAYBE, false),
    {0},
};

const bp_field bp_share_fields[] = {
    BP_MEMBER(bp_row_share, degree, COUNT, true),
    BP_MEMBER(bp_row_share, part, STRING, true),
    BP_MEMBER(bp_row_share, seconds, DOUBLE, true),
    {0},
};

const bp_field bp_residual_fields[] = {
    BP_MEMBER(bp_row_residual, iteration, COUNT, true),
    BP_MEMBER(bp_row_residual, residual, DOUBLE, true),
    {0},
};

#define ROW(member, name, required) BP_MEMBER(bp_row, member, name, required)
#define WITHIN(parent, member, name, needed)                                                       \
  {                                                                                                \
    .object = #parent, .key = #member, .kind = BP_FIELD_##name,                                    \
    .offset = offsetof(bp_row, parent.member), .required = needed                                  \
  }
#define RATE(parent, name, function)                                                               \
  {                                                                                                \
    .object = parent, .key = #name, .kind = BP_FIELD_RATE, .rate = function                        \
  }

const bp_field bp_row_fields[] = {
    ROW(problem, STRING, true),
    ROW(variant, STRING, true),
    ROW(rung, STRING, true),
    ROW(options, OPTIONS, true),
    ROW(backend, STRING, true),
    ROW(device, STRING, true),
    ROW(mesh, STRING, false),
    ROW(cache, STRING, false),
    ROW(degree, INT, true),
    ROW(quadrature, STRING, false),
    ROW(geometry, STRING, false),
    ROW(precision, STRING, false),
    ROW(preconditioner, STRING, false),
    ROW(lambda, DOUBLE, false),
    ROW(target_nodes, MAYBE, false),
    ROW(elements, COUNT, true),
    ROW(nodes, COUNT, true),
    ROW(dofs, COUNT, true),
    ROW(bytes, COUNT, true),
    ROW(flops, COUNT, true),
    ROW(seconds, TIMING, true),
    RATE(NULL, gflops, bp_row_gflops),
    RATE(NULL, gbytes_per_second, bp_row_gbytes_per_second),
    RATE(NULL, gdofs_per_second, bp_row_gdofs_per_second),
    WITHIN(copy, bytes, COUNT, true),
    WITHIN(copy, by, MAYBE_TEXT, false),
    WITHIN(copy, seconds, TIMING, true),
    WITHIN(copy, waited, MAYBE_TEXT, false),
    RATE("copy", gbytes_per_second, bp_row_copy_gbytes_per_second),
    RATE(NULL, roofline_gflops, bp_row_roofline_gflops),
    RATE(NULL, roofline_fraction, bp_row_roofline_fraction),
    RATE(NULL, bound_fraction, bp_row_bound_fraction),
    RATE(NULL, overhead_fraction, bp_row_overhead_fraction),
    RATE(NULL, least_fraction, bp_row_least_fraction),
    ROW(error, DOUBLE, true),
    ROW(tolerance, DOUBLE, true),
    ROW(status, STATUS, true),
    ROW(reason, STRING, true),
    ROW(iterations, MAYBE, false),
    ROW(outer_iterations, MAYBE, false),
    ROW(applications, MAYBE, false),
    ROW(ranks, MAYBE, false),
    ROW(communication, MAYBE_TEXT, false),
    {.key = "each",
     .kind = BP_FIELD_LIST,
     .offset = offsetof(bp_row, each),
     .items = bp_rank_fields,
     .size = sizeof(bp_row_rank)},
    {.key = "shares",
     .kind = BP_FIELD_LIST,
     .offset = offsetof(bp_row, shares),
     .items = bp_share_fields,
     .size = sizeof(bp_row_share)},
    {.key = "history",
     .kind = BP_FIELD_LIST,
     .offset = offsetof(bp_row, history),
     .items = bp_residual_fields,
     .size = sizeof(bp_row_residual)},
    RATE(NULL, gdofs_per_rank, bp_row_gdofs_per_rank),
    ROW(residual, DOUBLE, false),
    ROW(true_residual, DOUBLE, false),
    ROW(solution_error, DOUBLE, false),
    ROW(least_bytes, MAYBE, false),
    ROW(stopped, STRING, false),
    ROW(setup_seconds, DOUBLE, false),
    ROW(compile_seconds, DOUBLE, false),
    ROW(upload_seconds, DOUBLE, false),
    WITHIN(stages, mesh, DOUBLE, false),
    WITHIN(stages, connectivity, DOUBLE, false),
    WITHIN(stages, unknowns, DOUBLE, false),
    WITHIN(stages, geometry, DOUBLE, false),
    WITHIN(stages, load, DOUBLE, false),
    WITHIN(stages, device, DOUBLE, false),
    WITHIN(stages, verification, DOUBLE, false),
    ROW(repetitions, MAYBE, false),
    ROW(code_bytes, MAYBE, false),
    ROW(registers, MAYBE, false),
    ROW(spill_bytes, MAYBE, false),
    ROW(shared_bytes, MAYBE, false),
    ROW(blocks_per_sm, MAYBE, false),
    ROW(shared_traffic, MAYBE, false),
    ROW(executed_flops, MAYBE, false),
    ROW(cache_bytes, MAYBE, false),
    ROW(overhead_seconds, DOUBLE, false),
    ROW(core_seconds, DOUBLE, false),
    ROW(arithmetic_gflops, DOUBLE, false),
    ROW(shared_gbytes_per_second, DOUBLE, false),
    ROW(waited, MAYBE_TEXT, false),
    ROW(busy, MAYBE_TEXT, false),
    WITHIN(power, watts, DOUBLE, false),
    WITHIN(power, joules, DOUBLE, false),
    WITHIN(power, celsius, DOUBLE, false),
    WITHIN(power, sm_mhz_before, DOUBLE, false),
    WITHIN(power, sm_mhz_during, DOUBLE, false),
    WITHIN(power, sm_mhz_after, DOUBLE, false),
    WITHIN(power, throttle, MAYBE_TEXT, false),
    {0},
};

#define LIST(name, type, of, item)                                                                 \
  {                                                                                                \
    .key = #name, .kind = BP_FIELD_##type, .offset = offsetof(bp_record, name), .items = of,       \
    .size = sizeof(item)                                                                           \
  }

const bp_field bp_record_fields[] = {
    BP_MEMBER(bp_record, schema, INT, true),
    BP_MEMBER(bp_record, version, STRING, true),
    BP_MEMBER(bp_record, command, STRING, true),
    BP_MEMBER(bp_record, time, STRING, true),
    BP_MEMBER(bp_record, seed, SEED, false),
    BP_MEMBER(bp_record, interrupted, BOOL, false),
    BP_MEMBER(bp_record, config, STRING, false),
    LIST(environment, FACTS, bp_fact_fields, bp_fact),
    LIST(meshes, LIST, bp_mesh_fields, bp_record_mesh),
    {.key = "mesh",
     .kind = BP_FIELD_FIRST,
     .offset = offsetof(bp_record, meshes),
     .items = bp_mesh_fields,
     .size = sizeof(bp_record_mesh)},
    LIST(bounds, LIST, bp_bound_fields, bp_bound),
    LIST(rows, LIST, bp_row_fields, bp_row),
    {0},
};

const bp_renamed bp_row_renamed[] = {
    {"target_dofs", "target_nodes"},
    {"dofs", "nodes"},
    {"unique_dofs", "dofs"},
    {0},
};

void bp_fields_clear(void *base, const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f) {
    void *at = (char *)base + f->offset;
    if (f->kind == BP_FIELD_STRING || f->kind == BP_FIELD_OPTIONS)
      *(char **)at = bp_strdup("");
    else if (f->kind == BP_FIELD_DOUBLE)
      *(double *)at = NAN;
    else if (f->kind == BP_FIELD_MAYBE)
      *(int64_t *)at = -1;
  }
}

static bp_json_value number_value(double value)
{
  return (bp_json_value){.kind = isfinite(value) ? BP_JSON_NUMBER : BP_JSON_NULL, .number = value};
}

static bp_json_value text_value(const char *text)
{
  return (bp_json_value){.kind = text ? BP_JSON_STRING : BP_JSON_NULL, .string = (char *)text};
}

bp_json_value bp_field_value(const bp_field *field, const void *base, char text[32])
{
  const void *at = (const char *)base + field->offset;
  double seconds;
  int64_t count;
  switch (field->kind) {
  case BP_FIELD_STRING:
  case BP_FIELD_MAYBE_TEXT:
  case BP_FIELD_OPTIONS:
    return text_value(*(char *const *)at);
  case BP_FIELD_INT:
    return number_value(*(const int *)at);
  case BP_FIELD_COUNT:
  case BP_FIELD_MAYBE:
    count = *(const int64_t *)at;
    return number_value(count < 0 ? NAN : (double)count);
  case BP_FIELD_DOUBLE:
    return number_value(*(const double *)at);
  case BP_FIELD_TIME:
    seconds = *(const double *)at;
    return number_value(seconds > 0 ? seconds : NAN);
  case BP_FIELD_RATE:
    return number_value(field->rate(base));
  case BP_FIELD_BOOL:
    return (bp_json_value){.kind = BP_JSON_BOOL, .number = *(const bool *)at};
  case BP_FIELD_SEED:
    snprintf(text, 32, "0x%" PRIx64, *(const uint64_t *)at);
    return text_value(text);
  case BP_FIELD_STATUS:
    return text_value(bp_row_status_names[*(const bp_row_status *)at]);
  default:
    return text_value(NULL);
  }
}

bp_list bp_list_at(const void *at)
{
  bp_list list;
  memcpy(&list, at, sizeof list); /* its pointer is of any type */
  return list;
}

void *bp_list_add(void *at, const bp_field *fields, size_t size)
{
  bp_list list = bp_list_at(at);
  const size_t count = (size_t)list.count++;
  if ((count & (count - 1)) == 0)
    list.items = bp_realloc(list.items, count ? 2 * count : 1, size);
  memcpy(at, &list, sizeof list);
  void *item = (char *)list.items + count * size;
  memset(item, 0, size);
  bp_fields_clear(item, fields);
  return item;
}

void bp_fields_free(void *base, const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f) {
    void *at = (char *)base + f->offset;
    if (f->kind == BP_FIELD_STRING || f->kind == BP_FIELD_OPTIONS || f->kind == BP_FIELD_MAYBE_TEXT)
      bp_free(*(char **)at);
    else if (f->kind == BP_FIELD_TIMING)
      bp_free(((bp_timing *)at)->samples);
    else if (f->kind == BP_FIELD_FACTS || f->kind == BP_FIELD_LIST) {
      const bp_list list = bp_list_at(at);
      for (int64_t n = 0; n < list.count; ++n)
        bp_fields_free((char *)list.items + (size_t)n * f->size, f->items);
      bp_free(list.items);
    }
  }
}
