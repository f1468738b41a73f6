/* record_fields.c -- the tables of a record's fields, in the order they are written. */
#include "report/record_fields.h"

#include "base/memory.h"
#include <math.h>

#define FIELD(type, member, kind, required)                                                        \
  {                                                                                                \
#member, BP_FIELD_##kind, offsetof(type, member), required                                     \
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
    {"file", BP_FIELD_STRING, offsetof(bp_record_mesh, name), true},
    FIELD(bp_record_mesh, format, STRING, false),
    FIELD(bp_record_mesh, order, INT, false),
    FIELD(bp_record_mesh, elements, COUNT, true),
    FIELD(bp_record_mesh, vertices, COUNT, true),
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

const bp_field bp_row_fields[] = {
    FIELD(bp_row, problem, STRING, true),
    FIELD(bp_row, variant, STRING, true),
    FIELD(bp_row, rung, STRING, true),
    FIELD(bp_row, options, OPTIONS, true),
    FIELD(bp_row, backend, STRING, true),
    FIELD(bp_row, device, STRING, true),
    FIELD(bp_row, mesh, STRING, false),
    FIELD(bp_row, cache, STRING, false),
    FIELD(bp_row, degree, INT, true),
    FIELD(bp_row, lambda, DOUBLE, false),
    FIELD(bp_row, target_nodes, MAYBE, false),
    FIELD(bp_row, elements, COUNT, true),
    FIELD(bp_row, nodes, COUNT, true),
    FIELD(bp_row, dofs, COUNT, true),
    FIELD(bp_row, bytes, COUNT, true),
    FIELD(bp_row, flops, COUNT, true),
    {0},
};

const bp_field bp_row_outcome_fields[] = {
    FIELD(bp_row, error, DOUBLE, true),           FIELD(bp_row, tolerance, DOUBLE, true),
    FIELD(bp_row, status, STATUS, true),          FIELD(bp_row, reason, STRING, true),
    FIELD(bp_row, iterations, MAYBE, false),      FIELD(bp_row, residual, DOUBLE, false),
    FIELD(bp_row, true_residual, DOUBLE, false),  FIELD(bp_row, solution_error, DOUBLE, false),
    FIELD(bp_row, least_bytes, MAYBE, false),     FIELD(bp_row, stopped, STRING, false),
    FIELD(bp_row, setup_seconds, DOUBLE, false),  FIELD(bp_row, compile_seconds, DOUBLE, false),
    FIELD(bp_row, upload_seconds, DOUBLE, false), FIELD(bp_row, repetitions, MAYBE, false),
    FIELD(bp_row, registers, MAYBE, false),       FIELD(bp_row, spill_bytes, MAYBE, false),
    FIELD(bp_row, shared_bytes, MAYBE, false),    FIELD(bp_row, blocks_per_sm, MAYBE, false),
    FIELD(bp_row, shared_traffic, MAYBE, false),  {0},
};

const bp_field bp_copy_fields[] = {
    {"by", BP_FIELD_MAYBE_TEXT, offsetof(bp_row, copy.by), false},
    {0},
};

const bp_field bp_power_fields[] = {
    {"watts", BP_FIELD_DOUBLE, offsetof(bp_row, power.watts), false},
    {"joules", BP_FIELD_DOUBLE, offsetof(bp_row, power.joules), false},
    {"celsius", BP_FIELD_DOUBLE, offsetof(bp_row, power.celsius), false},
    {"sm_mhz_before", BP_FIELD_DOUBLE, offsetof(bp_row, power.sm_mhz_before), false},
    {"sm_mhz_during", BP_FIELD_DOUBLE, offsetof(bp_row, power.sm_mhz_during), false},
    {"sm_mhz_after", BP_FIELD_DOUBLE, offsetof(bp_row, power.sm_mhz_after), false},
    {"throttle", BP_FIELD_MAYBE_TEXT, offsetof(bp_row, power.throttle), false},
    {0},
};

const bp_derived bp_row_rates[] = {
    {"gflops", bp_row_gflops},
    {"gbytes_per_second", bp_row_gbytes_per_second},
    {"gdofs_per_second", bp_row_gdofs_per_second},
    {0},
};

const bp_derived bp_row_roofline[] = {
    {"roofline_gflops", bp_row_roofline_gflops},
    {"roofline_fraction", bp_row_roofline_fraction},
    {"least_fraction", bp_row_least_fraction},
    {0},
};

const bp_renamed bp_row_renamed[] = {
    {"target_dofs", "target_nodes"},
    {"dofs", "nodes"},
    {"unique_dofs", "dofs"},
    {0},
};

static bool is_string(const bp_field *field)
{
  return field->kind == BP_FIELD_STRING || field->kind == BP_FIELD_OPTIONS ||
         field->kind == BP_FIELD_MAYBE_TEXT;
}

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

void bp_fields_free(void *base, const bp_field *fields)
{
  for (const bp_field *f = fields; f->key; ++f)
    if (is_string(f))
      bp_free(*(char **)((char *)base + f->offset));
}
