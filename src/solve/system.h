/* system.h -- a bake-off problem on a mesh: the assembled operator A on its unknowns, literally:
 * scatter, the element operator's reference, gather.
 *
 * A vector holds component c of unknown n at [c * count + n]. Fixed unknowns are no unknowns of A:
 * their entries are taken as 0, and A u is 0 there. */
#ifndef BP_SOLVE_SYSTEM_H
#define BP_SOLVE_SYSTEM_H

#include "fem/bake_off.h"
#include "fem/problem.h"
#include "fem/unknowns.h"

typedef struct {
  const bp_bake_off *row;
  const bp_mesh *mesh; /* the caller's; of a rank, that of its piece */
  bp_unknowns *unknowns;
  bp_problem *problem;
  /* For whoever works on the system, a chunk of elements after the other: local[e - first][k][j][i]
   * of one component, for at most `chunk` elements. */
  int64_t chunk;
  double *local_u, *local_v;
  bp_comm *comm;   /* bp_comm_self() where one process has it all */
  bp_piece *piece; /* of a rank; else NULL */
  bool is_like;    /* the piece is another system's */
  double connect_seconds, number_seconds, geometry_seconds; /* what making it took */
} bp_system;

typedef struct {
  const bp_bake_off *row;
  bp_space
      space; /* of bp_bake_off_space, or with other points; jacobi: kernels precondition with the diagonal */
  double lambda; /* >= 0; a mass has none */
  /* Physical groups of surfaces that are fixed, by name or tag; count 0: the whole boundary where
   * the row is Dirichlet's. */
  const char *const *fixed;
  int fixed_count;
  bool all_free;  /* nothing is fixed, whatever the row says */
  int ranks;      /* that share it, each with fewer unknowns; 0: one has it all */
  int iterations; /* the most of one run of kernels; 0: 1000 */
} bp_system_options;

/* Fails with BP_BAD_INPUT for a group that the mesh has not, for a singular operator (a stiffness
 * with lambda = 0 on a connected part of the mesh with nothing fixed) and where unknowns or
 * Jacobians are refused; with BP_ENVIRONMENT where memory does not suffice. */
bp_status bp_system_create(bp_system_options options, const bp_mesh *mesh, bp_system **system);

/* The same with what is fixed as a text: "" or NULL as the row says, "none", or groups between commas. */
bp_status bp_system_create_fixed(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                                 bp_system **system);

/* Together: the part of it that a rank has. Rank 0 has the mesh, which others do not look at.
 * Fails on all ranks
 * alike. */
bp_status bp_system_distribute(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                               bp_partition_kind partition, bp_comm *comm, bp_system **system);

/* The same problem in another space, on the same mesh or piece, which must outlive it. Together. */
bp_status bp_system_create_like(const bp_system *other, bp_space space, const char *fixed,
                                bp_system **system);

/* The unknowns of the whole mesh, as a system of one rank has them. */
bp_status bp_system_number(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                           bp_unknowns **unknowns);

/* Fails where that would for what is fixed, a singular operator or too many unknowns, and allocates next to
 * nothing. */
bp_status bp_system_check_fixed(bp_system_options options, const char *fixed, const bp_mesh *mesh,
                                const bp_connectivity *connectivity);

/* NULL is legal. */
void bp_system_destroy(bp_system *system);

/* Entries of a vector: components * unknowns. */
int64_t bp_system_size(const bp_system *system);

/* The same for all ranks' unknowns: free and fixed ones; those that are fixed. */
int64_t bp_system_total(const bp_system *system);
int64_t bp_system_total_fixed(const bp_system *system);

/* v = A u. Parallel, the same for every number of threads and ranks. Together. */
void bp_system_apply(bp_system *system, const double *u, double *v);

/* Where the chunk ends that begins with element `first`. */
int64_t bp_system_chunk_end(const bp_system *system, int64_t first);

/* The diagonal of A, one component's (all are alike), 1 at fixed unknowns. Parallel. */
void bp_system_diagonal(bp_system *system, double *diagonal);

#endif
