/* problem.h -- one operator at one degree on one mesh: matrices and geometric factors. */
#ifndef BP_FEM_PROBLEM_H
#define BP_FEM_PROBLEM_H

#include "base/status.h"
#include "fem/basis.h"
#include "fem/factors.h"
#include "fem/operator.h"
#include "fem/unknowns.h"
#include "mesh/cells.h"
#include "mesh/mesh.h"

/* The factors at a quadrature point, with J = dx/d(r,s,t), W = w_i w_j w_k det J:
 *   components 0..5: W J⁻¹J⁻ᵀ at rr, rs, rt, ss, st, tt; component 6: W.   (bp3.0, bp3.5)
 *   component 0: W.                                                        (bp1.0)
 * An operator of 6 components has no W: its lambda is 0. */
struct bp_problem {
  const bp_operator *op;
  bp_space space;
  bp_basis basis;
  int64_t elements;
  double lambda;   /* >= 0; bp1.0 does not use it */
  double *factors; /* factors[e][c][k][j][i], nc per direction, i along r fastest; NULL: not kept */
  int components;  /* of these; the operator takes the first of them, as many as it has */
  bp_factory *factory; /* makes those of an element, where they are not */
  double *maps;     /* a[e][BP_MAP_TERMS][3] of random elements (fem/map.h); NULL: the mesh tells */
  int64_t distinct; /* elements that these are of; later ones repeat them; 0: all have their own */
  const bp_unknowns
      *unknowns; /* the caller's, where elements share nodes; NULL where they do not */
  int iterations; /* of a solve, steps of a wave: the most of one run of kernels; of wave2d all; else 0 */
  /* Of a gradient (fem/gradient.h): nodes of the mesh, where each of an element's is among them, and what
   * kernels get of the shape functions; 0 and NULL of any other. */
  int64_t mesh_nodes;
  int *gather;
  double *table;
};

/* Without its factors: whoever needs an element's has them made (bp_problem_element). The caller's mesh must
 * outlive the problem. Fails with BP_BAD_INPUT, naming the first such element by its tag, where the Jacobian's
 * determinant is not positive and finite at a quadrature point, or whose map is not that of the space. Parallel over
 * elements. */
bp_status bp_problem_create(const bp_operator *op, bp_space space, double lambda,
                            const bp_mesh *mesh, bp_problem **problem);

/* Of factors that are the caller's: they are read when an array of a device is filled, and not freed if
 * `factors` is NULL by the end. */
void bp_problem_of_factors(const bp_operator *op, bp_space space, double lambda, int64_t elements,
                           int components, const double *factors, bp_problem **problem);

/* For kernels alone: elements with random factors, drawn from `seed`: symmetric positive definite
 * metrics and masses, all of order 1, so that no quadrature point hides behind another. Not checked
 * against the memory available: the caller picks small counts. */
void bp_problem_random(const bp_operator *op, bp_space space, double lambda, int64_t elements,
                       uint64_t seed, bp_problem **problem);

/* A gradient on the elements of `cells`; fails where their nodes are more than an int counts. */
bp_status bp_problem_on_cells(const bp_operator *op, bp_space space, const bp_cells *cells,
                              bp_problem **problem);

/* NULL is legal. */
void bp_problem_destroy(bp_problem *problem);

/* Factors [c][k][j][i] of element e, kept or made, rounded to what the space's precision stores; the
 * thread brings a `buffer` of so many doubles. */
int64_t bp_problem_buffer(const bp_problem *problem);
const double *bp_problem_element(const bp_problem *problem, int64_t e, double *buffer);

/* The largest change of A by that rounding: |x . (A' - A) x| is at most so much of x . A x, whatever x.
 * 0: none, or the problem has no mesh. In parallel. */
double bp_problem_rounding(const bp_problem *problem);

/* What kernels that compute factors read of element e (fem/map.h), which is as many numbers as returned. */
int bp_problem_numbers(const bp_problem *problem, int64_t e, double *numbers);

/* Doubles of u, of v, and of the factors: elements * components * nc^3. Of an operator on elements u and v
 * are alike: elements * nq^3. */
int64_t bp_problem_dofs(const bp_problem *problem);
int64_t bp_problem_outputs(const bp_problem *problem);
int64_t bp_problem_factors_count(const bp_problem *problem);

/* Bytes of a problem with all its factors; INT64_MAX when they are no int64_t. */
int64_t bp_problem_bytes(const bp_operator *op, bp_space space, int64_t elements);

/* x[e - first][k][j][i][3]: the nodes of elements first..last-1. Parallel. */
void bp_problem_nodes(const bp_mesh *mesh, int degree, int64_t first, int64_t last, double *x);

/* Smallest and largest det J over the points of a Lobatto rule (corners included; NaN counts as
 * -infinity); *worst is the first element with the smallest. *volume is the integral of 1, exact
 * for the mesh's order. Parallel, the same for every number of threads. */
void bp_problem_jacobians(const bp_mesh *mesh, double *smallest, double *largest, int64_t *worst,
                          double *volume);

#endif
