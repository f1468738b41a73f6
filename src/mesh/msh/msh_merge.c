/* msh_merge.c -- elements that a file of version 1.0 or 2.x lists once for each of their physical
 * groups. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
#include <stdlib.h>
#include <string.h>

static int compare_nodes(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Whether elements a and b of a kind have the same nodes, in any order: the second may be reversed. */
static bool same_nodes(const bp_msh *msh, int kind, int64_t a, int64_t b)
{
  int nodes = bp_hexahedra[kind].nodes;
  size_t size = (size_t)nodes * sizeof(int32_t);
  int32_t first[BP_HEXAHEDRON_NODES_MAX], second[BP_HEXAHEDRON_NODES_MAX];
  int64_t difference = 0;
  memcpy(first, &msh->elements[kind].node[a * nodes], size);
  memcpy(second, &msh->elements[kind].node[b * nodes], size);
  for (int n = 0; n < nodes; ++n)
    difference += (int64_t)first[n] - second[n];
  if (difference)
    return false;
  qsort(first, (size_t)nodes, sizeof *first, compare_nodes);
  qsort(second, (size_t)nodes, sizeof *second, compare_nodes);
  return memcmp(first, second, size) == 0;
}

/* Repetitions follow each other, so they are where a run ends. */
static bool has_repeated(const bp_msh *msh)
{
  int64_t at[BP_ELEMENT_KINDS] = {0};
  for (int64_t r = 0; r < msh->runs_count; ++r) {
    const bp_msh_run *run = &msh->runs[r];
    if (r && run[-1].kind == run->kind &&
        same_nodes(msh, run->kind, at[run->kind] - 1, at[run->kind]))
      return true;
    at[run->kind] += run->count;
  }
  return false;
}

static void move_element(bp_msh *msh, int kind, int64_t from, int64_t to)
{
  bp_msh_elements *e = &msh->elements[kind];
  size_t nodes = (size_t)bp_hexahedra[kind].nodes;
  if (from == to)
    return;
  memcpy(&e->node[(size_t)to * nodes], &e->node[(size_t)from * nodes], nodes * sizeof *e->node);
  e->tag[to] = e->tag[from];
}

static bool has_groups(const bp_msh *msh, const bp_msh_entity *entity, const int *keys, int count)
{
  return entity->count == count &&
         memcmp(&msh->physicals[entity->first], keys, (size_t)count * sizeof *keys) == 0;
}

/* `count` elements that are in the groups `keys`, 0 being none: a run of an entity, which is a new one
 * unless the last has the same groups. */
static void emit(bp_msh *msh, const int *keys, int keys_count, int kind, int64_t count)
{
  bp_msh_entities *list = &msh->entities[bp_cell_dim(msh->shape)];
  int64_t last = list->items_count - 1;
  if (count == 0)
    return;
  if (last < 0 || !has_groups(msh, &list->items[last], keys, keys_count)) {
    BP_MSH_GROW(list, items);
    last = list->items_count++;
    list->items[last] = (bp_msh_entity){(int)last, keys_count, 0, msh->physicals_count};
    for (int k = 0; k < keys_count; ++k) {
      BP_MSH_GROW(msh, physicals);
      msh->physicals[msh->physicals_count++] = keys[k];
    }
  }
  bp_msh_add_run(msh, (int)last, kind, count);
}

/* The last element met, which the next one may repeat, and its groups. */
typedef struct {
  int *keys, count, kind, part;
  int64_t capacity;
} pending;

static void add_key(pending *last, int key)
{
  bp_msh_grow((void **)&last->keys, last->count, &last->capacity, sizeof *last->keys);
  last->keys[last->count++] = key;
}

static void merge_run(bp_msh *msh, const bp_msh_run *run, int64_t *read, int64_t *written,
                      pending *last)
{
  int kind = run->kind;
  int64_t count = run->count;
  if (last->count && last->kind == kind && same_nodes(msh, kind, written[kind] - 1, read[kind])) {
    add_key(last, run->key);
    ++read[kind];
    --count;
  }
  if (count == 0)
    return;
  msh->part = last->part;
  if (last->count)
    emit(msh, last->keys, last->count, last->kind, 1);
  msh->part = run->part;
  emit(msh, &run->key, 1, kind, count - 1);
  last->count = 0;
  last->kind = kind;
  last->part = run->part;
  add_key(last, run->key);
  for (; count > 0; --count)
    move_element(msh, kind, read[kind]++, written[kind]++);
}

void bp_msh_merge_repeated(bp_msh *msh)
{
  int64_t read[BP_ELEMENT_KINDS] = {0}, written[BP_ELEMENT_KINDS] = {0};
  if (msh->version >= 40 || !has_repeated(msh))
    return;
  bp_msh_run *runs = msh->runs;
  int64_t runs_count = msh->runs_count;
  pending last = {0};
  msh->runs = NULL;
  msh->runs_count = msh->runs_capacity = 0;
  msh->by_entity = true;
  for (int64_t r = 0; r < runs_count; ++r)
    merge_run(msh, &runs[r], read, written, &last);
  msh->part = last.part;
  emit(msh, last.keys, last.count, last.kind, 1);
  for (int kind = 0; kind < BP_ELEMENT_KINDS; ++kind)
    msh->elements[kind].count = written[kind];
  bp_free(runs);
  bp_free(last.keys);
}
