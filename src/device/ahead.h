/* ahead.h -- a step as that of the last of many elements: what lies ahead of each array, what is added to
 * numbers. Of a solve the unknowns inside the elements ahead stand ahead of its own. */
#ifndef BP_DEVICE_AHEAD_H
#define BP_DEVICE_AHEAD_H

#include "device/device.h"

/* Entries of a matrix ahead of its own, whatever the elements are: more than an int counts. */
#define BP_AHEAD_ENTRIES (INT64_C(1) << 31)

/* The rows of an array and the bytes ahead of each; 0 rows: it does not grow. */
typedef struct {
  int64_t rows, missing;
} bp_ahead;

/* Of the operand's array, of so many bytes, with `before` elements ahead, a multiple of 512. */
bp_ahead bp_ahead_of(const bp_step *step, int operand, int64_t bytes, int64_t before);

/* What a value that is no array gains. */
int64_t bp_ahead_number(const bp_step *step, int operand, int64_t before);

/* Adds what they gain to the numbers of a solve's list, at `data`, or with sign -1 takes it away. Other
 * arrays stay as they are. */
void bp_ahead_move(const bp_step *step, int operand, void *data, int64_t bytes, int64_t before,
                   int sign);

#endif
