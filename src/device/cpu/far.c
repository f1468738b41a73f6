/* far.c -- pointers and numbers of a large problem. */
#include "device/cpu/far.h"

#include "device/cpu/fenced.h"
#include "registry/operand.h"

/* What of a solve grows with the elements ahead: arrays by element, in rows, one for each field or one;
 * those by unknown, in as many rows of `stride` as there are; numbers. */
enum { NOTHING, ROW, ROWS, UNKNOWNS, NUMBER };
static const char of_solve[BP_OPERANDS_COUNT] = {
    [BP_OPERAND_factors] = ROW,       [BP_OPERAND_ids] = ROW,
    [BP_OPERAND_first] = ROW,         [BP_OPERAND_halo] = ROW,
    [BP_OPERAND_copies] = ROWS,       [BP_OPERAND_local_u] = ROWS,
    [BP_OPERAND_local_v] = ROWS,      [BP_OPERAND_f] = UNKNOWNS,
    [BP_OPERAND_diagonal] = UNKNOWNS, [BP_OPERAND_x] = UNKNOWNS,
    [BP_OPERAND_r] = UNKNOWNS,        [BP_OPERAND_p] = UNKNOWNS,
    [BP_OPERAND_ap] = UNKNOWNS,       [BP_OPERAND_f_before] = UNKNOWNS,
    [BP_OPERAND_x_before] = UNKNOWNS, [BP_OPERAND_inverse_mass] = UNKNOWNS,
    [BP_OPERAND_waves] = UNKNOWNS,    [BP_OPERAND_stride] = NUMBER,
    [BP_OPERAND_unknowns] = NUMBER,   [BP_OPERAND_inner] = NUMBER,
    [BP_OPERAND_faces_end] = NUMBER,  [BP_OPERAND_edges_end] = NUMBER,
};

static uint64_t value_of(const bp_step *step, int operand)
{
  for (int n = 0; n < step->operands_count; ++n)
    if (step->operands[n].operand == operand)
      return step->operands[n].value;
  return 0;
}

static void *pointer_of(uint64_t address)
{
  return (void *)(uintptr_t)address;
}

/* Of what an array holds; its guard zones stand around it. */
static int64_t bytes_of(uint64_t address)
{
  return bp_fenced_bytes(pointer_of(address - BP_FENCED_GUARD_BYTES)) - 2 * BP_FENCED_GUARD_BYTES -
         BP_BEYOND_BYTES;
}

/* Unknowns inside the elements ahead. */
static int64_t unknowns_ahead(const bp_far *f)
{
  const int64_t inside = f->given->nq - 2;
  return f->before * inside * inside * inside;
}

static int64_t rows_of(const bp_far *f, int operand, int64_t bytes)
{
  const bp_step *s = f->given;
  const int64_t stride = (int64_t)value_of(s, BP_OPERAND_stride);
  if (!s->is_solve)
    return bp_step_rows(s, operand);
  return of_solve[operand] == ROW        ? 1
         : of_solve[operand] == ROWS     ? s->fields
         : of_solve[operand] == UNKNOWNS ? bytes / (stride * (int64_t)sizeof(double))
                                         : 0;
}

/* Bytes of a row that are missing. Arrays end with whole doubles, `first` with one element more. */
static int64_t missing_of(const bp_far *f, int operand, int64_t row)
{
  const int64_t item = bp_operands[operand].bytes;
  if (f->given->is_solve && of_solve[operand] == UNKNOWNS)
    return unknowns_ahead(f) * item;
  return row / item / f->given->elements * item * f->before;
}

static bp_status move_array(bp_far *f, int n)
{
  const int operand = (int)f->given->operands[n].operand;
  const uint64_t address = f->given->operands[n].value;
  uint64_t *to = &f->step.operands[n].value;
  if (bp_operands[operand].access == BP_ACCESS_VALUE) {
    if (f->given->is_solve && of_solve[operand] == NUMBER)
      *to += (uint64_t)unknowns_ahead(f);
    return BP_OK;
  }
  const int64_t bytes = address ? bytes_of(address) : 0,
                rows = address ? rows_of(f, operand, bytes) : 0;
  const int64_t missing = rows ? missing_of(f, operand, bytes / rows) : 0;
  if (rows <= 1) {
    *to -= (uint64_t)missing;
    return BP_OK;
  }
  f->views[n] = far_rows_open(pointer_of(address), rows, bytes / rows, missing);
  *to = (uint64_t)(uintptr_t)f->views[n].begin;
  return f->views[n].map
             ? BP_OK
             : bp_fail(BP_SKIPPED, "no address space for %s", bp_operands[operand].name);
}

/* `count` of a list's numbers, each so much larger: ids, ~id where that is fixed, or any but -1, which is
 * none. */
static void move_numbers(const bp_far *f, int operand, int64_t count, int64_t by)
{
  uint32_t *number = pointer_of(value_of(f->given, operand));
  for (int64_t n = 0; number && n < count; ++n)
    if (operand == BP_OPERAND_ids && (int32_t)number[n] < 0)
      number[n] -= (uint32_t)by;
    else if (number[n] != UINT32_MAX)
      number[n] += (uint32_t)by;
}

static void move_lists(const bp_far *f, int sign)
{
  enum { KINDS = 3, POINTS = 80 };
  const int64_t nq = f->given->nq, inside = nq - 2, elements = f->given->elements;
  const int64_t surface = nq * nq * nq - inside * inside * inside;
  const uint64_t copied = value_of(f->given, BP_OPERAND_copied);
  if (!f->given->is_solve)
    return;
  move_numbers(f, BP_OPERAND_ids, elements * surface, sign * unknowns_ahead(f));
  move_numbers(f, BP_OPERAND_first, KINDS * (elements + 1), sign * unknowns_ahead(f));
  move_numbers(f, BP_OPERAND_copied, copied ? bytes_of(copied) / (int64_t)sizeof(uint32_t) : 0,
               sign * f->before * surface);
  move_numbers(f, BP_OPERAND_point_elements, POINTS, sign * f->before);
}

bp_status bp_far_open(const bp_step *given, int64_t before, bp_far *far)
{
  bp_status status = BP_OK;
  *far = (bp_far){.step = *given, .given = given, .before = before};
  far->step.elements += before;
  for (int n = 0; n < given->operands_count && !status; ++n)
    status = move_array(far, n);
  move_lists(far, 1);
  return status;
}

void bp_far_close(bp_far *far)
{
  move_lists(far, -1);
  for (int n = 0; n < far->given->operands_count; ++n)
    far_rows_close(&far->views[n]);
}
