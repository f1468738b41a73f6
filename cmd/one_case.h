/* one_case.h -- what `bp apply` and `bp solve` share: one case from the command line, set up, and its
 * arrays as .npy files. */
#ifndef BP_CMD_ONE_CASE_H
#define BP_CMD_ONE_CASE_H

#include "bench/cases.h"
#include "cli/command.h"

typedef struct {
  const char *command;     /* for messages: "bp solve" */
  const char *prefix;      /* of the files' names; NULL: none are written */
  bool needs_no_files;     /* that is well */
  const bp_config *config; /* the caller's, as the next two; checked */
  bp_device *device;       /* of a CPU where nothing runs on it */
  bool is_literal;         /* no kernel at all */
  bp_cases *cases;
  const bp_case *c;
  const bp_choice *choice; /* NULL where is_literal */
  bp_stage *stage;
} bp_one_case;

/* Whether the arguments name one problem, degree and mesh, and where files go. BP_BAD_INPUT: they do not. */
bp_status bp_one_case_check(const bp_one_case *one);

/* Finds the case, and sets it up. To be destroyed in any case. Together. */
bp_status bp_one_case_find(bp_one_case *one);
bp_status bp_one_case_begin(bp_one_case *one, bp_stage_options options);
void bp_one_case_destroy(bp_one_case *one);

bool bp_one_case_prints(const bp_one_case *one);

/* One line on the problem, its mesh and its unknowns, to standard output. */
void bp_one_case_print(const bp_one_case *one);

/* "two-kernel stages=2", "reference"; free with bp_free. */
char *bp_one_case_variant(const bp_one_case *one);

/* Arrays become PREFIX-NAME.npy, which standard output tells; of any process. */
bp_files bp_one_case_files(const bp_one_case *one);

#endif
