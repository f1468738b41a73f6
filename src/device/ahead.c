/* ahead.c -- arrays, numbers and lists of a large problem. */
#include "device/ahead.h"

#include "base/status.h"
#include "registry/operand.h"

/* What of a solve grows with the elements ahead: arrays by element, in rows, one for each field or one;
 * those by unknown, in as many rows of `stride` as there are, or in one; a matrix's entries; numbers. */
enum { NOTHING, ROW, ROWS, UNKNOWNS, UNKNOWN_ROW, ENTRIES, NUMBER };
static const char of_solve[BP_OPERANDS_COUNT] = {
    [BP_OPERAND_factors] = ROW,
    [BP_OPERAND_ids] = ROW,
    [BP_OPERAND_first] = ROW,
    [BP_OPERAND_halo] = ROW,
    [BP_OPERAND_post_ends] = ROW,
    [BP_OPERAND_copies] = ROWS,
    [BP_OPERAND_local_u] = ROWS,
    [BP_OPERAND_local_v] = ROWS,
    [BP_OPERAND_f] = UNKNOWNS,
    [BP_OPERAND_diagonal] = UNKNOWNS,
    [BP_OPERAND_x] = UNKNOWNS,
    [BP_OPERAND_r] = UNKNOWNS,
    [BP_OPERAND_p] = UNKNOWNS,
    [BP_OPERAND_ap] = UNKNOWNS,
    [BP_OPERAND_f_before] = UNKNOWNS,
    [BP_OPERAND_x_before] = UNKNOWNS,
    [BP_OPERAND_inverse_mass] = UNKNOWNS,
    [BP_OPERAND_waves] = UNKNOWNS,
    [BP_OPERAND_row_starts] = UNKNOWN_ROW,
    [BP_OPERAND_columns] = ENTRIES,
    [BP_OPERAND_entries] = ENTRIES,
    [BP_OPERAND_stride] = NUMBER,
    [BP_OPERAND_unknowns] = NUMBER,
    [BP_OPERAND_inner] = NUMBER,
    [BP_OPERAND_faces_end] = NUMBER,
    [BP_OPERAND_edges_end] = NUMBER,
};

/* What the numbers of a solve's lists are of. */
enum { NONE, OF_UNKNOWNS, OF_IDS, OF_COPIES, OF_SLOTS, OF_ELEMENTS, OF_ENTRIES };
static const char in_list[BP_OPERANDS_COUNT] = {
    [BP_OPERAND_ids] = OF_IDS,
    [BP_OPERAND_first] = OF_UNKNOWNS,
    [BP_OPERAND_columns] = OF_UNKNOWNS,
    [BP_OPERAND_copied] = OF_COPIES,
    [BP_OPERAND_sent] = OF_COPIES,
    [BP_OPERAND_copy_slots] = OF_SLOTS,
    [BP_OPERAND_point_elements] = OF_ELEMENTS,
    [BP_OPERAND_row_starts] = OF_ENTRIES,
};

static int64_t value_of(const bp_step *step, int operand)
{
  for (int n = 0; n < step->operands_count; ++n)
    if (step->operands[n].operand == operand)
      return (int64_t)step->operands[n].value;
  return 0;
}

static int64_t inside_of(const bp_step *step)
{
  const int64_t inside = step->nq - 2;
  return inside * inside * inside;
}

static int64_t item_of(const bp_step *step, int operand)
{
  int n = 0;
  while (n < step->operands_count && step->operands[n].operand != operand)
    ++n;
  BP_ASSERT(n < step->operands_count);
  return step->operands[n].item;
}

static int64_t rows_of(const bp_step *step, int operand, int64_t bytes)
{
  for (int n = 0; !step->is_solve && n < step->operands_count; ++n)
    if (step->operands[n].operand == operand)
      return step->operands[n].rows;
  const char kind = of_solve[operand];
  return kind == UNKNOWNS ? bytes / (value_of(step, BP_OPERAND_stride) * item_of(step, operand))
         : kind == ROWS   ? step->fields
         : kind == NOTHING || kind == NUMBER ? 0
                                             : 1;
}

/* Arrays end with whole doubles; `first` has one element more. */
bp_ahead bp_ahead_of(const bp_step *step, int operand, int64_t bytes, int64_t before)
{
  const int64_t item = item_of(step, operand);
  const char kind = step->is_solve ? of_solve[operand] : ROW;
  const int64_t rows = rows_of(step, operand, bytes), more = operand == BP_OPERAND_first ? 1 : 0;
  const int64_t items = rows == 0                                 ? 0
                        : kind == UNKNOWNS || kind == UNKNOWN_ROW ? inside_of(step) * before
                        : kind == ENTRIES                         ? BP_AHEAD_ENTRIES
                                          : bytes / rows / item / (step->elements + more) * before;
  return (bp_ahead){rows, items * item};
}

int64_t bp_ahead_number(const bp_step *step, int operand, int64_t before)
{
  return step->is_solve && of_solve[operand] == NUMBER ? inside_of(step) * before : 0;
}

/* Ids are ~id where an unknown is fixed; -1 is none; slots from 2^31 on are places in another list. */
static uint32_t moved(uint32_t number, int list, int64_t by)
{
  if (list == OF_IDS && (int32_t)number < 0)
    return number - (uint32_t)by;
  if (number == UINT32_MAX || (list == OF_SLOTS && (int32_t)number < 0))
    return number;
  return number + (uint32_t)by;
}

void bp_ahead_move(const bp_step *step, int operand, void *data, int64_t bytes, int64_t before,
                   int sign)
{
  const int list = step->is_solve ? in_list[operand] : NONE;
  const int64_t nq = step->nq, inside = inside_of(step), item = bp_operands[operand].bytes;
  const int64_t by = list == OF_UNKNOWNS || list == OF_IDS   ? before * inside
                     : list == OF_COPIES || list == OF_SLOTS ? before * (nq * nq * nq - inside)
                                                             : before;
  for (int64_t n = 0; list && n < bytes / item; ++n)
    if (list == OF_ENTRIES)
      ((int64_t *)data)[n] += sign * BP_AHEAD_ENTRIES;
    else
      ((uint32_t *)data)[n] = moved(((uint32_t *)data)[n], list, sign * by);
}
