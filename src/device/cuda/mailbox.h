/* mailbox.h -- memory of a GPU that all ranks of a host write to (kernels/abi/ranks.h). */
#ifndef BP_DEVICE_CUDA_MAILBOX_H
#define BP_DEVICE_CUDA_MAILBOX_H

#include "device/cuda/context.h"

/* Together: boxes[rank] as this context sees them, of `bytes` bytes of zeros each. BP_SKIPPED on all ranks,
 * and why, where they are on several hosts or cannot see each other's memory. */
bp_status bp_cuda_mailboxes_open(const bp_cuda_calls *calls, bp_cuda_context *context,
                                 bp_comm *comm, int64_t bytes, uint64_t *boxes);

/* Together: the result of a call of this rank becomes the status of all, BP_SKIPPED and why. */
bp_status bp_cuda_agree(bp_comm *comm, bp_cu_result result, const char *what);

/* Together, also when not all could be opened. */
void bp_cuda_mailboxes_close(const bp_cuda_calls *calls, bp_cuda_context *context, bp_comm *comm);

#endif
