/* work.h -- kinds of problems as rows: elements alone, solves, waves, gradients, pairs. Whoever runs,
 * solves, applies or checks a problem describes it as a case, sets it up as a stage, and goes through the
 * row of its kind; nothing else asks which kind it is. */
#ifndef BP_WORK_WORK_H
#define BP_WORK_WORK_H

#include "base/hash.h"
#include "base/npy.h"
#include "config/config.h"
#include "device/plan.h"
#include "fem/bake_off.h"
#include "mesh/connectivity.h"
#include "solve/multigrid.h"
#include "solve/system.h"

typedef struct bp_kind bp_kind;

/* ---- a case: nothing of it is made yet ---- */

/* One problem at one degree on one mesh, with all the choices that are used for it. */
typedef struct {
  const bp_kind *kind;
  const bp_operator *op;
  const bp_bake_off *solve; /* of solves and waves; NULL: elements share no unknowns */
  double lambda;
  bp_space space;
  char *quadrature;    /* "N+3 gauss"; "" where it is the problem's own */
  int64_t box[3];      /* 0 0 0: a mesh file */
  int64_t target_dofs; /* what the box was made for; -1: the box or its elements were given */
  int64_t elements;
  /* The caller's, of a file. Ranks but 0 know the names and numbers in the first two alone. */
  const bp_mesh *mesh;
  const bp_connectivity *connectivity;
  const int64_t *former; /* former[e]: where element e stands in the file; NULL: there */
  const bp_cells *cells; /* a gradient's elements; NULL: a mesh of its own */
  bool is_refined; /* a solve in single precision to a tolerance, within iterations in double */
  bp_choice *choices;
  int choices_count;
} bp_case;

bp_element_geometry bp_case_geometry(const bp_config *config);

/* Of a problem at a degree, with `beyond` points (0: its own), without size and choices. */
bp_case bp_case_of(const bp_config *config, const char *problem, int degree, int beyond);

/* "bp3.5", "bp6"; and whose kernels it has: "bp3.5", "bp5". */
const char *bp_case_problem(const bp_case *c);
const char *bp_case_kernels(const bp_case *c);

/* "box 16x16x16", or the name of the mesh file; free with bp_free. */
char *bp_case_mesh_name(const bp_config *config, const bp_case *c);

/* As the config has them, its texts. */
bp_multigrid_options bp_config_multigrid(const bp_config *config);

/* "levels=7-4-2-1 smoother=ras ..." of a solve by p-multigrid, else ""; free with bp_free. */
char *bp_case_multigrid(const bp_config *config, const bp_case *c);

/* Values of v: element nodes, E (N+1)^3, or what pair and gradients have. */
int64_t bp_case_nodes(const bp_case *c);

/* As many assembled unknowns as there will be, without any list. */
bp_unknowns bp_case_unknowns(const bp_case *c);
int64_t bp_case_mesh_unique(const bp_case *c); /* of all fields */

/* Bytes that a case needs while it runs, about, of all ranks together: of the host, which has the
 * device's, too, where that is a CPU; of the device: vectors, factors in each order that the choices
 * want, the copy's buffers. */
int64_t bp_case_host_bytes(const bp_case *c, const bp_device *device);
int64_t bp_case_device_bytes(const bp_case *c, const bp_device *device);

/* What the copy beside a case moves: as much as the case, on the CPU no more than shows its rate. */
int64_t bp_case_copy_bytes(const bp_device *device, int64_t bytes);

/* ---- a stage: a case set up ---- */

/* What `bp solve` says of a wave. */
typedef struct {
  double dt, cfl;   /* the step, or 0 and its share of the largest */
  double frequency; /* of the sources; 0: 8 periods in the run */
  const char *sources,
      *receivers; /* "x,y,z;..."; NULL: none. Without sources a standing wave swings */
} bp_wave_options;

typedef struct {
  bool guarded;                /* zones that no kernel may touch around every array */
  bool measured;               /* beside a copy: all of it has to fit into memory */
  bool literal;                /* no kernels will run: plans cannot be made */
  bool applies;                /* v = A u, also of what is solved or stepped otherwise */
  const char *u;               /* then: a file that has u; NULL: random */
  const char *v;               /* another program's, a file, to be judged; NULL: none. Literal */
  bool factors;                /* of elements: they are written, too */
  const bp_wave_options *wave; /* NULL: a standing wave, at 0.9 of what a bound allows */
} bp_stage_options;

typedef struct {
  const bp_case *c; /* the caller's, as the next two */
  const bp_config *config;
  bp_device *device;
  bp_comm *comm; /* the device's, or bp_comm_self() */
  bp_stage_options options;
  bp_mesh *box;          /* owned; NULL: the mesh is a file's */
  const bp_mesh *mesh;   /* the whole one; NULL: the kind has none, or rank 0 alone has it */
  const int64_t *former; /* of that mesh: the case's or that of the box */
  int64_t *box_former;
  bp_piece *piece;    /* a rank's, of elements */
  bool is_refined;    /* a solve in single precision to a tolerance: its system is in double */
  int inner;          /* then, once found: iterations in single, within those in double */
  bp_system *system;  /* of a solve or wave, which has the problem; NULL of any other */
  bp_unknowns *whole; /* of all ranks, of which rank 0 writes files; NULL before */
  bp_problem *problem;
  double
      rounding; /* of mixed precision: what rounded factors change, see bp_problem_rounding; else 0 */
  bp_workspace *workspace; /* of elements, gradients, pairs */
  double *u, *v;     /* v = A u: what is applied and its result; of a solve its result and f */
  double *reference; /* of what is applied */
  double *scale;     /* that its errors are relative to; NULL: the reference */
  double *residuals; /* of a solve: |r| before each iteration and after the last */
  /* What setting up took: the mesh of a box and its order; the metric's checks; right-hand side, or u and the
   * reference; arrays of the device. The rest is the system's. 0 where there is no such part. */
  double mesh_seconds, geometry_seconds, load_seconds, device_seconds;
} bp_stage;

