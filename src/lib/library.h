/* library.h -- what stands behind the handles of bp.h. */
#ifndef BP_LIB_LIBRARY_H
#define BP_LIB_LIBRARY_H

#include "base/memory.h"
#include "bp.h"
#include "device/plan.h"
#include "lib/lists.h"
#include "lib/mapped.h"
#include "lib/numbers.h"
#include "solve/scheme.h"

/* Each object counts who holds it: its maker's caller, and what was made of it. */
struct libbp_context {
  int holders;
  bp_device *device;
  void (*log)(void *of, const char *line);
  bp_allocator arrays;
};

/* Around the work of a call: its context's callbacks. A context that is NULL has none. What was refused
 * makes a failure of success. */
void libbp_enter(const libbp_context *context);
bp_status libbp_leave(bp_status status);

static inline bool libbp_is_gpu(const libbp_context *context)
{
  return context->device->backend->language ==
         BP_LANGUAGE_CUDA; /* tests have one that is emulated */
}

struct libbp_mesh {
  int holders;
  libbp_context *context;
  bp_mesh *mesh;
};

struct libbp_operator {
  libbp_context *context;
  libbp_mesh *of; /* NULL: factors */
  const bp_operator *op;
  const bp_bake_off *row; /* unknowns; NULL: elements */
  bp_space space;
  double lambda;
  char *fixed;

  libbp_layout layout;
  int fields;            /* components of a vector; 1 on elements */
  int64_t count, stride; /* of unknowns: of a component; from component to component */
  bp_unknowns *unknowns; /* in libbp's numbers; NULL: the caller's, or elements */
  int64_t *fixed_list;   /* of these */

  bp_problem *problem; /* on elements */
  bp_workspace *workspace;
  bp_plan *plan;
  bp_batches batches;
  libbp_numbers *numbers; /* of unknowns, on a CPU */
  libbp_mapped
      *mapped; /* on a GPU, where that can be; else the next two, the steps of an application */
  libbp_lists *lists; /* solves have them as well */
  bp_step *steps;

  bp_system *system; /* of solves; made by the first */
  bp_scheme *scheme;
  bp_plan *solver;
  double *f;
};

/* BP_BAD_INPUT where p is NULL; `what` it is stands in the message. */
bp_status libbp_given(const void *p, const char *what);

/* Marks the last message with the call that failed. */
libbp_status libbp_failed(bp_status status, const char *call);

/* Puts steps into the caller's stream; all that a GPU does. */
bp_status libbp_issue(libbp_context *context, const bp_step *steps, int count, void *stream,
                      const char *what);

/* On a GPU: numbers by element and the other way round, unless they are there. */
bp_status libbp_make_lists(libbp_operator *a, const int64_t *map);

/* What solves need, made by the first. */
void libbp_forget_solver(libbp_operator *a);

libbp_context *libbp_hold_context(libbp_context *context);
libbp_mesh *libbp_hold_mesh(libbp_mesh *mesh);

/* Around what looks for kernels and compiles them: its tables are the process's. */
void libbp_lock(void);
void libbp_unlock(void);

/* The variant of that name or file, with options behind it as bp.h says, NULL: what `best` takes, for a
 * problem on the device. BP_ENVIRONMENT: nothing fits. */
bp_status libbp_best(const bp_device *device, const bp_operator *op, const bp_bake_off *row,
                     bp_space space, int64_t elements, const char *variant, bp_choice *choice);

#endif
