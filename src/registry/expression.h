/* expression.h -- the small integer expressions of a kernel file's header: launch shapes, scratch,
 * shared memory, flops. Operators + - * / % ( ) < <= > >= == != && || ?: and names; max(a, b); min(a, b);
 * same_bank(a, b), the least number from a on that is b but for multiples of 16; slot(n), the doubles of shared
 * memory that a bulk copy of n doubles needs. Both take numbers that are not negative. */
#ifndef BP_REGISTRY_EXPRESSION_H
#define BP_REGISTRY_EXPRESSION_H

#include "base/status.h"
#include <stdint.h>

typedef struct {
  const char *name;
  int64_t value;
} bp_name;

/* Evaluates `text` with the names given (the last row has name NULL). Division by zero, overflow,
 * an unknown name and bad syntax fail with BP_BAD_INPUT and the expression in the message. */
bp_status bp_expression_evaluate(const char *text, const bp_name *names, int64_t *value);

#endif
