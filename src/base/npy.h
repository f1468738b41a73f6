/* npy.h -- arrays in NumPy's .npy format: little-endian, C order. */
#ifndef BP_BASE_NPY_H
#define BP_BASE_NPY_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

enum { BP_NPY_RANK_MAX = 8 };

typedef enum { BP_NPY_FLOAT64, BP_NPY_INT64, BP_NPY_UINT8 } bp_npy_type;

/* Writes data[shape[0]]...[shape[rank-1]], version 1.0, whole or not at all (see
 * bp_output_create). */
bp_status bp_npy_write(bp_npy_type type, const char *path, int rank, const int64_t *shape,
                       const void *data);

/* Reads an array of float64 (version 1, 2 or 3) that must have this shape; free *data with bp_free.
 * Anything else, also a file longer or shorter than its header says, is BP_BAD_INPUT: `path:
 * expected, found`. */
bp_status bp_npy_read(const char *path, int rank, const int64_t *shape, double **data);

/* The same from memory; `name` stands for the path. */
bp_status bp_npy_read_bytes(const char *name, const char *bytes, size_t size, int rank,
                            const int64_t *shape, double **data);

#endif
