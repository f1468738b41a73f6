/* hash.h -- 128 bits that stand for a text: SipHash-2-4 under a fixed key. Good enough to name
 * files in a cache and to notice damage; no protection against somebody who wants a collision. */
#ifndef BP_BASE_HASH_H
#define BP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t word[2];
} bp_hash;

bp_hash bp_hash_bytes(const void *data, size_t size);

/* Of large data, in parallel: the hash of the hashes of its pieces, not that of the function above. */
bp_hash bp_hash_pieces(const void *data, size_t size);

static inline bool bp_hash_is_same(bp_hash a, bp_hash b)
{
  return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

/* 32 hexadecimal digits; `out` holds 33 bytes. Returns `out`. */
char *bp_hash_print(char out[33], bp_hash hash);

#endif
