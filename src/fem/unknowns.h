/* unknowns.h -- the assembled unknowns of a continuous space of degree N: their numbers, which of
 * them are fixed, and where the elements' copies of each lie.
 *
 * Numbering. Unknowns are the unique nodes; a vector of `components` values has component c of
 * unknown n at [c * count + n]. Let M = N - 1, S = (N+1)^3 - M^3 (nodes on an element's surface).
 *
 *   0 .. inner-1         nodes inside elements, element after element, no list needed: node (k,j,i),
 *                        1 <= i, j, k <= M, of element e is e M^3 + ((k-1) M + (j-1)) M + (i-1)
 *   inner .. faces_end-1     nodes inside faces, M^2 each
 *   faces_end .. edges_end-1 nodes inside edges, M each
 *   edges_end .. count-1     vertices
 *
 * Faces, edges and vertices stand in the order in which the elements touch them first. The nodes of
 * one face (edge) are consecutive, in the order of the element that touches it first.
 *
 * An element's surface nodes have the order m = 0..S-1, with the faces, edges and corners of
 * mesh/connectivity.h:
 *
 *   m = f M^2 + (b-1) M + (a-1)     inside face f = 2d + side: direction d at 0 (side 0) or N (side
 *                                   1); a, b in 1..M along the two other directions, a the lower
 *   m = 6 M^2 + q M + (a-1)         inside edge q = 4d + n: along d; n = bits of the two other
 *                                   coordinates (0 or N), the lower direction's bit first
 *   m = 6 M^2 + 12 M + c            corner c = 4t + 2s + r
 *
 * Elements are those of the mesh given: sort them along a curve first (mesh/curve.h). */
#ifndef BP_FEM_UNKNOWNS_H
#define BP_FEM_UNKNOWNS_H

#include "base/status.h"
#include "fem/sharing.h"
#include "mesh/connectivity.h"
#include "mesh/mesh.h"
#include <stdbool.h>
#include <stdint.h>

/* Classes of surface nodes. */
enum { BP_IN_FACE, BP_IN_EDGE, BP_AT_VERTEX, BP_SURFACE_CLASSES };

typedef struct {
  int degree;
  int surface_nodes; /* S */
  int64_t elements;  /* E */
  int64_t count;     /* unknowns, < 2^31 */
  int64_t inner;     /* E M^3 */
  int64_t faces_end, edges_end;
  int64_t fixed; /* how many of them are fixed */
  int64_t pairs; /* ordered pairs of unknowns that share an element, fixed ones too: at most so many
                        entries has a matrix */
  int32_t *ids;  /* ids[e][m]: the unknown's number, or ~number (negative) where it is fixed */
  int32_t *first;   /* first[e][class], E + 1 rows: the numbers that elements before e have used up.
                         Element e touches `id` first, and owns it, exactly if id >= first[e][class of
                         m]; those ids are first[e][class] .. first[e+1][class]-1 */
  uint32_t *starts; /* starts[s], count - inner + 1 of them; s = id - inner */
  uint32_t
      *copies; /* copies[starts[s]] .. copies[starts[s+1]-1]: e S + m of all elements' copies of
                         unknown inner + s, rising. A fixed unknown has none: a sum over its copies is
                         0. Inside faces there are at most two */
  bp_sharing
      *sharing; /* of a piece: unknowns that other ranks have, too; else NULL. Their copies there
                         are E S + n, n counted as they are received, and an unknown's copies rise
                         in the whole mesh; it is counted by the rank that has the first of them */
} bp_unknowns;

/* What is fixed: nothing, the whole boundary, or what the caller marks. */
typedef enum { BP_FIXED_NONE, BP_FIXED_BOUNDARY, BP_FIXED_FACES } bp_fixed_kind;

typedef struct {
  bp_fixed_kind kind;
  const bool *faces; /* BP_FIXED_FACES: by connectivity's ids of faces; all nodes on marked faces */
} bp_fixed;

/* Fails with BP_BAD_INPUT where there are 2^31 unknowns or 2^32 surface copies or more. Parallel;
 * the result does not depend on the number of threads. */
bp_status bp_unknowns_create(const bp_mesh *mesh, const bp_connectivity *connectivity, int degree,
                             bp_fixed fixed, bp_unknowns **unknowns);

/* Together: of a rank's piece, which must outlive them. */
bp_status bp_unknowns_create_shared(const bp_piece *piece, const bp_connectivity *connectivity,
                                    int degree, bp_fixed fixed, bp_comm *comm,
                                    bp_unknowns **unknowns);

/* `pairs` of a mesh; fewer where two faces or edges join the same vertices. */
int64_t bp_unknowns_pairs(int degree, int64_t elements, int64_t faces, int64_t edges,
                          int64_t vertices);

/* The same failures, from the number of unique nodes alone; `mesh` is its name. */
bp_status bp_unknowns_check(const char *mesh, int degree, int64_t elements, int64_t unique);

/* NULL is legal. */
void bp_unknowns_destroy(bp_unknowns *unknowns);

/* place[m], S of them: where surface node m lies in an element's array of (N+1)^3, (k nq + j) nq + i;
 * inside[n], M^3 of them: the same for the nodes inside. Either may be NULL. */
void bp_unknowns_places(int degree, int *place, int *inside);

/* numbers[e - first][k][j][i] of elements first..last-1: all nodes, fixed ones not marked. Parallel. */
void bp_unknowns_number(const bp_unknowns *unknowns, int64_t first, int64_t last, int64_t *numbers);

/* is_fixed[n], 0 or 1, for all unknowns. Parallel. */
void bp_unknowns_fixed(const bp_unknowns *unknowns, uint8_t *is_fixed);

/* x[n][3] of all unknowns: the owner's node. Parallel. */
void bp_unknowns_nodes(const bp_unknowns *unknowns, const bp_mesh *mesh, double *x);

/* local[e - first][k][j][i] = global[number] of elements first..last-1, 0 for fixed unknowns. Parallel. */
void bp_unknowns_scatter(const bp_unknowns *unknowns, int64_t first, int64_t last,
                         const double *global, double *local);

/* global = the transpose: the sum of an unknown's copies, in the order of `copies`; 0 for fixed
 * ones. Parallel, the same for every number of threads. Of a piece: together. */
void bp_unknowns_gather(const bp_unknowns *unknowns, const double *local, double *global);

/* The same in two steps, for who has no room for local values of all elements: those of elements
 * first..last-1 go into global, and on surfaces into copies[e][m]; then copies of all elements are added up. */
void bp_unknowns_keep(const bp_unknowns *unknowns, int64_t first, int64_t last, const double *local,
                      double *global, double *copies);
void bp_unknowns_add_copies(const bp_unknowns *unknowns, const double *copies, double *global);

/* Together: of what ranks share, all take the value of the one that counts it; 0 for fixed ones. */
void bp_unknowns_share(const bp_unknowns *unknowns, double *global);

/* Doubles from component to component of a device's vectors: a multiple of 16 that is not 0. */
int64_t bp_unknowns_stride(const bp_unknowns *unknowns);

/* Host bytes that bp_unknowns_create will allocate and keep, about. */
int64_t bp_unknowns_bytes(int degree, int64_t elements, int64_t unique);

#endif
