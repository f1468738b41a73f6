/* terminal.h -- what a person sees of a long command: progress and messages on stderr; and the signals that
 * end it early, with what is finished kept. */
#ifndef BP_CMD_TERMINAL_H
#define BP_CMD_TERMINAL_H

#include "bench/events.h"
#include <stdio.h>

/* fprintf for text from files, the environment or the command line: what a terminal would obey is shown
 * instead (base/safe.h). */
void bp_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* On a terminal progress is one line that changes; elsewhere a line every half minute. */
bp_events bp_terminal_events(void);

/* From here on SIGINT, SIGTERM, SIGUSR1 and SIGHUP (unless nohup has it ignored) set bp_events.interrupted; a
 * second one ends the program at once. */
void bp_terminal_catch(void);
void bp_terminal_release(void);

/* For BP_INTERRUPTED the status of the signal that came; any other as it is. */
bp_status bp_terminal_status(bp_status status);

#endif
