/* select.c -- the part of a mesh that is in one physical group. */
#include "base/memory.h"
#include "base/shipped.h"
#include "base/text.h"
#include "mesh/mesh.h"
#include "mesh/orient.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* By name, or else by tag; -1 when there is none. */
static int place_of(const char *const *names, const int *tags, int count, const char *group)
{
  int64_t tag;
  for (int g = 0; g < count; ++g)
    if (*group && strcmp(names[g], group) == 0)
      return g;
  for (int g = 0; bp_parse_int(group, &tag) && g < count; ++g)
    if (tags[g] == tag)
      return g;
  return -1;
}

static bp_status fail_unknown(const bp_mesh *mesh, const char *const *names, const int *tags,
                              int count, const char *group, const char *what)
{
  enum { SHOWN = 20 };
  bp_text text = {0};
  for (int g = 0; g < count && g < SHOWN; ++g)
    bp_text_appendf(&text, *names[g] ? "%s%d \"%s\"" : "%s%d%s", g ? ", " : "", tags[g], names[g]);
  if (count > SHOWN)
    bp_text_append(&text, ", ...");
  bp_status status =
      bp_fail(BP_BAD_INPUT, "%s: expected a physical group of %s (%s), found \"%s\"%s", mesh->name,
              what, count ? bp_text_string(&text) : "the mesh has none", group,
              bp_suggestion(group, names, (size_t)count));
  bp_text_destroy(&text);
  return status;
}

/* Of volumes the groups, of surfaces those. */
static bp_status find_named(const bp_mesh *mesh, bool is_surface, const char *group,
                            const char *what, int *found)
{
  const int count = is_surface ? mesh->surfaces_count : mesh->groups_count;
  const char **names = bp_alloc((size_t)count, sizeof *names);
  int *tags = bp_alloc((size_t)count, sizeof *tags);
  for (int g = 0; g < count; ++g) {
    names[g] = is_surface ? mesh->surfaces[g].name : mesh->groups[g].name;
    tags[g] = is_surface ? mesh->surfaces[g].tag : mesh->groups[g].tag;
  }
  *found = place_of(names, tags, count, group);
  bp_status status = *found < 0 ? fail_unknown(mesh, names, tags, count, group, what) : BP_OK;
  bp_free(names);
  bp_free(tags);
  return status;
}

bp_status bp_mesh_find_group(const bp_mesh *mesh, const char *group, const char *what, int *found)
{
  return find_named(mesh, false, group, what, found);
}

bp_status bp_mesh_find_surface(const bp_mesh *mesh, const char *group, int *found)
{
  return find_named(mesh, true, group, "surfaces", found);
}

static bool is_in(const bp_mesh_block *block, int group)
{
  for (int g = 0; g < block->groups_count; ++g)
    if (block->groups[g] == group)
      return true;
  return false;
}

/* All groups are kept, so that the indices in the blocks stay; those without elements are dropped
 * by nobody: they say so themselves. */
static void copy_groups(const bp_mesh *mesh, bp_mesh *part)
{
  int64_t list = 0;
  part->groups = bp_alloc((size_t)mesh->groups_count, sizeof *part->groups);
  part->groups_count = mesh->groups_count;
  for (int g = 0; g < mesh->groups_count; ++g)
    part->groups[g] = (bp_mesh_group){bp_strdup(mesh->groups[g].name), mesh->groups[g].tag, 0};
  for (int64_t b = 0; b < part->blocks_count; ++b)
    list += part->blocks[b].groups_count;
  part->block_groups = bp_alloc((size_t)list, sizeof *part->block_groups);
  list = 0;
  for (bp_mesh_block *b = part->blocks; b < part->blocks + part->blocks_count; ++b) {
    memcpy(part->block_groups + list, b->groups, (size_t)b->groups_count * sizeof *b->groups);
    b->groups = part->block_groups + list;
    list += b->groups_count;
    for (int g = 0; g < b->groups_count; ++g)
      part->groups[b->groups[g]].elements += b->count;
  }
}

static void copy_elements(const bp_mesh *mesh, int group, bp_mesh *part)
{
  int64_t size = bp_mesh_element_nodes(mesh);
  part->node = bp_alloc_array((size_t)(part->elements * size), sizeof *part->node);
  part->tag = bp_alloc_array((size_t)part->elements, sizeof *part->tag);
  part->blocks = bp_alloc((size_t)mesh->blocks_count, sizeof *part->blocks);
  if (mesh->partition)
    part->partition = bp_alloc_array((size_t)part->elements, sizeof *part->partition);
  int64_t first = 0;
  for (const bp_mesh_block *b = mesh->blocks; b < mesh->blocks + mesh->blocks_count; ++b) {
    if (!is_in(b, group))
      continue;
    memcpy(&part->node[first * size], &mesh->node[b->first * size],
           (size_t)(b->count * size) * sizeof *part->node);
    memcpy(&part->tag[first], &mesh->tag[b->first], (size_t)b->count * sizeof *part->tag);
    if (mesh->partition)
      memcpy(&part->partition[first], &mesh->partition[b->first],
             (size_t)b->count * sizeof *part->partition);
    part->blocks[part->blocks_count] = *b;
    part->blocks[part->blocks_count++].first = first;
    first += b->count;
  }
}

