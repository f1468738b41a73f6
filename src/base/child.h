/* child.h -- processes that bp has forked. */
#ifndef BP_BASE_CHILD_H
#define BP_BASE_CHILD_H

/* In a child that serves its parent: it ends with the parent, and what a terminal, `timeout` or a batch
 * system sends to all processes of a run is for the parent, which ends the child when it is time. */
void bp_child_serves(void);

/* Of the lines that ran, in a build that counts them: to be called ahead of _exit and exec, which write
 * none. */
void bp_write_counts(void);

#endif
