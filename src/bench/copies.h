/* copies.h -- the fastest copies from memory that this machine has shown, kept between runs: a copy far below
 * them says that other work shares the memory, however quiet the processors are. */
#ifndef BP_BENCH_COPIES_H
#define BP_BENCH_COPIES_H

#include "report/record.h"

typedef struct bp_copies bp_copies;

/* What earlier runs left in the file; NULL or a file that is not there: nothing. */
bp_copies *bp_copies_read(const char *path);

/* Notes the row's copy, and sets row->busy where it is far slower than the fastest of the same device, cache
 * mode and number of ranks and nothing else is said of it. Copies in a cache tell nothing. */
void bp_copies_judge(bp_copies *copies, bp_row *row);

/* What cannot be written is not missed. */
void bp_copies_write(const bp_copies *copies, const char *path);
void bp_copies_destroy(bp_copies *copies);

/* The file in this user's cache folder; NULL: there is no folder that nobody else may write. */
char *bp_copies_path(void);

#endif