/* All of them: a surface without a face of the part says so where it is used. */
static void copy_surfaces(const bp_mesh *mesh, bp_mesh *part)
{
  part->surfaces = bp_alloc((size_t)mesh->surfaces_count, sizeof *part->surfaces);
  part->surfaces_count = mesh->surfaces_count;
  part->quads = bp_alloc((size_t)mesh->quads_count, sizeof *part->quads);
  part->quads_count = mesh->quads_count;
  memcpy(part->quads, mesh->quads, (size_t)mesh->quads_count * sizeof *part->quads);
  for (int s = 0; s < mesh->surfaces_count; ++s) {
    part->surfaces[s] = mesh->surfaces[s];
    part->surfaces[s].name = bp_strdup(mesh->surfaces[s].name);
  }
}

bp_status bp_mesh_select(const bp_mesh *mesh, const char *group, bp_mesh **part)
{
  int g;
  *part = NULL;
  bp_status status = bp_mesh_find_group(mesh, group, "volumes", &g);
  if (status)
    return status;
  bp_mesh *m = bp_alloc(1, sizeof *m);
  m->name = bp_format("%s, group %s", mesh->name, group);
  m->format = bp_strdup(mesh->format);
  m->order = mesh->order;
  m->elements = mesh->groups[g].elements;
  copy_elements(mesh, g, m);
  copy_groups(mesh, m);
  if (mesh->quads_count)
    copy_surfaces(mesh, m);
  m->nodes = mesh->nodes;
  m->x = bp_alloc_array((size_t)m->nodes, 3 * sizeof *m->x);
  memcpy(m->x, mesh->x, (size_t)m->nodes * 3 * sizeof *m->x);
  m->periodic_nodes = mesh->periodic_nodes;
  if (mesh->joined) {
    m->joined = bp_alloc_array((size_t)m->nodes, sizeof *m->joined);
    memcpy(m->joined, mesh->joined, (size_t)m->nodes * sizeof *m->joined);
  }
  bp_orient(m); /* everything is right-handed already; this drops the nodes of the others */
  *part = m;
  return BP_OK;
}

/* How nodes that are one lie to each other. */
static int find_wraps(const bp_mesh *mesh)
{
  double low[3], high[3];
  int wraps = 0;
  bp_mesh_bounds(mesh, low, high);
  for (int64_t n = 0; n < mesh->nodes; ++n)
    for (int d = 0; d < 3; ++d) {
      const double extent = high[d] - low[d], near = 1e-6 * extent;
      const double apart = fabs(mesh->x[3 * n + d] - mesh->x[3 * (int64_t)mesh->joined[n] + d]);
      if (apart > near && !(fabs(apart - extent) <= near))
        return -1;
      wraps |= (apart > near) << d;
    }
  return wraps;
}

static bool any_is_joined(const bp_mesh *mesh)
{
  for (int64_t n = 0; mesh->joined && n < mesh->nodes; ++n)
    if (mesh->joined[n] != n)
      return true;
  return false;
}

static bp_status join(bp_mesh *mesh, bool periodic)
{
  if (!periodic) {
    bp_free(mesh->joined);
    mesh->joined = NULL;
    return BP_OK;
  }
  if (!any_is_joined(mesh))
    return bp_fail(BP_BAD_INPUT, "%s: periodic: expected periodic nodes in the file, found none",
                   mesh->name);
  char *name = bp_format("%s, periodic", mesh->name);
  bp_free(mesh->name);
  mesh->name = name;
  mesh->wraps = find_wraps(mesh);
  return BP_OK;
}

bp_status bp_mesh_open(const char *path, const char *group, bool periodic, bp_mesh **mesh)
{
  bp_mesh *whole;
  char *found = bp_shipped_find("meshes", path, "", NULL);
  bp_status status = bp_shipped_explain("meshes", found, bp_mesh_read(found, &whole));
  *mesh = whole;
  if (!status && group) {
    status = bp_mesh_select(whole, group, mesh);
    bp_mesh_destroy(whole);
  }
  if (!status)
    status = join(*mesh, periodic);
  if (status) {
    bp_mesh_destroy(*mesh);
    *mesh = NULL;
  }
  bp_free(found);
  return status;
}
