/* driver.h -- what the two halves of the driver that pretends have in common. */
#ifndef FAKE_CUDA_DRIVER_H
#define FAKE_CUDA_DRIVER_H

#include "kernels.h"

enum { OK = 0, INVALID = 1, NO_CONTEXT = 201, NOT_FOUND = 500 };

#define ENTER                                                                                      \
  if (fake_broken)                                                                                 \
  return fake_broken

#endif
