/* stage.h -- one case on a device, ready for plans: its mesh, problem, input, reference and workspace. */
#ifndef BP_BENCH_STAGE_H
#define BP_BENCH_STAGE_H

#include "bench/cases.h"

typedef struct {
  bp_mesh *box; /* owned; NULL when the mesh is the config's file */
  const bp_mesh *mesh;
  bp_problem *problem;
  bp_workspace *workspace;   /* u is written */
  double *u, *v, *reference; /* v: room for a result */
} bp_stage;

/* BP_ENVIRONMENT where the host or the device has too little memory. Destroy it in any case. */
bp_status bp_stage_create(const bp_cases *cases, const bp_case *c, bp_stage *stage);
void bp_stage_destroy(bp_stage *stage);

#endif
