/* file.h -- whole files: mapped to be read, written completely or not at all. */
#ifndef BP_BASE_FILE_H
#define BP_BASE_FILE_H

#include "base/owner.h"
#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file mapped read-only. `data` is followed by no '\0'; it is "" for an empty file. */
typedef struct {
  const char *data;
  size_t size;
  bp_owner owner;
  struct bp_file_guard *guard; /* file_guard.h; NULL for an empty file */
} bp_file;

/* BP_BAD_INPUT, with the path in the message, for what cannot be opened or is not a regular file.
 */
bp_status bp_file_map(const char *path, bp_file *file);
void bp_file_unmap(bp_file *file);

/* Another process may cut the file while it is mapped; what is lost reads as zeros. Readers ask this once
 * they have read all: BP_BAD_INPUT, `path: expected a file that stays as it is ...`, when it happened. */
bp_status bp_file_check(const bp_file *file, const char *path);

/* False only where the path or a folder of it does not exist. */
bool bp_file_is_there(const char *path);

/* The beginning of a small file of the system (/proc, /sys) as text, as much as fits; "" where there is none.
 * Takes no memory: what a machine is called must not depend on how much of it is free. */
void bp_file_peek(const char *path, char *text, size_t size);

/* BP_BAD_INPUT, naming the option or key `place`, where it is a regular file that is not empty. */
bp_status bp_file_check_new(const char *path, const char *place);

/* The folders that `path` lies in, as far as they are missing, for this user alone. BP_ENVIRONMENT, with the
 * folder and the reason. */
bp_status bp_file_create_folders(const char *path);

/* Writing: bytes go to a temporary file beside `path`, which takes its place only on a finish
 * without any error, so a reader sees the old file or the whole new one. `path` NULL or "-" is
 * standard output. Fails with BP_ENVIRONMENT (a full disk, no permission, a closed pipe). */
typedef struct bp_output bp_output;
bp_status bp_output_create(const char *path, bp_output **output);
FILE *bp_output_stream(bp_output *output);
/* Whether bp_output_create would succeed: what takes long asks before it begins. */
bp_status bp_output_check(const char *path);
/* Flushes, checks, renames; frees `output` in every case. */
bp_status bp_output_finish(bp_output *output);
/* bp_message() of a finish where nobody reads standard output any more. */
const char *bp_output_closed_pipe(void);
/* Drops what was written; NULL is legal. */
void bp_output_destroy(bp_output *output);

#endif
