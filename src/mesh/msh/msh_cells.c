/* msh_cells.c -- elements of one shape in a Gmsh file, whatever their order: their corners. */
#include "base/memory.h"
#include "base/shipped.h"
#include "base/text.h"
#include "mesh/msh/msh.h"
#include <inttypes.h>
#include <string.h>

static const char *const names[BP_CELLS] = {[BP_HEXAHEDRON] = "hexahedra",
                                            [BP_TRIANGLE] = "triangles of order 1 to 3",
                                            [BP_QUADRILATERAL] = "quadrilaterals of order 1 to 3",
                                            [BP_TETRAHEDRON] = "tetrahedra of order 1 to 3"};

static void copy_corners(bp_msh *msh, const int32_t *node, int64_t tag, int32_t *corner)
{
  static const int of_quad[] = {0, 1, 3, 2};
  const int count = bp_cell_corners(msh->shape);
  bool is_flat = false;
  for (int c = 0; c < count; ++c) {
    corner[c] = node[msh->shape == BP_QUADRILATERAL ? of_quad[c] : c];
    for (int b = 0; b < c; ++b)
      is_flat |= corner[b] == corner[c];
  }
  if (is_flat)
    bp_msh_fail(msh, bp_msh_find_element(msh, tag),
                "element %" PRId64 ": expected %d different corners, found a node twice", tag,
                count);
}

/* Which elements are in the group; NULL: all. */
static bool *mark_group(bp_msh *msh, bp_mesh *groups, const char *group)
{
  int found;
  if (!group)
    return NULL;
  bp_msh_make_blocks(msh, groups);
  msh->status = bp_mesh_find_group(groups, group,
                                   bp_cell_dim(msh->shape) == 2 ? "surfaces" : "volumes", &found);
  bool *marks = bp_alloc((size_t)groups->elements, sizeof *marks);
  for (const bp_mesh_block *b = groups->blocks;
       bp_msh_ok(msh) && b < groups->blocks + groups->blocks_count; ++b)
    for (int g = 0; g < b->groups_count; ++g)
      if (b->groups[g] == found)
        memset(marks + b->first, 1, (size_t)b->count);
  return marks;
}

/* Of marked elements; how many. */
static int64_t list_corners(bp_msh *msh, const bool *marks, int32_t *corner)
{
  const int corners = bp_cell_corners(msh->shape);
  int64_t at[BP_ELEMENT_KINDS] = {0}, e = 0, kept = 0;
  for (const bp_msh_run *run = msh->runs; run < msh->runs + msh->runs_count; ++run) {
    const bp_msh_elements *from = &msh->elements[run->kind];
    const int nodes = bp_hexahedra[run->kind].nodes;
    for (int64_t n = 0; n < run->count && bp_msh_ok(msh); ++n, ++e, ++at[run->kind])
      if (!marks || marks[e])
        copy_corners(msh, &from->node[at[run->kind] * nodes], from->tag[at[run->kind]],
                     corner + corners * kept++);
  }
  return kept;
}

/* The elements of msh->shape, of one group unless that is NULL; NULL and a status in msh on failure. */
static bp_cells *build_cells(bp_msh *msh, const char *group)
{
  bp_mesh *groups = bp_alloc(1, sizeof *groups);
  bp_cells *cells = NULL;
  bp_msh_merge_repeated(msh);
  groups->name = bp_strdup(msh->name);
  for (int64_t r = 0; r < msh->runs_count; ++r)
    groups->elements += msh->runs[r].count;
  if (groups->elements == 0)
    bp_msh_fail_without(msh, names[msh->shape]);
  bool *marks = bp_msh_ok(msh) ? mark_group(msh, groups, group) : NULL;
  if (bp_msh_ok(msh)) {
    int32_t *corner =
        bp_alloc_array((size_t)(groups->elements * bp_cell_corners(msh->shape)), sizeof *corner);
    int64_t count = list_corners(msh, marks, corner);
    char *name = bp_format(group ? "%s, group %s" : "%s", msh->name, group);
    if (bp_msh_ok(msh))
      cells = bp_cells_create(name, msh->shape, count, corner, msh->nodes);
    bp_free(name);
    bp_free(corner);
  }
  bp_free(marks);
  bp_mesh_destroy(groups);
  return cells;
}

static bp_status close(bp_msh *msh, const char *group, bp_cells **cells)
{
  *cells = bp_msh_ok(msh) ? build_cells(msh, group) : NULL;
  bp_status status = bp_msh_close(msh);
  if (status) {
    bp_cells_destroy(*cells);
    *cells = NULL;
  }
  return status;
}

bp_status bp_cells_read_bytes(const char *name, const char *data, size_t size, const char *group,
                              bp_cell shape, bp_cells **cells)
{
  return close(bp_msh_open_bytes(name, data, size, shape), group, cells);
}

/* Hexahedra of any order are read with their geometry, which is checked. */
static bp_status read_hexahedra(const char *path, const char *group, bp_cells **cells)
{
  enum { CORNERS = 8 };
  bp_mesh *mesh = NULL;
  bp_status status = bp_mesh_open(path, group, false, &mesh);
  if (status)
    return status;
  int32_t *corner = bp_alloc_array((size_t)(CORNERS * mesh->elements), sizeof *corner);
  for (int64_t n = 0; n < CORNERS * mesh->elements; ++n)
    corner[n] = bp_mesh_corner(mesh, n / CORNERS, (int)(n % CORNERS));
  *cells = bp_cells_create(mesh->name, BP_HEXAHEDRON, mesh->elements, corner, mesh->nodes);
  bp_free(corner);
  bp_mesh_destroy(mesh);
  return BP_OK;
}

bp_status bp_cells_open(const char *path, const char *group, bp_cell shape, bp_cells **cells)
{
  *cells = NULL;
  if (shape == BP_HEXAHEDRON)
    return read_hexahedra(path, group, cells);
  char *found = bp_shipped_find("meshes", path, "", NULL);
  bp_status status =
      bp_shipped_explain("meshes", found, close(bp_msh_open(found, shape), group, cells));
  bp_free(found);
  return status;
}
