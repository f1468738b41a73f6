/* status.h -- how a function says that it failed, and why.
 *
 * A failure caused by the user or by the machine is a status plus one message of the form
 * `place: expected ..., found ...`. It is raised where it is known, passed up unchanged, and
 * printed once, by cmd/. A failure caused by a bug in bp is an assertion, and those are always on.
 */
#ifndef BP_BASE_STATUS_H
#define BP_BASE_STATUS_H

#include <stdbool.h>

/* The values are the program's exit codes. */
typedef enum {
  BP_OK = 0,
  BP_WRONG = 1,       /* a result is wrong */
  BP_BAD_INPUT = 2,   /* arguments, a config, a mesh, a record */
  BP_ENVIRONMENT = 3, /* no GPU, no memory, a file that cannot be written, a compiler that fails */
  BP_REGRESSION = 4,  /* `bp compare` found one */
  BP_SKIPPED = 5,     /* cannot be had here, and why: no failure, and never an exit code */
  BP_HUNG_UP = 129,   /* ended early by SIGHUP, SIGINT, SIGUSR1, SIGTERM */
  BP_INTERRUPTED = 130,
  BP_WARNED = 138, /* as batch systems do ahead of the end */
  BP_TERMINATED = 143
} bp_status;

/* Keeps the message for bp_message() of this thread, replacing the last one; returns `status`. What a
 * terminal would obey in it is made visible (base/safe.h), so names and texts of files may be put in as they are. */
bp_status bp_fail(bp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts `place: ` before the message kept, for the caller who knows the file; returns `status`. */
bp_status bp_fail_at(bp_status status, const char *place);

/* The last message of this thread, without a newline at its end; "" when none was raised. */
const char *bp_message(void);

/* What the library says that is no failure: a line, each once. Nobody hears it without bp_listen.
 * What a terminal would obey is made visible. */
void bp_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Where the library cannot go on, as without memory: `end` of bp_listen is told why and ends the
 * program; without one it aborts. */
_Noreturn void bp_end(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* To be called first of all. */
typedef void bp_listener(const char *line);
void bp_listen(bp_listener *hear, bp_listener *end);

/* The same in this thread alone, each time, while a library's caller listens; hear NULL: nobody. */
void bp_listen_here(void (*hear)(void *of, const char *line), void *of);

/* A bug in bp: prints the condition and its place, and aborts. */
#define BP_ASSERT(condition)                                                                       \
  ((condition) ? (void)0 : bp_assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void bp_assert_failed(const char *condition, const char *file, int line);

#endif
