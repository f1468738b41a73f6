/* msh_entities.c -- what the file says about its elements at large: names of physical groups,
 * entities and the groups they are in, periodic pairs. */
#include "base/memory.h"
#include "base/text.h"
#include "mesh/msh/msh.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void add_name(bp_msh *msh, int dimension, int tag, const char *first, const char *last)
{
  BP_MSH_GROW(msh, names);
  msh->names[msh->names_count++] =
      (bp_msh_name){dimension, tag, bp_strndup(first, (size_t)(last - first))};
}

/* `dimension tag "name"`, or as 2.0 had it, `tag "name"`: what stands between the first quote and
 * the last of the line. */
static void take_name(bp_msh *msh)
{
  int number[2] = {-1, 0};
  number[1] = bp_msh_take_int(msh, "the dimension of a physical group");
  const char *at = bp_msh_skip_space(msh, msh->p);
  if (bp_msh_ok(msh) && at < msh->end && *at != '"') {
    number[0] = number[1];
    number[1] = bp_msh_take_int(msh, "the tag of a physical group");
    at = bp_msh_skip_space(msh, msh->p);
  }
  const char *newline = at < msh->end ? memchr(at, '\n', (size_t)(msh->end - at)) : NULL;
  newline = newline ? newline : msh->end;
  const char *last = at < newline ? memrchr(at, '"', (size_t)(newline - at)) : NULL;
  if (bp_msh_ok(msh) && (!last || *at != '"' || last == at))
    bp_msh_unexpected(msh, at, "a name between quotes");
  if (!bp_msh_ok(msh) || !last)
    return;
  add_name(msh, number[0], number[1], at + 1, last);
  msh->p = last + 1;
  while (msh->p < newline && *msh->p != '$') /* words behind it are nobody's */
    ++msh->p;
}

/* Text in binary files, too. */
void bp_msh_read_names(bp_msh *msh)
{
  bool binary = msh->binary;
  msh->binary = false;
  int64_t count = bp_msh_take_count(msh, "the number of physical names", 5, 5);
  for (int64_t n = 0; n < count && bp_msh_ok(msh); ++n)
    take_name(msh);
  msh->binary = binary;
}

/* ---- entities ---- */

static void take_box(bp_msh *msh, int dimension)
{
  int numbers = dimension == 0 && msh->version == 41 ? 3 : 6;
  for (int n = 0; n < numbers; ++n)
    bp_msh_take_double(msh, "the bounds of an entity");
}

static void take_physicals(bp_msh *msh, int dimension, int tag, int partition)
{
  bp_msh_entities *list = &msh->entities[dimension];
  bp_msh_entity entity = {.tag = tag, .partition = partition, .first = msh->physicals_count};
  int64_t count = bp_msh_take_count(msh, "the number of physical groups", 2, 4);
  for (int64_t n = 0; n < count && bp_msh_ok(msh); ++n) {
    int physical = bp_msh_take_int(msh, "the tag of a physical group");
    if (dimension < 2)
      continue;
    BP_MSH_GROW(msh, physicals);
    msh->physicals[msh->physicals_count++] = physical;
    ++entity.count;
  }
  if (dimension < 2 || !bp_msh_ok(msh))
    return;
  BP_MSH_GROW(list, items);
  list->items[list->items_count++] = entity;
}

/* Returns the first of them; 0: there is none. */
static int take_ints(bp_msh *msh, const char *what, const char *one)
{
  int first = 0;
  int64_t count = bp_msh_take_count(msh, what, 2, 4);
  for (int64_t n = 0; n < count && bp_msh_ok(msh); ++n) {
    int value = bp_msh_take_int(msh, one);
    first = n == 0 ? value : first;
  }
  return first;
}

static void take_entity(bp_msh *msh, int dimension, bool partitioned)
{
  int tag = bp_msh_take_int(msh, "the tag of an entity"), groups = dimension, partition = 0;
  if (partitioned) {
    int parent = bp_msh_take_int(msh, "the dimension of the parent entity");
    groups = parent > dimension ? 0 : dimension; /* between partitions: groups are the volume's */
    bp_msh_take_int(msh, "the tag of the parent entity");
    partition = take_ints(msh, "the number of partitions", "the tag of a partition");
  }
  take_box(msh, dimension);
  take_physicals(msh, groups, tag, partition);
  if (dimension > 0)
    take_ints(msh, "the number of bounding entities", "the tag of a bounding entity");
}

static int compare_entities(const void *a, const void *b)
{
  const bp_msh_entity *x = a, *y = b;
  if (x->tag != y->tag)
    return (x->tag > y->tag) - (x->tag < y->tag);
  return (x->first > y->first) - (x->first < y->first);
}

static int compare_tag(const void *key, const void *entity)
{
  const int tag = *(const int *)key, other = ((const bp_msh_entity *)entity)->tag;
  return (tag > other) - (tag < other);
}

