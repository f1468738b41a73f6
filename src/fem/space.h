/* space.h -- what a problem's unknowns and quadrature are in an element: part of everything that a kernel is
 * chosen, compiled, kept and recorded by. */
#ifndef BP_FEM_SPACE_H
#define BP_FEM_SPACE_H

#include "mesh/cell.h"
#include <stdbool.h>

typedef enum { BP_GAUSS, BP_LOBATTO } bp_rule;

/* Where kernels have an element's geometric factors from: memory; or what its map is (map.h). */
typedef enum {
  BP_STORED,
  BP_AFFINE,
  BP_TRILINEAR,
  BP_QUADRATIC,
  BP_GEOMETRIES
} bp_element_geometry;
extern const char *const bp_geometries[BP_GEOMETRIES + 1]; /* "stored", and so on, NULL */
/* Of vectors and arithmetic (real), and of factors in memory (stored): as kernels/abi/types.h counts them. */
typedef enum { BP_DOUBLE, BP_MIXED, BP_SINGLE, BP_PRECISIONS } bp_precision;
extern const char *const bp_precisions[BP_PRECISIONS + 1]; /* "double", "mixed", "single", NULL */

/* BP_GEOMETRIES, BP_PRECISIONS when there is none of that name. */
bp_element_geometry bp_geometry_find(const char *name);
bp_precision bp_precision_find(const char *name);

typedef struct {
  int degree; /* N: N+1 Lobatto nodes per direction */
  int points; /* quadrature points per direction */
  bp_rule rule;
  int fields;        /* values at a node: 1, or 3 of a vector */
  bool jacobi;       /* of a solve: the diagonal of A preconditions */
  bool double_cycle; /* whose cycle is in double */
  bool multigrid;    /* p-multigrid does (solve/multigrid.h); of its levels, too */
  bool level;        /* kernels are a level's alone (kernels/solve/level.cu) */
  bool mapped;       /* kernels take a caller's vectors (kernels/solve/mapped.cu) */
  bp_element_geometry geometry;
  bp_cell shape;
  bp_precision precision;
} bp_space;

static inline int bp_space_nodes(bp_space space)
{
  return bp_cell_count(space.shape, space.degree + 1);
}

static inline int bp_space_points(bp_space space)
{
  return bp_cell_count(space.shape, space.points);
}

/* Bytes of an item. */
static inline int bp_real_bytes(bp_space space)
{
  return space.precision == BP_SINGLE ? sizeof(float) : sizeof(double);
}

static inline int bp_stored_bytes(bp_space space)
{
  return space.precision == BP_DOUBLE ? sizeof(double) : sizeof(float);
}

static inline int bp_cycled_bytes(bp_space space)
{
  return space.double_cycle ? sizeof(double) : sizeof(float);
}

/* A vector that holds so many doubles, in reals: twice as many, unless an element has fewer nodes. */
static inline int bp_space_lanes(bp_space space, int doubles)
{
  const int nodes = (space.degree + 1) * (space.degree + 1) * (space.degree + 1);
  return doubles > 1 && space.precision == BP_SINGLE && nodes >= 2 * doubles ? 2 * doubles
                                                                             : doubles;
}

/* Most points per direction that a space may have beyond its degree; at least one: as many as nodes. */
enum { BP_POINTS_BEYOND_MAX = 5 };

/* As records have it: "" where factors are stored. */
static inline const char *bp_space_geometry(bp_space space)
{
  return space.geometry ? bp_geometries[space.geometry] : "";
}

/* The points are the nodes. */
static inline bool bp_space_is_collocated(bp_space space)
{
  return space.rule == BP_LOBATTO && space.points == space.degree + 1;
}

#endif
