/* msh_build.c -- from what was read to a mesh: one order for all elements, right-handed, only the
 * nodes that they use. */
#include "base/memory.h"
#include "base/text.h"
#include "mesh/lattice.h"
#include "mesh/msh/msh.h"
#include "mesh/orient.h"
#include <inttypes.h>
#include <string.h>

static void list_skipped(const bp_msh *msh, bp_mesh *mesh)
{
  mesh->skipped = bp_alloc(BP_GMSH_TYPES, sizeof *mesh->skipped);
  for (int type = 0; type < BP_GMSH_TYPES; ++type)
    if (msh->skipped[type])
      mesh->skipped[mesh->skipped_count++] = (bp_mesh_skipped){type, msh->skipped[type]};
}

void bp_msh_fail_without(bp_msh *msh, const char *what)
{
  bp_text found = {0};
  for (int type = 0; type < BP_GMSH_TYPES; ++type) {
    char name[40];
    if (msh->skipped[type])
      bp_text_appendf(&found, "%s%" PRId64 " x %s", found.length ? ", " : "", msh->skipped[type],
                      bp_gmsh_type_name(type, name));
  }
  bp_msh_fail(msh, msh->end, "expected %s in the mesh, found %s", what,
              found.length ? bp_text_string(&found) : "no elements");
  bp_text_destroy(&found);
}

/* The only kind there is, when that is a complete one; else -1. */
static int single_kind(const bp_msh *msh)
{
  int found = -1;
  for (int kind = 0; kind < BP_HEXAHEDRON_KINDS; ++kind) {
    if (msh->elements[kind].count == 0)
      continue;
    if (found >= 0 || !bp_hexahedra[kind].complete)
      return -1;
    found = kind;
  }
  return found;
}

static int highest_order(const bp_msh *msh)
{
  int order = 1;
  for (int kind = 0; kind < BP_HEXAHEDRON_KINDS; ++kind)
    if (msh->elements[kind].count && bp_hexahedra[kind].order > order)
      order = bp_hexahedra[kind].order;
  return order;
}

/* One element of order 9 among a million linear ones would make a billion nodes of a small file. */
static void check_growth(bp_msh *msh, const bp_mesh *mesh)
{
  const double always = 64e6, factor = 128;
  double nodes = (double)mesh->elements * (double)bp_mesh_element_nodes(mesh);
  double bytes = 28 * nodes, size = (double)(msh->end - msh->data);
  if ((bytes > always && bytes > factor * size) || nodes + (double)msh->nodes > INT32_MAX)
    bp_msh_fail(msh, msh->end,
                "expected elements of similar orders, found some of order %d, to which all %" PRId64
                " would have to be raised",
                mesh->order, mesh->elements);
}

/* Elements of several kinds, or of an incomplete one: all raised to the highest order. */
static void raise_elements(bp_msh *msh, bp_mesh *mesh)
{
  mesh->order = highest_order(msh);
  check_growth(msh, mesh);
  if (!bp_msh_ok(msh))
    return;
  bp_lattice lattice = {.x = msh->x, .nodes = msh->nodes, .capacity = msh->nodes_capacity};
  int64_t size = bp_mesh_element_nodes(mesh), e = 0, at[BP_HEXAHEDRON_KINDS] = {0};
  mesh->node = bp_alloc_array((size_t)(mesh->elements * size), sizeof *mesh->node);
  mesh->tag = bp_alloc_array((size_t)mesh->elements, sizeof *mesh->tag);
  for (const bp_msh_run *run = msh->runs; run < msh->runs + msh->runs_count; ++run) {
    const bp_msh_elements *from = &msh->elements[run->kind];
    int nodes = bp_hexahedra[run->kind].nodes;
    for (int64_t n = 0; n < run->count; ++n, ++e, ++at[run->kind]) {
      mesh->tag[e] = from->tag[at[run->kind]];
      bp_lattice_raise(&lattice, &bp_hexahedra[run->kind], &from->node[at[run->kind] * nodes],
                       mesh->order, &mesh->node[e * size]);
    }
  }
  mesh->x = lattice.x;
  mesh->nodes = lattice.nodes;
  bp_lattice_destroy(&lattice);
  msh->x = NULL;
}

static void take_elements(bp_msh *msh, bp_mesh *mesh)
{
  int kind = single_kind(msh);
  if (kind < 0) {
    raise_elements(msh, mesh);
    return;
  }
  mesh->order = bp_hexahedra[kind].order;
  mesh->node = msh->elements[kind].node;
  mesh->tag = msh->elements[kind].tag;
  msh->elements[kind] = (bp_msh_elements){0};
  mesh->x = msh->x;
  mesh->nodes = msh->nodes;
  msh->x = NULL;
}

/* Every element has a tag of its own; files that count them up, as most do, cost no table. */
static void check_tags(bp_msh *msh, const bp_mesh *mesh)
{
  bp_tag_map map;
  bool rising = true;
  for (int64_t e = 1; e < mesh->elements && rising; ++e)
    rising = mesh->tag[e] > mesh->tag[e - 1];
  if (rising)
    return;
  int64_t repeated = bp_tag_map_create(&map, mesh->tag, mesh->elements);
  bp_tag_map_destroy(&map);
  if (repeated >= 0)
    bp_msh_fail(msh, bp_msh_find_element(msh, mesh->tag[repeated]),
                "expected a new tag of an element, found %" PRId64 " again", mesh->tag[repeated]);
}

static void fail_orientation(bp_msh *msh, const bp_mesh *mesh, const bp_orientation *o)
{
  bp_msh_fail(msh, bp_msh_find_element(msh, mesh->tag[o->bad]),
              "element %" PRId64 ": expected a positive Jacobian at its corners, found %s",
              mesh->tag[o->bad], o->folded ? "both signs" : "zero");
}

static void make_name(const bp_msh *msh, bp_mesh *mesh)
{
  mesh->name = bp_strdup(msh->name);
  mesh->format =
      bp_format("Gmsh %d.%d %s%s", msh->version / 10, msh->version == 20 ? 2 : msh->version % 10,
                msh->bytes ? "binary" : "ASCII", msh->swap ? ", swapped" : "");
}

bp_mesh *bp_msh_build(bp_msh *msh)
{
  bp_mesh *mesh = bp_alloc(1, sizeof *mesh);
  list_skipped(msh, mesh);
  bp_msh_merge_repeated(msh);
  for (int64_t r = 0; r < msh->runs_count; ++r)
    mesh->elements += msh->runs[r].count;
  if (mesh->elements == 0) {
    bp_msh_fail_without(msh, "hexahedra");
  } else {
    take_elements(msh, mesh);
  }
  if (bp_msh_ok(msh))
    check_tags(msh, mesh);
  if (bp_msh_ok(msh)) {
    bp_msh_make_surfaces(msh, mesh);
    bp_msh_make_joined(msh, mesh);
    bp_orientation o = bp_orient(mesh);
    if (o.bad >= 0)
      fail_orientation(msh, mesh, &o);
  }
  if (!bp_msh_ok(msh)) {
    bp_mesh_destroy(mesh);
    return NULL;
  }
  bp_msh_make_blocks(msh, mesh);
  make_name(msh, mesh);
  return mesh;
}
