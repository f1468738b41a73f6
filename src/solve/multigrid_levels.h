/* multigrid_levels.h -- what a cycle works on: for multigrid*.c alone. */
#ifndef BP_SOLVE_MULTIGRID_LEVELS_H
#define BP_SOLVE_MULTIGRID_LEVELS_H

#include "device/program.h"
#include "solve/multigrid.h"
#include "solve/schwarz.h"
#include "solve/sparse.h"

/* The operator by element kernels, and vectors: of a level, or of the outer iterations. */
typedef struct {
  bp_system
      *system; /* of its degree, in double; of the first level and the outer one the scheme's */
  bp_problem assembled, *separate; /* the same problem for kernels of vectors, of elements */
  bp_choice choice;                /* for elements */
  bp_workspace *vectors, *elements;
  bp_plan *own,
      *apply;      /* bpN/multigrid; the operator on elements, of kernels for GPUs solve/level */
  bp_address u, v; /* by element; of several fields arrays of their own: */
  bp_array fields_u, fields_v;
  bp_address
      copies;      /* of kernels for GPUs, which have A p in v but for those on surfaces; else 0 */
  double *weights, /* of unknowns: 1 / diagonal, or what a sum over boxes is weighted by */
      *transfer;   /* to the next level; NULL: there is none */
  uint32_t *slots; /* of copies, of kernels for GPUs */
  bp_schwarz *schwarz;          /* NULL: the diagonal smooths */
  struct bp_level_ranks *ranks; /* NULL: there is one */
  bp_array boxes, box_nodes;
  bp_chebyshev smoother[2]; /* down, up */
} bp_elements_level;

/* On a device. */
typedef struct {
  bp_array starts, columns, values;
} bp_device_sparse;

/* Where a level's vectors lie. */
typedef struct {
  int64_t rows, stride;
  bp_address b, x, r, d, t, weights;
} bp_level_vectors;

/* Without elements; the first has the unknowns of N = 1. */
typedef struct {
  bp_sparse a, down, up; /* to the next level, and from there */
  bp_device_sparse
      on_device[3]; /* of the first level, unless it is smoothed, from and to its elements */
  bp_array own[6];
  bp_level_vectors at;
  bool is_smoothed;
  bp_chebyshev smoother[2];
} bp_rows_level;

enum { BP_ROWS_LEVELS = 8, BP_SCHEDULE_ROWS = 4096 };

/* What stands in a cycle's place (refined.h): appends steps that make x of b, floats, in iteration n. */
typedef struct {
  void (*append)(void *context, int n, bp_program *program); /* NULL: the cycle */
  void *context;
  bp_address b, x;
} bp_multigrid_other;

struct bp_multigrid {
  bp_scheme *scheme;
  bp_device *device;
  bp_choice choice;
  bp_multigrid_options options;
  int generation; /* of the device */
  int degrees[BP_MULTIGRID_LEVELS], count, rows_count;
  bp_elements_level outer, levels[BP_MULTIGRID_LEVELS];
  int64_t all_elements; /* with those behind its own where a rank keeps other ranks' copies */
  int64_t half_bytes;   /* of mailboxes */
  bp_system *whole;     /* N = 1 of several ranks, on the first one; else NULL */
  bp_multigrid_other other;
  bp_rows_level rows[BP_ROWS_LEVELS];
  double *inverse; /* of the last level of rows */
  bp_array inverse_on_device, schedule_on_device;
  double scale;     /* of what goes into the cycle */
  double *schedule; /* while a program is made */
  int schedule_count;
};

/* Kernels are for GPUs: A p goes to a vector and to copies, which nothing else does. */
static inline bool bp_multigrid_is_on_gpu(const bp_multigrid *m)
{
  return m->choice.variant->language == BP_LANGUAGE_CUDA;
}

/* ---- programs: steps of a level ---- */

typedef struct {
  bp_multigrid *m;
  bp_program *program;
} bp_multigrid_maker;

/* The maker's schedule goes to the device at the end. */
bp_multigrid_maker bp_multigrid_begin(bp_multigrid *m, bp_program *program);
bp_status bp_multigrid_end(const bp_multigrid_maker *maker);

/* Of several ranks. Their steps: others' copies of A p come, on CPUs behind a level's own elements in v; of a
 * vector, what others have first; r beyond faces, to the address that is returned (0: none), *field from field to
 * field; N = 1, of the last level, goes to the first rank and back. Nothing where a rank is alone. */
