/* tag_map.h -- from the tags of a file's nodes, which may be any numbers in any order, to
 * 0..count-1. */
#ifndef BP_MESH_MSH_TAG_MAP_H
#define BP_MESH_MSH_TAG_MAP_H

#include <stdint.h>

/* Three ways to look up, by what the tags allow: consecutive tags need no table, dense ones an
 * array by tag, sparse ones a hash table. */
typedef struct {
  int64_t first;       /* the smallest tag */
  uint64_t range;      /* tags lie in first..first+range-1; hashed: not used */
  int32_t *table;      /* NULL: consecutive. Index of a node, or -1 */
  uint64_t mask;       /* 0: table[tag - first]; else the hash table's size - 1 */
  uint64_t seed;       /* so that no file can be made to collide */
  const int64_t *tags; /* tags[count], the caller's */
} bp_tag_map;

/* -1, or the index of a tag that an earlier index has as well; then the map is not usable (but is
 * to be destroyed). `tags` must outlive the map. */
int64_t bp_tag_map_create(bp_tag_map *map, const int64_t *tags, int64_t count);
void bp_tag_map_destroy(bp_tag_map *map);

static inline uint64_t bp_tag_hash(uint64_t tag, uint64_t seed)
{
  uint64_t z = (tag ^ seed) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 31)) * 0x94d049bb133111ebu;
  return z ^ (z >> 29);
}

/* The index of a tag, or -1. */
static inline int32_t bp_tag_map_find(const bp_tag_map *map, int64_t tag)
{
  uint64_t at = (uint64_t)tag - (uint64_t)map->first;
  if (!map->table)
    return at < map->range ? (int32_t)at : -1;
  if (!map->mask)
    return at < map->range ? map->table[at] : -1;
  for (at = bp_tag_hash((uint64_t)tag, map->seed) & map->mask;; at = (at + 1) & map->mask) {
    int32_t index = map->table[at];
    if (index < 0 || map->tags[index] == tag)
      return index;
  }
}

#endif
