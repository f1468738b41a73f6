/* config.h -- what a run shall do: a YAML file and command-line settings in, one validated struct
 * out.
 *
 * One table (bp_config_keys) holds every key with its type, default, range and help; the reader,
 * the validator, the printer, `--help` and docs/configuration.md all follow it. */
#ifndef BP_CONFIG_CONFIG_H
#define BP_CONFIG_CONFIG_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_CONFIG_KEYS = 53, BP_CONFIG_DEGREE_MAX = 15 };

typedef struct {
  int64_t *items;
  int count;
} bp_config_numbers;

typedef struct {
  char **items;
  int count;
} bp_config_strings;

/* One compile-time option of variants and the values it shall take, one row each. */
typedef struct {
  char *name;
  bp_config_numbers values;
} bp_config_option;

typedef struct {
  bp_config_option *items;
  int count;
} bp_config_options;

/* Where a key got its value: "bp3.yaml:3:9" or "--degree", and for a file the line with a caret
 * below (NULL otherwise). `where` is NULL for a default. */
enum { BP_BACKENDS_MAX = 4 };

typedef struct {
  char *where, *excerpt;
} bp_config_place;

/* Strings that are one of a set of names ("one of" below) point into the table and are not owned.
 */
typedef struct {
  bp_config_strings problems; /* names, each at most once; count 0: none given */
  bool are_solvers;           /* they were bps1 to bps6, which problems has as bp1 to bp6 */

  /* At most one of the five is given; none: the command chooses. */
  char *mesh;                    /* path as the program opens it; NULL: not given */
  int64_t box[3];                /* 0 0 0: not given */
  bp_config_numbers elements;    /* of a box near to a cube */
  bp_config_numbers dofs, nodes; /* the same, per degree about dofs / N^3 or nodes / (N+1)^3
                                    elements; 0: beyond the last cache */
  double warp;                   /* of the box, 0..0.9 */
  double kershaw;                /* epsilon of the Kershaw map of the box; 0: none */
  const char *kershaw_profile;   /* one of: linear quintic */
  char *group;                   /* physical group of the mesh; NULL: all elements */
  bool periodic;                 /* periodic nodes of the mesh are joined */

  bp_config_numbers degrees; /* 1..15, each once, in the order given */
  bp_config_numbers species; /* of pair, instead of degrees */
  bp_config_numbers points;  /* of pair, instead of a mesh */
  bp_config_numbers
      quadrature; /* points per direction beyond the degree, each once; count 0: the problem's own */
  const char *rule;           /* one of own gauss lobatto */
  const char *geometry;       /* one of stored affine trilinear quadratic */
  bp_config_strings backends; /* each one of auto cpu cuda emulate, auto alone; one or more */
  int64_t device;             /* CUDA device */
  const char *arch;           /* of a GPU: "auto", "sm_80" */
  const char *isa;            /* one of auto base avx2 avx512 */
  int64_t threads;            /* of a rank; 0: all, or with ranks its share of them */
  int64_t ranks;              /* processes that bp starts; 1: it is the only one */
  const char *communication;  /* one of auto shm mpi ipc nccl */
  const char *partition;      /* one of curve cyclic metis file */
  bp_config_strings variants; /* globs, names of rungs, "best", "all" */
  bp_config_options options;
  double lambda;         /* NaN: not given */
  char *fixed;           /* of a solve: groups between commas, "none"; NULL: as its problem says */
  char *rhs;             /* of a solve: "manufactured", "constant" or a path */
  int64_t iterations;    /* of a solve: so many, or with a tolerance at most so many */
  double tolerance;      /* 0: none */
  const char *precision; /* one of double mixed single */
  const char *preconditioner; /* one of none jacobi p-multigrid */
  struct {
    char *levels;                /* "7-4-2-1" or "auto" */
    const char *smoother;        /* one of jacobi schwarz ras */
    bp_config_numbers smoothing; /* degrees down and up, or one for both */
    const char *chebyshev;       /* one of fourth first */
    const char *cycle;           /* one of single double */
    int64_t coarse;
  } multigrid;
  const char *launch; /* one of stream graph synchronous */
  int64_t seed;

  struct {
    const char *cache;         /* one of hot cold both */
    double warmup;             /* seconds */
    double min_time, max_time; /* seconds per row */
    int64_t min_samples, max_samples;
    double
        confidence; /* relative half width of the median's 95 % interval that ends the sampling */
    double energy;  /* seconds per row; 0: not measured */
  } measure;

  struct {
    const char *format; /* one of table markdown csv json html svg */
    char *output;       /* NULL: standard output */
    bool figure;        /* on a terminal */
  } report;

  bp_config_place places[BP_CONFIG_KEYS]; /* in the order of bp_config_keys */
  char *folder; /* of the file, with '/' at its end; NULL: none was read */
} bp_config;

