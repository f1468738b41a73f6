/* record_fields.c -- the tables of a record's fields, in the order they are written. */
#include "report/record_fields.h"

#include "base/memory.h"
#include <math.h>

#define FIELD(type, member, name, needed)                                                          \
  {                                                                                                \
    .key = #member, .kind = BP_FIELD_##name, .offset = offsetof(type, member), .required = needed  \
  }

const char *const bp_row_status_names[3] = {
    [BP_ROW_OK] = "ok", [BP_ROW_WRONG] = "wrong", [BP_ROW_SKIPPED] = "skipped"};

const bp_field bp_record_fields[] = {
    FIELD(bp_record, schema, INT, true),     FIELD(bp_record, version, STRING, true),
    FIELD(bp_record, command, STRING, true), FIELD(bp_record, time, STRING, true),
    FIELD(bp_record, seed, SEED, false),     FIELD(bp_record, interrupted, BOOL, false),
    FIELD(bp_record, config, STRING, false), {0},
};

const bp_field bp_mesh_fields[] = {
    {.key = "file",
     .kind = BP_FIELD_STRING,
     .offset = offsetof(bp_record_mesh, name),
     .required = true},
    FIELD(bp_record_mesh, format, STRING, false),
    FIELD(bp_record_mesh, order, INT, false),
    FIELD(bp_record_mesh, elements, COUNT, true),
    FIELD(bp_record_mesh, vertices, COUNT, true),
    FIELD(bp_record_mesh, other_cells, MAYBE, false),
    FIELD(bp_record_mesh, reoriented, MAYBE, false),
    FIELD(bp_record_mesh, periodic_nodes, MAYBE, false),
    FIELD(bp_record_mesh, volume, DOUBLE, true),
    FIELD(bp_record_mesh, read_seconds, DOUBLE, false),
    FIELD(bp_record_mesh, connect_seconds, DOUBLE, false),
    {0},
};

const bp_field bp_bound_fields[] = {
    FIELD(bp_bound, device, STRING, false), FIELD(bp_bound, name, STRING, true),
    FIELD(bp_bound, unit, STRING, true),    FIELD(bp_bound, value, DOUBLE, true),
    FIELD(bp_bound, source, STRING, false), {0},
};

const bp_field bp_rank_fields[] = {
    FIELD(bp_row_rank, host, STRING, true),       FIELD(bp_row_rank, device, STRING, true),
    FIELD(bp_row_rank, elements, COUNT, true),    FIELD(bp_row_rank, surface_nodes, COUNT, true),
    FIELD(bp_row_rank, seconds, DOUBLE, true),    FIELD(bp_row_rank, waiting, DOUBLE, true),
    FIELD(bp_row_rank, peak_bytes, MAYBE, false), {0},
};

#define ROW(member, name, required) FIELD(bp_row, member, name, required)
#define WITHIN(parent, member, name, required)                                                     \
  {                                                                                                \
#parent, #member, BP_FIELD_##name, offsetof(bp_row, parent.member), required, NULL             \
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
    ROW(ranks, MAYBE, false),
    ROW(communication, MAYBE_TEXT, false),
    ROW(each, EACH, false),
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

static void each_free(bp_row_ranks_list *each)
{
  for (int64_t r = 0; r < each->count; ++r)
    bp_fields_free(&each->items[r], bp_rank_fields);
  bp_free(each->items);
}

void bp_fields_free(void *base, const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f) {
    void *at = (char *)base + f->offset;
    if (f->kind == BP_FIELD_STRING || f->kind == BP_FIELD_OPTIONS || f->kind == BP_FIELD_MAYBE_TEXT)
      bp_free(*(char **)at);
    else if (f->kind == BP_FIELD_TIMING)
      bp_free(((bp_timing *)at)->samples);
    else if (f->kind == BP_FIELD_EACH)
      each_free(at);
  }
}
