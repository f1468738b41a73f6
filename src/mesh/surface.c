/* surface.c -- finds the elements' faces that a group's quadrilaterals lie on, by their corners. */
#include "mesh/surface.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static void sort_corners(int32_t corner[4])
{
  for (int n = 1; n < 4; ++n)
    for (int m = n; m > 0 && corner[m] < corner[m - 1]; --m) {
      int32_t swap = corner[m];
      corner[m] = corner[m - 1];
      corner[m - 1] = swap;
    }
}

static int compare_quads(const void *a, const void *b)
{
  const bp_mesh_quad *x = a, *y = b;
  for (int n = 0; n < 4; ++n)
    if (x->corner[n] != y->corner[n])
      return x->corner[n] < y->corner[n] ? -1 : 1;
  return 0;
}

/* The group's quadrilaterals, corners rising, all sorted. */
static bp_mesh_quad *sorted_quads(const bp_mesh *mesh, const bp_mesh_surface *surface)
{
  bp_mesh_quad *quads = bp_alloc((size_t)surface->count, sizeof *quads);
  memcpy(quads, mesh->quads + surface->first, (size_t)surface->count * sizeof *quads);
  for (int64_t n = 0; n < surface->count; ++n)
    sort_corners(quads[n].corner);
  qsort(quads, (size_t)surface->count, sizeof *quads, compare_quads);
  return quads;
}

/* Which nodes the group has: most faces are told apart by that. */
static bool *mark_nodes(const bp_mesh *mesh, const bp_mesh_quad *quads, int64_t count)
{
  bool *marked = bp_alloc((size_t)mesh->nodes, sizeof *marked);
  for (int64_t n = 0; n < 4 * count; ++n)
    if (quads[n / 4].corner[n % 4] >= 0)
      marked[quads[n / 4].corner[n % 4]] = true;
  return marked;
}

/* False where a corner is not in the group. */
static bool face_corners(const bp_mesh *mesh, const bool *marked, int64_t e, int f,
                         bp_mesh_quad *quad)
{
  int d = f / 2, count = 0;
  for (int c = 0; c < 8; ++c)
    if ((c >> d & 1) == (f & 1)) {
      int32_t node = bp_mesh_corner(mesh, e, c);
      if (!marked[node])
        return false;
      quad->corner[count++] = node;
    }
  sort_corners(quad->corner);
  return true;
}

static int64_t mark_faces(const bp_mesh *mesh, const bp_connectivity *connectivity,
                          const bp_mesh_surface *surface, bool *faces)
{
  bp_mesh_quad *quads = sorted_quads(mesh, surface);
  bool *marked = mark_nodes(mesh, quads, surface->count);
  int64_t found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
  for (int64_t slot = 0; slot < 6 * mesh->elements; ++slot) {
    bp_mesh_quad quad;
    if (face_corners(mesh, marked, slot / 6, (int)(slot % 6), &quad) &&
        bsearch(&quad, quads, (size_t)surface->count, sizeof quad, compare_quads)) {
      __atomic_store_n(&faces[connectivity->face[slot]], true, __ATOMIC_RELAXED);
      ++found;
    }
  }
  bp_free(quads);
  bp_free(marked);
  return found;
}

bp_status bp_surfaces_mark(const bp_mesh *mesh, const bp_connectivity *connectivity,
                           const char *const *groups, int count, bool *faces)
{
  for (int g = 0; g < count; ++g) {
    int s;
    bp_status status = bp_mesh_find_surface(mesh, groups[g], &s);
    if (status)
      return status;
    if (mark_faces(mesh, connectivity, &mesh->surfaces[s], faces) == 0)
      return bp_fail(BP_BAD_INPUT,
                     "%s: expected faces of elements in the physical group \"%s\", found none",
                     mesh->name, groups[g]);
  }
  return BP_OK;
}
