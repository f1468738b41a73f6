/* msh_groups.c -- the blocks of a mesh: runs of elements resolved to named physical groups.
 * Everything is sorted and searched, and lists are shared: a file may have a million groups and a
 * million runs. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The physical groups of all runs of one key: list[first..first+count-1]. */
typedef struct {
  int key, count;
  int64_t first, elements;
} set;

static int compare_ints(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int64_t sort_unique(int *values, int64_t count)
{
  int64_t kept = 0;
  if (count)
    qsort(values, (size_t)count, sizeof *values, compare_ints);
  for (int64_t n = 0; n < count; ++n)
    if (kept == 0 || values[n] != values[kept - 1])
      values[kept++] = values[n];
  return kept;
}

/* Gmsh writes a group's tag negative where the orientation of a volume is reversed. */
static int magnitude(int tag)
{
  return tag < 0 && tag > INT_MIN ? -tag : tag;
}

static int compare_entities(const void *a, const void *b)
{
  const bp_msh_entity *x = a, *y = b;
  if (x->tag != y->tag)
    return (x->tag > y->tag) - (x->tag < y->tag);
  return (x->first > y->first) - (x->first < y->first);
}

static int compare_tag_entity(const void *key, const void *entity)
{
  return compare_ints(key, &((const bp_msh_entity *)entity)->tag);
}

static int compare_key_set(const void *key, const void *item)
{
  return compare_ints(key, &((const set *)item)->key);
}

static set *find_set(set *sets, int64_t count, int key)
{
  return bsearch(&key, sets, (size_t)count, sizeof *sets, compare_key_set);
}

static set *make_sets(const bp_msh *msh, int64_t *count)
{
  int *keys = bp_alloc((size_t)msh->runs_count, sizeof *keys);
  for (int64_t r = 0; r < msh->runs_count; ++r)
    keys[r] = msh->runs[r].key;
  *count = sort_unique(keys, msh->runs_count);
  set *sets = bp_alloc((size_t)*count, sizeof *sets);
  for (int64_t s = 0; s < *count; ++s)
    sets[s].key = keys[s];
  for (int64_t r = 0; r < msh->runs_count; ++r)
    find_set(sets, *count, msh->runs[r].key)->elements += msh->runs[r].count;
  bp_free(keys);
  return sets;
}

/* The tags of the physical groups of each set, one list after the other. */
static int *list_tags(bp_msh *msh, set *sets, int64_t sets_count)
{
  int *list = bp_alloc((size_t)(sets_count + msh->physicals_count), sizeof *list);
  int64_t used = 0;
  if (msh->entities_count)
    qsort(msh->entities, (size_t)msh->entities_count, sizeof *msh->entities, compare_entities);
  for (set *s = sets; s < sets + sets_count; ++s) {
    s->first = used;
    if (!msh->by_entity && s->key)
      list[used++] = magnitude(s->key);
    const bp_msh_entity *entity = !msh->by_entity || !msh->entities
                                      ? NULL
                                      : bsearch(&s->key, msh->entities, (size_t)msh->entities_count,
                                                sizeof *entity, compare_tag_entity);
    for (int n = 0; entity && n < entity->count; ++n)
      if (msh->physicals[entity->first + n])
        list[used++] = magnitude(msh->physicals[entity->first + n]);
    s->count = (int)sort_unique(list + s->first, used - s->first);
    used = s->first + s->count;
  }
  return list;
}

static int compare_names(const void *a, const void *b)
{
  const bp_msh_name *x = a, *y = b;
  return (magnitude(x->tag) > magnitude(y->tag)) - (magnitude(x->tag) < magnitude(y->tag));
}

static int compare_tag_name(const void *key, const void *name)
{
  int tag = magnitude(((const bp_msh_name *)name)->tag);
  return compare_ints(key, &tag);
}

static void make_groups(bp_msh *msh, bp_mesh *mesh, const int *list, int64_t used)
{
  int *tags = bp_alloc((size_t)used, sizeof *tags);
  memcpy(tags, list, (size_t)used * sizeof *tags);
  mesh->groups_count = (int)sort_unique(tags, used);
  mesh->groups = bp_alloc((size_t)mesh->groups_count, sizeof *mesh->groups);
  bp_msh_name *names = bp_alloc((size_t)msh->names_count, sizeof *names);
  size_t volumes = 0; /* names of their groups */
  for (int64_t n = 0; n < msh->names_count; ++n)
    if (msh->names[n].dimension == bp_cell_dim(msh->shape) || msh->names[n].dimension < 0)
      names[volumes++] = msh->names[n];
  qsort(names, volumes, sizeof *names, compare_names);
  for (int g = 0; g < mesh->groups_count; ++g) {
    const bp_msh_name *name = bsearch(&tags[g], names, volumes, sizeof *names, compare_tag_name);
    mesh->groups[g] = (bp_mesh_group){.name = bp_strdup(name ? name->name : ""), .tag = tags[g]};
  }
  bp_free(names);
  bp_free(tags);
}

static int compare_tag_group(const void *key, const void *group)
{
  return compare_ints(key, &((const bp_mesh_group *)group)->tag);
}

/* Tags in the lists become indices of groups; both rise together. */
static void index_groups(bp_mesh *mesh, const set *sets, int64_t sets_count, int *list)
{
  for (const set *s = sets; s < sets + sets_count; ++s)
    for (int n = 0; n < s->count; ++n) {
      int *entry = &list[s->first + n];
      bp_mesh_group *group = bsearch(entry, mesh->groups, (size_t)mesh->groups_count, sizeof *group,
                                     compare_tag_group);
      group->elements += s->elements;
      *entry = (int)(group - mesh->groups);
    }
}

static bool same_groups(const bp_mesh_block *block, const int *groups, int count)
{
  enum { SHORT = 16 };
  if (block->groups_count != count)
    return false;
  return block->groups == groups ||
         (count <= SHORT && memcmp(block->groups, groups, (size_t)count * sizeof *groups) == 0);
}

/* The part of the entity; 0: none. */
static int part_of(const bp_msh *msh, int key)
{
  if (!msh->by_entity)
    return 0;
  const bp_msh_entity *entity =
      bsearch(&key, msh->entities, (size_t)msh->entities_count, sizeof *entity, compare_tag_entity);
  return entity ? entity->partition : 0;
}

/* Once entities are sorted. */
static void make_partition(const bp_msh *msh, bp_mesh *mesh)
{
  bool is_there = false;
  int64_t e = 0;
  for (int64_t n = 0; n < msh->entities_count && msh->by_entity; ++n)
    is_there = is_there || msh->entities[n].partition > 0;
  for (int64_t r = 0; r < msh->runs_count; ++r)
    is_there = is_there || msh->runs[r].part > 0;
  if (!is_there)
    return;
  mesh->partition = bp_alloc_array((size_t)mesh->elements, sizeof *mesh->partition);
  for (const bp_msh_run *run = msh->runs; run < msh->runs + msh->runs_count; ++run)
    for (int64_t n = 0, part = run->part ? run->part : part_of(msh, run->key); n < run->count; ++n)
      mesh->partition[e++] = (int32_t)part;
}

void bp_msh_make_blocks(bp_msh *msh, bp_mesh *mesh)
{
  int64_t sets_count;
  set *sets = make_sets(msh, &sets_count);
  int *list = list_tags(msh, sets, sets_count);
  const set *last = &sets[sets_count - 1];
  make_groups(msh, mesh, list, last->first + last->count);
  index_groups(mesh, sets, sets_count, list);
  mesh->block_groups = list;
  mesh->blocks = bp_alloc((size_t)msh->runs_count, sizeof *mesh->blocks);
  int64_t first = 0;
  for (int64_t r = 0; r < msh->runs_count; ++r) {
    const set *s = find_set(sets, sets_count, msh->runs[r].key);
    bp_mesh_block *block = &mesh->blocks[mesh->blocks_count];
    if (mesh->blocks_count && same_groups(block - 1, list + s->first, s->count))
      block[-1].count += msh->runs[r].count;
    else {
      *block = (bp_mesh_block){first, msh->runs[r].count, list + s->first, s->count};
      ++mesh->blocks_count;
    }
    first += msh->runs[r].count;
  }
  make_partition(msh, mesh);
  bp_free(sets);
}