enum { BP_HISTORY = 52 };

/* How right a choice is. */
typedef struct {
  double error, tolerance;
  double residual, true_residual; /* of the first, as the kernels say, by the literal operator */
  double solution_error;          /* in L2, of the known solution's norm; NaN: none is known */
  bp_hash solved;                 /* of what was found right, all of its bits */
  struct {
    int64_t iteration;
    double residual;     /* after it, of the first */
  } history[BP_HISTORY]; /* of a solve: 0, evenly between, the last */
  int history_count;
} bp_stage_outcome;
extern const bp_stage_outcome bp_stage_unknown;

/* All that follows: together. BP_ENVIRONMENT where the host or the device has too little memory. Destroy
 * the stage in any case. */
bp_status bp_stage_create(const bp_case *c, const bp_config *config, bp_device *device,
                          bp_stage_options options, bp_stage **stage);
void bp_stage_destroy(bp_stage *stage); /* NULL is legal */

/* Iterations of a solve or steps, as the config says: how many, with a tolerance at most. */
int bp_stage_iterations(const bp_config *config);

/* A choice bound to the stage; of a solve or steps, so many. BP_SKIPPED: it cannot run here, and why. Where
 * the config's p-multigrid has changed, levels are made anew, and earlier plans must be gone. */
bp_status bp_stage_plan(bp_stage *stage, const bp_choice *choice, int iterations, bp_plan **plan);

/* Of a solve, if the config has a tolerance: sets how many iterations the plan needs; at most so many.
 * BP_WRONG: more; the outcome has the history of these. */
bp_status bp_stage_find_iterations(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome);

/* Of a solve by p-multigrid (solve/multigrid.h); *count is 0 of others, and in emulation. */
bp_status bp_stage_time_shares(bp_stage *stage, bp_plan *plan,
                               bp_multigrid_share shares[BP_MULTIGRID_SHARES], int *count);

/* Runs the plan once and says how right that is; without a plan, of what is applied, the reference
 * becomes v, unless a file has one. BP_WRONG: says what is wrong. What has the same bits as *outcome tells of
 * is not looked at again; bp_stage_unknown: there was none. */
bp_status bp_stage_judge(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome);

/* ---- the row ---- */

/* Whoever takes arrays as they are written, one after the other; `name` says what it is. */
typedef struct {
  bp_status (*write)(void *context, const char *name, bp_npy_type type, int rank,
                     const int64_t *shape, const void *data);
  void *context;
} bp_files;

struct bp_kind {
  const char *name;
  bool (*has)(const bp_operator *op, const bp_bake_off *solve); /* whether problems are of it */
  size_t stage_bytes; /* of its own stage, which begins with a bp_stage; 0: a bp_stage */
  bool has_mesh;      /* of hexahedra, of which ranks have pieces */
  bool has_cells;     /* else, elements of a shape, which a file may have; without geometry */
  bool has_mass;      /* lambda means something */
  bool is_solved;     /* to a right-hand side and a tolerance, with a preconditioner */
  bool by_species;    /* which the config has instead of degrees */
  bool by_points;     /* and instead of a mesh */
  int highest;        /* degree; 0: any */

  /* Of a case without a mesh: how its elements are called, and the n-th size that the config asks for; false
   * when there are fewer. */
  const char *(*elements)(const bp_case *c);
  bool (*size)(const bp_config *config, const bp_device *device, int n, bp_case *c);

  /* ---- the model ---- */
  int64_t (*unique)(
      const bp_case
          *c); /* degree-N nodes when elements share them, times fields; fixed ones, too */
  /* What one application or iteration moves with a choice; NULL: what any has to. */
  int64_t (*bytes)(const bp_case *c, const bp_choice *choice, const bp_device *device);
  int64_t (*flops)(const bp_case *c);
  int64_t (*vectors)(const bp_case *c, bool on_device); /* bytes of vectors and lists */

  /* ---- a stage; see above ---- */
  bp_status (*create)(bp_stage *stage);
  void (*destroy)(bp_stage *stage); /* NULL: what a bp_stage has is all */
  bp_status (*plan)(bp_stage *stage, const bp_choice *choice, int iterations, bp_plan **plan);
  bp_status (*judge)(bp_stage *stage, bp_plan *plan, bp_stage_outcome *outcome);
  bp_status (*compare)(bp_stage *stage, bp_stage_outcome *outcome); /* the v of a file */
  /* Of an operator from u to v (applied.h): the shape of u, or of v, as files have it; returns its rank. */
  int (*shape)(const bp_stage *stage, bool is_output, int64_t shape[BP_NPY_RANK_MAX]);
  bp_status (*files)(bp_stage *stage, const bp_files *to);
};

#endif
