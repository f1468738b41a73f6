/* kernels.h -- what the driver that pretends (cuda.c) knows of its kernels. */
#ifndef FAKE_CUDA_KERNELS_H
#define FAKE_CUDA_KERNELS_H

#include "device/cuda/driver.h"
#include <stdbool.h>

enum { FAKE_OPERANDS_MAX = 16 };

/* A launch: the arguments of BP_PARAMETERS (kernels/abi/gpu.h), of the standard operands, blocks, threads of
 * a block; operands as they came, for kernels of others. */
typedef struct {
  int elements, degree;
  double lambda, *I, *D, *factors, *u, *v, *scratch;
  unsigned grid, threads;
  bp_cu_stream stream;
  uint64_t operands[FAKE_OPERANDS_MAX];
} fake_call;

typedef struct {
  const char *name;
  void (*run)(const fake_call *);
} fake_kernel;

/* NULL when there is none of that name. */
const fake_kernel *fake_kernel_find(const char *name);

enum { FAKE_ILLEGAL_ADDRESS = 700 };
extern bp_cu_result fake_broken; /* the error that ended everything, 0 while all is well */
extern bool fake_is_to_break;    /* when memory is next asked for */

/* The device's own clock, in seconds: launches and copies move it on, the machine's load does not. */
extern double fake_clock;

#endif
