/* assembled.h -- what `bp solve` and `bp apply` share for bp1..bp6: a system from the command line,
 * and its arrays as .npy files. */
#ifndef BP_CMD_ASSEMBLED_H
#define BP_CMD_ASSEMBLED_H

#include "base/npy.h"
#include "cli/command.h"
#include "device/device.h"
#include "solve/system.h"

typedef struct {
  const char *command; /* for messages: "bp solve" */
  const char *prefix;  /* of the files' names */
  bp_mesh *mesh;       /* sorted along the curve */
  int64_t *former;     /* former[e]: where element e stands in the file */
  bp_system *system;
  bp_comm *comm;
  const bp_unknowns
      *unknowns;    /* of the whole mesh; NULL on ranks but 0, which have no mesh either */
  bp_unknowns *own; /* these, where the system has a part alone */
} bp_assembled;

/* With the one number of points, and the rule, that the config has. BP_BAD_INPUT: it has several, or the
 * row none but its own. */
bp_status bp_assembled_space(const bp_config *config, const bp_bake_off *row, int degree,
                             bp_space *space);

/* The mesh and what is fixed are the arguments' (--mesh, --box, --warp, --group, --fixed, --partition,
 * --output); `options` has the rest. To be destroyed in any case. Like all that follows: together. */
bp_status bp_assembled_create(const bp_arguments *arguments, const char *command,
                              bp_system_options options, bp_comm *comm, bp_assembled *assembled);
void bp_assembled_destroy(bp_assembled *assembled);

/* The variant of that name, or of "best" the one that the tables have for a device, else `otherwise`.
 * BP_BAD_INPUT: there is none. */
bp_status bp_assembled_choose(const bp_assembled *assembled, const bp_device *device,
                              const char *name, const char *otherwise, bp_choice *choice);

/* One line on the problem, its mesh and its unknowns, to standard output. */
void bp_assembled_print(const bp_assembled *assembled);

/* PREFIX-x.npy (n,3), PREFIX-ids.npy (E,Nq,Nq,Nq) with elements as in the file, PREFIX-fixed.npy (n). */
bp_status bp_assembled_write_space(const bp_assembled *assembled);

/* PREFIX-NAME.npy, (n) or (n,3), of a vector of the system. */
bp_status bp_assembled_write_vector(const bp_assembled *assembled, const char *name,
                                    const double *vector);

/* PREFIX-NAME.npy of any shape; says so on standard output. Each process for itself. */
bp_status bp_write_npy(const char *prefix, const char *name, bp_npy_type type, int rank,
                       const int64_t *shape, const void *data);

#endif
