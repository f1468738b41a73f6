/* tasks.h -- what `bp check` checks: choices, each at some degrees.
 *
 * What was asked for is checked at every degree. Unless options were set, it is joined by the variant's other
 * choices: a second value of all options but switches at once, the same with all switches the other way, other
 * small values at one degree each, its rungs, and what the tables of `best` name. Of the degrees that they fit, rungs and second choices are checked
 * at two (where there are but two at one), the switched one at one, different ones from task to task. A variant
 * that takes other numbers of quadrature points is checked with one of them at as many. One that can compute factors
 * itself does so at two. One that is for ranks is checked with two and with three at one degree each, whatever was set,
 * unless they would need as many GPUs. */
#ifndef BP_CHECK_TASKS_H
#define BP_CHECK_TASKS_H

#include "device/device.h"
#include "registry/select.h"

typedef struct {
  bp_choice choice;
  unsigned degrees; /* a bit for each */
  bool is_other;    /* not asked for by itself */
  int beyond; /* points per direction beyond the degree; 0: what was asked for, else the bake-off's */
  int ranks; /* so many share the work; 0: one has it all */
  bp_element_geometry geometry;
} bp_check_task;

typedef struct {
  bp_check_task *items;
  int count;
} bp_check_tasks;

/* `selection` but for its problem, degree and language; `degrees`: those asked for; has_points: so were
 * numbers of quadrature points. BP_BAD_INPUT: an option out of range, a damaged table. The tasks are to be
 * destroyed in either case. */
bp_status bp_check_tasks_create(const bp_device *device, const bp_selection *selection,
                                unsigned degrees, bool has_points, bp_element_geometry geometry,
                                bp_check_tasks *tasks);
void bp_check_tasks_destroy(bp_check_tasks *tasks);

#endif
