/* operand.h -- the arrays of kernels/abi/operands.h as a table, for the host. */
#ifndef BP_REGISTRY_OPERAND_H
#define BP_REGISTRY_OPERAND_H

#include "base/text.h"
#include "fem/space.h"
#include "kernels/abi/operands.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  BP_ACCESS_READ,
  BP_ACCESS_WRITE,
  BP_ACCESS_PART,
  BP_ACCESS_SCRATCH,
  BP_ACCESS_VALUE
} bp_access;

typedef struct {
  const char *name, *type; /* "u", "real" */
  bp_access access;
  int bytes;         /* of an item, as the host has it */
  const char *count; /* an expression, "layout" or "scratch" */
  size_t offset;     /* in bp_rank_arguments (kernels/abi/ranks.h) */
} bp_operand;

/* Numbers of the rows: BP_OPERAND_u. */
#define BP_OPERAND_NUMBER(name, type, access, count) BP_OPERAND_##name,
enum { BP_OPERANDS(BP_OPERAND_NUMBER) BP_OPERANDS_RANKS(BP_OPERAND_NUMBER) BP_OPERANDS_COUNT };
#undef BP_OPERAND_NUMBER

extern const bp_operand bp_operands[BP_OPERANDS_COUNT];

/* Of an item on a device, in a space's precision. */
int bp_operand_bytes(const bp_operand *operand, bp_space space);

/* -1 when there is none of that name. */
int bp_operand_find(const char *name);

/* What a kernel can go wrong with by reading it, or leave as it was. */
bool bp_operand_is_output(int operand);

/* "factors u v" as numbers; how many, 0 when one is none of the table or they are more than `most`. */
int bp_operands_parse(const char *names, int *operands, int most);

/* The text of "arguments.h", by which a CUDA kernel of these operands declares its parameters
 * (kernels/abi/gpu.h). */
void bp_operands_source(const int *operands, int count, bp_text *text);

#endif
