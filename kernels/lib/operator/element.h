/* element.h -- how many nodes and points an element has, and a plane of it. */
#ifndef BP_KERNELS_ELEMENT_H
#define BP_KERNELS_ELEMENT_H

#include "abi/gpu.h"

enum {
  NODES_2D = BP_NQ * BP_NQ,
  NODES_3D = BP_NQ * BP_NQ * BP_NQ,
  POINTS_2D = BP_NC * BP_NC,
  POINTS_3D = BP_NC * BP_NC * BP_NC
};

#endif
