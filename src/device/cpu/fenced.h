/* fenced.h -- memory behind which lies a page that nobody may touch: a read there ends the process. */
#ifndef BP_DEVICE_FENCED_H
#define BP_DEVICE_FENCED_H

#include <stdint.h>

/* Aligned to 256 bytes; the page begins less than 256 bytes behind the last one. NULL: there is not as
 * much. */
void *bp_fenced_alloc(int64_t bytes);
void bp_fenced_free(void *memory);

/* As many as were asked for. */
int64_t bp_fenced_bytes(const void *memory);

#endif
