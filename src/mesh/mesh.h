/* mesh.h -- a mesh of hexahedra: coordinates, elements, where they came from.
 *
 * A mesh that a function of this folder returned is valid: indices in range, coordinates finite, every
 * element right-handed at its corners. */
#ifndef BP_MESH_MESH_H
#define BP_MESH_MESH_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_MESH_ORDER_MAX = 9 };

/* A physical group of the file that holds hexahedra. */
typedef struct {
  char *name; /* "" when the file gives none */
  int tag;
  int64_t elements;
} bp_mesh_group;

/* A run of elements, first..first+count-1, that are in the same physical groups. */
typedef struct {
  int64_t first, count;
  const int
      *groups; /* indices in mesh->groups, rising, groups_count of them; in mesh->block_groups */
  int groups_count;
} bp_mesh_block;

/* A physical group of the file that holds quadrilaterals: faces of elements, for boundaries. */
typedef struct {
  char *name; /* "" when the file gives none */
  int tag;
  int64_t first, count; /* in mesh->quads */
} bp_mesh_surface;

/* Its corners' nodes, in the order of the file; -1: no hexahedron uses the node. */
typedef struct {
  int32_t corner[4];
} bp_mesh_quad;

/* Elements of a type that bp does not use: surfaces, lines, tetrahedra ... */
typedef struct {
  int type; /* Gmsh's number */
  int64_t count;
} bp_mesh_skipped;

typedef struct {
  char *name;   /* the file's path as given, or what made it ("box 8x8x8") */
  char *format; /* "Gmsh 4.1 binary", "box" */

  int64_t nodes; /* only those that a hexahedron uses */
  double *x;     /* x[node][3] */

  int order; /* p, 1..9, the same for all elements: lower ones are raised, exactly */
  int64_t elements;
  int32_t
      *node; /* node[e][k][j][i], (p+1)^3 per element, i along r fastest; equispaced in (r,s,t) */
  int64_t *tag; /* tag[e], as in the file */

  int32_t *partition; /* of element e in the file, from 1 on, 0: none; NULL: the file has none */

  bp_mesh_block *blocks; /* they cover all elements in order */
  int64_t blocks_count;
  int *block_groups; /* what the blocks' `groups` point into */
  bp_mesh_group *groups;
  int groups_count;
  bp_mesh_surface *surfaces; /* by rising tag */
  int surfaces_count;
  bp_mesh_quad *quads; /* one surface after the other */
  int64_t quads_count;
  bp_mesh_skipped *skipped;
  int skipped_count;
  int64_t reoriented;     /* elements that were left-handed in the file and were turned */
  int64_t periodic_nodes; /* node pairs of periodic sections */
  int32_t *
      joined; /* joined[node]: the same number, one of theirs, for all nodes that periodic sections make
                      one, its own for others; NULL: none are joined */
  int wraps; /* of joined nodes: bit d: they are as far apart along direction d as the mesh is long; -1: some
                are apart in another way, as around an axis */
} bp_mesh;

/* Reads a Gmsh file (.msh 1.0, 2.2, 4.0, 4.1; ASCII or binary of either byte order). */
bp_status bp_mesh_read(const char *path, bp_mesh **mesh);

/* The file, or the shipped mesh of that name, and of it one group (as bp_mesh_select) unless that
 * is NULL. Only with `periodic` are nodes joined, and some have to be. */
bp_status bp_mesh_open(const char *path, const char *group, bool periodic, bp_mesh **mesh);

/* Tells (bp_tell) what a user would not expect: cells that are left out, turned elements, periodic nodes that
 * are not joined. */
void bp_mesh_tell(const bp_mesh *mesh);

/* How many cells of the file are volumes but no hexahedra: where they were is boundary. */
int64_t bp_mesh_other_cells(const bp_mesh *mesh);

/* The same as bp_mesh_read, from memory; `name` stands for it in messages. */
bp_status bp_mesh_read_bytes(const char *name, const char *data, size_t size, bp_mesh **mesh);

/* nx x ny x nz elements on [0,1]^3, numbered with x fastest; `warp` in [0,1) bends the inside smoothly,
 * 0 gives equal cubes. All elements stay right-handed for warp <= 0.9. */
bp_status bp_mesh_box(int64_t nx, int64_t ny, int64_t nz, double warp, bp_mesh **mesh);

/* The smallest box around all nodes. */
void bp_mesh_bounds(const bp_mesh *mesh, double low[3], double high[3]);

/* The index of a group by name or tag; `what` it is of stands in the message of a failure. */
bp_status bp_mesh_find_group(const bp_mesh *mesh, const char *group, const char *what, int *found);
/* The same of a surface. */
bp_status bp_mesh_find_surface(const bp_mesh *mesh, const char *group, int *found);

/* The elements of one physical group (by name, or by tag written as a number); order kept. */
bp_status bp_mesh_select(const bp_mesh *mesh, const char *group, bp_mesh **part);

/* Writes a file that Gmsh reads: version 2.2 or 4.1 (22 or 41). */
bp_status bp_mesh_write(const bp_mesh *mesh, const char *path, int version, bool binary);

void bp_mesh_destroy(bp_mesh *mesh);

/* Nodes per element, (p+1)^3. */
static inline int64_t bp_mesh_element_nodes(const bp_mesh *mesh)
{
  int64_t n = mesh->order + 1;
  return n * n * n;
}

/* The node at corner c = 4*t + 2*s + r (each 0 or 1) of element e. */
static inline int32_t bp_mesh_corner(const bp_mesh *mesh, int64_t e, int c)
{
  int64_t n = mesh->order + 1, p = mesh->order;
  int64_t i = (c & 1) * p, j = (c >> 1 & 1) * p, k = (c >> 2) * p;
  return mesh->node[((e * n + k) * n + j) * n + i];
}

/* What node n is one with; and such a node at a corner: what connectivity is made of. */
static inline int32_t bp_mesh_joined(const bp_mesh *mesh, int32_t n)
{
  return mesh->joined ? mesh->joined[n] : n;
}

static inline int32_t bp_mesh_vertex(const bp_mesh *mesh, int64_t e, int c)
{
  return bp_mesh_joined(mesh, bp_mesh_corner(mesh, e, c));
}

#endif
