/* msh_groups.c -- the blocks of a mesh: runs of elements resolved to named physical groups.
 * Everything is sorted and searched, and lists are shared: a file may have a million groups and a
 * million runs. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
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

/* Of a run's key; NULL where that is a group's tag. */
static const bp_msh_entity *entity_of(const bp_msh *msh, int key)
{
  return msh->by_entity ? bp_msh_find_entity(msh, bp_cell_dim(msh->shape), key) : NULL;
}

/* The tags of the physical groups of each set, one list after the other. */
static int *list_tags(bp_msh *msh, set *sets, int64_t sets_count)
{
  int *list = bp_alloc((size_t)(sets_count + msh->physicals_count), sizeof *list);
  int64_t used = 0;
  for (set *s = sets; s < sets + sets_count; ++s) {
    s->first = used;
    if (!msh->by_entity && s->key)
      list[used++] = bp_msh_group_tag(s->key);
    const bp_msh_entity *entity = entity_of(msh, s->key);
    for (int n = 0; entity && n < entity->count; ++n)
      if (msh->physicals[entity->first + n])
        list[used++] = bp_msh_group_tag(msh->physicals[entity->first + n]);
    s->count = (int)sort_unique(list + s->first, used - s->first);
    used = s->first + s->count;
  }
  return list;
}

static int compare_names(const void *a, const void *b)
{
  const bp_msh_name *x = a, *y = b;
  return (bp_msh_group_tag(x->tag) > bp_msh_group_tag(y->tag)) -
         (bp_msh_group_tag(x->tag) < bp_msh_group_tag(y->tag));
}

static int compare_tag_name(const void *key, const void *name)
{
  int tag = bp_msh_group_tag(((const bp_msh_name *)name)->tag);
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

static void make_partition(const bp_msh *msh, bp_mesh *mesh)
{
  const bp_msh_entities *list = &msh->entities[bp_cell_dim(msh->shape)];
  bool is_there = false;
  int64_t e = 0;
  for (int64_t n = 0; n < list->items_count; ++n)
    is_there = is_there || list->items[n].partition > 0;
  for (int64_t r = 0; r < msh->runs_count; ++r)
    is_there = is_there || msh->runs[r].part > 0;
  if (!is_there)
    return;
  mesh->partition = bp_alloc_array((size_t)mesh->elements, sizeof *mesh->partition);
  for (const bp_msh_run *run = msh->runs; run < msh->runs + msh->runs_count; ++run) {
    const bp_msh_entity *entity = entity_of(msh, run->key);
    const int part = run->part ? run->part : entity ? entity->partition : 0;
    for (int64_t n = 0; n < run->count; ++n)
      mesh->partition[e++] = part;
  }
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
