/* architecture.h -- what NVIDIA's architectures have, in one table: bp asks for features, not for numbers.
 *
 * Headers of kernels name what they need (`requires: mma`); kernels get BP_HAS_... of each (abi/gpu.h); `best`
 * takes rows of a device's class, which is how copies come and how much shared memory a block may have. */
#ifndef BP_REGISTRY_ARCHITECTURE_H
#define BP_REGISTRY_ARCHITECTURE_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum {
  BP_HAS_ASYNC = 1,       /* copies of 16 bytes to shared memory, barriers that count arrivals */
  BP_HAS_MMA = 2,         /* FP64 tiles 8x8x4 on the tensor cores */
  BP_HAS_L2_POLICIES = 4, /* loads with a policy */
  BP_HAS_BULK = 8,        /* bulk copies, barriers that count bytes, dependent launches */
  BP_HAS_MMA_16 = 16      /* FP64 tiles 16x8x4 to 16x8x16 */
} bp_feature;

typedef struct {
  int sm;        /* 90 for sm_90: the first with these */
  int features;  /* of bp_feature */
  int shared_kb; /* of a block at most */
  int fp64;      /* of FP32 operations one in so many */
} bp_architecture;

extern const bp_architecture bp_architectures[];
extern const int bp_architectures_count;

/* The newest row that is not newer; the first for what is older than all. */
const bp_architecture *bp_architecture_of(int sm);

/* "sm_90"; BP_BAD_INPUT, where `place` stands first: "expected a name such as sm_90, found ...". */
bp_status bp_architecture_read(const char *place, const char *name, int *sm);

/* A feature that headers ask for: async, mma, bulk, or none, which is 0; false for another word. */
bool bp_feature_find(const char *name, int *feature);
/* The first of these that the architecture has not, "" if it has all. */
const char *bp_feature_lacking(int features, int sm);

/* "async:163" */
enum { BP_CLASS_MAX = 24 };
const char *bp_architecture_class(char text[BP_CLASS_MAX], int sm);

/* "-DBP_HAS_ASYNC=1" of each feature; returns how many, to be freed each. */
enum { BP_FEATURES = 5 };
int bp_architecture_defines(int sm, char *defines[BP_FEATURES]);

#endif
