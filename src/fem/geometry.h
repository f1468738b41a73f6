/* geometry.h -- the map x(r,s,t) of each element, of the mesh's own order, and its derivatives at a
 * grid of points. */
#ifndef BP_FEM_GEOMETRY_H
#define BP_FEM_GEOMETRY_H

#include "fem/quadrature.h"
#include "mesh/mesh.h"

/* The one-dimensional matrices of the map, made once and shared by all threads: row length p+1. */
typedef struct {
  int order; /* p of the mesh */
  int n;     /* points per direction */
  double points[BP_POINTS_MAX];
  double value[BP_POINTS_MAX * (BP_MESH_ORDER_MAX + 1)]; /* value[point][node] */
  double slope[BP_POINTS_MAX * (BP_MESH_ORDER_MAX + 1)]; /* its derivative */
} bp_geometry;

void bp_geometry_create(bp_geometry *geometry, int order, int n, const double *points);

/* Doubles that a thread has to bring as `scratch` below. */
int64_t bp_geometry_scratch(const bp_geometry *geometry);

/* x[c][k][j][i], c = x, y, z: element e's map at the n^3 points. */
void bp_geometry_positions(const bp_geometry *geometry, const bp_mesh *mesh, int64_t e,
                           double *scratch, double *x);

/* J[d][c][k][j][i] = dx_c/dr_d of element e at the n^3 points. Differences of coordinates are taken
 * from the element's first node, so that elements far from the origin lose nothing. */
void bp_geometry_jacobians(const bp_geometry *geometry, const bp_mesh *mesh, int64_t e,
                           double *scratch, double *J);

/* det J at point q of `points`, from the array above. */
static inline double bp_geometry_determinant(const double *J, int64_t points, int64_t q)
{
  const double *r = J + q, *s = r + 3 * points, *t = s + 3 * points;
  int64_t y = points, z = 2 * points;
  return r[0] * (s[y] * t[z] - s[z] * t[y]) + r[y] * (s[z] * t[0] - s[0] * t[z]) +
         r[z] * (s[0] * t[y] - s[y] * t[0]);
}

#endif
