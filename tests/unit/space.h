/* space.h -- for tests: the bake-off's space of an operator by its name. */
#ifndef BP_TEST_SPACE_H
#define BP_TEST_SPACE_H

#include "fem/operator.h"

static inline bp_space space_of(const char *op, int degree)
{
  return bp_operator_space(bp_operator_find(op), degree);
}

#endif
