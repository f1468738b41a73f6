/* hash.c -- SipHash-2-4 with 128 bits of output (Aumasson and Bernstein). */
#include "base/hash.h"

#include "base/memory.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct {
  uint64_t v[4];
} state;

static uint64_t rotated(uint64_t x, int bits)
{
  return x << bits | x >> (64 - bits);
}

static void mix(state *s, int rounds)
{
  uint64_t *v = s->v;
  for (int n = 0; n < rounds; ++n) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[2] = rotated(v[2], 32);
  }
}

static void absorb(state *s, uint64_t word)
{
  s->v[3] ^= word;
  mix(s, 2);
  s->v[0] ^= word;
}

/* The last word holds what is left over and the length, as the algorithm has it. */
static uint64_t tail_of(const unsigned char *data, size_t size)
{
  uint64_t word = (uint64_t)size << 56;
  for (size_t n = size & ~(size_t)7; n < size; ++n)
    word |= (uint64_t)data[n] << 8 * (n & 7);
  return word;
}

bp_hash bp_hash_bytes(const void *data, size_t size)
{
  const uint64_t key[2] = {0x6b65726e656c7320, 0x666f722061206770};
  state s = {{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d ^ 0xee,
              key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573}};
  const unsigned char *bytes = data;
  for (size_t n = 0; n + 8 <= size; n += 8) {
    uint64_t word = 0;
    for (int b = 7; b >= 0; --b)
      word = word << 8 | bytes[n + (size_t)b];
    absorb(&s, word);
  }
  absorb(&s, tail_of(bytes, size));
  bp_hash hash;
  s.v[2] ^= 0xee;
  mix(&s, 4);
  hash.word[0] = s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
  s.v[1] ^= 0xdd;
  mix(&s, 4);
  hash.word[1] = s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
  return hash;
}

bp_hash bp_hash_pieces(const void *data, size_t size)
{
  const size_t piece = 1 << 18;
  int64_t count = (int64_t)((size + piece - 1) / piece);
  bp_hash *hashes = bp_alloc_array((size_t)count + 1, sizeof *hashes);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n) {
    size_t begin = (size_t)n * piece;
    hashes[n] =
        bp_hash_bytes((const char *)data + begin, size - begin < piece ? size - begin : piece);
  }
  bp_hash hash = bp_hash_bytes(hashes, (size_t)count * sizeof *hashes);
  bp_free(hashes);
  return hash;
}

char *bp_hash_print(char out[33], bp_hash hash)
{
  snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, hash.word[0], hash.word[1]);
  return out;
}
