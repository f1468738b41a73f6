/* msh_surfaces.c -- quadrilaterals in physical groups of surfaces: what boundaries are named by. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
#include <stdlib.h>

void bp_msh_add_quad(bp_msh *msh, int key, const int32_t corner[4])
{
  bp_msh_quad quad = {.key = key};
  for (int n = 0; n < 4; ++n) {
    if (corner[n] < 0)
      return;
    quad.corner[n] = corner[n];
  }
  BP_MSH_GROW(msh, quads);
  msh->quads[msh->quads_count++] = quad;
}

void bp_msh_decode_quads(bp_msh *msh, int key, const char *first, int64_t count, int64_t step,
                         int64_t nodes_at, int width)
{
  for (int64_t n = 0; n < count; ++n) {
    const char *p = first + n * step + nodes_at;
    int32_t corner[4];
    for (int i = 0; i < 4; ++i)
      corner[i] = bp_tag_map_find(&msh->map, bp_msh_load_int(p + i * width, width, msh->swap));
    bp_msh_add_quad(msh, key, corner);
  }
}

/* Quadrilateral `quad` is in group `tag`. */
typedef struct {
  int tag;
  int64_t quad;
} member;

typedef struct {
  member *items;
  int64_t count, capacity;
} members;

static int compare_members(const void *a, const void *b)
{
  const member *x = a, *y = b;
  if (x->tag != y->tag)
    return (x->tag > y->tag) - (x->tag < y->tag);
  return (x->quad > y->quad) - (x->quad < y->quad);
}

/* 0 is no group. */
static void add_member(members *all, int tag, int64_t quad)
{
  if (tag == 0)
    return;
  bp_msh_grow((void **)&all->items, all->count, &all->capacity, sizeof *all->items);
  all->items[all->count++] = (member){bp_msh_group_tag(tag), quad};
}

static members list_members(bp_msh *msh)
{
  members all = {0};
  for (int64_t q = 0; q < msh->quads_count; ++q) {
    const int key = msh->quads[q].key;
    if (msh->version < 40)
      add_member(&all, key, q);
    const bp_msh_entity *e = msh->version < 40 ? NULL : bp_msh_find_entity(msh, 2, key);
    for (int n = 0; e && n < e->count; ++n)
      add_member(&all, msh->physicals[e->first + n], q);
  }
  if (all.count)
    qsort(all.items, (size_t)all.count, sizeof *all.items, compare_members);
  return all;
}

static const char *name_of(const bp_msh *msh, int tag)
{
  for (int64_t n = 0; n < msh->names_count; ++n) {
    const bp_msh_name *name = &msh->names[n];
    if ((name->dimension == 2 || name->dimension < 0) && (name->tag == tag || name->tag == -tag))
      return name->name;
  }
  return "";
}

void bp_msh_make_surfaces(bp_msh *msh, bp_mesh *mesh)
{
  members all = list_members(msh);
  int64_t capacity = 0;
  mesh->quads = bp_alloc((size_t)all.count, sizeof *mesh->quads);
  mesh->quads_count = all.count;
  for (int64_t n = 0; n < all.count; ++n) {
    memcpy(mesh->quads[n].corner, msh->quads[all.items[n].quad].corner, sizeof mesh->quads->corner);
    if (n == 0 || all.items[n].tag != all.items[n - 1].tag) {
      int tag = all.items[n].tag;
      bp_msh_grow((void **)&mesh->surfaces, mesh->surfaces_count, &capacity,
                  sizeof *mesh->surfaces);
      mesh->surfaces[mesh->surfaces_count++] =
          (bp_mesh_surface){.name = bp_strdup(name_of(msh, tag)), .tag = tag, .first = n};
    }
    ++mesh->surfaces[mesh->surfaces_count - 1].count;
  }
  bp_free(all.items);
}