const bp_msh_entity *bp_msh_find_entity(const bp_msh *msh, int dimension, int tag)
{
  const bp_msh_entities *list = &msh->entities[dimension];
  return list->items ? bsearch(&tag, list->items, (size_t)list->items_count, sizeof *list->items,
                               compare_tag)
                     : NULL;
}

static void take_entities(bp_msh *msh, bool partitioned)
{
  int64_t count[4];
  for (int d = 0; d < 4; ++d)
    count[d] = bp_msh_take_count(msh, "the number of entities", 8, 32);
  for (int d = 0; d < 4; ++d)
    for (int64_t n = 0; n < count[d] && bp_msh_ok(msh); ++n)
      take_entity(msh, d, partitioned);
  for (bp_msh_entities *list = msh->entities; list < msh->entities + 4; ++list)
    if (list->items)
      qsort(list->items, (size_t)list->items_count, sizeof *list->items, compare_entities);
}

void bp_msh_read_entities(bp_msh *msh)
{
  take_entities(msh, false);
}

void bp_msh_read_partitioned_entities(bp_msh *msh)
{
  bp_msh_take_size(msh, "the number of partitions");
  int64_t ghosts = bp_msh_take_count(msh, "the number of ghost entities", 4, 8);
  for (int64_t n = 0; n < ghosts && bp_msh_ok(msh); ++n) {
    bp_msh_take_int(msh, "the tag of a ghost entity");
    bp_msh_take_int(msh, "the tag of a partition");
  }
  take_entities(msh, true);
}

/* ---- periodic ---- */

/* The transformation: in text a line "Affine a11 ... a44" that may be missing (2.x, 4.0), in 4.1
 * and in binary a count and so many numbers. */
static void take_affine(bp_msh *msh)
{
  if (msh->version == 41 || msh->binary) {
    int64_t count = bp_msh_take_count(msh, "the number of affine coefficients", 2, 8);
    for (int64_t n = 0; n < count && bp_msh_ok(msh); ++n)
      bp_msh_take_double(msh, "an affine coefficient");
    return;
  }
  const char *at = bp_msh_skip_space(msh, msh->p);
  if (bp_msh_ok(msh) && msh->end - at > 6 && memcmp(at, "Affine", 6) == 0) {
    msh->p = at;
    bp_msh_skip_line(msh);
  }
}

static void take_link(bp_msh *msh)
{
  bp_msh_take_int(msh, "the dimension of a periodic entity");
  bp_msh_take_int(msh, "the tag of a periodic entity");
  bp_msh_take_int(msh, "the tag of its master");
  take_affine(msh);
  bool tags_are_sizes = msh->version == 41;
  int64_t pairs = bp_msh_take_count(msh, "the number of periodic nodes", 4, 8);
  for (int64_t n = 0; n < pairs && bp_msh_ok(msh); ++n) {
    int64_t tags[2];
    for (int m = 0; m < 2; ++m)
      tags[m] = tags_are_sizes ? bp_msh_take_size(msh, "the tag of a periodic node")
                               : bp_msh_take_int(msh, "the tag of a periodic node");
    BP_MSH_GROW(msh, pairs);
    msh->pairs[msh->pairs_count++] = (bp_msh_pair){tags[0], tags[1]};
  }
}

void bp_msh_read_periodic(bp_msh *msh)
{
  bool binary = msh->binary;
  msh->binary =
      binary && msh->version >= 40; /* 2.x writes this section as text in binary files, too */
  int64_t links = bp_msh_take_count(msh, "the number of periodic entities", 6, 20);
  for (int64_t n = 0; n < links && bp_msh_ok(msh); ++n)
    take_link(msh);
  msh->binary = binary;
}

static int32_t first_of(int32_t *joined, int32_t n)
{
  while (joined[n] != n)
    n = joined[n] = joined[joined[n]];
  return n;
}

/* Nodes that the file has not are nobody's. */
void bp_msh_make_joined(bp_msh *msh, bp_mesh *mesh)
{
  mesh->periodic_nodes = msh->pairs_count;
  if (msh->pairs_count == 0)
    return;
  mesh->joined = bp_alloc_array((size_t)mesh->nodes, sizeof *mesh->joined);
  for (int64_t n = 0; n < mesh->nodes; ++n)
    mesh->joined[n] = (int32_t)n;
  for (const bp_msh_pair *pair = msh->pairs; pair < msh->pairs + msh->pairs_count; ++pair) {
    int32_t a = bp_tag_map_find(&msh->map, pair->node),
            b = bp_tag_map_find(&msh->map, pair->master);
    if (a < 0 || b < 0)
      continue;
    a = first_of(mesh->joined, a);
    b = first_of(mesh->joined, b);
    mesh->joined[a > b ? a : b] = a < b ? a : b;
  }
  for (int64_t n = 0; n < mesh->nodes; ++n)
    mesh->joined[n] = first_of(mesh->joined, (int32_t)n);
}
