/* cases.h -- a config's rows, expanded: what shall run, on which mesh, with which choices. */
#ifndef BP_BENCH_CASES_H
#define BP_BENCH_CASES_H

#include "registry/best.h"
#include "registry/select.h"
#include "work/work.h"

typedef struct {
  const bp_config *config;
  bp_device *device;
  bp_comm *comm;                        /* the device's, or bp_comm_self() */
  bp_mesh *mesh;                        /* the config's file; NULL: every case has its box */
  int64_t *former;                      /* of it, where it was sorted; else NULL */
  bp_cells *cells[BP_CELLS];            /* of gradients, their elements in that file; NULL: none */
  bp_connectivity *connectivity;        /* of it; ranks but 0 know the numbers in both alone */
  double read_seconds, connect_seconds; /* what these two took */
  bp_case *items;
  int count;
  bool is_tuned;
} bp_cases;

/* Rank 0 reads the mesh file, if there is one, and selects variants, is_tuned as in bp_selection; config and
 * device must outlive it. Together. */
bp_status bp_cases_create(const bp_config *config, bp_device *device, bool is_tuned,
                          bp_cases **cases);
void bp_cases_destroy(bp_cases *cases);

/* The n-th size that the config asks for, for this case; false when there are fewer. */
bool bp_case_size(const bp_cases *cases, int n, bp_case *of);

/* What it asks the tables of `best` for. */
bp_best_wanted bp_case_wanted(const bp_cases *cases, const bp_case *c);

/* Whether the config asks for hot or cold rows. */
bool bp_cases_have(const bp_cases *cases, bool cold);

/* Compiles what all cases need, at once. */
void bp_cases_build(const bp_cases *cases);

#endif
