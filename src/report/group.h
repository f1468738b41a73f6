/* group.h -- the rows of a record sorted into what belongs in one table or one figure: the same
 * problem, mesh, device, backend and cache mode. */
#ifndef BP_REPORT_GROUP_H
#define BP_REPORT_GROUP_H

#include "report/record.h"

typedef struct {
  const bp_row **rows; /* by degree; within a degree in the order of the record */
  int64_t count;
  bool same_elements;                        /* all rows have as many elements */
  bool has_rungs, has_options, has_throttle; /* some row has them; throttle: and a reason in it */
} bp_group;

typedef struct {
  bp_group *groups; /* in the order their first rows have in the record */
  int64_t count;
} bp_groups;

/* Points into `record`. */
bp_groups bp_groups_of(const bp_record *record);
void bp_groups_destroy(bp_groups *groups);

/* Whether this is the fastest correct row of its degree, of two or more. */
bool bp_group_is_best(const bp_group *group, int64_t n);

/* "bp3.5 on cube.msh, 4,096 elements, NVIDIA H200 (cuda), hot", parts joined by `joint`. */
char *bp_group_title(const bp_group *group, const char *joint);

/* What tells rows of one degree apart: "columns elements_per_block=4", or the rung where it has
 * one. */
char *bp_row_label(const bp_row *row);

/* The same in little room: long names of options by their initials, "epb=4". */
char *bp_row_short_label(const bp_row *row);

#endif
