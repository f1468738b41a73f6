/* cases.h -- a config's rows, expanded: what shall run, on which mesh, with which choices. */
#ifndef BP_BENCH_CASES_H
#define BP_BENCH_CASES_H

#include "config/config.h"
#include "device/plan.h"
#include "fem/bake_off.h"
#include "mesh/connectivity.h"
#include "registry/best.h"
#include "registry/select.h"

/* One operator or solve at one degree on one mesh, with all the choices that are timed against each other. */
typedef struct {
  const bp_operator *op;
  const bp_bake_off *solve; /* NULL: the operator alone, on elements that share nothing */
  double lambda;
  bp_space space;
  char *quadrature;    /* "N+3 gauss"; "" where it is the problem's own */
  int64_t box[3];      /* 0 0 0: the config's mesh file */
  int64_t target_dofs; /* what the box was made for; -1: the box or its elements were given */
  int64_t elements;
  bp_choice *choices;
  int choices_count;
} bp_case;

typedef struct {
  const bp_config *config;
  bp_device *device;
  bp_comm *comm;                        /* the device's, or bp_comm_self() */
  bp_mesh *mesh;                        /* the config's file; NULL: every case has its box */
  bp_cells *cells[BP_CELLS];            /* of gradients, their elements in that file; NULL: none */
  bp_connectivity *connectivity;        /* of it; ranks but 0 know the numbers in both alone */
  double read_seconds, connect_seconds; /* what these two took */
  bp_case *items;
  int count;
} bp_cases;

/* Rank 0 reads the mesh file, if there is one, and selects variants; config and device must
 * outlive it. Together. */
bp_status bp_cases_create(const bp_config *config, bp_device *device, bp_cases **cases);
void bp_cases_destroy(bp_cases *cases);

/* What the copy beside a case moves: as much as the case, on the CPU no more than shows its rate. */
int64_t bp_case_copy_bytes(const bp_cases *cases, int64_t bytes);

/* The n-th size that the config asks for, for this case; false when there are fewer. */
bool bp_case_size(const bp_cases *cases, int n, bp_case *of);

/* Host bytes that a case needs while it runs, all its ranks together; on the CPU with the device's. */
int64_t bp_case_bytes(const bp_cases *cases, const bp_case *c);

/* About what the device needs: its vectors, the factors in each order that the choices want, and the copy's
 * buffers. */
int64_t bp_case_device_bytes(const bp_cases *cases, const bp_case *c);

/* A new mesh of a case that has its own box; of a solve, its elements along the curve. */
bp_status bp_case_box(const bp_cases *cases, const bp_case *c, bp_mesh **mesh);

/* "bp3.5", "bp6"; and whose kernels it has: "bp3.5", "bp5". */
const char *bp_case_problem(const bp_case *c);
const char *bp_case_kernels(const bp_case *c);

/* What it asks the tables of `best` for. */
bp_best_wanted bp_case_wanted(const bp_cases *cases, const bp_case *c);

/* What the model says that one application or iteration of a choice moves, at least needs to move (of a
 * solve: its factors, and 7 numbers an unknown), and computes. */
int64_t bp_case_model_bytes(const bp_cases *cases, const bp_case *c, const bp_choice *choice);
int64_t bp_case_least_bytes(const bp_cases *cases, const bp_case *c);
int64_t bp_case_flops(const bp_cases *cases, const bp_case *c);

/* As many assembled unknowns as there will be, without any list. */
bp_unknowns bp_case_unknowns(const bp_cases *cases, const bp_case *c);

/* Of a gradient on the config's file, else NULL. */
const bp_cells *bp_case_cells(const bp_cases *cases, const bp_case *c);

/* "box 16x16x16", or the name of the mesh file; free with bp_free. */
char *bp_case_mesh_name(const bp_cases *cases, const bp_case *c);

/* False: its elements are points (fem/pair.h), or need no geometry (fem/gradient.h). */
bool bp_case_has_mesh(const bp_case *c);

/* Element nodes, E (N+1)^3; of pair and gradients, values of v. */
int64_t bp_case_nodes(const bp_case *c);

/* Compiles what all cases need, at once. */
void bp_cases_build(const bp_cases *cases);

/* Degree-N nodes that are left when elements share them, times components: fixed ones, too. */
int64_t bp_case_unique_dofs(const bp_cases *cases, const bp_case *c);

#endif
