/* choice.h -- a variant with a value for each of its options, and the names that its expressions may use. */
#ifndef BP_REGISTRY_CHOICE_H
#define BP_REGISTRY_CHOICE_H

#include "registry/variant.h"

/* A variant with a value for each of its options. */
typedef struct {
  const bp_variant *variant;
  const char *rung; /* "" when it was not asked for by a rung's name */
  const char *from; /* the table where `best` found it, else "" */
  int from_line;
  int64_t option[BP_OPTIONS_MAX];
} bp_choice;

bp_choice bp_choice_standard(const bp_variant *variant);

bool bp_choice_has(const bp_variant *variant, const char *option);

/* The value of an option that some variants have. */
int64_t bp_choice_option(const bp_choice *choice, const char *option, int64_t otherwise);

/* BP_BAD_INPUT: a value out of range. */
bp_status bp_choice_set(bp_choice *choice, const char *option, int64_t value);

/* Several: "elements_per_block=4 pad=0", as bp_choice_options prints them. */
bp_status bp_choice_set_all(bp_choice *choice, const char *options);

bool bp_choice_is_same(const bp_choice *a, const bp_choice *b);

/* Whether sums are made by atomic operations, so that results depend on the order of blocks in their last
 * bits: its size surface_atomic is not 0. */
bool bp_choice_is_atomic(const bp_choice *choice, const bp_operator *op, bp_space space);

/* "elements_per_block=4 pad=0", "" without options; free with bp_free. */
char *bp_choice_options(const bp_choice *choice);

/* What the expressions of a choice may use, for one problem size; values[] ends with name NULL. */
enum { BP_NAMES_MAX = BP_OPTIONS_MAX + BP_SIZES_MAX + 38 };
void bp_choice_names(const bp_choice *choice, const bp_operator *op, bp_space space,
                     int64_t elements, int lanes, int sms, bp_name names[BP_NAMES_MAX]);

/* Adds what assembled unknowns have: unknowns, inner, faces_end, edges_end, surface_nodes, surface_copies,
 * stride (bp_unknowns_stride), sent and received (copies between ranks). NULL adds nothing. */
void bp_unknowns_names(const bp_unknowns *unknowns, bp_name names[BP_NAMES_MAX]);

/* Adds what only a problem knows: the unknowns above, mesh_nodes of a gradient. */
void bp_problem_names(const bp_problem *problem, bp_name names[BP_NAMES_MAX]);

/* The same without a choice. `op` may be NULL. */
void bp_space_names(const bp_operator *op, bp_space space, int64_t elements, int lanes, int sms,
                    bp_name names[BP_NAMES_MAX]);

/* What the compiler of a CUDA kernel is told (kernels/abi/gpu.h): "-DBP_FIELDS=1" and the like of the space,
 * "-DELEMENTS_PER_BLOCK=4" for each option and, unless the variant is compiled once for all degrees, each
 * size. Returns how many; free each with bp_free. */
enum { BP_DEFINES_MAX = 11 + BP_OPTIONS_MAX + BP_SIZES_MAX };
int bp_choice_defines(const bp_choice *choice, const bp_operator *op, bp_space space,
                      char *defines[BP_DEFINES_MAX]);

/* The same of a C kernel, whose options are arguments: N and, unless the variant is compiled once, each
 * size that the space alone decides. */
int bp_choice_host_defines(const bp_variant *variant, const bp_operator *op, bp_space space,
                           char *defines[BP_DEFINES_MAX]);

#endif
