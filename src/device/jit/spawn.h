/* spawn.h -- compilers as processes: started without a fork of bp, which may be large and have threads. */
#ifndef BP_DEVICE_SPAWN_H
#define BP_DEVICE_SPAWN_H

#include <stdbool.h>

/* Runs words[0] (searched in PATH; NULL at the end) in `folder` (NULL: here) and waits for it. True when it
 * ended well. *text is what it printed, to be freed. It ends with bp, and so does all that it has started. */
bool bp_spawn(char *const words[], const char *folder, char **text);

/* First thing in main: does not return in a process that bp_spawn has started. */
void bp_spawn_become_leader(void);

/* The environment with one variable more; of the copy only the array is new. */
char **bp_environment_with(char *variable);

#endif