/* A config with every default, to be given settings; free with bp_config_destroy. */
bp_config *bp_config_default(void);

/* Reads a file over the defaults. BP_BAD_INPUT: bp_message() holds every error of the file, each
 * `file:line:column: expected ..., found ...` followed by the source line and a caret. A relative
 * `mesh` is taken from the folder of the file, or else is a shipped one. *config is NULL on failure. */
bp_status bp_config_read(const char *path, bp_config **config);

/* The same from memory; `name` stands for the path. */
bp_status bp_config_read_bytes(const char *name, const char *data, size_t size, bp_config **config);

/* Sets one key ("degree", "measure.cache", "options.pad") from text, by the same rules; lists are
 * written `1,3` or `[1, 3]`. `place` begins the message ("--degree"). A `mesh` is relative to the
 * working directory, or else to the folder of the file that was read, or else a shipped one.
 * Setting one of mesh, box, elements, dofs, nodes takes back the other four. */
bp_status bp_config_set(bp_config *config, const char *key, const char *value, const char *place);

/* Its backend. BP_BAD_INPUT: there are several. */
bp_status bp_config_one_backend(const bp_config *config, const char **name);

/* What only the whole can tell, after everything was set: a problem is named, min <= max, ... */
bp_status bp_config_check(const bp_config *config);

/* The config as YAML with all defaults spelled out; it reads back to the same struct. */
void bp_config_print(const bp_config *config, bp_text *text);

/* lambda, or where none was given what is usual: 1 for an operator, 0 for a solve. */
double bp_config_lambda(const bp_config *config, bool is_solve);

/* NULL is legal. */
void bp_config_destroy(bp_config *config);

/* Where `key` was set, for messages about its value: "bp3.yaml:3:9", "--mesh", or NULL when it was
 * not. */
const char *bp_config_where(const bp_config *config, const char *key);

/* ---- the table of keys ---- */

typedef enum {
  BP_KEY_TEXT,    /* char * */
  BP_KEY_PATH,    /* char *, relative to the file that says it */
  BP_KEY_CHOICE,  /* const char *, one of `allowed` */
  BP_KEY_BOOL,    /* bool */
  BP_KEY_INT,     /* int64_t in low..high */
  BP_KEY_REAL,    /* double in low..high; 5% is 0.05 */
  BP_KEY_BOX,     /* int64_t[3] */
  BP_KEY_NAMES,   /* bp_config_strings, each one of `allowed`, each once */
  BP_KEY_GLOBS,   /* bp_config_strings */
  BP_KEY_NUMBERS, /* bp_config_numbers, integers and ranges a..b in low..high, each once */
  BP_KEY_COUNTS,  /* bp_config_numbers, such as 4096, 2e6, 20M, ranges 1e4..1e8, in low..high */
  BP_KEY_POINTS,  /* bp_config_numbers, N+a and ranges N+a..N+b with a, b in low..high, each once */
  BP_KEY_OPTIONS  /* bp_config_options */
} bp_config_kind;

typedef struct {
  const char *name; /* "degree", "measure.cache" */
  bp_config_kind kind;
  const char *standard; /* the default as a config would say it, NULL: none */
  double low, high;     /* where the kind has a range; high INFINITY: no limit */
  const char *const
      *allowed;     /* ends with NULL; NULL where the kind needs none. Of BP_KEY_COUNTS: `auto`,
                                 which is count 0 */
  bool is_size;     /* one of the four that say how large: at most one may be given */
  size_t offset;    /* in bp_config */
  const char *help; /* one line */
} bp_config_key;

extern const bp_config_key bp_config_keys[BP_CONFIG_KEYS];

/* Index in bp_config_keys, or -1; "options.NAME" finds `options`. */
int bp_config_find(const char *name);

/* Whether several values may be given to the key. */
bool bp_config_is_list(const bp_config_key *key);

/* What a value of the key looks like: "one of hot, cold, both", "a number from 0 to 0.9". */
void bp_config_describe(const bp_config_key *key, bp_text *text);

#endif