bool bp_multigrid_has_ranks(const bp_multigrid *m);
int64_t bp_multigrid_behind(const bp_elements_level *l);        /* elements */
int64_t bp_multigrid_message_bytes(const bp_elements_level *l); /* at most, of what comes at once */
bp_status bp_multigrid_make_ranks(bp_multigrid *m, bp_elements_level *l);
bp_status bp_multigrid_make_far(bp_multigrid *m, bp_elements_level *l);
void bp_multigrid_destroy_ranks(bp_device *device, bp_elements_level *l);
bp_status bp_multigrid_tell_last(bp_multigrid *m);
void bp_multigrid_bind_messages(bp_step *step, const bp_elements_level *l);
void bp_multigrid_exchange(const bp_multigrid_maker *maker, const bp_elements_level *l);
void bp_multigrid_unify(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector);
bp_address bp_multigrid_reach(const bp_multigrid_maker *maker, const bp_elements_level *l,
                              bp_address vector, int64_t *field);
void bp_multigrid_collect(const bp_multigrid_maker *maker);
void bp_multigrid_spread(const bp_multigrid_maker *maker);

/* A launch of a level's kernel. */
bp_step *bp_multigrid_add(const bp_multigrid_maker *maker, const bp_elements_level *l,
                          const char *kernel);
void bp_multigrid_bind(bp_step *step, int operand, uint64_t value);

/* t = A of a vector, which elements have where a CPU's kernels are. */
void bp_multigrid_apply(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector);

/* A step of the kernel `smooth` on a level with elements. */
typedef struct {
  int flags;
  double before, keep, gain, after;
} bp_smooth;
void bp_multigrid_smooth(const bp_multigrid_maker *maker, const bp_elements_level *l, bp_smooth s);

/* d = S r, by Schwarz. */
void bp_multigrid_schwarz(const bp_multigrid_maker *maker, const bp_elements_level *l);

/* Kernels for ranks of GPUs make sums by a kernel of its own, those that directions want at once. */
bool bp_multigrid_has_dot(const bp_multigrid *m);

/* Without smoothing the vectors of N = 1 are not wanted below other degrees. By kernels for ranks of GPUs
 * they are: sums by warps would have other bits. */
bool bp_multigrid_skips_corners(const bp_multigrid *m);

/* M b of the first level, where the result says. */
void bp_multigrid_add_cycle(const bp_multigrid_maker *maker);
bp_address bp_multigrid_result(const bp_multigrid *m);

bp_level_vectors bp_multigrid_vectors(const bp_elements_level *l);

/* Without levels: the iterations around something else, which `other` is to become; and their program. */
bp_status bp_multigrid_create_around(bp_scheme *scheme, const bp_choice *choice,
                                     bp_multigrid **multigrid);
bp_status bp_multigrid_append(bp_multigrid *multigrid, bp_plan *plan, bp_program *program);

/* Runs what was made and destroys it: `from` goes to `in` before it, `out` comes to `to` after it. */
typedef struct {
  bp_address in, out;
  const double *from;
  double *to;
} bp_multigrid_io;
bp_status bp_multigrid_run(const bp_multigrid_maker *maker, const bp_elements_level *l,
                           bp_multigrid_io io);

/* ---- making levels ---- */

bp_status bp_multigrid_make_elements(bp_multigrid *m);
bp_status bp_multigrid_make_rows(bp_multigrid *m);
void bp_multigrid_destroy_elements(bp_multigrid *m);
void bp_multigrid_destroy_rows(bp_multigrid *m);

/* smoother[]: for eigenvalues of S A up to `largest`. */
void bp_multigrid_set_smoother(const bp_multigrid *m, double largest, bp_chebyshev smoother[2]);

/* Whole numbers of four bytes, or reals of the cycle, which the host has as doubles. */
bp_status bp_multigrid_upload(bp_multigrid *m, const char *name, int64_t count, const void *values,
                              bool is_real, bp_array *array);

/* A p and S r of a level, whichever it is. */
typedef struct {
  const bp_system *system; /* NULL without elements */
  int64_t count, size;     /* of a component; of all */
  bp_status (*apply)(void *context, const double *p, double *ap);
  bp_status (*smooth)(void *context, const double *r, double *z);
  void *context;
} bp_pencil;

/* A bound of the eigenvalues of S A; by powers where S is not symmetric. is_fixed may be NULL. */
bp_status bp_pencil_largest(const bp_pencil *pencil, const uint8_t *is_fixed, double *largest);
bp_status bp_pencil_largest_power(const bp_pencil *pencil, const uint8_t *is_fixed,
                                  double *largest);

#endif
