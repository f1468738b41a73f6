/* msh_swap.h -- rewrites a binary .msh for another machine: bytes swapped, counts of another size. */
#ifndef BP_TEST_MSH_SWAP_H
#define BP_TEST_MSH_SWAP_H

#include "base/text.h"

/* `bytes` is a binary file of version 2.2 or 4.1 of this machine. Numbers are written with their bytes
 * swapped, if asked for, and counts and tags of 4.1 with `width` bytes, 4 or 8. */
void msh_swap(const char *bytes, size_t size, bool swap, int width, bp_text *out);

#endif
