/* batches.h -- a kernel on batches of elements, one after the other in each thread, so that what makes a
 * batch's u and takes its v finds them in the cache. */
#ifndef BP_DEVICE_BATCHES_H
#define BP_DEVICE_BATCHES_H

#include "device/device.h"

/* Elements are divided among as many parts as the device has threads; a part has its batches in order. */
typedef struct {
  int64_t elements; /* of a batch */
  int fields;       /* how often the kernel is applied to a batch */
  double *room;     /* for all parts, bp_batches_room */
  void *of;
  /* Writes u[e - first][k][j][i] of elements first..last-1. */
  void (*before)(void *of, int field, int64_t first, int64_t last, double *u);
  void (*after)(void *of, int field, int64_t first, int64_t last, const double *v);
} bp_batches;

/* As many elements of `nodes` nodes as the second-level cache holds well, and a kernel needs at least. */
int64_t bp_batches_elements(const bp_step *step, int64_t nodes);
int64_t bp_batches_room(const bp_device *device, const bp_batches *batches, int64_t nodes);

/* The elements of a part. */
void bp_batches_part(const bp_device *device, const bp_batches *batches, int64_t elements, int part,
                     int64_t *first, int64_t *last);

/* The step is the launch of a kernel of an operator, of the CPU. */
void bp_batches_run(bp_device *device, const bp_step *step, int64_t nodes,
                    const bp_batches *batches);

#endif
