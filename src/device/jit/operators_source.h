/* operators_source.h -- the text of "operators.h": an operator's matrices at one degree as
 * constants of the kernels' language (kernels/abi/gpu.h says which and in which order). */
#ifndef BP_DEVICE_OPERATORS_SOURCE_H
#define BP_DEVICE_OPERATORS_SOURCE_H

#include "base/text.h"
#include "fem/operator.h"

/* Appends it. Numbers read back exactly. */
void bp_operators_source(const bp_operator *op, bp_space space, bp_text *text);

#endif
