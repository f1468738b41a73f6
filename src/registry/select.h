/* select.h -- from what a user asks for ("slab*", "2d-k10", "best", "all", option sweeps) to
 * choices. */
#ifndef BP_REGISTRY_SELECT_H
#define BP_REGISTRY_SELECT_H

#include "registry/best.h"

typedef struct {
  const char *name; /* an option's */
  const int64_t *values;
  int count;
} bp_sweep;

typedef struct {
  const char *problem; /* whose kernels */
  const char *asked;   /* for "best": bp6, whose kernels are bp5's; NULL: problem */
  int degree, points;  /* for "best"; points 0: the problem's own */
  bp_language language;
  const char *device;    /* its name, for "best" */
  int64_t elements;      /* of the problem, for "best"; 0: not known */
  int sms;               /* the device's, for "best"; 0: not known */
  bp_best_limits limits; /* likewise */
  const bp_operator *op; /* likewise, what the space is of */
  bp_space space;
  bool for_ranks; /* "best" is that variant's namesake for ranks, NAME-ranks */
  bool is_tuned;  /* variants of which no sweep names an option have those of the tables */
  const char *const
      *patterns; /* globs on "columns" or "bp3.5/columns", "bp3.5", rungs (globs too), best, all */
  int patterns_count;
  const bp_sweep *sweeps;
  int sweeps_count;
} bp_selection;

/* Whether a pattern is the path of a kernel's file, "./mine.cu". */
bool bp_select_is_file(const char *pattern);

/* Whether a pattern, a glob of names or ids or the name of a problem (bp6, bp6/two-*: kernels of bp5),
 * means the variant. */
bool bp_select_means(const char *pattern, const bp_variant *variant);

/* The choices in registry order, each once; rungs and `best` keep their own options unless a sweep
 * names them. Rungs of solves name what makes them a rung: the rest is as of a variant. A sweep of an option that a variant does not have leaves that variant alone. Returns
 * their number; free *choices with bp_free. A pattern may match nothing here (see bp_select_check).
 */
int bp_select(const bp_selection *selection, bp_choice **choices, bp_status *status);

/* Whether each pattern matches some variant, rung or word at all, whatever its problem or language,
 * and each sweep an option of some variant with values in range; BP_BAD_INPUT names the nearest.
 * Files are read, and are variants from then on.
 * `place` begins the message. */
bp_status bp_select_check(const char *place, const char *const *patterns, int patterns_count,
                          const bp_sweep *sweeps, int sweeps_count);

#endif
