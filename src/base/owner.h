/* owner.h -- whether others can have written a file or folder whose content will be run or believed. */
#ifndef BP_BASE_OWNER_H
#define BP_BASE_OWNER_H

#include "base/status.h"
#include <stdbool.h>

struct stat;

/* Of an open file, so that it is the same one that is read. */
typedef struct {
  unsigned user, group, mode;
} bp_owner;

bp_owner bp_owner_of(const struct stat *info);

/* NULL where only this user and root can have written it; else what was found: "one of user bob",
 * "one that others may write (mode 0777)". Free with bp_free. The group counts as others unless it is the
 * user's own (its number is the user's). */
char *bp_owner_doubt(bp_owner owner);

/* A folder held open: what is done below its path stays in it, whoever exchanges its name meanwhile. */
typedef struct {
  int descriptor;
  char *
      path; /* "/proc/self/fd/7", which leads through the descriptor, in children, too; NULL: not open */
} bp_folder;

/* Opens a folder that nobody else may write. BP_SKIPPED, with what was found, where others may;
 * BP_ENVIRONMENT where there is none or it cannot be entered. */
bp_status bp_folder_open(const char *name, bp_folder *folder);
void bp_folder_close(bp_folder *folder);

#endif
