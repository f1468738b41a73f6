/* best.h -- what `best` means: tables of which choice is fastest on a device, for a problem, a degree and a
 * number of elements. One is kernels/best, in the binary; `bp tune` writes the user's own, which goes first.
 *
 * A row of either is one line, its columns apart by blanks, what follows a '#' a comment:
 *
 *   DEVICE PROBLEM DEGREES ELEMENTS VARIANT [OPTION=VALUE]...
 *
 * DEVICE is a glob on the device's name or its class (architecture.h: bulk:227), PROBLEM has a row of its own or that of the problem whose kernels it
 * has (bp6: bp5), DEGREES 7 or 1..15 (7q10: with 10 quadrature points per direction, not the
 * problem's own; 7q*: with any that are not; 7/trilinear, 7/single, 7/trilinear/single: of that geometry and
 * precision, which take rows of stored doubles only where they have none), ELEMENTS a number or `any`. */
#ifndef BP_REGISTRY_BEST_H
#define BP_REGISTRY_BEST_H

#include "registry/choice.h"
#include <stddef.h>

enum { BP_BEST_ANY_POINTS = -1 };

typedef struct {
  const char *device; /* glob on the device's name */
  const char *problem;
  int lowest, highest; /* degrees */
  int64_t elements;    /* at which it was tuned; 0: any */
  const char *variant, *options;
  const char *comment; /* of its line, "" for none */
  int line;
  int points; /* per direction; 0: the problem's own; BP_BEST_ANY_POINTS: any but these */
  bp_element_geometry geometry;
  bp_precision precision;
} bp_best;

extern const bp_best bp_best_shipped[];
extern const int bp_best_shipped_count;

/* ---- the user's table: lines, so that comments outlive a change ---- */

typedef struct {
  char *text;   /* the line as it stands */
  char *fields; /* what the row points to; NULL: no row, a comment or nothing */
  bp_best row;
} bp_best_line;

typedef struct {
  char *path;
  bp_best_line *lines;
  int count;
} bp_best_table;

/* $XDG_CONFIG_HOME/bp/best or ~/.config/bp/best, free with bp_free; NULL where there is no home. */
char *bp_best_path(void);

/* A file that is not there, or that others can have written (bp_tell), is a table without lines.
 * BP_BAD_INPUT: `path:line: expected ..., found ...`. The
 * table may be destroyed in either case. */
bp_status bp_best_read(const char *path, bp_best_table *table);
bp_status bp_best_parse(const char *path, const char *data, size_t size, bp_best_table *table);

/* The line of the same device, problem, degrees, space and elements; or NULL. */
const bp_best_line *bp_best_line_of(const bp_best_table *table, const bp_best *row);
/* In place of that, else at the end. */
void bp_best_put(bp_best_table *table, const bp_best *row);

/* Whole or not at all, with the folders above it. BP_ENVIRONMENT. */
bp_status bp_best_write(const bp_best_table *table);
void bp_best_table_destroy(bp_best_table *table);

/* A device's name as column 1 has it, which matches that name; free with bp_free. */
char *bp_best_glob(const char *device);

/* ---- finding ---- */

/* What a GPU allows: a row that asks for more is passed over. */
typedef struct {
  const char *class; /* "": rows of a class are not for it */
  int sm;            /* 0: nothing is known of it */
  int64_t threads_max, shared_max;
} bp_best_limits;

typedef struct {
  const char *device, *problem;
  int degree, points; /* 0: the problem's own (bp_operator_other_points) */
  int64_t elements;   /* 0: not known */
  int sms;            /* the device's; 0: not known */
  bp_language language;
  bp_best_limits limits;
  const bp_operator *op; /* NULL: limits do not matter */
  bp_space space;
} bp_best_wanted;

/* Of the rows that fit, with a variant of that language and degree that the device can run and whose blocks,
 * where they wait for each other, are at most as many as multiprocessors, the one tuned at the nearest number
 * of elements, by their ratio; `any` only where no other fits; the first of several. In the user's table, read
 * when this is first called, and the shipped one. On a GPU without such a row: the nearest of any device,
 * with fewer elements, slots and blocks until it fits. What was not tuned on this device is told once.
 * BP_BAD_INPUT: the user's table is damaged. */
bp_status bp_best_find(const bp_best_wanted *wanted, bp_choice *choice, bool *found);

/* The same for ranks that solve together: rows of what ranks can run, NAME-ranks included, which others do
 * not take, and rows of what has a namesake NAME-ranks, which gets their options; else the first variant of
 * that problem, language and degree that ranks can run. */
bp_status bp_best_find_for_ranks(const bp_best_wanted *wanted, bp_choice *choice, bool *found);

/* The options of choice->variant, which was named without any, in the same tables: of its nearest row, found
 * as above; of a solve without one, of the nearest with the same operator, as far as both have them.
 * Without either *choice stays as it is. */
bp_status bp_best_options(const bp_best_wanted *wanted, bp_choice *choice);

/* The choices of all rows that fit but for their device and size, each once; free *choices with bp_free.
 * Returns their number. */
int bp_best_all(const bp_best_wanted *wanted, bp_choice **choices, bp_status *status);

/* The same as bp_best_find in the shipped table alone. */
bool bp_best_find_shipped(const bp_best_wanted *wanted, bp_choice *choice);

#endif
