/* nccl.h -- NVIDIA's messages between GPUs, opened at run time by the process that has the context. */
#ifndef BP_DEVICE_CUDA_NCCL_H
#define BP_DEVICE_CUDA_NCCL_H

#include "device/cuda/context.h"

typedef struct bp_nccl_comm bp_nccl_comm;

/* Opens libnccl.so.2, or what BP_NCCL in the environment names; *id: a new one, unless NULL. */
bp_cu_result bp_nccl_open(bp_nccl_id *id);

/* Together, after all have opened it, with the context current. */
bp_cu_result bp_nccl_join(const bp_nccl_id *id, int rank, int size, bp_nccl_comm **comm);
bp_cu_result bp_nccl_leave(bp_nccl_comm *comm);

/* Put on the stream, and captured with it: `count` swaps as one exchange; a sum, in place. */
bp_cu_result bp_nccl_exchange(bp_nccl_comm *comm, const bp_step *swaps, int count,
                              bp_cu_stream stream);
bp_cu_result bp_nccl_sum(bp_nccl_comm *comm, const bp_step *sum, bp_cu_stream stream);

/* Together, for contexts of this process or of others: all of the above but the steps. BP_SKIPPED on all
 * ranks, and why, where one cannot. */
bp_status bp_nccl_connect(const bp_cuda_calls *calls, bp_cuda_context *context, bp_comm *comm);

#endif
