/* kernel_dir.h -- the texts of kernels: those in the binary, and over them the files and headers of a
 * folder as they are now, so that editing a kernel and
 * running it needs no make. Files that are not in the binary are variants as well. */
#ifndef BP_REGISTRY_KERNEL_DIR_H
#define BP_REGISTRY_KERNEL_DIR_H

#include "registry/variant.h"

/* For bp_registry_read (variant.h). */
bp_status bp_kernel_dir_read(const char *folder);

/* For bp_registry_add: the number of its text, which is a new one or that of its namesake; whether it, or a
 * header beside it, is new or another than before. */
enum { BP_KERNEL_DIR_ADDED_MAX = 64 };
bp_status bp_kernel_dir_add(const char *path, int *number, bool *is_changed);

/* What was read, else those in the binary; it lives as long as the program. */
const bp_variant_text *bp_kernel_dir_texts(int *count);
const bp_kernel_header *bp_kernel_dir_headers(int *count);

/* The headers that `source` includes, and those that these include, each once and behind those that it
 * includes itself. Headers in the folder `except`
 * ("abi/emulated/"; NULL: none) and includes of no known header are passed over. Free with bp_free; the
 * headers themselves live on. */
const bp_kernel_header **bp_kernel_dir_included(const char *source, const char *except, int *count);

#endif
