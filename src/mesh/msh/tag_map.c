/* tag_map.c -- tags to indices: consecutive, dense or hashed. */
#include "mesh/msh/tag_map.h"

#include "base/memory.h"
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

enum { DENSE = 8 }; /* a table by tag may have so many entries per tag */

static int64_t fill_dense(bp_tag_map *map, int64_t count)
{
  map->table = bp_alloc_array(map->range, sizeof *map->table);
  memset(map->table, 0xff, map->range * sizeof *map->table);
  for (int64_t n = 0; n < count; ++n) {
    int32_t *entry = &map->table[(uint64_t)map->tags[n] - (uint64_t)map->first];
    if (*entry >= 0)
      return n;
    *entry = (int32_t)n;
  }
  return -1;
}

static int64_t fill_hash(bp_tag_map *map, int64_t count)
{
  uint64_t size = 16;
  while (size < 2 * (uint64_t)count)
    size *= 2;
  map->mask = size - 1;
  if (getrandom(&map->seed, sizeof map->seed, GRND_NONBLOCK) < 0)
    map->seed = (uint64_t)(uintptr_t)map;
  map->table = bp_alloc_array(size, sizeof *map->table);
  memset(map->table, 0xff, size * sizeof *map->table);
  for (int64_t n = 0; n < count; ++n) {
    uint64_t at = bp_tag_hash((uint64_t)map->tags[n], map->seed) & map->mask;
    for (; map->table[at] >= 0; at = (at + 1) & map->mask)
      if (map->tags[map->table[at]] == map->tags[n])
        return n;
    map->table[at] = (int32_t)n;
  }
  return -1;
}

int64_t bp_tag_map_create(bp_tag_map *map, const int64_t *tags, int64_t count)
{
  *map = (bp_tag_map){.tags = tags};
  if (count == 0)
    return -1;
  int64_t smallest = tags[0], largest = tags[0];
  bool consecutive = true;
  for (int64_t n = 1; n < count; ++n) {
    consecutive &= (uint64_t)tags[n] - (uint64_t)tags[0] == (uint64_t)n;
    smallest = tags[n] < smallest ? tags[n] : smallest;
    largest = tags[n] > largest ? tags[n] : largest;
  }
  map->first = smallest;
  map->range = (uint64_t)largest - (uint64_t)smallest;
  if (consecutive) {
    map->range = (uint64_t)count;
    return -1;
  }
  if (map->range / DENSE > (uint64_t)count)
    return fill_hash(map, count);
  ++map->range;
  return fill_dense(map, count);
}

void bp_tag_map_destroy(bp_tag_map *map)
{
  bp_free(map->table);
  *map = (bp_tag_map){0};
}
