/* variant.h -- the registry: every file kernels/PROBLEM/NAME.{c,cu} is a variant, and its first comment
 * declares it. Nothing else lists variants. docs/new-variant.md describes the header's lines:
 *
 *   degrees:  1..15 [compiled once]        which N; "compiled once": N is a run-time argument
 *   points:   A..B                        quadrature points per direction beyond the degree that it takes; without it
 *                                         the bake-off's number of them
 *   geometry: stored affine trilinear quadratic   where it can have factors from; without it stored
 *   precision: mixed single               beside double: those that it can be compiled for; `double`: no other
 *                                         one, whatever a header says
 *   shapes:   tri quad tet hex            of gradients: the shapes that it takes; without it all
 *   option:   NAME LOW..HIGH = DEFAULT -- what it does        (one line each)
 *   size:     NAME = EXPRESSION -- what it is: a name for later expressions, and, in capitals, a macro for the
 *                                          kernel; of CUDA files. Headers that they include may have sizes and
 *                                          options, too; an option's line in the file itself wins
 *   factors:  ORDER [align DOUBLES] [rotated]  storage of the factors, see layout.h; default eckji
 *   launch:   KERNEL; threads X, Y, Z; blocks B; shared BYTES; together  (CUDA, one line per launch, in
 * order; of a solve's C file KERNEL alone) scratch:  DOUBLES                      CUDA: of the whole
 * device; CPU: of one thread
 *   shared traffic: BYTES                  per element, read + written (eq. 13 of the paper)
 *   bytes:    EXPRESSION                   that an iteration of a solve moves, by the model
 *   operands: u v factors                 what the kernels take (kernels/abi/operands.h); default I D factors
 *                                          u v scratch
 *   requires: mma                          features of the architecture (architecture.h; CUDA)
 *   flops:    COUNT                        of one element: of problem "peaks", and where a variant
 *                                          executes more than the model of fem/operator.h says
 *
 * Expressions know nq, nc, degree, components, elements, lanes (SIMD width or 1), sms (multiprocessors)
 * and every option. */
#ifndef BP_REGISTRY_VARIANT_H
#define BP_REGISTRY_VARIANT_H

#include "base/status.h"
#include "fem/basis.h"
#include "fem/operator.h"
#include "fem/problem.h"
#include "fem/unknowns.h"
#include "kernels/abi/cpu.h"
#include "registry/expression.h"
#include "registry/isa.h"
#include <stdbool.h>

enum { BP_OPTIONS_MAX = 8, BP_LAUNCHES_MAX = 18, BP_SIZES_MAX = 36, BP_VARIANT_OPERANDS_MAX = 44 };

typedef enum { BP_LANGUAGE_C, BP_LANGUAGE_CUDA } bp_language;

/* As generated at build time: texts only. */
typedef struct {
  const char *id;   /* "bp3.5/columns" */
  const char *file; /* "kernels/bp3.5/columns.cu" */
  const char *source;
} bp_variant_text;

extern const bp_variant_text bp_variant_texts[];
extern const int bp_variant_texts_count;

/* A header that kernels may include. */
typedef struct {
  const char *name, *source; /* "lib/schedule/stagger.h", as kernels include it */
} bp_kernel_header;
extern const bp_kernel_header bp_kernel_headers[];
extern const int bp_kernel_headers_count;

typedef struct {
  char *name, *help;
  int64_t low, high, standard;
} bp_variant_option;

/* Known when a kernel is compiled: of nq, nc, degree, components, the options and the sizes before it. */
typedef struct {
  char *name, *expression;
} bp_variant_size;

/* When a kernel is launched: in each application or iteration, once before all, once after all. */
typedef enum { BP_REPEATED, BP_AT_START, BP_AT_END } bp_phase;

/* What ranks do together after a launch: exchange copies of shared unknowns, sum p . A p, r . r. */
enum { BP_THEN_EXCHANGE = 1, BP_THEN_PAP = 2, BP_THEN_RR = 4, BP_THEN_SUMS = 8 };

typedef struct {
  bp_phase phase;
  unsigned then; /* line `then exchange pap` */
  char *kernel;
  char *threads[3], *blocks, *shared; /* expressions; blocks NULL: one per elements_per_block */
  bool together;                      /* its blocks wait for each other, so all run at once */
} bp_launch;

typedef struct {
  const bp_variant_text *text;
  const char *id;
  char problem[16]; /* "bp3.5" */
  const char *name; /* "columns" */
  char *summary;    /* the first line after "--" */
  bp_language language;
  int lowest, highest; /* degrees */
  unsigned precisions; /* a bit for each bp_precision but double */
  unsigned shapes;     /* a bit for each bp_cell that it takes; 0: all */
  unsigned geometries; /* a bit for each bp_element_geometry; 0: stored */
  int fewest, most;    /* points per direction beyond the degree; 0 0: the bake-off's */
  bool compiled_once;
  bp_variant_option options[BP_OPTIONS_MAX];
  int options_count;
  bp_variant_size sizes[BP_SIZES_MAX];
  int sizes_count;
  char *factors;
  bp_launch launches[BP_LAUNCHES_MAX];
  int launches_count;
  unsigned own_phases; /* while a comment is read: of which phases it has had launches */
  char *scratch, *shared_traffic, *flops, *bytes; /* expressions or NULL */
  char *way;                                      /* of the operator of a scheme, or NULL */
  int requires; /* features of the architecture (architecture.h) */
  int operands
      [BP_VARIANT_OPERANDS_MAX]; /* numbers of bp_operands (operand.h), as the kernels take them */
  int operands_count;
} bp_variant;

/* Reads all headers, before any thread starts. Files in `folder` (kernel_dir.h), unless NULL, go before
 * those in the binary. BP_BAD_INPUT, with the file and the line, where a header breaks the rules. */
bp_status bp_registry_read(const char *folder);

/* One more, of a file anywhere, or one that takes the place of its namesake; headers beside it are found.
 * BP_BAD_INPUT as above. */
bp_status bp_registry_add(const char *path, const bp_variant **variant);

/* All variants, sorted by problem and name; those in the binary where nothing was read yet. */
const bp_variant *bp_variants(int *count);

/* Mixed precision is of stored factors alone. */
bool bp_variant_has_precision(const bp_variant *variant, bp_space space);

/* BP_SKIPPED: it is not made for the degree, the points or the precision, and for which. `op` may be NULL. */
bp_status bp_variant_check(const bp_variant *variant, const bp_operator *op, bp_space space);

/* "bp3.5/columns", or NULL. A file in C and one in CUDA may have one id: they are two variants. */
const bp_variant *bp_variant_find(const char *id, bp_language language);

/* Whether its kernels take an operand. */
bool bp_variant_takes(const bp_variant *variant, int operand);

/* Whether ranks can run it together: they exchange copies after one of its launches. */
bool bp_variant_is_for_ranks(const bp_variant *variant);
/* NAME-ranks, which one rank runs slower than NAME. */
/* A p alone, for levels of p-multigrid (kernels/solve/level.cu). */
bool bp_variant_is_level(const bp_variant *variant);
bool bp_variant_is_namesake(const bp_variant *variant);

/* Rungs: names for choices of CUDA variants, from the files kernels/PROBLEM/rungs. */
typedef struct {
  const char *problem, *name, *variant, *options;
} bp_rung;
extern const bp_rung bp_rungs[];
extern const int bp_rungs_count;

#endif
