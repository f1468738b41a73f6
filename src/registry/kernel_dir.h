/* kernel_dir.h -- the texts of kernels: those in the binary, or, with BP_KERNEL_DIR=kernels in the
 * environment, CUDA files and headers as they are in that folder now, so that editing a kernel and
 * running it needs no make. Files that are not in the binary are variants as well. */
#ifndef BP_REGISTRY_KERNEL_DIR_H
#define BP_REGISTRY_KERNEL_DIR_H

#include "registry/variant.h"

/* Called before any thread starts, the first one once; what they return lives as long as the program. A file
 * that cannot be read or does not begin as it must ends the program with its name and what was expected. */
const bp_variant_text *bp_kernel_dir_texts(int *count);
const bp_kernel_header *bp_kernel_dir_headers(int *count);

/* The headers that `source` includes, and those that these include, each once and behind those that it
 * includes itself. Headers in the folder `except`
 * ("abi/emulated/"; NULL: none) and includes of no known header are passed over. Free with bp_free; the
 * headers themselves live on. */
const bp_kernel_header **bp_kernel_dir_included(const char *source, const char *except, int *count);

#endif
