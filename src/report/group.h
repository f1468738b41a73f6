/* group.h -- the rows of a record sorted into what belongs in one table or one figure: the same
 * problem with the same lambda, device, backend, cache mode and ranks, and the same mesh or meshes made for the same
 * number of DOFs. */
#ifndef BP_REPORT_GROUP_H
#define BP_REPORT_GROUP_H

#include "report/record.h"

typedef struct {
  const bp_record *record;
  const bp_row **rows; /* by degree; within a degree in the order of the record */
  int64_t count;
  char *problem;      /* bp_row_problem of them */
  bool same_elements; /* all rows have as many elements */
} bp_group;

typedef struct {
  bp_group *groups; /* in the order their first rows have in the record */
  int64_t count;
} bp_groups;

/* Points into `record`. */
bp_groups bp_groups_of(const bp_record *record);
void bp_groups_destroy(bp_groups *groups);

typedef enum {
  BP_MARK_NONE,
  BP_MARK_BEST, /* the fastest of two or more of its degree and size: bp_compare tells it from each */
  BP_MARK_TIED /* the fastest, or a row that the test does not tell from it */
} bp_mark;
bp_mark bp_group_mark(const bp_group *group, const bp_row *row);

/* What a reader must know of a row, the weightiest of: '!' throttled, 'b' slowed by other
 * work, 'w' waited, 'o' mostly
 * overhead, 'c' in cache; ' ' for nothing. */
char bp_row_flag(const bp_row *row);

/* What each means of rows, "3 rows ..."; ends with flag 0. */
typedef struct {
  char flag;
  const char *means;
} bp_flag;
extern const bp_flag bp_flags[];

/* What row->target_nodes are: nodes, or unknowns, whichever the elements bring about as many of. */
const char *bp_row_target_unit(const bp_row *row);

/* "bp3.5 on cube.msh, 4,096 elements, NVIDIA H200 (cuda), hot", parts joined by `joint`. */
char *bp_group_title(const bp_group *group, const char *joint);

/* The options of the row that vary: "pad=1 elements_per_block=4". */
void bp_group_print_options(const bp_group *group, const bp_row *row, bp_text *text);

/* What is solved or applied: "bp5", "bp5 jacobi", "bp5 lambda=0.1",
 * "bp3.0 N+3 gauss"; free with bp_free. */
char *bp_row_problem(const bp_row *row);

/* The rung or else the variant and all its options, for a row alone; free with bp_free. */
char *bp_row_label(const bp_row *row);

/* A piece of a row's options. */
typedef struct {
  const char *name, *value;
  size_t name_length, value_length;
} bp_option_text;
/* The first option of *at, which moves on to the next; false at the end. */
bool bp_option_next(const char **at, bp_option_text *option);

/* Whether lambda, the factor of the mass term, is what it is unless somebody sets it: 1 of operators, 0 of
 * solves; or the record does not tell. */
bool bp_row_has_usual_lambda(const bp_row *row);

/* Whether both are of one device, backend, cache mode and number of ranks, and of one of these as
 * well: the same mesh or meshes made for the same number of nodes; or of any ranks, of any device. */
enum { BP_SAME_PROBLEM = 1, BP_SAME_MESH = 2, BP_ANY_RANKS = 4, BP_ANY_DEVICE = 8 };
bool bp_row_is_beside(const bp_row *a, const bp_row *b, unsigned same);

#endif
