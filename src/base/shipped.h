/* shipped.h -- files that come with bp, found from anywhere: in PREFIX/share/bp of an installed program,
 * in the source tree of one that was built there. */
#ifndef BP_BASE_SHIPPED_H
#define BP_BASE_SHIPPED_H

#include "base/status.h"

/* Where the program lies; NULL: there is none. This process is it, unless bp_program_is was called first, as
 * by the library in another program. */
const char *bp_program(void);
void bp_program_is(const char *path);

/* The file that `path` means: in the folder `first`, else in `second` (NULL: none), else shipped as `path`
 * or as kind/path ("meshes", "configs"). Folders end with '/' or are "". Where there is none, what it
 * would be in `first`. Free with bp_free. */
char *bp_shipped_find(const char *kind, const char *path, const char *first, const char *second);

/* What opening `path` came to; a file that is not there is said to be none of the shipped, either, and
 * where these are. */
bp_status bp_shipped_explain(const char *kind, const char *path, bp_status status);

/* What lies in lib/bp of an installed program; NULL: nothing of that name. Free with bp_free. */
char *bp_shipped_library(const char *name);

#endif
