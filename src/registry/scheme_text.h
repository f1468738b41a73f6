/* scheme_text.h -- a scheme is a kernel file that takes several operators, and is a variant with each.
 *
 * kernels/solve/two-kernel.cu, say, has in its first comment
 *
 *    * operators: bp1, bp3-mma, bp5 1..12
 *
 * and, below, the line `#include "lib/solve/apply_OPERATOR.h"`. So it is bp1/two-kernel, which includes
 * apply_bp1.h, bp3/two-kernel-mma, which includes apply_bp3_mma.h, and bp5/two-kernel. What belongs to an
 * operator (its degrees, its layout of factors, the shared memory that it wants) stands in that header;
 * degrees behind an operator's name take the place of the header's. Of a scheme NAME-ranks the variants are
 * bp1/NAME-ranks and bp3/NAME-mma-ranks. */
#ifndef BP_REGISTRY_SCHEME_TEXT_H
#define BP_REGISTRY_SCHEME_TEXT_H

#include "registry/variant.h"

/* Whether a file's first comment has a line `operators:`. */
bool bp_scheme_text_is(const bp_variant_text *text);

/* The variants of a scheme, each with the scheme's file and its text for one operator, line by line the same.
 * Free *variants with bp_free; what is in it lives on. BP_BAD_INPUT where the line is no list of operators. */
bp_status bp_scheme_text_variants(const bp_variant_text *scheme, bp_variant_text **variants,
                                  int *count);

#endif
