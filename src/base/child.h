/* child.h -- processes that bp has started. */
#ifndef BP_BASE_CHILD_H
#define BP_BASE_CHILD_H

#include <signal.h>

/* The environment with one variable more, for a child; only the array is new, free it with bp_free. */
char **bp_environment_with(char *variable);

/* In a child that serves its parent: it ends with the parent, and what a terminal, `timeout` or a batch
 * system sends to all processes of a run is for the parent, which ends the child when it is time, by
 * BP_CHILD_ENDS. */
void bp_child_serves(void);

#ifdef BP_COVERAGE
enum { BP_CHILD_ENDS = SIGUSR2 }; /* it leaves by bp_leave */
#else
enum { BP_CHILD_ENDS = SIGKILL };
#endif

/* Of the lines that ran, in a build that counts them: to be called ahead of exec, which writes none. */
void bp_write_counts(void);

/* The same, and _exit. */
_Noreturn void bp_leave(int code);

#endif
