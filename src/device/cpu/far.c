/* far.c -- pointers and numbers of a large problem. */
#include "device/cpu/far.h"

#include "device/ahead.h"
#include "device/cpu/fenced.h"
#include "registry/operand.h"

static void *pointer_of(uint64_t address)
{
  return (void *)(uintptr_t)address;
}

/* Of what an array holds; its guard zones stand around it. */
static int64_t bytes_of(uint64_t address)
{
  return address ? bp_fenced_bytes(pointer_of(address - BP_FENCED_GUARD_BYTES)) -
                       2 * BP_FENCED_GUARD_BYTES - BP_BEYOND_BYTES
                 : 0;
}

static bp_status move_array(bp_far *f, int n)
{
  const int operand = (int)f->given->operands[n].operand;
  const uint64_t address = f->given->operands[n].value;
  uint64_t *to = &f->step.operands[n].value;
  if (bp_operands[operand].access == BP_ACCESS_VALUE) {
    *to += (uint64_t)bp_ahead_number(f->given, operand, f->before);
    return BP_OK;
  }
  if (!address)
    return BP_OK;
  const int64_t bytes = bytes_of(address);
  const bp_ahead a = bp_ahead_of(f->given, operand, bytes, f->before);
  if (a.rows <= 1) {
    *to -= (uint64_t)a.missing;
    return BP_OK;
  }
  f->views[n] = far_rows_open(pointer_of(address), a.rows, bytes / a.rows, a.missing);
  *to = (uint64_t)(uintptr_t)f->views[n].begin;
  return f->views[n].map
             ? BP_OK
             : bp_fail(BP_SKIPPED, "no address space for %s", bp_operands[operand].name);
}

static void move_lists(const bp_far *f, int sign)
{
  for (int n = 0; n < f->given->operands_count; ++n) {
    const int operand = (int)f->given->operands[n].operand;
    const uint64_t address = f->given->operands[n].value;
    if (bp_operands[operand].access != BP_ACCESS_VALUE && address)
      bp_ahead_move(f->given, operand, pointer_of(address), bytes_of(address), f->before, sign);
  }
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
